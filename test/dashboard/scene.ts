import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Role } from '../../contract/roles.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { newPerson, type Browser as Person, PUBLIC_URL } from '../support/people.ts';
import { BROWSER_MS, openBrowser } from '../web/browser.ts';
import { DESK, type Visit } from '../web/scene.ts';

export { PASSWORD } from '../support/people.ts';

/** Where somebody wants to look at screens, what a failed test last saw is kept too. */
const { SCREENSHOTS: folder } = process.env;

/** Refusals that a test asks for are shown in the console by the browser itself. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Whatever a page is told not to do it tells its own window. */
const LISTEN = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`;

export type Signed = Person & { email: string };

/** The service, a merchant and a browser that finds it where its PUBLIC_URL says, for the tests of a file. */
export function dashboardScene(options: Parameters<typeof startApi>[0] = {}) {
  const { publicUrl = PUBLIC_URL } = options;
  let api: TestApi;
  let shop: Merchant;
  let browser: Browser;
  const pages: Page[] = [];

  beforeAll(async () => {
    api = await startApi(options);
    shop = await api.newMerchant();
    const { host } = new URL(publicUrl);
    browser = await openBrowser([`--host-resolver-rules=MAP ${host} ${new URL(api.baseUrl).host}`]);
  }, BROWSER_MS);
  afterEach(async ({ task }) => {
    for (const [at, page] of pages.splice(0).entries()) {
      const isWanted = task.result?.state === 'fail' && folder !== undefined;
      if (isWanted) await page.screenshot({ path: `${folder}/failed ${task.name} ${at}.png` });
      await page.context().close();
    }
  });
  afterAll(async () => {
    await browser.close();
    await api.stop();
  });

  /** A page of the dashboard; without a person nobody is signed in there. */
  async function open(path: string, person?: Signed, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: DESK, locale: 'pt-BR', ...options });
    const [name = '', value = ''] = person?.cookie?.split('=') ?? [];
    if (name !== '') await context.addCookies([{ name, value, url: publicUrl }]);
    const page = await context.newPage();
    pages.push(page);
    const complaints: string[] = [];
    page.on('console', (message) => void (REFUSAL.test(message.text()) || complaints.push(message.text())));
    page.on('pageerror', (error) => void complaints.push(String(error)));
    await page.addInitScript(LISTEN);
    await page.goto(`${publicUrl}/dashboard${path}`);
    return { page, context, complaints };
  }

  return {
    api: () => api,
    shop: () => shop,
    open,
    /** Eleven minutes after the person signed in. */
    async newPersonOfBefore(role: Role): Promise<Signed> {
      const person = await newPerson(api, { accountId: shop.accountId, role });
      const age = `UPDATE staff_session SET fresh_at = now() - interval '11 minutes'
        WHERE staff_id = (SELECT id FROM staff WHERE email = $1)`;
      await api.composition.database.pool.query(age, [person.email]);
      return person;
    },
    newPerson: (role: Role): Promise<Signed> => newPerson(api, { accountId: shop.accountId, role }),
    /** A paid sale by PIX. */
    async sell({ name = 'Maria da Silva', amount = 9_990, item = 'Plano Ouro' } = {}) {
      const customer = await newCustomer(shop, { name, phone: '+5511987654321' });
      const product = await newProduct(shop, { name: item });
      const price = await newPrice(shop, { product_id: product.id, unit_amount: amount });
      const order = { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] };
      const { id } = await shop.fatura.invoices.create(order);
      const { payment_intent: payment } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
      await shop.fatura.testHelpers.paymentIntents.payPix(payment ?? '', { scenario: 'paid' });
      return { customer, invoice: id, payment: payment ?? '' };
    },
    /** An open invoice that nobody has paid. */
    async bill({ name = 'João Souza', amount = 5_000 } = {}) {
      const customer = await newCustomer(shop, { name });
      const price = await newPrice(shop, { unit_amount: amount });
      const order = { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] };
      return { customer, invoice: (await shop.fatura.invoices.create(order)).id };
    },
  };
}
