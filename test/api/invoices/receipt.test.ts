import { describe, expect, test } from 'vitest';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import { cards } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice, newProduct } from '../../support/factories.ts';
import { newMonthly, subscribe, subscribeByCard } from '../../support/subscriptions.ts';
import { ReceiptScene } from './receipt-scene.ts';

const HOUR = 3_600;
/** 24 November 2026, 9:05 in São Paulo. */
const NOON = Date.UTC(2026, 10, 24, 12, 5) / 1_000;

const scene = new ReceiptScene();

/** Moves the clock to an instant that the tests name by its date. */
const itIs = (instant: number) => scene.api.clock.advance(instant - scene.now);

describe('the receipt of a payment by PIX', () => {
  test('says who paid whom what, when and how', async () => {
    itIs(NOON);
    const { id: product } = await newProduct(scene.merchant, { name: 'Plano Ouro' });
    const { id: price } = await newPrice(scene.merchant, { product_id: product });
    const { id } = await newInvoice(scene.merchant, { line_items: [{ price_id: price, quantity: 2 }] });
    const { intent, txid } = await scene.checkoutByPix(id);
    await scene.payPix(intent);
    const [payment] = await scene.rows('SELECT id FROM pix_receipt WHERE intent_id = $1', intent);
    const { status, text } = await scene.page(id);
    expect(status).toBe(200);
    expect(text).toBe(
      'Ambiente de teste: recibo sem valor Loja do Teste Recibo de pagamento R$ 199,80 Pago ' +
        '24/11/2026 às 09:05 (horário de Brasília) Quem recebeu Nome Loja do Teste ' +
        'Cliente Nome Maria da Silva Documento CPF ***.982.247-** E-mail m***@example.com ' +
        'Itens 2 × Plano Ouro R$ 99,90 cada R$ 199,80 Total R$ 199,80 Pagamento Valor pago R$ 199,80 ' +
        'Data do pagamento 24/11/2026 às 09:05 (horário de Brasília) Forma de pagamento PIX ' +
        `ID da transação PIX ${payment?.id} txid ${txid} Identificador do pagamento ${intent} ` +
        `Referência Fatura ${id} Este recibo não é documento fiscal e não substitui a nota fiscal. ` +
        'Baixar PDF Voltar à fatura',
    );
  });

  test('has the instant of the bank, however late the service hears of it', async () => {
    itIs(NOON + HOUR);
    const { invoice, intent, txid } = await scene.openPix();
    await scene.payPixUnheard(intent);
    itIs(NOON + 3 * HOUR);
    await pixSettlementStep(scene.deps, txid);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', status_transitions: { paid_at: scene.now } });
    expect(await scene.section(invoice, 'Pagamento')).toContain(
      'Data do pagamento: 24/11/2026 às 10:05 (horário de Brasília)',
    );
  });
});

describe('the receipt of a payment by card', () => {
  test('says which card, and what each installment comes to', async () => {
    const { id: price } = await newPrice(scene.merchant, {
      ...{ unit_amount: 10_001, card_installments_enabled: true, max_card_installments: 12 },
    });
    const { id } = await newInvoice(scene.merchant, { line_items: [{ price_id: price, quantity: 1 }] });
    await scene.payByCard(id, { number: cards.mastercard, installments: 3 });
    const { payment_intent: intent } = await scene.invoice(id);
    expect((await scene.section(id, 'Pagamento')).filter((fact) => !fact.startsWith('Data'))).toEqual([
      'Valor pago: R$ 100,01',
      'Forma de pagamento: Cartão de crédito Mastercard, final 4444',
      'Parcelas: 2x de R$ 33,34 e 1x de R$ 33,33',
      `Identificador do pagamento: ${intent}`,
    ]);
  });

  test('is of the attempt that was approved', async () => {
    const invoice = await scene.newInvoice();
    await scene.chargeCard(invoice, { number: cards.issuer_declined });
    await scene.payByCard(invoice);
    expect(await scene.section(invoice, 'Pagamento')).toEqual(
      expect.arrayContaining(['Forma de pagamento: Cartão de crédito Visa, final 4242', 'Parcelas: À vista']),
    );
  });
});

