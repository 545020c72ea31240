import { describe, expect, test } from 'vitest';
import { cards, payByCard } from '../../../support/cards.ts';
import { CREATED, DECLINED, PAID, PaymentScene, refusal, SENT } from '../payment-scene.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const scene = new PaymentScene();

const TIMEOUT = refusal('ACQUIRER_TIMEOUT', {
  status: 504,
  type: 'api_error',
  message: expect.stringContaining('do not charge anew'),
});

/** A charge whose answer is lost: approved, unless another card is asked for. */
async function unknownCharge(number: string = cards.approved, trouble: 'answer_lost' | 'request_lost' = 'answer_lost') {
  const invoice = await scene.newInvoice();
  scene.bank.meets('chargeCard', trouble);
  await expect(scene.payByCard(invoice, { number })).rejects.toEqual(TIMEOUT);
  scene.bank.recovers();
  return { invoice, intent: (await scene.invoice(invoice)).payment_intent ?? '' };
}

const unknownFor = (intent: string, seconds: number) =>
  scene.rows(
    'UPDATE charge_attempt SET unknown_at = now() - make_interval(secs => $2) WHERE intent_id = $1',
    intent,
    seconds,
  );

/** Ends the case, whatever the test left of it. */
async function finish(intent: string): Promise<void> {
  await scene.passDeadline(intent);
  expect(await scene.reconcile(intent)).toEqual({ done: true });
}

describe('a charge whose answer does not come', () => {
  test('of the card whose answer is lost is unknown at once, and found approved', async () => {
    const invoice = await scene.newInvoice();
    await expect(scene.payByCard(invoice, { number: cards.answer_lost })).rejects.toEqual(TIMEOUT);
    const [intent] = await scene.intentsOf(invoice);
    expect(intent).toMatchObject({
      status: 'processing',
      attempts: 1,
      decline_reason: null,
      status_transitions: { processing_at: scene.api.clock.now(), paid_at: null, failed_at: null },
    });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open', amount_paid: 0, payment_intent: intent?.id });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT]);
    expect(await scene.reconcile(intent?.id ?? '')).toEqual({ done: true });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent?.id });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('regression-97-is answered with the payment intent to read', async () => {
    const invoice = await scene.newInvoice();
    const error = await scene.payByCard(invoice, { number: cards.answer_lost }).catch((reason: unknown) => reason);
    const [intent] = await scene.intentsOf(invoice);
    expect(error).toEqual(refusal('ACQUIRER_TIMEOUT', { paymentIntent: intent?.id }));
    expect(await scene.reconcile(intent?.id ?? '')).toEqual({ done: true });
  });

  const troubles = [
    ['answer_lost', 'approved'],
    ['fault', 'approved'],
    ['request_lost', 'never_charged'],
    ['unreachable', 'never_charged'],
  ] as const;
  for (const [trouble, outcome] of troubles) {
    test(`(${trouble}) is unknown until the acquirer proves that it is ${outcome.replace('_', ' ')}`, async () => {
      const invoice = await scene.newInvoice();
      scene.bank.meets('chargeCard', trouble);
      await expect(scene.payByCard(invoice)).rejects.toEqual(TIMEOUT);
      scene.bank.recovers();
      const [intent] = await scene.intentsOf(invoice);
      expect(intent).toMatchObject({ status: 'processing' });
      expect(await scene.attemptsOf(invoice)).toMatchObject([{ status: 'sent' }]);
      await finish(intent?.id ?? '');
      expect(await scene.attemptsOf(invoice)).toMatchObject([{ status: outcome }]);
      expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...(outcome === 'approved' ? PAID : DECLINED)]);
      expect(scene.bank.calls).toEqual(['findCharge']);
    });
  }

  test('is looked at by its case 2 s later, and no more once it is known', async () => {
    const { intent } = await unknownCharge();
    const [entry] = await scene.rows(
      'SELECT kind, extract(epoch FROM due_at - now())::float8 AS seconds FROM outbox WHERE key = $1',
      intent,
    );
    expect(entry).toMatchObject({ kind: 'charge-reconciliation' });
    expect(entry?.seconds).toBeGreaterThan(0);
    expect(entry?.seconds).toBeLessThanOrEqual(2);
    await finish(intent);
    expect(await scene.casesOf(intent)).toEqual([]);
    scene.bank.recovers();
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    expect(scene.bank.calls).toEqual([]);
  });

  test('and whose card was declined is found declined', async () => {
    const { invoice, intent } = await unknownCharge(cards.insufficient_funds);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
    expect(await scene.intent(intent)).toMatchObject({ status: 'failed', decline_reason: 'insufficient_funds' });
    expect(await scene.attemptsOf(invoice)).toMatchObject([{ acquirer_code: '51', is_reversible: true }]);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
    expect(await payByCard(scene.merchant, invoice)).toMatchObject({ status: 'paid' });
  });

  test('is booked once, however many look at once', async () => {
    const { invoice, intent } = await unknownCharge();
    const steps = await Promise.all(Array.from({ length: 20 }, () => scene.reconcile(intent)));
    expect(steps).toEqual(Array(20).fill({ done: true }));
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });
});

