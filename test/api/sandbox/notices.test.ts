import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { eventTypes, newInvoice } from '../../support/factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const deps = () => api.composition.deps;

/** A merchant whose bank is slow or insistent with its notices, and a QR code of theirs. */
async function noticed(changes: { notice_delay_seconds?: number; notice_repeats?: number }) {
  const merchant = await api.newMerchant();
  await changeBehaviour(deps().pool, { accountId: merchant.accountId, call: '*', changes });
  const { id: invoice } = await newInvoice(merchant);
  const { payment_intent } = await merchant.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  const intent = payment_intent ?? '';
  const { rows } = await deps().pool.query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
  return { merchant, invoice, intent, txid: String(rows[0].id) };
}

const pay = (merchant: Merchant, intent: string, options = {}) =>
  merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' }, options);

const isNoticed = async (txid: string) =>
  (await deps().pool.query(`SELECT FROM outbox WHERE kind = 'pix-settlement' AND key = $1`, [txid])).rowCount === 1;

/** What the relay does with the notice once it is due. */
async function handleNext(txid: string) {
  await deps().pool.query(`DELETE FROM outbox WHERE kind = 'pix-settlement' AND key = $1`, [txid]);
  return pixSettlementStep(deps(), txid);
}

const SALE = ['invoice.created', 'payment_intent.created', 'payment_intent.paid', 'invoice.paid'];

test('a payment whose notice is delayed is answered as it stands, to a repeat too, and is booked when the notice comes', async () => {
  const { merchant, invoice, intent, txid } = await noticed({ notice_delay_seconds: 600 });
  const options = { idempotencyKey: `pay-${intent}` };
  const answer = await pay(merchant, intent, options);
  expect(answer).toMatchObject({ id: intent, status: 'pending' });
  expect(await merchant.fatura.paymentIntents.retrieve(intent)).toEqual(answer);
  expect(await isNoticed(txid)).toBe(true);
  expect(await handleNext(txid)).toEqual({ done: true });
  expect(await merchant.fatura.paymentIntents.retrieve(intent)).toMatchObject({ status: 'paid' });
  expect(await pay(merchant, intent, options)).toEqual(answer);
  expect(await eventTypes(deps().pool, invoice)).toEqual(SALE);
});

test('a notice that comes again states no new fact', async () => {
  const { merchant, invoice, intent, txid } = await noticed({ notice_repeats: 3 });
  expect(await pay(merchant, intent)).toMatchObject({ status: 'paid' });
  for (let repeats = 1; repeats <= 3; repeats += 1) {
    expect(await isNoticed(txid)).toBe(true);
    expect(await handleNext(txid)).toEqual({ done: true });
  }
  expect(await isNoticed(txid)).toBe(false);
  expect(await eventTypes(deps().pool, invoice)).toEqual(SALE);
});

test('a notice may be delayed and come again', async () => {
  const { merchant, invoice, intent, txid } = await noticed({ notice_delay_seconds: 600, notice_repeats: 1 });
  expect(await pay(merchant, intent)).toMatchObject({ status: 'pending' });
  await handleNext(txid);
  expect(await isNoticed(txid)).toBe(true);
  await handleNext(txid);
  expect(await isNoticed(txid)).toBe(false);
  expect(await eventTypes(deps().pool, invoice)).toEqual(SALE);
});
