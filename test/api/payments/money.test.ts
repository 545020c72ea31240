import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandboxAcquirer } from '../../../server/payments/acquirer/sandbox/adapter.ts';
import { pixSettlementStep } from '../../../server/payments/pix/settlement.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { cardOf } from '../sandbox/sandbox-bank.ts';

const failpoints = new Failpoints();
let api: TestApi;
let merchant: Merchant;
beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const query = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await api.composition.deps.pool.query(sql, values)).rows;

async function openQr(): Promise<{ intent: string; txid: string }> {
  const { id } = await newInvoice(merchant);
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const [qr] = await query('SELECT id FROM pix_charge WHERE intent_id = $1', intent);
  return { intent: intent ?? '', txid: String(qr?.id) };
}

const payPix = (intent: string) => merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });

/** A card payment that the merchant has asked a part back of. */
async function refundedInPart(): Promise<string> {
  const { id } = await newInvoice(merchant, { amount: 10_000 });
  const { payment_intent: intent } = await payByCard(merchant, id);
  await merchant.fatura.refunds.create({ payment_intent: intent ?? '', amount: 1_000 });
  return intent ?? '';
}

/** A charge at the acquirer whose process ended. */
async function chargeUnderWay(): Promise<string> {
  const { id } = await newInvoice(merchant);
  failpoints.crashAt('card.after-attempt');
  await expect(payByCard(merchant, id)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  const { payment_intent: intent } = await merchant.fatura.invoices.retrieve(id);
  return intent ?? '';
}

/** Writes the row of an intent once more, under another id of the same instant. */
const repeatRow = (table: string, intent: string) =>
  query(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(row, jsonb_build_object('id', left(row.id, -1) || 'z'))).*
     FROM ${table} AS row WHERE $1 IN (row.id, to_jsonb(row) ->> 'intent_id')`,
    intent,
  );

describe('the database itself refuses', () => {
  test.each([
    [
      'a second unsettled charge of an invoice',
      /^payment_intent_\d{6}_one_unsettled$/,
      async () => repeatRow('payment_intent', (await openQr()).intent),
    ],
    [
      'a second payment that settles an invoice',
      /^payment_intent_\d{6}_one_settling$/,
      async () => repeatRow('payment_intent', await refundedInPart()),
    ],
    [
      'a return under the reference of another',
      /^refund_part_reference_key$/,
      async () => repeatRow('refund_part', await refundedInPart()),
    ],
    [
      'a second attempt of a charge beside one that is at the acquirer',
      /^charge_attempt_\d{6}_one_sent$/,
      async () => repeatRow('charge_attempt', await chargeUnderWay()),
    ],
  ])('%s', async (_, constraint, repeat) => {
    await expect(repeat()).rejects.toMatchObject({ code: '23505', constraint: expect.stringMatching(constraint) });
  });
});

test('the sandbox acquirer charges nothing that comes after its deadline, and has not heard of it', async () => {
  const bank = createSandboxAcquirer(api.composition.deps.pool);
  const ours = {
    accountId: merchant.accountId,
    liveMode: false,
    name: 'Loja',
    city: 'SAO PAULO',
    now: api.clock.now(),
  };
  const taken = await bank.tokenizeCard(ours, cardOf('4242424242424242'));
  if (!taken.known || taken.value.status !== 'taken') throw new Error('the sandbox takes cards in');
  const late = {
    reference: 'ca_late',
    orderId: 'in_late',
    initiator: 'customer' as const,
    token: taken.value.token,
    cvc: null,
    amount: 100,
    installments: 1,
    series: null,
    deadlineMs: Date.now() - 1,
  };
  expect(await bank.chargeCard(ours, late)).toEqual({ known: false, why: 'fault' });
  expect(await bank.findCharge(ours, late.reference)).toEqual({ known: true, value: { status: 'not_found' } });
});

test('a PIX that two learn of at once is booked once', async () => {
  const { intent, txid } = await openQr();
  failpoints.meanwhile('settlement.before-settle', () => pixSettlementStep(api.composition.deps, txid));
  await payPix(intent);
  const { invoice } = await merchant.fatura.paymentIntents.retrieve(intent);
  const payments = await merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 10 });
  expect(payments.map(({ id, status }) => ({ id, status }))).toEqual([{ id: intent, status: 'paid' }]);
});
