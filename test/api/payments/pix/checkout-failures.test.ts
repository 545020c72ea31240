import type { Invoice } from '@fatura/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readScope } from '../../../../server/accounts/scope.ts';
import { askBank } from '../../../../server/payments/acquirer/ask.ts';
import type { BankAnswer } from '../../../../server/payments/acquirer/port.ts';
import { pixExpiryStep } from '../../../../server/payments/cases.ts';
import { qrImage } from '../../../../server/payments/pix/image.ts';
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
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
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
      { id: made?.id, state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
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
        { state: 'active', copy_paste: answer.payment_method?.pix?.pix_copy_paste },
      ]);
      expect(await intentsOf(invoice.id)).toHaveLength(1);
      expect(await events(invoice.id)).toEqual(['invoice.created', 'payment_intent.created']);
    });
  }
});

describe('an acquirer that never answers', () => {
  const ask = async (work: () => Promise<BankAnswer<string>>) => {
    const { deps } = api.composition;
    const scope = await readScope(deps.pool, { accountId: merchant.accountId, liveMode: false });
    return askBank(deps, scope, work, { deadlineMs: 20 });
  };

  test('is not waited for beyond the deadline, and fails unheard afterwards', async () => {
    const late = Promise.withResolvers<BankAnswer<string>>();
    expect(await ask(() => late.promise)).toEqual({ known: false, why: 'timeout' });
    late.reject(new Error('the connection broke'));
  });

  test('is told from one that does, and from one that fails', async () => {
    expect(await ask(async () => ({ known: true, value: 'expired' }))).toEqual({ known: true, value: 'expired' });
    const broken = () => Promise.reject(new Error('the connection broke'));
    expect(await ask(broken)).toEqual({ known: false, why: 'fault' });
  });
});

describe('an image', () => {
  test('that could not be drawn is drawn anew', async () => {
    const tooLong = 'x'.repeat(10_000);
    const first = qrImage(tooLong);
    await expect(first).rejects.toThrow();
    const second = qrImage(tooLong);
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow();
  });
});

describe('a checkout of an invoice that', () => {
  test('is voided while its QR code is stored answers the code, and the void keeps it', async () => {
    const invoice = await newInvoice(merchant);
    const waiters = () =>
      rows(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    const untilWaiting = (count: number) => vi.waitFor(async () => expect(await waiters()).toHaveLength(count));
    const holder = await api.composition.deps.pool.connect();
    let voided: Promise<unknown> | undefined;
    let answer: Promise<Invoice>;
    try {
      await holder.query('BEGIN');
      bank.meets('createPix', async () => {
        await holder.query('SELECT 1 FROM pix_charge WHERE invoice_id = $1 FOR UPDATE', [invoice.id]);
      });
      answer = checkout(invoice.id);
      await untilWaiting(1);
      voided = merchant.fatura.invoices.void(invoice.id);
      await untilWaiting(2);
      await holder.query('COMMIT');
    } finally {
      holder.release();
    }
    const { payment_method: method } = await answer;
    expect(await voided).toMatchObject({ status: 'void' });
    expect(await qrsOf(invoice.id)).toMatchObject([{ state: 'ended', copy_paste: method?.pix?.pix_copy_paste }]);
  });

  test('is uncollectible and loses its customer while the QR code is made stores nothing of that customer', async () => {
    const invoice = await newInvoice(merchant);
    await merchant.fatura.invoices.markUncollectible(invoice.id);
    failpoints.meanwhile('pix.after-intent', () => merchant.fatura.customers.anonymize(invoice.customer));
    const answer = await checkout(invoice.id, { idempotencyKey: 'erased' });
    expect(answer).toMatchObject({ customer_name: 'Anonimizado', customer_email: null });
    expect(await checkout(invoice.id, { idempotencyKey: 'erased' })).toEqual(answer);
  });

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
    failpoints.crashAt('ending.after-retiring');
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
    failpoints.crashAt('ending.after-retiring');
    await expect(merchant.fatura.invoices.void(invoice.id)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    failpoints.crashAt('settlement.after-booking');
    await expect(pay(intent, 'paid')).rejects.toEqual(refusal('INTERNAL_ERROR'));
    await expect(checkout(invoice.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid' });
  });
});
