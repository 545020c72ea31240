import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PixScenario } from '../../../../contract/sandbox.ts';
import { readScope } from '../../../../server/accounts/scope.ts';
import { pixSettlementStep } from '../../../../server/payments/cases.ts';
import { handleNotice } from '../../../../server/payments/pix/settlement.ts';
import { type Merchant, startApi, type TestApi } from '../../../support/api.ts';
import { Failpoints, type TestBank, troubleBank } from '../../../support/bank.ts';
import { eventTypes, newInvoice } from '../../../support/factories.ts';

const DAY = 86_400;

const failpoints = new Failpoints();
let api: TestApi;
let merchant: Merchant;
let bank: TestBank;

beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  bank = troubleBank(api);
  merchant = await api.newMerchant();
});
afterEach(() => bank.recovers());
afterAll(() => api.stop());

const refusal = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });
const deps = () => api.composition.deps;
const events = (id: string) => eventTypes(deps().pool, id);
const pay = (intent: string, scenario: PixScenario = 'paid') =>
  merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario });
const retrieve = (id: string) => merchant.fatura.invoices.retrieve(id);
const intentsOf = (invoice: string) => merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 100 });

async function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await deps().pool.query(sql, values)).rows;
}
const noticesOf = (txid: string) => rows(`SELECT key FROM outbox WHERE kind = 'pix-settlement' AND key = $1`, txid);
const receiptsOf = (invoice: string) =>
  rows('SELECT intent_id, amount FROM pix_receipt WHERE invoice_id = $1 ORDER BY id', invoice);

/** Checks the invoice out by PIX. */
async function checkout(invoice: string): Promise<{ intent: string; txid: string }> {
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  const [qr] = await rows('SELECT id FROM pix_charge WHERE intent_id = $1', intent);
  return { intent: intent ?? '', txid: String(qr?.id) };
}

const openSale = async () => {
  const invoice = await newInvoice(merchant, { amount: 9990 });
  return { invoice: invoice.id, ...(await checkout(invoice.id)) };
};

const SALE = ['invoice.created', 'payment_intent.created'];
const SOLD = [...SALE, 'payment_intent.paid', 'invoice.paid'];
const SURPLUS = ['payment_intent.created', 'payment_intent.paid', 'payment_intent.refunding'];

describe('a payment of the QR code', () => {
  test('pays the charge and its invoice, and tells both in that order', async () => {
    const { invoice, intent, txid } = await openSale();
    const now = api.clock.now();
    const answer = await pay(intent);
    expect(answer).toMatchObject({ id: intent, status: 'paid', attempts: 1, amount: 9990, amount_refunded: 0 });
    expect(answer.status_transitions.paid_at).toBe(now);
    expect(await merchant.fatura.paymentIntents.retrieve(intent)).toEqual(answer);
    expect(await retrieve(invoice)).toMatchObject({
      status: 'paid',
      paid: true,
      amount_due: 9990,
      amount_paid: 9990,
      amount_remaining: 0,
      payment_intent: intent,
      status_transitions: { paid_at: now },
    });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await receiptsOf(invoice)).toEqual([{ intent_id: intent, amount: 9990 }]);
    expect(await noticesOf(txid)).toEqual([]);
  });

  test('freezes in each event what its own step made true', async () => {
    const { invoice, intent } = await openSale();
    await pay(intent);
    const stored = await rows('SELECT type, body FROM event WHERE related @> ARRAY[$1] ORDER BY id', invoice);
    const shown = stored.map(({ type, body }) => ({ type, ...JSON.parse(String(body)).data.object }));
    expect(shown).toMatchObject([
      { type: 'invoice.created', status: 'open', payment_intent: null, amount_paid: 0 },
      { type: 'payment_intent.created', id: intent, status: 'pending' },
      { type: 'payment_intent.paid', id: intent, status: 'paid' },
      { type: 'invoice.paid', status: 'paid', payment_intent: intent, amount_paid: 9990 },
    ]);
  });

  test('told again changes nothing and answers the same', async () => {
    const { invoice, intent, txid } = await openSale();
    const first = await pay(intent);
    expect(await pay(intent)).toEqual(first);
    expect(await pay(intent, 'confirmed_not_settled')).toEqual(first);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await receiptsOf(invoice)).toHaveLength(1);
    expect(await noticesOf(txid)).toEqual([]);
  });

  test('twenty times at once settles once', async () => {
    const { invoice, intent, txid } = await openSale();
    const scope = await readScope(deps().pool, { accountId: merchant.accountId, liveMode: false });
    const payments = Array.from({ length: 20 }, () => pay(intent));
    const notices = Array.from({ length: 20 }, () => handleNotice(deps(), scope, { txid }));
    const answers = await Promise.all(payments);
    await Promise.all(notices);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await events(invoice)).toEqual(SOLD);
    expect(await receiptsOf(invoice)).toHaveLength(1);
    expect(await noticesOf(txid)).toEqual([]);
  });

  test('after the end of the QR code pays its own charge while that still waits', async () => {
    const { invoice, intent } = await openSale();
    api.clock.advance(DAY);
    await expect(pay(intent)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining('paid_late') }),
    );
    await expect(pay(intent, 'paid_twice')).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(pay(intent, 'confirmed_not_settled')).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await receiptsOf(invoice)).toEqual([]);
    expect(await pay(intent, 'paid_late')).toMatchObject({ status: 'paid' });
    expect(await events(invoice)).toEqual(SOLD);
  });

  test('is answered alike under the same Idempotency-Key, and made once', async () => {
    const { invoice, intent } = await openSale();
    const twice = () =>
      merchant.fatura.testHelpers.paymentIntents.payPix(
        intent,
        { scenario: 'paid_twice' },
        { idempotencyKey: `twice-${intent}` },
      );
    const first = await twice();
    expect(await twice()).toEqual(first);
    expect(await receiptsOf(invoice)).toHaveLength(2);
  });

  test('needs a QR code, and the charge of this account', async () => {
    const { invoice, intent } = await openSale();
    await pay(intent);
    await pay(intent, 'paid_twice');
    const surplus = (await intentsOf(invoice)).find(({ id }) => id !== intent);
    await expect(pay(surplus?.id ?? '')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    await expect(pay(`pi_${'0'.repeat(26)}`)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    const stranger = await api.newMerchant();
    await expect(stranger.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' })).rejects.toEqual(
      refusal('RESOURCE_MISSING'),
    );
  });

  test('of a QR code that was never handed out is impossible', async () => {
    const invoice = await newInvoice(merchant);
    bank.meets('createPix', 'unreachable');
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    const [made] = await intentsOf(invoice.id);
    await expect(pay(made?.id ?? '')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });
});

describe('a payment confirmed and not settled', () => {
  test('leaves the charge pending, and settles 60 s later', async () => {
    const { invoice, intent, txid } = await openSale();
    expect(await pay(intent, 'confirmed_not_settled')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await retrieve(invoice)).toMatchObject({ status: 'open', amount_paid: 0 });
    expect(await events(invoice)).toEqual(SALE);
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(deps(), txid)).toMatchObject({ done: false, dueInSeconds: 60, status: 'confirmed' });
    api.clock.advance(59);
    expect(await pixSettlementStep(deps(), txid)).toMatchObject({ done: false, dueInSeconds: 1 });
    api.clock.advance(1);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await noticesOf(txid)).toEqual([]);
  });

  test('settles at once when the buyer pays', async () => {
    const { invoice, intent, txid } = await openSale();
    await pay(intent, 'confirmed_not_settled');
    expect(await pay(intent)).toMatchObject({ status: 'paid' });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await receiptsOf(invoice)).toHaveLength(1);
    expect(await noticesOf(txid)).toEqual([]);
  });
});

