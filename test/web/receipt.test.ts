import { describe, expect, test } from 'vitest';
import { payByCard } from '../support/cards.ts';
import { newCustomer, newInvoice, newPrice, newProduct, unique } from '../support/factories.ts';
import { readPdf } from '../support/pdf.ts';
import { expectSound, inspect, PHONE, paymentScene, type Visit } from './scene.ts';

const scene = paymentScene();
const NARROWEST = { width: 320, height: 640 };

const urlOf = (invoice: string): string => scene.api().composition.deps.links.receipt({ id: invoice, liveMode: false });

/** What the merchant tells buyers of itself. */
async function look(): Promise<void> {
  await scene.api().composition.deps.pool.query(
    `UPDATE account_look SET tax_id = '12ABC34501DE35', support_email = 'ajuda@padaria.test', support_phone = '+5511987654321',
       color = '#7a1f5c' WHERE account_id = $1`,
    [scene.shop().accountId],
  );
}

/** Paid by card in installments and returned in part, with all that a receipt may show. */
async function aReceipt({ buyer = 'Maria da Conceição', item = 'Curso de violão', lines = 2 } = {}): Promise<string> {
  const shop = scene.shop();
  const { id: customer } = await newCustomer(shop, { name: buyer });
  const { id: product } = await newProduct(shop, { name: item });
  const price = { product_id: product, unit_amount: 19_990, card_installments_enabled: true };
  const { id: price_id } = await newPrice(shop, { ...price, max_card_installments: 12 });
  const { id } = await newInvoice(shop, {
    customer_id: customer,
    line_items: Array.from({ length: lines }, (_, index) => ({ price_id, quantity: index + 1 })),
    discounts: [{ type: 'percentage', percentage: 12.5, description: 'Boas-vindas' }],
    description: 'Turma de verão',
    external_code: `pedido-${unique()}`,
  });
  const { payment_intent: intent } = await payByCard(shop, id, { installments: 3 });
  await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 1_000 });
  return id;
}

const openReceipt = (invoice: string, options: Parameters<typeof scene.open>[1] = {}): Promise<Visit> =>
  scene.openUrl(urlOf(invoice), options);

describe('a receipt in a browser', () => {
  test('hinders nobody and breaks no rule of its policy', async () => {
    await look();
    const visit = await openReceipt(await aReceipt());
    expect(await visit.page.getByRole('heading', { level: 1 }).textContent()).toBe('Recibo de pagamento');
    expect(await visit.page.title()).toBe('Recibo de pagamento – Loja do Teste');
    await inspect(visit, 'receipt');
    await expectSound(visit);
  });

  test('of an invoice that nobody paid says so', async () => {
    const { id } = await scene.anInvoice();
    const visit = await openReceipt(id);
    expect(await visit.page.getByRole('heading', { level: 1 }).textContent()).toBe('Esta fatura não tem recibo');
    await inspect(visit, 'receipt-none');
    // The browser itself tells of a 404.
    expect(visit.complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
  });

  test('is no wider than the narrowest phone, whatever things are called', async () => {
    const invoice = await aReceipt({ buyer: 'W'.repeat(250), item: 'Ç'.repeat(250), lines: 12 });
    const visit = await openReceipt(invoice, { viewport: NARROWEST });
    await expectSound(visit);
    expect(await visit.page.getByRole('link', { name: 'Baixar PDF' }).boundingBox()).toMatchObject({
      height: expect.toSatisfy((px) => px >= 48),
    });
    await inspect(visit, 'receipt-longest');
  });

  test('needs no script, and its page leads to it and back', async () => {
    const invoice = await aReceipt();
    const { page, complaints } = await scene.open(invoice, { javaScriptEnabled: false });
    const start = page.url();
    await page.getByRole('link', { name: 'Ver recibo' }).click();
    await page.getByRole('heading', { name: 'Recibo de pagamento' }).waitFor();
    expect(page.url()).toBe(`${start}/receipt`);
    await page.getByRole('link', { name: 'Voltar à fatura' }).click();
    await page.getByText('Pagamento recebido').waitFor();
    expect(page.url()).toBe(start);
    expect(complaints).toEqual([]);
  });
});

test('the link to the receipt comes with the payment', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const link = page.getByRole('link', { name: 'Ver recibo' });
  expect(await link.count()).toBe(0);
  await payByCard(scene.shop(), id);
  await link.click();
  await page.getByRole('heading', { name: 'Recibo de pagamento' }).waitFor();
});

/** Kept where somebody wants to look at it, as screens are. */
function printed(page: Visit['page'], name: string): Promise<Uint8Array> {
  const { SCREENSHOTS: folder } = process.env;
  return page.pdf({ preferCSSPageSize: true, ...(folder === undefined ? {} : { path: `${folder}/${name}.pdf` }) });
}

describe('a receipt on paper', () => {
  test('is light on one page of A4, with its mark and without its buttons', async () => {
    const { page } = await openReceipt(await aReceipt(), { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('link').filter({ visible: true }).count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.querySelector("h2")).color')).toBe('rgb(21, 32, 27)');
    const { pages } = await readPdf(await printed(page, 'receipt-printed'));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('recibo sem valor');
    expect(pages[0]).toContain('Este recibo não é documento fiscal');
  });

  test('of many lines runs on over pages', async () => {
    const { page } = await openReceipt(await aReceipt({ lines: 60 }), { viewport: PHONE });
    const { pages } = await readPdf(await printed(page, 'receipt-printed-longest'));
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join('').match(/Curso de violão/g)).toHaveLength(60);
  });
});