describe('a receipt says', () => {
  test('what was taken off, and what the merchant calls the purchase', async () => {
    const { id } = await newInvoice(scene.merchant, {
      amount: 10_000,
      external_code: 'pedido-1042',
      description: 'Curso de violão\nTurma de verão',
      discounts: [
        { type: 'percentage', percentage: 12.5, description: 'Boas-vindas' },
        { type: 'fixed', amount_cents: 750 },
      ],
    });
    await scene.payByCard(id);
    expect((await scene.page(id)).text).toContain(
      'Subtotal R$ 100,00 Boas-vindas (12,5%) − R$ 12,50 Desconto − R$ 7,50 Total R$ 80,00',
    );
    expect(await scene.section(id, 'Referência')).toEqual([
      `Fatura: ${id}`,
      'Código da loja: pedido-1042',
      'Descrição: Curso de violão Turma de verão',
    ]);
  });

  test('which period of a subscription it is for', async () => {
    itIs(Date.UTC(2026, 11, 1, 15) / 1_000);
    const { latest_invoice: invoice } = await subscribeByCard(scene.merchant);
    expect(await scene.section(invoice ?? '', 'Referência')).toContain('Período: 01/12/2026 a 01/01/2027');
  });

  test('what the merchant tells of itself', async () => {
    await scene.look({
      ...{ tax_id: '12ABC34501DE35', support_email: 'ajuda@loja.test', support_phone: '+5511987654321' },
      color: '#7a1f5c',
    });
    const { invoice } = await scene.soldByCard();
    expect(await scene.section(invoice, 'Quem recebeu')).toEqual([
      'Nome: Loja do Teste',
      'Documento: CNPJ 12.ABC.345/01DE-35',
      'E-mail: ajuda@loja.test',
      'Telefone: (11) 98765-4321',
    ]);
    expect((await scene.page(invoice)).markup).toContain(':root{--strong:#7a1f5c;');
  });

  test.each([
    ['12.ABC.345/01DE-35', 'Documento: CNPJ 12.ABC.345/01DE-35'],
    ['111.444.777-35', 'Documento: CPF ***.444.777-**'],
  ])('of the buyer’s %s: %s', async (identifier, said) => {
    const { id: customer } = await newCustomer(scene.merchant, { identifier, email: 'm@example.com' });
    const { id } = await newInvoice(scene.merchant, { customer_id: customer });
    await scene.payByCard(id);
    expect(await scene.section(id, 'Cliente')).toEqual(['Nome: Maria da Silva', said, 'E-mail: ***@example.com']);
  });

  test('that nothing was to be paid, where an invoice came to nothing', async () => {
    itIs(Date.UTC(2026, 11, 2, 15) / 1_000);
    const { id } = await newInvoice(scene.merchant, {
      amount: 500,
      discounts: [{ type: 'percentage', percentage: 100 }],
    });
    expect((await scene.page(id)).text).toContain('Recibo de pagamento R$ 0,00 Pago 02/12/2026 às 12:00');
    expect(await scene.section(id, 'Pagamento')).toEqual([
      'Valor pago: R$ 0,00',
      'Data do pagamento: 02/12/2026 às 12:00 (horário de Brasília)',
      'Forma de pagamento: Nada a pagar',
    ]);
  });

  test('that it has no value in the sandbox, and nothing of it in live mode', async () => {
    const order = { amount: 0 };
    const live = await newInvoice({ ...scene.merchant, fatura: scene.merchant.live }, order);
    expect((await scene.page(live.id)).text).not.toMatch(/teste:|sem valor/);
    const { id } = await newInvoice(scene.merchant, order);
    expect((await scene.page(id)).text).toMatch(/^Ambiente de teste: recibo sem valor /);
  });
});

