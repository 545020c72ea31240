import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { CVC } from '../support/cards.ts';
import { CPF, newInvoice, newPrice, newProduct } from '../support/factories.ts';
import { Failpoints } from '../support/failpoints.ts';
import { BROWSER_MS, openBrowser } from './browser.ts';

export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };

/** Screenshots are kept where somebody wants to look at them. */
const { SCREENSHOTS: folder } = process.env;

/** A page as a buyer has it open, and what it complained of. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the policy, errors and warnings of the console, faults of the script. */
  readonly complaints: string[];
}

/** Whatever a page is told not to do it tells its own window. */
const LISTEN = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

type Order = NonNullable<Parameters<typeof newInvoice>[1]> & { price?: Parameters<typeof newPrice>[1] };

/** The service, a merchant and a browser for the tests of a file. */
export function paymentScene() {
  const failpoints = new Failpoints();
  let api: TestApi;
  let shop: Merchant;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    api = await startApi({ failpoint: failpoints.hook });
    shop = await api.newMerchant();
    browser = await openBrowser();
  }, BROWSER_MS);
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser.close();
    await api.stop();
  });

  const addressOf = (invoiceId: string): string =>
    api.baseUrl + new URL(api.composition.deps.links.payment({ id: invoiceId, liveMode: false })).pathname;

  return {
    failpoints,
    api: () => api,
    shop: () => shop,
    addressOf,

    /** An invoice of one line, of a price that may allow installments. */
    async anInvoice({ price, ...order }: Order = {}) {
      const product = await newProduct(shop, { name: 'Plano Ouro' });
      const { id } = await newPrice(shop, { product_id: product.id, ...price });
      return newInvoice(shop, { line_items: [{ price_id: id, quantity: 1 }], ...order });
    },

    open: (invoiceId: string, options: BrowserContextOptions = {}): Promise<Visit> =>
      visit(addressOf(invoiceId), options),

    visit: (address: string): Promise<Visit> => visit(address, {}),

    /** A page of the service by the address that the API gave out. */
    openUrl: (url: string, options: BrowserContextOptions = {}): Promise<Visit> =>
      visit(api.baseUrl + new URL(url).pathname, options),
  };

  async function visit(address: string, options: BrowserContextOptions): Promise<Visit> {
    const context = await browser.newContext({ viewport: PHONE, locale: 'pt-BR', ...options });
    contexts.push(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'log' || complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(String(error)));
    if (options.javaScriptEnabled !== false) await page.addInitScript(LISTEN);
    await page.goto(address);
    return { page, context, complaints };
  }
}

/** What a buyer types in; spaces and dots are the mask's. */
export async function fillCard(page: Page, card: TypedCard): Promise<void> {
  await page.getByRole('radio', { name: 'Cartão' }).check();
  await typeCard(page, card);
}

interface TypedCard {
  readonly number: string;
  readonly cvc?: string;
  readonly expiry?: string;
}

/** Where a card is all that is taken. */
export async function typeCard(page: Page, { number, cvc = CVC, expiry = '1240' }: TypedCard): Promise<void> {
  await page.getByLabel('Número do cartão').pressSequentially(number.replaceAll(' ', ''));
  await page.getByLabel('Nome impresso no cartão').fill('MARIA DA SILVA');
  await page.getByLabel('Validade').pressSequentially(expiry);
  await page.getByLabel('CVV').fill(cvc);
  const document = page.getByLabel('CPF do titular');
  // Of a buyer whose CPF is known it is not asked for.
  if ((await document.count()) > 0) await document.pressSequentially(CPF);
}

export const payButton = (page: Page) => page.getByRole('button', { name: /^(Pagar R|Assinar por )/ });

/** Keeps a screen for whoever wants to look at it, and lets axe look for what hinders people. */
async function inspectOne({ page }: Visit, name: string, rules?: string[]): Promise<void> {
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
  // No script runs in a frame that is sealed off, axe neither; letters are looked at by themselves.
  const axe = new AxeBuilder({ page }).exclude('iframe[sandbox=""]');
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  expect(violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual(
    [],
  );
}

/** A screen on a phone in light, and on a desk in dark: there its colours alone are others. */
export async function inspect(visit: Visit, name: string): Promise<void> {
  await inspectOne(visit, `${name}-phone-light`);
  await visit.page.setViewportSize(DESK);
  await visit.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await inspectOne(visit, `${name}-desk-dark`, ['color-contrast']);
}

/** The page has nothing to complain of and nothing is wider than its window. */
export async function expectSound({ page, complaints }: Visit): Promise<void> {
  expect(complaints).toEqual([]);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  // A table becomes cards a moment after its window has become one of a phone.
  await expect.poll(() => page.evaluate(overflow)).toBeLessThanOrEqual(0);
}