describe('while nobody knows what became of a charge', () => {
  const attempts = {
    'another card': (invoice: string) => scene.payByCard(invoice, { number: cards.mastercard }),
    'a QR code': (invoice: string) => scene.checkoutByPix(invoice),
    void: (invoice: string) => scene.merchant.fatura.invoices.void(invoice),
    mark_uncollectible: (invoice: string) => scene.merchant.fatura.invoices.markUncollectible(invoice),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    test(`${name} is refused and changes nothing`, async () => {
      const { invoice, intent } = await unknownCharge();
      const before = await scene.books(invoice);
      scene.bank.recovers();
      await expect(attempt(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(scene.bank.calls).toEqual([]);
      expect(await scene.books(invoice)).toEqual(before);
      await finish(intent);
    });
  }
});

describe('a charge that the acquirer does not know', () => {
  test('is waited for until its deadline and 5 s more, then failed as never charged', async () => {
    const { invoice, intent } = await unknownCharge(cards.approved, 'request_lost');
    const before = await scene.books(invoice);
    expect(await scene.reconcile(intent)).toMatchObject({ done: false, status: 'not found' });
    for (const seconds of [0, 4])
      await scene.rows(
        'UPDATE charge_attempt SET deadline_at = now() - make_interval(secs => $2) WHERE intent_id = $1',
        intent,
        seconds,
      );
    expect(await scene.reconcile(intent)).toMatchObject({ done: false, status: 'not found' });
    expect((await scene.books(invoice)).events).toEqual(before.events);
    await finish(intent);
    expect(await scene.intent(intent)).toMatchObject({
      status: 'failed',
      decline_reason: 'processing_error',
      attempts: 1,
      status_transitions: { failed_at: scene.api.clock.now() },
    });
    expect(await scene.attemptsOf(invoice)).toMatchObject([
      { status: 'never_charged', decline_reason: 'processing_error', acquirer_code: null, is_reversible: true },
    ]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'open' });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...DECLINED]);
    expect(await scene.chargesAtBank(invoice)).toEqual([]);
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
  });
});