describe('when something breaks', () => {
  test('after the bank has booked: its notice stands and settles later', async () => {
    const { invoice, intent, txid } = await openSale();
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await events(invoice)).toEqual(SALE);
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await noticesOf(txid)).toEqual([]);
  });

  test('before the settlement: its notice stands, and the buyer who repeats is answered the payment made', async () => {
    const { invoice, intent, txid } = await openSale();
    failpoints.crashAt('settlement.before-settle');
    await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pay(intent)).toMatchObject({ status: 'paid' });
    expect(await events(invoice)).toEqual(SOLD);
    expect(await receiptsOf(invoice)).toHaveLength(1);
  });

  test('after the settlement: nothing is left to do', async () => {
    const { invoice, intent, txid } = await openSale();
    failpoints.crashAt('settlement.after-settle');
    await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await noticesOf(txid)).toEqual([]);
    expect(await events(invoice)).toEqual(SOLD);
    expect(await pay(intent)).toMatchObject({ status: 'paid' });
    expect(await events(invoice)).toEqual(SOLD);
  });

  test('between two payments of one notice: the second is booked by the repeat', async () => {
    const { invoice, intent, txid } = await openSale();
    failpoints.crashAt('settlement.between-payments');
    await expect(pay(intent, 'paid_twice')).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await events(invoice)).toEqual(SOLD);
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await events(invoice)).toEqual([...SOLD, ...SURPLUS]);
  });

  test('at the bank, which does not answer: its notice stands and is asked about later', async () => {
    const { invoice, intent, txid } = await openSale();
    bank.meets('findPix', 'unreachable');
    await expect(pay(intent)).rejects.toEqual(refusal('ACQUIRER_TIMEOUT', { status: 504 }));
    expect(await pixSettlementStep(deps(), txid)).toMatchObject({ done: false, status: 'bank silent' });
    expect(await noticesOf(txid)).toHaveLength(1);
    bank.recovers();
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await events(invoice)).toEqual(SOLD);
  });

  test('a payment that comes while an older answer is handled keeps its notice', async () => {
    const { invoice, intent, txid } = await openSale();
    failpoints.meanwhile('settlement.before-settle', async () => {
      failpoints.crashAt('settlement.after-booking');
      await pay(intent, 'paid_twice').catch(() => {});
    });
    await pay(intent);
    expect(await events(invoice)).toEqual(SOLD);
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await events(invoice)).toEqual([...SOLD, ...SURPLUS]);
    expect(await noticesOf(txid)).toEqual([]);
  });
});
