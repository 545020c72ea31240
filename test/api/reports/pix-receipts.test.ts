import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { send, violationsOf } from '../requests.ts';

const DAY = 86_400;

let api: TestApi;
let shop: Merchant;
/** Instants of payments, oldest first: of a PIX, and of one that was paid twice a day later. */
let instants: [number, number];
let first: { invoice: string; intent: string; txid: string; customer: string };

async function payPix(amount: number, scenario: 'paid' | 'paid_twice') {
  const customer = await newCustomer(shop, { name: 'Maria da Silva' });
  const { id: invoice } = await newInvoice(shop, { amount, customer_id: customer.id });
  const { payment_intent: intent, payment_method: method } = await shop.fatura.invoices.checkout(invoice, {
    payment_method_type: 'pix',
  });
  await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario });
  expect(method).toMatchObject({ type: 'pix' });
  const { rows } = await api.composition.deps.pool.query<{ id: string }>(
    `SELECT id FROM pix_charge WHERE intent_id = $1`,
    [intent],
  );
  return { invoice, intent: intent ?? '', txid: rows[0]?.id ?? '', customer: customer.id };
}

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const paidAt = api.clock.now();
  first = await payPix(1_000, 'paid');
  await shop.fatura.testHelpers.paymentIntents.dispute(first.intent, { scenario: 'fraud', amount: 400 });
  api.clock.advance(DAY);
  instants = [paidAt, api.clock.now()];
  await payPix(2_000, 'paid_twice');
});
afterAll(() => api.stop());

const list = (params: object = {}) => shop.fatura.pixReceipts.list(params);

test('a receipt tells txid, end-to-end id, the instant of the bank and what it was for', async () => {
  const [receipt] = await list({ paid_at_lte: instants[1] - 1 }).all({ max: 10 });
  expect(receipt).toEqual({
    id: expect.stringMatching(/^E[0-9A-Za-z]{31}$/),
    object: 'pix_receipt',
    txid: first.txid,
    paid_at: instants[0],
    amount: 1_000,
    charged: 1_000,
    difference: 0,
    result: 'settled',
    amount_refunded: 0,
    amount_disputed: 400,
    payment_intent: first.intent,
    invoice: first.invoice,
    customer: first.customer,
    customer_name: 'Maria da Silva',
    live_mode: false,
  });
  expect((await shop.fatura.search.retrieve({ query: receipt?.id ?? '' })).invoices[0]?.id).toBe(first.invoice);
});

test('receipts stand by the instant of the bank, page by page, and their sum is that of the cash flow', async () => {
  const all = await list().all({ max: 10 });
  expect(all.map(({ paid_at, result }) => [paid_at, result]).sort()).toEqual([
    [instants[0], 'settled'],
    [instants[1], 'settled'],
    [instants[1], 'surplus'],
  ]);
  expect(all.map(({ paid_at }) => paid_at)).toEqual([instants[1], instants[1], instants[0]]);
  expect(await list({ limit: 1 }).all({ max: 10 })).toEqual(all);
  expect(await list({ paid_at_gte: instants[1], limit: 1 }).all({ max: 10 })).toEqual(all.slice(0, 2));
  const days = { from: dayOf(instants[0]), until: dayOf(instants[1]) };
  const { totals } = await shop.fatura.reports.cashFlow(days);
  const sum = all.reduce((total, { amount }) => total + amount, 0);
  expect(totals.received.pix + totals.surplus_received).toBe(sum);
});

const dayOf = (instant: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' }).format(new Date(instant * 1_000));

test('nobody else sees them, and none of them begins a page of theirs', async () => {
  const [receipt] = await list().all({ max: 1 });
  const stranger = await api.newMerchant();
  for (const fatura of [stranger.fatura, shop.live]) {
    expect(await fatura.pixReceipts.list().all({ max: 10 })).toEqual([]);
    await expect(fatura.pixReceipts.list({ starting_after: receipt?.id ?? '' }).page()).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    });
  }
});

test('it has neither pages forward nor filters of creation, because its order is the bank’s', async () => {
  const answer = await send(api, {
    method: 'GET',
    path: '/pix_receipts?ending_before=E1&created_gte=1',
    key: shop.sandboxKey,
  });
  expect(violationsOf(answer)).toEqual([400, 'ending_before PARAMETER_UNKNOWN', 'created_gte PARAMETER_UNKNOWN']);
});