describe('a charge whose acquirer', () => {
  test('does not answer is asked about again, past its deadline too', async () => {
    const { invoice, intent } = await unknownCharge(cards.approved, 'request_lost');
    await scene.passDeadline(intent);
    for (const trouble of ['unreachable', 'request_lost', 'answer_lost', 'fault'] as const) {
      scene.bank.meets('findCharge', trouble);
      expect(await scene.reconcile(intent)).toMatchObject({ done: false, status: 'acquirer silent' });
    }
    expect(await scene.attemptsOf(invoice)).toMatchObject([{ status: 'sent' }]);
    scene.bank.recovers();
    await finish(intent);
  });

  test('has it in process is asked about again, past its deadline too', async () => {
    const { invoice, intent } = await unknownCharge();
    const completes = (when: string) =>
      scene.rows(
        `UPDATE sandbox_bank.charge SET completes_at = ${when} WHERE reference =
           (SELECT id FROM charge_attempt WHERE intent_id = $1)`,
        intent,
      );
    await completes(`now() + interval '1 hour'`);
    await scene.passDeadline(intent);
    expect(await scene.reconcile(intent)).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT]);
    await completes('now()');
    await finish(intent);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
  });

  const looks = [
    [30, 30],
    [4 * MINUTE, 60],
    [10 * MINUTE, 300],
    [15 * MINUTE + 1, HOUR - 1],
    [2 * HOUR, 900],
  ] as const;
  test.each(looks)('is silent, after %i s is asked again within %i s', async (seconds, due) => {
    const { intent } = await unknownCharge();
    scene.bank.meets('findCharge', 'unreachable');
    await unknownFor(intent, seconds);
    const step = await scene.reconcile(intent);
    const dueInSeconds = step.done ? 0 : step.dueInSeconds;
    expect(dueInSeconds).toBeLessThanOrEqual(due);
    // Real time passes meanwhile.
    expect(dueInSeconds).toBeGreaterThan(due - 20);
    scene.bank.recovers();
    await finish(intent);
  });

  test('is silent is asked again by the time since no answer came, or, after a crash, since the charge was sent', async () => {
    const sentFor = (intent: string, seconds: number) =>
      scene.rows(
        'UPDATE charge_attempt SET deadline_at = now() + make_interval(secs => 20 - $2::float8) WHERE intent_id = $1',
        intent,
        seconds,
      );
    const dueAfter = async (intent: string) => {
      await sentFor(intent, 30);
      scene.bank.meets('findCharge', 'unreachable');
      const step = await scene.reconcile(intent);
      scene.bank.recovers();
      await finish(intent);
      return step.done ? 0 : step.dueInSeconds;
    };
    const { intent: unanswered } = await unknownCharge();
    expect(await dueAfter(unanswered)).toBeLessThan(10);
    scene.failpoints.crashAt('card.after-charge');
    const crashed = await scene.chargeCard(await scene.newInvoice());
    expect(await dueAfter(crashed)).toBeGreaterThan(10);
  });

  test('is silent for a day raises an alarm at each look', async () => {
    const { intent } = await unknownCharge();
    const alarms = async () =>
      (await scene.deps.metrics.alarms.get()).values.find(({ labels }) => labels.kind === 'charge_outcome_unknown')
        ?.value ?? 0;
    const before = await alarms();
    scene.bank.meets('findCharge', 'unreachable');
    await unknownFor(intent, DAY - MINUTE);
    await scene.reconcile(intent);
    expect(await alarms()).toBe(before);
    await unknownFor(intent, DAY);
    await scene.reconcile(intent);
    await scene.reconcile(intent);
    expect(await alarms()).toBe(before + 2);
    scene.bank.recovers();
    await finish(intent);
  });
});

describe('a card that is at the acquirer for 10 s', () => {
  test('is waited for; a second checkout meanwhile is refused, and the first is paid', async () => {
    const invoice = await scene.newInvoice();
    const first = scene.payByCard(invoice, { number: cards.slow });
    await expect.poll(() => scene.chargesAtBank(invoice)).toHaveLength(1);
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    const [intent] = await scene.intentsOf(invoice);
    expect(await scene.reconcile(intent?.id ?? '')).toMatchObject({ done: false, status: 'at acquirer' });
    expect(await first).toMatchObject({ status: 'paid', payment_method: { card: { brand: 'visa', last4: '5001' } } });
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });
});
