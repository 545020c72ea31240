import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCodes } from '../../contract/errors.ts';
import { routes } from '../../sdk/src/generated/routes.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { BROWSER_MS, openBrowser } from './browser.ts';

let api: TestApi;
let browser: Browser;
let merchant: Merchant;

beforeAll(async () => {
  [api, browser] = await Promise.all([startApi(), openBrowser()]);
  merchant = await api.newMerchant();
}, BROWSER_MS);

afterAll(async () => {
  await browser.close();
  await api.stop();
});

/** The checks of a long page take a while on a busy machine. */
const LONG_PAGE_MS = 90_000;
const DESKTOP = { width: 1_400, height: 900 };
const PHONE = { width: 390, height: 844 };

interface Visit {
  readonly page: Page;
  /** What the console told, violations of the policy among it. */
  readonly told: string[];
  /** Requests to other origins. */
  readonly elsewhere: string[];
}

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US', ...options });
  const page = await context.newPage();
  const told: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => told.push(message.text()));
  page.on('pageerror', (error) => told.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(api.baseUrl) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await page.goto(api.baseUrl + path);
  return { page, told, elsewhere };
}

const views: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desktop', { viewport: DESKTOP, colorScheme: 'light' }],
  ['on a desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' }],
  ['on a telephone', { viewport: PHONE, colorScheme: 'light', hasTouch: true }],
  ['on a telephone, dark', { viewport: PHONE, colorScheme: 'dark', hasTouch: true }],
];

/** One of each kind. */
const PATHS = ['/docs', '/docs/en/api', '/docs/en/api/refunds', '/docs/pt/guides/pix', '/docs/en/errors'];
/** Pages that take a browser long to judge, of the same kinds. */
const LONG_PATHS = ['/docs/en/api/invoices', '/docs/en/events'];

describe.each(views)('the docs %s', (name, options) => {
  test.each(name === 'on a desktop' ? [...PATHS, ...LONG_PATHS] : PATHS)(
    '%s can be used by everybody, stay within the screen and load nothing from elsewhere',
    async (path) => {
      const { page, told, elsewhere } = await visit(path, options);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(options.viewport?.width ?? 0);
      expect({ told, elsewhere }).toEqual({ told: [], elsewhere: [] });
      await page.context().close();
    },
    LONG_PAGE_MS,
  );
});

async function find(page: Page, what: string): Promise<string[]> {
  await page.locator('#search input').fill(what);
  await page.locator('#search li, #search .nothing:not([hidden])').first().waitFor();
  return page.locator('#search li a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
}

describe('a reader', () => {
  test('finds every operation and every error code by its name', async () => {
    const { page, told } = await visit('/docs/en');
    await page.keyboard.press('/');
    for (const id of Object.keys(routes)) {
      expect((await find(page, id)).slice(0, 3), id).toContain(`/docs/en/api/${id.split('.')[0]}#${id}`);
    }
    for (const code of errorCodes)
      expect((await find(page, code)).slice(0, 3), code).toContain(`/docs/en/errors#${code}`);
    expect(await find(page, 'zzzzzz')).toEqual([]);
    await find(page, 'card declined');
    await page.keyboard.press('Enter');
    await page.waitForURL(/errors#CARD_DECLINED|guides\/cards|#when-a-card-is-declined/);
    expect(told).toEqual([]);
    await page.context().close();
  }, 120_000);

  test('finds words without their accents', async () => {
    const { page } = await visit('/docs/pt');
    await page.getByRole('button', { name: 'Buscar' }).click();
    expect((await find(page, 'cartoes')).join()).toContain('/docs/pt/guides/cards');
    await page.context().close();
  });

  test('chooses a language of code and a theme, which other pages remember', async () => {
    const { page } = await visit('/docs/en/api/products');
    const python = page.locator('[data-language="python"]').first();
    expect(await python.isVisible()).toBe(false);
    await page.getByLabel('Language of the code').selectOption('python');
    expect(await python.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Dark or light' }).click();
    await page.goto(`${api.baseUrl}/docs/en/api/customers`);
    const { theme, code } = await page.evaluate(() => ({ ...document.documentElement.dataset }));
    expect({ theme, code }).toEqual({ theme: 'dark', code: 'python' });
    await page.context().close();
  });

  test('sends an operation with a sandbox key that the page forgets, and with no live one', async () => {
    const { page, told } = await visit('/docs/en/api/products');
    const section = page.locator('[id="products.create"]');
    await section.getByText('Try it').click();
    const key = section.getByLabel('Sandbox key');
    await key.fill(merchant.liveKey);
    await section.getByRole('button', { name: 'Send' }).click();
    expect(await key.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).toBe(true);
    await key.fill(merchant.sandboxKey);
    await section.getByRole('button', { name: 'Send' }).click();
    await section.locator('output', { hasText: '201 ·' }).waitFor();
    const { data } = await merchant.fatura.products.list().page();
    expect(data).toMatchObject([{ name: 'Plano Ouro' }]);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))).not.toContain(
      'sk_',
    );
    await page.reload();
    expect(await key.inputValue()).toBe('');
    expect(told).toEqual([]);
    await page.context().close();
  });

  test('without a script sees every sample', async () => {
    const { page } = await visit('/docs/en/api/products', { javaScriptEnabled: false });
    for (const language of ['curl', 'typescript', 'python'])
      expect(await page.locator(`[data-language="${language}"]`).first().isVisible()).toBe(true);
    expect(await page.locator('.try').first().isVisible()).toBe(false);
    await page.context().close();
  });
});
