import { describe, expect, test } from 'vitest';
import { newCustomer, newInvoice, newPrice, newProduct } from '../../support/factories.ts';
import { drawnIn, readPdf } from '../../support/pdf.ts';
import { ReceiptScene } from './receipt-scene.ts';

const scene = new ReceiptScene();

const fileOf = (invoice: string, method: 'GET' | 'HEAD' = 'GET') =>
  fetch(`${scene.api.baseUrl}${scene.pathOf(invoice)}.pdf`, { method });

const bytesOf = async (invoice: string): Promise<Uint8Array> => (await fileOf(invoice)).bytes();

const readingOf = async (invoice: string) => readPdf(await bytesOf(invoice));

async function aLine(name: string): Promise<{ price_id: string; quantity: number }> {
  const { id: product } = await newProduct(scene.merchant, { name });
  return { price_id: (await newPrice(scene.merchant, { product_id: product })).id, quantity: 1 };
}

/** A paid invoice of a buyer and a product of these names. */
async function sold({ buyer = 'Maria da Conceição', item = 'Pão de queijo' } = {}): Promise<string> {
  const { id: customer } = await newCustomer(scene.merchant, { name: buyer });
  const { id } = await newInvoice(scene.merchant, { customer_id: customer, line_items: [await aLine(item)] });
  await scene.payByCard(id);
  return id;
}

