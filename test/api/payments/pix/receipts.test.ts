import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PixScenario } from '../../../../contract/sandbox.ts';
import { recoverCases } from '../../../../server/outbox/recovery.ts';
import { pixExpiryStep, pixSettlementStep } from '../../../../server/payments/cases.ts';
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
const statusesOf = async (invoice: string) => (await intentsOf(invoice)).map(({ status }) => status);

async function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await deps().pool.query(sql, values)).rows;
}
const noticesOf = (txid: string) => rows(`SELECT key FROM outbox WHERE kind = 'pix-settlement' AND key = $1`, txid);
const receiptsOf = (invoice: string) =>
  rows('SELECT intent_id, amount FROM pix_receipt WHERE invoice_id = $1 ORDER BY id', invoice);
const cobStatus = async (txid: string) =>
  (await rows('SELECT status FROM sandbox_bank.cob WHERE txid = $1', txid))[0]?.status;

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

describe('a receipt that does not settle its own charge', () => {
  test('of a QR code that was replaced settles the invoice by a new charge and ends the QR code that stands', async () => {
    const { invoice, intent: first } = await openSale();
    api.clock.advance(DAY);
    const { intent: second, txid } = await checkout(invoice);
    expect(await pay(first, 'paid_late')).toMatchObject({ id: first, status: 'discarded' });
    const [third, ...others] = await intentsOf(invoice);
    expect(third).toMatchObject({ status: 'paid', amount: 9990, invoice });
    expect(others).toMatchObject([
      { id: second, status: 'discarded' },
      { id: first, status: 'discarded' },
    ]);
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid', payment_intent: third?.id, amount_paid: 9990 });
    expect(await events(invoice)).toEqual([
      ...SALE,
      'payment_intent.discarded',
      'payment_intent.created',
      'payment_intent.discarded',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
    expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
    expect(await cobStatus(txid)).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
    await expect(pay(second)).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining('paid_late') }),
    );
  });

  test('of an invoice already paid by another QR code is surplus', async () => {
    const { invoice, intent: first } = await openSale();
    api.clock.advance(DAY);
    const { intent: second } = await checkout(invoice);
    await pay(second);
    const before = await retrieve(invoice);
    await pay(first, 'paid_late');
    expect(await retrieve(invoice)).toEqual(before);
    expect(await statusesOf(invoice)).toEqual(['refunding', 'paid', 'discarded']);
    expect((await events(invoice)).slice(-5)).toEqual(['payment_intent.paid', 'invoice.paid', ...SURPLUS]);
  });

  test('of an uncollectible invoice pays it', async () => {
    const { invoice, intent } = await openSale();
    await merchant.fatura.invoices.markUncollectible(invoice);
    await pay(intent, 'paid_late');
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 9990 });
    expect(await statusesOf(invoice)).toEqual(['paid', 'discarded']);
    expect(await events(invoice)).toEqual([
      ...SALE,
      'payment_intent.discarded',
      'invoice.marked_uncollectible',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
  });

  test('of a void invoice is surplus and leaves it void', async () => {
    const { invoice, intent } = await openSale();
    const voided = await merchant.fatura.invoices.void(invoice);
    await pay(intent, 'paid_late');
    expect(await retrieve(invoice)).toEqual(voided);
    expect(await statusesOf(invoice)).toEqual(['refunding', 'discarded']);
    expect(await events(invoice)).toEqual([...SALE, 'payment_intent.discarded', 'invoice.voided', ...SURPLUS]);
  });

  test('of one QR code paid twice is surplus, in one notice or in two', async () => {
    const together = await openSale();
    expect(await pay(together.intent, 'paid_twice')).toMatchObject({ id: together.intent, status: 'paid' });
    expect(await events(together.invoice)).toEqual([...SOLD, ...SURPLUS]);
    const apart = await openSale();
    await pay(apart.intent);
    await pay(apart.intent, 'paid_twice');
    expect(await events(apart.invoice)).toEqual([...SOLD, ...SURPLUS]);
    for (const { invoice, txid } of [together, apart]) {
      expect(await statusesOf(invoice)).toEqual(['refunding', 'paid']);
      expect(await retrieve(invoice)).toMatchObject({ amount_paid: 9990, amount_refunded: 0 });
      expect(await receiptsOf(invoice)).toHaveLength(2);
      expect(await noticesOf(txid)).toEqual([]);
    }
  });
});

