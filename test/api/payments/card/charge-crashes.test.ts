import { describe, expect, test } from 'vitest';
import { newSuffix } from '../../../../server/kernel/ids.ts';
import { cards } from '../../../support/cards.ts';
import type { FailpointName } from '../../../support/failpoints.ts';
import { CREATED, DECLINED, PAID, PaymentScene, SENT } from '../payment-scene.ts';

const scene = new PaymentScene();

/** A keyed checkout by card that the process does not survive. */
async function crashed(step: FailpointName, number: string = cards.approved) {
  const invoice = await scene.newInvoice();
  const key = newSuffix();
  scene.failpoints.crashAt(step);
  expect(await scene.sendByCard(invoice, { key, number })).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
  scene.bank.recovers();
  const repeat = () => scene.sendByCard(invoice, { key, number });
  return { invoice, intent: (await scene.invoice(invoice)).payment_intent ?? '', repeat };
}

const UNKNOWN = { status: 504, code: 'ACQUIRER_TIMEOUT' };
const DECLINE = { status: 402, code: 'CARD_DECLINED', isReplayed: true };
const APPROVAL = { status: 201, code: null, isReplayed: true };

/** Repeats of the request answer what came of its one attempt, and never charge. */
async function answersForEver(repeat: () => Promise<object>, expected: object): Promise<void> {
  for (const _ of [1, 2]) expect(await repeat()).toMatchObject(expected);
  expect(scene.bank.calls).not.toContain('chargeCard');
}

describe('a crash between the attempt and its call to the acquirer', () => {
  test('leaves a charge that is failed as never charged after its deadline', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-attempt');
    expect(await scene.intent(intent)).toMatchObject({ status: 'processing', attempts: 1 });
    expect(await scene.casesOf(intent)).toEqual(['charge-reconciliation']);
    await answersForEver(repeat, UNKNOWN);
    expect(await scene.reconcile(intent)).toMatchObject({ done: false, status: 'not found' });
    await answersForEver(repeat, UNKNOWN);
    await scene.passDeadline(intent);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    await answersForEver(repeat, {
      ...DECLINE,
      body: { error: { decline_reason: 'processing_error', message: 'The card was declined: processing error' } },
    });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
    expect(await scene.chargesAtBank(invoice)).toEqual([]);
  });

  test('is looked at by its case only when the acquirer refuses the call by itself', async () => {
    const { intent } = await crashed('card.after-attempt');
    const [entry] = await scene.rows(
      'SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM outbox WHERE key = $1',
      intent,
    );
    expect(entry?.seconds).toBeGreaterThan(20);
    expect(entry?.seconds).toBeLessThanOrEqual(25);
    await scene.passDeadline(intent);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
  });
});

describe('a crash between the call to the acquirer and its booking', () => {
  test('leaves a charge that is found approved', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-charge');
    expect(await scene.intent(intent)).toMatchObject({ status: 'processing', attempts: 1 });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open' });
    await answersForEver(repeat, UNKNOWN);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    await answersForEver(repeat, {
      ...APPROVAL,
      body: { id: invoice, status: 'paid', payment_intent: intent, payment_method: { card: { last4: '4242' } } },
    });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('leaves a charge that is found declined', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-charge', cards.suspected_fraud);
    await answersForEver(repeat, UNKNOWN);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    await answersForEver(repeat, { ...DECLINE, body: { error: { decline_reason: 'suspected_fraud' } } });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });
});

describe('a crash after the booking, before the answer', () => {
  test('is answered the paid invoice', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-outcome');
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    await answersForEver(repeat, { ...APPROVAL, body: { id: invoice, status: 'paid', payment_intent: intent } });
    expect(await scene.casesOf(intent)).toEqual([]);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('is answered the decline', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-outcome', cards.insufficient_funds);
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed' });
    await answersForEver(repeat, { ...DECLINE, body: { error: { decline_reason: 'insufficient_funds' } } });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
  });
});

describe('a crash of the case after it asked', () => {
  for (const [number, events] of [
    [cards.approved, PAID],
    [cards.issuer_declined, DECLINED],
  ] as const) {
    test(`books nothing; the next look books what the acquirer says (${events[0]})`, async () => {
      const { invoice, intent } = await crashed('card.after-charge', number);
      scene.failpoints.crashAt('reconciliation.after-asking');
      await expect(scene.reconcile(intent)).rejects.toThrow('crashed');
      expect(await scene.events(invoice)).toEqual([CREATED, ...SENT]);
      expect(await scene.reconcile(intent)).toEqual({ done: true });
      expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...events]);
    });
  }
});

describe('a process that dies with its lease', () => {
  /** What a killed process leaves: nobody ended the lease of its key. */
  const leased = (seconds: number) =>
    scene.rows(
      `UPDATE idempotency_key SET lease_until = now() + make_interval(secs => $1) WHERE attempt_id IS NOT NULL AND status IS NULL`,
      seconds,
    );

  test('holds its key for 90 s, and answers its one attempt afterwards', async () => {
    const { invoice, intent, repeat } = await crashed('card.after-charge');
    await leased(60);
    expect(await repeat()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_IN_USE' });
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    await leased(-1);
    await answersForEver(repeat, { ...APPROVAL, body: { id: invoice, status: 'paid' } });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });
});

describe('a case that learns the outcome before the checkout does', () => {
  test('books it, and the checkout answers the same', async () => {
    const invoice = await scene.newInvoice();
    scene.failpoints.meanwhile('card.after-charge', async () => {
      const [intent] = await scene.intentsOf(invoice);
      expect(await scene.reconcile(intent?.id ?? '')).toEqual({ done: true });
    });
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid', payment_method: { type: 'card' } });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });
});
