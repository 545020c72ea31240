import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pixExpiryStep } from '../../server/payments/cases.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { Failpoints, type TestBank, troubleBank } from '../support/bank.ts';
import { eventTypes, newInvoice } from '../support/factories.ts';

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
const events = (id: string) => eventTypes(api.composition.deps.pool, id);
const checkout = (id: string, options: { idempotencyKey?: string } = {}) =>
  merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' }, options);
const pay = (intent: string | null, scenario: 'paid' | 'paid_late' | 'confirmed_not_settled') =>
  merchant.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario });
const intentsOf = (invoice: string) => merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 100 });

async function rows(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await api.composition.deps.pool.query(sql, values)).rows;
}
const qrsOf = (invoice: string) =>
  rows('SELECT id, state, copy_paste FROM pix_charge WHERE invoice_id = $1 ORDER BY id', invoice);
const cobOf = async (txid: unknown) => (await rows('SELECT status FROM sandbox_bank.cob WHERE txid = $1', txid))[0];

describe('when the bank fails', () => {
  test('unreachable: nothing happened, and the next checkout repeats the same txid', async () => {
    const invoice = await newInvoice(merchant);
    bank.meets('createPix', 'unreachable');
    await expect(checkout(invoice.id, { idempotencyKey: 'away' })).rejects.toEqual(
      refusal('ACQUIRER_UNAVAILABLE', { status: 503, message: expect.stringContaining('nothing happened') }),
    );
    const [made] = await qrsOf(invoice.id);
    expect(made).toMatchObject({ state: 'creating', copy_paste: null });
    expect(await cobOf(made?.id)).toBeUndefined();
    bank.recovers();
    const answer = await checkout(invoice.id, { idempotencyKey: 'away' });
    expect(await qrsOf(invoice.id)).toEqual([
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix.pix_copy_paste },
    ]);
    expect(await events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  test('an answer that is lost: a repeat under the same key gets the QR code that the bank made', async () => {
    const invoice = await newInvoice(merchant);
    bank.meets('createPix', 'answer_lost');
    await expect(checkout(invoice.id, { idempotencyKey: 'lost' })).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT', { status: 504 }),
    );
    const [made] = await qrsOf(invoice.id);
    expect(await cobOf(made?.id)).toEqual({ status: 'ATIVA' });
    bank.recovers();
    const answer = await checkout(invoice.id, { idempotencyKey: 'lost' });
    expect(await qrsOf(invoice.id)).toEqual([
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix.pix_copy_paste },
    ]);
    const replayed = await checkout(invoice.id, { idempotencyKey: 'lost' }).withResponse();
    expect(replayed.data).toEqual(answer);
    expect(replayed.response.headers.get('idempotent-replayed')).toBe('true');
    expect(await intentsOf(invoice.id)).toHaveLength(1);
  });

  test('a QR code that the bank never made is replaced after its end', async () => {
    const invoice = await newInvoice(merchant);
    bank.meets('createPix', 'unreachable');
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    bank.recovers();
    api.clock.advance(DAY);
    await checkout(invoice.id);
    expect((await intentsOf(invoice.id)).map(({ status }) => status)).toEqual(['pending', 'discarded']);
  });

  test('an ended QR code that cannot be asked about stays, and no second one is made', async () => {
    const invoice = await newInvoice(merchant);
    const first = await checkout(invoice.id);
    api.clock.advance(DAY);
    bank.meets('findPix', 'unreachable');
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE', { status: 503 }));
    expect(await intentsOf(invoice.id)).toMatchObject([{ id: first.payment_intent, status: 'pending' }]);
    expect(await events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
  });

  for (const step of ['pix.after-intent', 'pix.after-bank']) {
    test(`a crash at ${step} leaves one charge, whose QR code the next checkout answers`, async () => {
      const invoice = await newInvoice(merchant);
      failpoints.crashAt(step);
      await expect(checkout(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR', { status: 500 }));
      const answer = await checkout(invoice.id);
      expect(await qrsOf(invoice.id)).toMatchObject([
        { state: 'active', copy_paste: answer.payment_method?.pix.pix_copy_paste },
      ]);
      expect(await intentsOf(invoice.id)).toHaveLength(1);
      expect(await events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
    });
  }
});

describe('a checkout of an invoice that', () => {
  test('is paid already, while its QR code ended and the notice was lost, settles it and is refused', async () => {
    const invoice = await newInvoice(merchant);
    const { payment_intent: intent } = await checkout(invoice.id);
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent, 'paid')).rejects.toEqual(refusal('INTERNAL_ERROR'));
    api.clock.advance(DAY);
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(await merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({
      status: 'paid',
      payment_intent: intent,
    });
    expect(await events(invoice.id)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
    ]);
  });

  test('awaits settlement is refused, before and after the end of the QR code', async () => {
    const invoice = await newInvoice(merchant);
    const { payment_intent: intent } = await checkout(invoice.id);
    await pay(intent, 'confirmed_not_settled');
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    api.clock.advance(DAY);
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await intentsOf(invoice.id)).toHaveLength(1);
    await pay(intent, 'paid');
  });

  test('is voided while the QR code is made hands none out, and has it ended at the bank', async () => {
    const invoice = await newInvoice(merchant);
    failpoints.meanwhile('pix.after-intent', () => merchant.fatura.invoices.void(invoice.id));
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    const [made] = await qrsOf(invoice.id);
    expect(await cobOf(made?.id)).toEqual({ status: 'ATIVA' });
    expect(await rows('SELECT kind FROM outbox WHERE key = $1', made?.id)).toEqual([{ kind: 'pix-expiry' }]);
    expect(await pixExpiryStep(api.composition.deps, String(made?.id))).toEqual({ done: true });
    expect(await cobOf(made?.id)).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
    expect(await events(invoice.id)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.discarded',
      'invoice.voided',
    ]);
  });

  test('has a QR code on its way out ends it at the bank first, then makes another', async () => {
    const invoice = await newInvoice(merchant);
    const first = await checkout(invoice.id);
    failpoints.crashAt('close.after-retiring');
    await expect(merchant.fatura.invoices.void(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    bank.meets('expirePix', 'unreachable');
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE', { status: 503 }));
    bank.recovers();
    const second = await checkout(invoice.id);
    expect(second.payment_intent).not.toBe(first.payment_intent);
    const [former] = await qrsOf(invoice.id);
    expect(former).toMatchObject({ state: 'ended' });
    expect(await cobOf(former?.id)).toEqual({ status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  });

  test('has a QR code on its way out that was paid settles it and is refused', async () => {
    const invoice = await newInvoice(merchant);
    const { payment_intent: intent } = await checkout(invoice.id);
    failpoints.crashAt('close.after-retiring');
    await expect(merchant.fatura.invoices.void(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent, 'paid')).rejects.toEqual(refusal('INTERNAL_ERROR'));
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid' });
  });
});