describe('refunds on a receipt', () => {
  test('are those that came back, each with its instant, and those on their way', async () => {
    itIs(Date.UTC(2026, 11, 3, 15) / 1_000);
    const sale = await scene.soldByPix();
    await scene.refund(sale, { amount: 1_000 });
    await scene.settleAtBank(sale);
    itIs(Date.UTC(2026, 11, 4, 15) / 1_000);
    await scene.refund(sale, { amount: 2_500 });
    expect(await scene.section(sale.invoice, 'Devoluções')).toEqual([
      'Devolvido: R$ 10,00, em 03/12/2026 às 12:00',
      'Em devolução: R$ 25,00, desde 04/12/2026 às 12:00',
      'Total devolvido: R$ 10,00',
    ]);
    expect((await scene.page(sale.invoice)).text).toContain('R$ 100,00 Pago, devolvido em parte ');
    await scene.settleAtBank(sale);
    await scene.refund(sale);
    await scene.settleAtBank(sale);
    expect((await scene.page(sale.invoice)).text).toContain('R$ 100,00 Pago e devolvido ');
  });

  test('are not those that the acquirer refused', async () => {
    const sale = await scene.soldByCard();
    await scene.whileRefusing(() => scene.refund(sale).catch(() => {}));
    expect(await scene.partsOf(sale)).toMatchObject([{ status: 'failed' }]);
    expect((await scene.page(sale.invoice)).text).not.toContain('evol');
  });

  test('are not those of money that nobody asked for', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent, 'paid_twice');
    expect(await scene.rows('SELECT reason FROM refund_part WHERE invoice_id = $1', invoice)).toEqual([
      { reason: 'surplus' },
    ]);
    expect((await scene.page(invoice)).text).not.toContain('evol');
  });
});

test('an anonymized customer is on no receipt', async () => {
  const sale = await scene.soldByCard();
  const { customer } = await scene.invoice(sale.invoice);
  await scene.merchant.fatura.customers.anonymize(customer);
  expect(await scene.section(sale.invoice, 'Cliente')).toEqual(['Nome: Dados pessoais apagados (LGPD)']);
  expect(await scene.section(sale.invoice, 'Pagamento')).toContain('Forma de pagamento: Cartão de crédito');
  expect((await scene.page(sale.invoice)).markup).not.toMatch(/Maria|982\.247|final|example\.com|Anonimizado/);
});

