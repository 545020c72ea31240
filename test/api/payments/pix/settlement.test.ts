import { describe, expect, test } from 'vitest';
import { readScope } from '../../../../server/accounts/scope.ts';
import { handleNotice, pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { newInvoice } from '../../../support/factories.ts';
import { refusal, SURPLUS } from '../payment-scene.ts';
import { PixScene, SALE, SOLD } from './pix-scene.ts';

const DAY = 86_400;
const scene = new PixScene();

describe('a payment of the QR code', () => {
  test('pays the charge and its invoice, and tells both in that order', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    const now = scene.api.clock.now();
    const answer = await scene.payPix(intent);
    expect(answer).toMatchObject({ id: intent, status: 'paid', attempts: 1, amount: 9990, amount_refunded: 0 });
    expect(answer.status_transitions.paid_at).toBe(now);
    expect(await scene.merchant.fatura.paymentIntents.retrieve(intent)).toEqual(answer);
    expect(await scene.invoice(invoice)).toMatchObject({
      status: 'paid',
      paid: true,
      amount_due: 9990,
      amount_paid: 9990,
      amount_remaining: 0,
      payment_intent: intent,
      status_transitions: { paid_at: now },
    });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.receiptsOf(invoice)).toEqual([{ intent_id: intent, amount: 9990 }]);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });

  test('freezes in each event what its own step made true', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent);
    const stored = await scene.rows('SELECT type, body FROM event WHERE related @> ARRAY[$1] ORDER BY id', invoice);
    const shown = stored.map(({ type, body }) => ({ type, ...JSON.parse(String(body)).data.object }));
    expect(shown).toMatchObject([
      { type: 'invoice.created', status: 'open', payment_intent: null, amount_paid: 0 },
      { type: 'payment_intent.created', id: intent, status: 'pending' },
      { type: 'payment_intent.paid', id: intent, status: 'paid' },
      { type: 'invoice.paid', status: 'paid', payment_intent: intent, amount_paid: 9990 },
    ]);
  });

  test('told again changes nothing and answers the same', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    const first = await scene.payPix(intent);
    expect(await scene.payPix(intent)).toEqual(first);
    expect(await scene.payPix(intent, 'confirmed_not_settled')).toEqual(first);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.receiptsOf(invoice)).toHaveLength(1);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });

  test('twenty times at once settles once', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    const scope = await readScope(scene.deps.pool, { accountId: scene.merchant.accountId, liveMode: false });
    const payments = Array.from({ length: 20 }, () => scene.payPix(intent));
    const notices = Array.from({ length: 20 }, () => handleNotice(scene.deps, scope, { txid }));
    const answers = await Promise.all(payments);
    await Promise.all(notices);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.receiptsOf(invoice)).toHaveLength(1);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });

  test('after the end of the QR code pays its own charge while that still waits', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.api.clock.advance(DAY);
    await expect(scene.payPix(intent)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining('paid_late') }),
    );
    await expect(scene.payPix(intent, 'paid_twice')).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(scene.payPix(intent, 'confirmed_not_settled')).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await scene.receiptsOf(invoice)).toEqual([]);
    expect(await scene.payPix(intent, 'paid_late')).toMatchObject({ status: 'paid' });
    expect(await scene.events(invoice)).toEqual(SOLD);
  });

  test('is answered alike under the same Idempotency-Key, and made once', async () => {
    const { invoice, intent } = await scene.openPix();
    const twice = () =>
      scene.merchant.fatura.testHelpers.paymentIntents.payPix(
        intent,
        { scenario: 'paid_twice' },
        { idempotencyKey: `twice-${intent}` },
      );
    const first = await twice();
    expect(await twice()).toEqual(first);
    expect(await scene.receiptsOf(invoice)).toHaveLength(2);
  });

  test('needs a QR code, and the charge of this account', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent);
    await scene.payPix(intent, 'paid_twice');
    const surplus = (await scene.intentsOf(invoice)).find(({ id }) => id !== intent);
    await expect(scene.payPix(surplus?.id ?? '')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    await expect(scene.payPix(`pi_${'0'.repeat(26)}`)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    const stranger = await scene.api.newMerchant();
    await expect(stranger.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' })).rejects.toEqual(
      refusal('RESOURCE_MISSING'),
    );
  });

  test('of a QR code that was never handed out is impossible', async () => {
    const invoice = await newInvoice(scene.merchant);
    scene.bank.meets('createPix', 'unreachable');
    await expect(scene.checkoutByPix(invoice.id)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    const [made] = await scene.intentsOf(invoice.id);
    await expect(scene.payPix(made?.id ?? '')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });
});

describe('a payment confirmed and not settled', () => {
  test('leaves the charge pending, and settles 60 s later', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    expect(await scene.payPix(intent, 'confirmed_not_settled')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open', amount_paid: 0 });
    expect(await scene.events(invoice)).toEqual(SALE);
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(scene.deps, txid)).toMatchObject({
      done: false,
      dueInSeconds: 60,
      status: 'confirmed',
    });
    scene.api.clock.advance(59);
    expect(await pixSettlementStep(scene.deps, txid)).toMatchObject({ done: false, dueInSeconds: 1 });
    scene.api.clock.advance(1);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });

  test('settles at once when the buyer pays', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    await scene.payPix(intent, 'confirmed_not_settled');
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.receiptsOf(invoice)).toHaveLength(1);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });
});

describe('when something breaks', () => {
  test('after the bank has booked: its notice stands and settles later', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.failpoints.crashAt('settlement.after-booking');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.events(invoice)).toEqual(SALE);
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });

  test('before the settlement: its notice stands, and the buyer who repeats is answered the payment made', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.failpoints.crashAt('settlement.before-settle');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.receiptsOf(invoice)).toHaveLength(1);
  });

  test('after the settlement: nothing is left to do', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.failpoints.crashAt('settlement.after-settle');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.noticesOf(txid)).toEqual([]);
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    expect(await scene.events(invoice)).toEqual(SOLD);
  });

  test('between two payments of one notice: the second is booked by the repeat', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.failpoints.crashAt('settlement.between-payments');
    await expect(scene.payPix(intent, 'paid_twice')).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.events(invoice)).toEqual([...SOLD, ...SURPLUS]);
  });

  test('at the bank, which does not answer: its notice stands and is asked about later', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('findPix', 'unreachable');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('ACQUIRER_TIMEOUT', { status: 504 }));
    expect(await pixSettlementStep(scene.deps, txid)).toMatchObject({ done: false, status: 'acquirer silent' });
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    scene.bank.recovers();
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.events(invoice)).toEqual(SOLD);
  });

  test('a payment that comes while an older answer is handled keeps its notice', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.failpoints.meanwhile('settlement.before-settle', async () => {
      scene.failpoints.crashAt('settlement.after-booking');
      await scene.payPix(intent, 'paid_twice').catch(() => {});
    });
    await scene.payPix(intent);
    expect(await scene.events(invoice)).toEqual(SOLD);
    expect(await scene.noticesOf(txid)).toHaveLength(1);
    expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.events(invoice)).toEqual([...SOLD, ...SURPLUS]);
    expect(await scene.noticesOf(txid)).toEqual([]);
  });
});