describe('while a charge of the invoice is at the acquirer', () => {
  const setStatus = (intent: string, status: string, processingAt: number | null) =>
    rows('UPDATE payment_intent SET status = $2, processing_at = $3 WHERE id = $1', intent, status, processingAt);

  test('a receipt is only stored, nothing else is begun, and its outcome decides', async () => {
    const { invoice, intent: first, txid } = await openSale();
    api.clock.advance(DAY);
    const { intent: second } = await checkout(invoice);
    await setStatus(second, 'processing', api.clock.now());
    await pay(first, 'paid_late');
    expect(await receiptsOf(invoice)).toEqual([{ intent_id: null, amount: 9990 }]);
    expect(await noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(deps(), txid)).toMatchObject({ done: false, status: 'charge in process' });
    await expect(checkout(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    await expect(merchant.fatura.invoices.void(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await expect(merchant.fatura.invoices.markUncollectible(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await retrieve(invoice)).toMatchObject({ status: 'open' });
    await setStatus(second, 'pending', null);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await retrieve(invoice)).toMatchObject({ status: 'paid' });
    expect(await statusesOf(invoice)).toEqual(['paid', 'discarded', 'discarded']);
    expect(await receiptsOf(invoice)).toHaveLength(1);
  });
});

describe('a receipt of an invoice that was closed while the bank was away', () => {
  const stateOf = async (txid: string) => (await rows('SELECT state FROM pix_charge WHERE id = $1', txid))[0]?.state;

  for (const way of ['void', 'markUncollectible'] as const) {
    test(`and comes late, after ${way}, ends the QR code in our books as well`, async () => {
      const { invoice, intent, txid } = await openSale();
      bank.meets('expirePix', 'unreachable');
      await merchant.fatura.invoices[way](invoice);
      bank.recovers();
      expect(await stateOf(txid)).toBe('retiring');
      await pay(intent, 'paid_late');
      expect(await stateOf(txid)).toBe('ended');
      expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
      await rows(`DELETE FROM outbox WHERE kind = 'pix-expiry' AND key = $1`, txid);
      await recoverCases(deps().pool);
      expect(await rows('SELECT kind FROM outbox WHERE key = $1', txid)).toEqual([]);
    });
  }

  test('and is confirmed only: the case that ends the QR code is over, and its settlement is waited for', async () => {
    const { invoice, intent, txid } = await openSale();
    bank.meets('expirePix', 'unreachable');
    await merchant.fatura.invoices.void(invoice);
    bank.recovers();
    await pay(intent, 'confirmed_not_settled');
    expect(await stateOf(txid)).toBe('retiring');
    expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('ended');
    api.clock.advance(60);
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await statusesOf(invoice)).toEqual(['refunding', 'discarded']);
  });

  test('and that the bank cannot explain now leaves the QR code on its way out, and a reminder', async () => {
    const { invoice, intent, txid } = await openSale();
    bank.meets('expirePix', 'unreachable');
    await merchant.fatura.invoices.void(invoice);
    bank.recovers();
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    bank.meets('findPix', 'unreachable');
    expect(await pixExpiryStep(deps(), txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('retiring');
    expect(await noticesOf(txid)).toHaveLength(1);
    bank.recovers();
    expect(await pixSettlementStep(deps(), txid)).toEqual({ done: true });
    expect(await stateOf(txid)).toBe('ended');
  });
});