describe('an address without a receipt', () => {
  test('is that of an invoice that nobody paid, whatever became of it', async () => {
    const [open, given, ended] = [await scene.newInvoice(), await scene.newInvoice(), await scene.newInvoice()];
    await scene.merchant.fatura.invoices.markUncollectible(given);
    await scene.merchant.fatura.invoices.void(ended);
    const { latest_invoice: awaited } = await subscribe(scene.merchant, {
      price_id: (await newMonthly(scene.merchant)).id,
    });
    for (const invoice of [open, given, ended, awaited ?? '']) {
      const { status, text, headers } = await scene.page(invoice);
      expect([status, text]).toEqual([
        404,
        'Esta fatura não tem recibo Nenhum pagamento desta fatura foi confirmado. ' +
          'O recibo aparece neste endereço assim que um pagamento for confirmado.',
      ]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('is that of a draft, and every link that was not made here', async () => {
    const { invoice } = await scene.soldByCard();
    const other = await scene.soldByCard();
    const draft = await newInvoice(scene.merchant, { draft: true });
    const [, , , signature = ''] = scene.pathOf(invoice).split('/');
    const wrong = [
      `/pay/${other.invoice}/${signature}/receipt`,
      `/pay/${invoice}/${signature}x/receipt`,
      `/pay/${invoice}/%00/receipt`,
      scene.pathOf(draft.id),
      scene.pathOf('in_01kaj4w2n8e9r7t5v3x1z0q6d4'),
    ];
    for (const path of wrong) {
      const { status, text, headers } = await scene.show(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toMatch(/^Fatura não encontrada Confira se o endereço está completo/);
      expect(headers.get('x-robots-tag')).toBe('noindex');
    }
    expect((await scene.show(`/checkout/${invoice}/${signature}/receipt`)).status).toBe(404);
  });
});

test('a receipt is kept by no cache, told to no other site, framed by none, and runs no script', async () => {
  const { invoice } = await scene.soldByCard();
  const { headers, markup } = await scene.page(invoice);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-robots-tag')).toBe('noindex');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
  expect(markup).not.toMatch(/<script|style=/);
  const asked = await scene.show(scene.pathOf(invoice), 'HEAD');
  expect([asked.status, asked.markup, asked.headers.get('cache-control')]).toEqual([200, '', 'no-store']);
});

test('names are text, not markup', async () => {
  const name = `<script>alert(1)</script> oãoJ & "Maria"`;
  const long = `${'Á'.repeat(248)}😀`;
  const { id: product } = await newProduct(scene.merchant, { name: long });
  const { id: price } = await newPrice(scene.merchant, { product_id: product });
  const { id: customer } = await newCustomer(scene.merchant, { name });
  const order = { customer_id: customer, line_items: [{ price_id: price, quantity: 1 }] };
  const { id } = await newInvoice(scene.merchant, order);
  await scene.payByCard(id);
  expect((await scene.section(id, 'Cliente'))[0]).toBe('Nome: <script>alert(1)</script> oãoJ & "Maria"');
  const { markup } = await scene.page(id);
  expect(markup).not.toMatch(/<script|\p{Bidi_Control}/u);
  expect(markup).toContain(`${'Á'.repeat(248)}😀`);
});

test('a receipt that is asked for too often is refused for a while, and others are not', async () => {
  const { invoice } = await scene.soldByCard();
  const other = await scene.soldByCard();
  const answers = await Promise.all(Array.from({ length: 63 }, () => scene.page(invoice)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(3);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused[0]?.text).toContain('Foram muitas tentativas em pouco tempo.');
  expect((await scene.page(other.invoice)).status).toBe(200);
});

describe('the way to a receipt', () => {
  const hrefIn = (markup: string): string | undefined => /href="([^"]+)">Ver recibo</.exec(markup)?.[1];

  test('is on the page of an invoice from its payment on, and leads back', async () => {
    const invoice = await scene.newInvoice();
    const page = new URL(scene.deps.links.payment({ id: invoice, liveMode: false })).pathname;
    expect(hrefIn((await scene.show(page)).markup)).toBeUndefined();
    await scene.payByCard(invoice);
    const href = hrefIn((await scene.show(page)).markup) ?? '';
    expect(href).toMatch(/^\.\//);
    expect(new URL(href, `http://proxy.test/sub${page}`).pathname).toBe(`/sub${scene.pathOf(invoice)}`);
    const back = /href="([^"]+)">Voltar à fatura</.exec((await scene.page(invoice)).markup)?.[1] ?? '';
    expect(new URL(back, scene.api.baseUrl + scene.pathOf(invoice)).pathname).toBe(page);
  });

  test('is on the page of a session, and leads to the receipt of its invoice', async () => {
    const { id: price } = await newPrice(scene.merchant);
    const { id: customer } = await newCustomer(scene.merchant);
    const session = await scene.merchant.fatura.checkoutSessions.create({
      ...{ mode: 'payment', customer_id: customer, line_items: [{ price_id: price, quantity: 1 }] },
      ...{ success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' },
    });
    await scene.payByCard(session.invoice ?? '');
    const { markup } = await scene.show(new URL(session.url).pathname);
    expect(hrefIn(markup)).toBe(scene.deps.links.receipt({ id: session.invoice ?? '', liveMode: false }));
  });
});