describe('the file of a receipt', () => {
  test('says what its page says', async () => {
    await scene.look({ name: 'Padaria São João', tax_id: '12ABC34501DE35', support_phone: '+5511987654321' });
    const { id } = await newInvoice(scene.merchant, {
      ...{ amount: 10_000, external_code: 'pedido-7', description: 'Encomenda de Natal' },
      discounts: [{ type: 'percentage', percentage: 12.5, description: 'Promoção' }],
    });
    const { intent } = await scene.checkoutByPix(id);
    await scene.payPix(intent);
    const sale = { invoice: id, intent };
    await scene.refund(sale, { amount: 1_000 });
    await scene.settleAtBank(sale);
    await scene.refund(sale, { amount: 500 });
    const { pages } = await readingOf(id);
    expect(pages).toHaveLength(1);
    const [text = ''] = pages;
    for (const title of ['Quem recebeu', 'Cliente', 'Pagamento', 'Devoluções', 'Referência']) {
      const facts = await scene.section(id, title);
      expect(facts, title).not.toEqual([]);
      for (const fact of facts) expect(text).toContain(fact.replace(': ', ' '));
    }
    expect(text).toContain('Padaria São João\nRecibo de pagamento\nR$ 87,50\nPago, devolvido em parte · ');
    expect(text).toContain('Subtotal R$ 100,00\nPromoção (12,5%) − R$ 12,50\nTotal R$ 87,50\n');
    expect(text).toContain('Este recibo não é documento fiscal e não substitui a nota fiscal.');
    expect(text).toContain(`Recibo de pagamento · ${id} · Página 1 de 1`);
  });

  test('comes as a file that no cache keeps and no other site frames', async () => {
    const id = await sold();
    const { status, headers } = await fileOf(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe(`inline; filename="recibo-${id}.pdf"`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const asked = await fileOf(id, 'HEAD');
    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(await asked.text()).toBe('');
  });

  test('is tagged Portuguese, names the merchant and not the buyer, and is the same each time', async () => {
    const id = await sold();
    const { info, roles } = await readingOf(id);
    const { status_transitions: when } = await scene.invoice(id);
    const paid = new Date((when.paid_at ?? 0) * 1_000).toISOString().replaceAll(/[-:T]|\.000/g, '');
    const look = 'SELECT name FROM account_look WHERE id = $1 AND NOT live_mode';
    const { name } = (await scene.rows(look, scene.merchant.accountId))[0] ?? {};
    expect(info).toMatchObject({
      ...{ Language: 'pt-BR', Title: `Recibo de pagamento – ${name}`, Author: name },
      ...{ Creator: 'Fatura', Producer: 'Fatura', CreationDate: `D:${paid}` },
    });
    expect(JSON.stringify(info)).not.toContain('Maria');
    expect(roles.filter((role) => role === 'H1')).toEqual(['H1']);
    expect(new Set(roles)).toEqual(new Set(['Root', 'Document', 'P', 'H1', 'H2', 'Table', 'TR', 'TH', 'TD']));
    expect(Buffer.compare(await bytesOf(id), await bytesOf(id))).toBe(0);
  });

  test('is marked through and through in the sandbox, and not in live mode', async () => {
    const live = await newInvoice({ ...scene.merchant, fatura: scene.merchant.live }, { amount: 0 });
    expect((await readingOf(live.id)).pages.join()).not.toMatch(/teste|SEM VALOR/);
    const { pages } = await readingOf(await sold());
    expect(pages.join()).toContain('SEM VALOR');
    expect(pages.join()).toContain('Ambiente de teste: recibo sem valor');
  });

  test('of a hundred lines runs on over pages, each with the head of its columns', async () => {
    const { price_id: price } = await aLine('Item com uma descrição que não é curta');
    const lines = Array.from({ length: 100 }, (_, index) => ({ price_id: price, quantity: index + 1 }));
    const { id } = await newInvoice(scene.merchant, { line_items: lines });
    await scene.payByCard(id);
    const { pages } = await readingOf(id);
    expect(pages.length).toBeGreaterThan(2);
    const found = pages.flatMap((page) =>
      [...page.matchAll(/não é curta (\d+) R\$/g)].map(([, count]) => Number(count)),
    );
    expect(found).toEqual(lines.map(({ quantity }) => quantity));
    pages.forEach((page, index) => {
      expect(page).toContain(`Página ${index + 1} de ${pages.length}`);
      if (page.includes('não é curta')) expect(page).toContain('Descrição Qtd. Unitário Valor');
    });
    expect(pages.at(-1)).toContain('Este recibo não é documento fiscal');
  });
});

describe('names in the file of a receipt', () => {
  test.each([
    ['Ђорђе Ώρα Nguyễn Łukasz', 'Ђорђе Ώρα Nguyễn Łukasz'],
    ['José', 'José'],
    ['ﬁrma Ｌｔｄａ', 'firma Ltda'],
    ['<script>alert(1)</script> & (x) \\', '<script>alert(1)</script> & (x) \\'],
  ])('%s stand as %s', async (buyer, shown) => {
    expect((await readingOf(await sold({ buyer }))).pages.join()).toContain(`Nome ${shown}\n`);
  });

  test('stand in its metadata as they are, which a parser of XML reads', async () => {
    await scene.look({ name: '\u202ePães\u202c & Cia <Matriz> "1"\ufffe' });
    const { pages, xmp } = await readingOf(await sold());
    expect(pages.join()).toContain('Pães & Cia <Matriz> "1"');
    expect(xmp?.get('dc:title')).toBe('Recibo de pagamento – Pães & Cia <Matriz> "1"');
    expect(xmp?.get('dc:creator')).toEqual(['Pães & Cia <Matriz> "1"']);
  });

  test('have a sign for each letter that no font of ours has, and copy as they are', async () => {
    const file = await bytesOf(await sold({ buyer: 'Ana 太郎 👨‍👩‍👧 שלום', item: '🎉 Festa' }));
    const { pages } = await readPdf(file);
    expect(pages.join()).toContain('Nome Ana □□ □ □□□□\n');
    expect(pages.join()).toContain('□ Festa 1 R$ 99,90');
    const said = Buffer.from('Ana 太郎 ', 'utf16le').swap16().toString('latin1');
    expect(drawnIn(file)).toContain(said);
  });

  test('do not depend on those of the file before: the L of Łukasz is no letter by itself', async () => {
    await readingOf(await sold({ buyer: 'Łukasz' }));
    expect((await readingOf(await sold({ buyer: 'Lima' }))).pages.join()).toContain('Nome Lima\n');
  });

  test('as long as they may be are there to the last letter', async () => {
    const letters = 'Wágner'.repeat(41);
    const { pages } = await readingOf(await sold({ buyer: letters, item: letters }));
    expect(pages.join('').replaceAll('\n', '').split(letters)).toHaveLength(3);
  });
});

describe('no file', () => {
  test('has an invoice that nobody paid, or a link that was not made here', async () => {
    const open = await scene.newInvoice();
    const unpaid = await scene.show(`${scene.pathOf(open)}.pdf`);
    expect([unpaid.status, unpaid.text]).toEqual([404, expect.stringMatching(/^Esta fatura não tem recibo /)]);
    const paid = await sold();
    const wrong = await scene.show(`${scene.pathOf(paid).replace('/receipt', 'x/receipt')}.pdf`);
    expect([wrong.status, wrong.text]).toEqual([404, expect.stringMatching(/^Fatura não encontrada /)]);
  });

  test('is made for a link that asks for too many, while its page is shown', async () => {
    const id = await sold();
    const answers = await Promise.all(Array.from({ length: 12 }, () => fileOf(id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(await refused?.text()).toContain('Foram muitas tentativas em pouco tempo.');
    expect((await scene.page(id)).status).toBe(200);
  });
});
