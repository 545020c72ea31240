import { describe, expect, test } from 'vitest';
import { refundSettlementStep } from '../../../../server/payments/refunds/settlement.ts';
import { newInvoice } from '../../../support/factories.ts';
import { PaymentScene, refusal, SURPLUS } from '../payment-scene.ts';

const HOUR = 3_600;
const scene = new PaymentScene();

const step = (intent: string) => refundSettlementStep(scene.deps, intent);
const returnsAtBank = (intent: string) =>
  scene.rows(
    `SELECT d.amount, d.refused FROM sandbox_bank.devolucao d JOIN pix_receipt r ON r.id = d.end_to_end_id
     WHERE r.intent_id = $1 ORDER BY d.requested_at`,
    intent,
  );

/** An invoice paid twice: the second payment is surplus. */
async function paidTwice(amount: number) {
  const { id: invoice, customer } = await newInvoice(scene.merchant, { amount });
  const { payment_intent: intent } = await scene.merchant.fatura.invoices.checkout(invoice, {
    payment_method_type: 'pix',
  });
  await scene.merchant.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid_twice' });
  const [surplus] = await scene.merchant.fatura.paymentIntents
    .list({ invoice_id: invoice, status: 'refunding' })
    .all({ max: 2 });
  return { invoice, customer, intent: intent ?? '', surplus: surplus?.id ?? '' };
}

describe('a surplus', () => {
  test('goes back by itself in 5 s and counts in none of the amounts of the invoice', async () => {
    const { invoice, intent, surplus } = await paidTwice(9990);
    const paid = await scene.merchant.fatura.invoices.retrieve(invoice);
    expect(paid).toMatchObject({ status: 'paid', payment_intent: intent, amount_paid: 9990, amount_refunded: 0 });
    expect(await scene.intent(surplus)).toMatchObject({
      status: 'refunding',
      amount: 9990,
      amount_refunded: 0,
      invoice,
    });
    expect(await scene.rows(`SELECT kind FROM outbox WHERE key = $1`, surplus)).toEqual([
      { kind: 'refund-settlement' },
    ]);
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: 5, status: 'at acquirer' });
    scene.api.clock.advance(4);
    expect(await step(surplus)).toMatchObject({ done: false, status: 'at acquirer' });
    scene.api.clock.advance(1);
    expect(await step(surplus)).toEqual({ done: true });
    expect(await scene.intent(surplus)).toMatchObject({
      status: 'refunded',
      amount_refunded: 9990,
      status_transitions: { refunded_at: scene.api.clock.now() },
    });
    expect(await scene.merchant.fatura.invoices.retrieve(invoice)).toEqual(paid);
    expect(await scene.events(surplus)).toEqual([...SURPLUS, 'payment_intent.refunded']);
    expect(await returnsAtBank(surplus)).toEqual([{ amount: 9990, refused: false }]);
  });

  test('that went back is returned once, however often it is looked at', async () => {
    const { surplus } = await paidTwice(9990);
    await Promise.all(Array.from({ length: 20 }, () => step(surplus)));
    scene.api.clock.advance(5);
    await Promise.all(Array.from({ length: 20 }, () => step(surplus)));
    expect(await step(surplus)).toEqual({ done: true });
    expect(await scene.events(surplus)).toEqual([...SURPLUS, 'payment_intent.refunded']);
    expect(await returnsAtBank(surplus)).toHaveLength(1);
  });

  test('that the bank refuses to take back is asked again an hour later under a new reference', async () => {
    const { surplus } = await paidTwice(1099);
    const refusals = async () =>
      (await scene.deps.metrics.alarms.get()).values.find(({ labels }) => labels.kind === 'surplus_return_refused')
        ?.value ?? 0;
    const before = await refusals();
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: HOUR, status: 'refused' });
    expect(await refusals()).toBe(before + 1);
    scene.api.clock.advance(HOUR - 1);
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: 1 });
    expect(await scene.intent(surplus)).toMatchObject({ status: 'refunding', amount_refunded: 0 });
    scene.api.clock.advance(1);
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: 5, status: 'at acquirer' });
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
    expect(await scene.intent(surplus)).toMatchObject({ status: 'refunded', amount_refunded: 1099 });
    expect(await returnsAtBank(surplus)).toEqual([
      { amount: 1099, refused: true },
      { amount: 1099, refused: false },
    ]);
    expect(await scene.events(surplus)).toEqual([...SURPLUS, 'payment_intent.refunded']);
  });

  test('refused to twenty looks at once is refused once', async () => {
    const { surplus } = await paidTwice(2099);
    await Promise.all(Array.from({ length: 20 }, () => step(surplus)));
    const [part] = await scene.rows('SELECT requests, retry_at FROM refund_part WHERE intent_id = $1', surplus);
    expect(part).toEqual({ requests: 2, retry_at: scene.api.clock.now() + HOUR });
    scene.api.clock.advance(HOUR);
    await step(surplus);
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
  });

  test('keeps the data of its customer until it is back', async () => {
    const { customer, surplus } = await paidTwice(9990);
    await expect(scene.merchant.fatura.customers.anonymize(customer)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(surplus) }),
    );
    await step(surplus);
    scene.api.clock.advance(5);
    await step(surplus);
    expect(await scene.merchant.fatura.customers.anonymize(customer)).toMatchObject({ name: 'Anonimizado' });
  });
});

describe('while a return is asked', () => {
  test('an unreachable bank is asked again later', async () => {
    const { surplus } = await paidTwice(9990);
    scene.bank.meets('findRefund', 'unreachable');
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: 5, status: 'acquirer silent' });
    scene.bank.recovers();
    scene.bank.meets('refundPix', 'unreachable');
    scene.api.clock.advance(60);
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: 60, status: 'acquirer silent' });
    expect(await returnsAtBank(surplus)).toEqual([]);
    scene.bank.recovers();
    await step(surplus);
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
  });

  test('an answer that is lost is not asked for a second time', async () => {
    const { surplus } = await paidTwice(9990);
    scene.bank.meets('refundPix', 'answer_lost');
    expect(await step(surplus)).toMatchObject({ done: false, status: 'acquirer silent' });
    scene.bank.recovers();
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual(['findRefund']);
    expect(await returnsAtBank(surplus)).toHaveLength(1);
  });

  test('a crash after asking leaves one return', async () => {
    const { surplus } = await paidTwice(9990);
    scene.failpoints.crashAt('return.after-asking');
    await expect(step(surplus)).rejects.toThrow('crashed');
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
    expect(await returnsAtBank(surplus)).toHaveLength(1);
  });

  test('a crash after a refusal asks again under one new reference', async () => {
    const { surplus } = await paidTwice(3099);
    scene.failpoints.crashAt('return.after-asking');
    await expect(step(surplus)).rejects.toThrow('crashed');
    expect(await step(surplus)).toMatchObject({ done: false, dueInSeconds: HOUR, status: 'refused' });
    scene.api.clock.advance(HOUR);
    await step(surplus);
    scene.api.clock.advance(5);
    expect(await step(surplus)).toEqual({ done: true });
    expect(await returnsAtBank(surplus)).toHaveLength(2);
  });

  test('what is not returning is over', async () => {
    const { intent } = await paidTwice(9990);
    expect(await step(intent)).toEqual({ done: true });
    expect(await step(`pi_${'0'.repeat(26)}`)).toEqual({ done: true });
  });
});
