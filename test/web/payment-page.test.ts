import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newInvoice, newPrice, newProduct } from '../support/factories.ts';
import { BROWSER_MS, openBrowser } from './browser.ts';

const PHONE = { width: 360, height: 740 };
/** Screenshots are kept where somebody wants to look at them. */
const { SCREENSHOTS: folder } = process.env;

let api: TestApi;
let shop: Merchant;
let browser: Browser;
let context: BrowserContext | null = null;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  browser = await openBrowser();
}, BROWSER_MS);
afterEach(async () => {
  await context?.close();
  context = null;
});
afterAll(async () => {
  await browser.close();
  await api.stop();
});

test('a buyer without JavaScript pays on a phone', async () => {
  const product = await newProduct(shop, { name: 'Plano Ouro' });
  const price = await newPrice(shop, { product_id: product.id });
  const { id } = await newInvoice(shop, { line_items: [{ price_id: price.id, quantity: 1 }] });
  const { pathname } = new URL(api.composition.deps.links.payment({ id, liveMode: false }));
  context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, locale: 'pt-BR' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  const keep = async (name: string) => {
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  await page.goto(api.baseUrl + pathname);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Loja do Teste');
  expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
  await keep('open');

  expect(new URL(page.url()).pathname).toBe(pathname);
  const { payment_intent: intent, ...charged } = await shop.fatura.invoices.checkout(id, {
    payment_method_type: 'pix',
  });
  const code = page.getByLabel('PIX copia e cola');
  expect(await code.inputValue()).toBe(charged.payment_method?.pix?.pix_copy_paste);
  expect(await code.isEditable()).toBe(false);
  const image = await page.getByRole('img', { name: 'QR code PIX de R$ 99,90' }).boundingBox();
  expect(image?.width).toBeGreaterThan(200);
  expect(image?.height).toBe(image?.width);
  await keep('code');

  await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  await page.getByRole('link', { name: 'Já paguei: atualizar esta página' }).click();
  expect(await page.getByText('O pagamento foi recebido. Obrigado!').isVisible()).toBe(true);
  expect(await page.getByRole('button').count()).toBe(0);
  await keep('paid');
  expect(complaints).toEqual([]);
});

test('nothing on the page is wider than a phone, whatever it is called', async () => {
  const product = await newProduct(shop, { name: 'P'.repeat(250) });
  const price = await newPrice(shop, { product_id: product.id, unit_amount: 999_999 });
  const { id } = await newInvoice(shop, { line_items: [{ price_id: price.id, quantity: 999 }] });
  const { pathname } = new URL(api.composition.deps.links.payment({ id, liveMode: false }));
  context = await browser.newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  await page.goto(api.baseUrl + pathname);
  await page.getByRole('button', { name: 'Copy the PIX code' }).waitFor();
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(320);
});
