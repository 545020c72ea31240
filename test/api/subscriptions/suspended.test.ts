import { describe, expect, test } from 'vitest';
import { collectionStatus } from '../../../server/subscriptions/collection/case.ts';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { byCard, cards } from '../../support/cards.ts';
import { DECLINED, PAID, refusal, SENT } from '../payments/payment-scene.ts';
import { ACTIVATED, RESUMED, type Subject, SubscriptionScene } from './subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

/** A buyer's checkout takes over from the declined charge of the schedule. */
const TAKEN_OVER = ['payment_intent.discarded', ...SENT];

/** What a subscription shows of its cycle. */
const cycleOf = async ({ id }: Pick<Subject, 'id'>) => {
  const { status, billing_cycle_anchor, current_period_start, current_period_end, item } =
    await scene.subscriptions.retrieve(id);
  expect(item).toMatchObject({ current_period_start, current_period_end });
  return { status, anchor: billing_cycle_anchor, start: current_period_start, end: current_period_end };
};

const days = ({ start, end }: { start: number | null; end: number | null }) => ((end ?? 0) - (start ?? 0)) / DAY;

describe('the payment of a suspended subscription', () => {
  test('by card activates it in its own transaction: a new cycle from that instant, under the next number', async () => {
    const subject = await scene.make('suspended');
    const before = await cycleOf(subject);
    scene.api.clock.advance(2 * DAY);
    const now = scene.now();
    const told = await scene.told(subject.id, () => scene.subscriptions.checkout(subject.id, byCard(cards.elo)));
    expect(told).toEqual([...TAKEN_OVER, ...PAID, ...RESUMED]);
    const after = await cycleOf(subject);
    expect(after).toMatchObject({ status: 'active', anchor: now, start: now });
    expect(before.anchor).toBeLessThan(now);
    expect(days(after)).toBeGreaterThanOrEqual(28);
    const { cycle, anchorCycle, invoices } = await scene.cycles(subject.id);
    expect({ cycle, anchorCycle }).toEqual({ cycle: 3, anchorCycle: 3 });
    expect(invoices.map(([number, status]) => [number, status])).toEqual([
      [1, 'paid'],
      [3, 'paid'],
    ]);
    expect(await scene.invoice(subject.invoice)).toMatchObject({
      status: 'paid',
      period_start: after.start,
      period_end: after.end,
    });
    const at = (type: string) =>
      scene.rows(`SELECT created, xmin::text AS tx FROM event WHERE type = $1 AND object_id = $2`, type, subject.id);
    const rows = await Promise.all(RESUMED.map(async (type) => (await at(type)).at(-1)));
    expect(new Set(rows.map((row) => row?.tx)).size).toBe(1);
    expect(new Set(rows.map((row) => row?.created))).toEqual(new Set([now]));
  });

  test('regression-62-shows the cycle that begins and its invoice in the events that tell of them', async () => {
    const { id, invoice } = await scene.make('suspended');
    const before = await cycleOf({ id });
    const { latest_invoice: newest } = await scene.subscriptions.retrieve(id);
    scene.api.clock.advance(DAY);
    await scene.subscriptions.checkout(id, byCard(cards.amex));
    const facts = (await scene.facts(id)).slice(-3).map(({ type, object }) => {
      // Subscriptions as they were told.
      const { status, billing_cycle_anchor, current_period_start, latest_invoice } = object as Record<string, unknown>;
      return [type, status, billing_cycle_anchor, current_period_start, latest_invoice];
    });
    expect(facts).toEqual([
      ['subscription.reactivated', 'pending', before.anchor, before.start, newest],
      ['subscription.activated', 'active', scene.now(), scene.now(), invoice],
      ['subscription.period_started', 'active', scene.now(), scene.now(), invoice],
    ]);
  });

  test('by PIX leaves it suspended until the money is there', async () => {
    const { id, invoice } = await scene.make('suspended');
    const shown = await scene.subscriptions.checkout(id, { payment_method_type: 'pix' });
    expect(shown).toMatchObject({ status: 'suspended', payment_method_type: 'card', payment_method: { type: 'pix' } });
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.payPix(intent, 'confirmed_not_settled');
    expect(await scene.status(id)).toBe('suspended');
    await scene.payPix(intent);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      status: 'active',
      payment_method_type: 'pix',
      installments: 1,
      billing_cycle_anchor: scene.now(),
    });
    expect((await scene.types(id)).slice(-5)).toEqual([...PAID, ...RESUMED]);
  });

  test('that is declined leaves it suspended, with the card it had', async () => {
    const { id } = await scene.make('suspended');
    const before = await scene.rows('SELECT * FROM subscription WHERE id = $1', id);
    const told = await scene.told(id, () =>
      expect(scene.subscriptions.checkout(id, byCard(cards.expired_card))).rejects.toEqual(refusal('CARD_DECLINED')),
    );
    expect(told).toEqual([...TAKEN_OVER, ...DECLINED]);
    expect(await scene.rows('SELECT * FROM subscription WHERE id = $1', id)).toEqual(before);
  });

  test('whose QR code nobody pays leaves it suspended, for another way', async () => {
    const { id } = await scene.make('suspended');
    await scene.subscriptions.checkout(id, { payment_method_type: 'pix' });
    scene.api.clock.advance(2 * DAY);
    expect(await scene.status(id)).toBe('suspended');
    expect(await scene.subscriptions.checkout(id, byCard())).toMatchObject({ status: 'active' });
  });

  test('is of the invoice it waits for, not of the newest one', async () => {
    const { id } = await scene.subscribeUnfunded({ interval: 'week' });
    const awaited = await scene.renew(id);
    await scene.suspend(id);
    const paid = await scene.subscriptions.checkout(id, byCard());
    expect(paid.latest_invoice).not.toBe(awaited.id);
    expect(await scene.invoice(awaited.id)).toMatchObject({ status: 'paid', period_start: scene.now() });
    expect(await scene.invoice(paid.latest_invoice ?? '')).toMatchObject({
      status: 'void',
      period_start: expect.any(Number),
    });
    const { cycle, invoices } = await scene.cycles(id);
    expect([cycle, invoices.map(([number, status]) => [number, status])]).toEqual([
      4,
      [
        [1, 'paid'],
        [3, 'void'],
        [4, 'paid'],
      ],
    ]);
  });

  test('is not that of an invoice that was forgiven before', async () => {
    const { id } = await scene.subscribeUnfunded();
    const forgiven = await scene.renew(id);
    await scene.fatura.invoices.markUncollectible(forgiven.id);
    const awaited = await scene.renew(id);
    await scene.suspend(id);
    const told = await scene.told(id, () => scene.fatura.invoices.checkout(forgiven.id, byCard()));
    expect(told).toEqual([...SENT, ...PAID]);
    expect(await scene.status(id)).toBe('suspended');
    expect(await scene.invoice(awaited.id)).toMatchObject({ status: 'open' });
    expect(await scene.invoice(forgiven.id)).toMatchObject({
      status: 'paid',
      period_start: forgiven.period_start,
      period_end: forgiven.period_end,
    });
  });

  test('of unknown outcome leaves it suspended, and reactivates it once it is known', async () => {
    const { id, invoice } = await scene.make('suspended');
    await expect(scene.subscriptions.checkout(id, byCard(cards.answer_lost))).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT', { status: 504 }),
    );
    expect(await scene.status(id)).toBe('suspended');
    await expect(scene.subscriptions.checkout(id, byCard())).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    const { payment_intent: intent } = await scene.invoice(invoice);
    expect(await scene.told(id, () => scene.reconcile(intent ?? ''))).toEqual([...PAID, ...RESUMED]);
  });
});

describe('a card that was stored after the last decline', () => {
  const replaced = async (number: string = cards.approved) => {
    const subject = await scene.make('suspended');
    scene.api.clock.advance(DAY);
    await scene.subscriptions.updatePaymentMethod(subject.id, byCard(number));
    return subject;
  };
  /** What time does with an invoice now. */
  const perform = (invoice: string) => performStep(scene.deps, invoice);
  const CHARGED = 'payment_intent.processing';

  test('regression-69-is charged as the subscription is reactivated, and activates it', async () => {
    const { id, invoice } = await replaced();
    const { payment_intent: intent } = await scene.invoice(invoice);
    const before = await scene.intent(intent ?? '');
    expect(await scene.subscriptions.reactivate(id)).toMatchObject({ status: 'pending' });
    expect(await scene.intent(intent ?? '')).toMatchObject({ next_attempt: scene.now() });
    expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'charge', dueInSeconds: 0 });
    expect(await scene.told(id, () => perform(invoice))).toEqual([CHARGED, ...PAID, ...ACTIVATED]);
    expect(await cycleOf({ id })).toMatchObject({ status: 'active', anchor: scene.now(), start: scene.now() });
    expect(await scene.intentsOf(invoice)).toMatchObject([
      { id: intent, status: 'paid', attempts: before.attempts + 1, max_attempts: before.max_attempts + 1 },
    ]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'card' });
    expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'over' });
    expect(await scene.renew(id)).toMatchObject({ status: 'paid' });
  });

  test('and is declined leaves it pending, and is charged no more', async () => {
    const { id, invoice } = await replaced(cards.renewals_declined);
    await scene.subscriptions.reactivate(id);
    expect(await scene.told(id, () => perform(invoice))).toEqual([CHARGED, ...DECLINED]);
    expect(await scene.status(id)).toBe('pending');
    expect((await scene.intentsOf(invoice)).at(-1)).toMatchObject({ status: 'failed', next_attempt: null });
    expect(await perform(invoice)).toBe('not_due');
    expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'over' });
    scene.api.clock.advance(DAY);
    expect(await scene.subscriptions.checkout(id, byCard())).toMatchObject({ status: 'active' });
  });

  test('has its outcome found out where nobody told it', async () => {
    const { id, invoice } = await replaced(cards.answer_lost);
    await scene.subscriptions.reactivate(id);
    expect(await scene.told(id, () => perform(invoice))).toEqual([CHARGED]);
    const { payment_intent: intent } = await scene.invoice(invoice);
    expect(await scene.told(id, () => scene.reconcile(intent ?? ''))).toEqual([...PAID, ...ACTIVATED]);
  });

  test("ends a buyer's QR code first, and is not charged where that is paid", async () => {
    const { id, invoice } = await replaced();
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.subscriptions.reactivate(id);
    await scene.payPix(intent);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', payment_method_type: 'pix' });
    expect(await perform(invoice)).toBe('not_due');

    const other = await replaced();
    await scene.checkoutByPix(other.invoice);
    await scene.subscriptions.reactivate(other.id);
    expect(await scene.told(other.id, () => perform(other.invoice))).toEqual([...TAKEN_OVER, ...PAID, ...ACTIVATED]);
  });

  test('is not charged after a later decline of another', async () => {
    const { id, invoice } = await replaced();
    scene.api.clock.advance(60);
    await scene.chargeCard(invoice, { number: cards.issuer_declined });
    await scene.subscriptions.reactivate(id);
    expect(await perform(invoice)).toBe('not_due');

    const other = await replaced();
    await scene.subscriptions.reactivate(other.id);
    scene.api.clock.advance(60);
    await scene.chargeCard(other.invoice, { number: cards.issuer_declined });
    expect(await perform(other.invoice)).toBe('not_due');
    expect(await scene.status(other.id)).toBe('pending');
  });

  test('or before it is not charged', async () => {
    const { id, invoice } = await scene.make('suspended');
    await scene.subscriptions.reactivate(id);
    expect(await perform(invoice)).toBe('not_due');
    expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'over' });
  });
});

describe('a reactivated subscription', () => {
  test('waits seven days more for its open invoice, and tells of its activation alone', async () => {
    const { id, invoice } = await scene.make('suspended');
    const reactivated = await scene.subscriptions.reactivate(id);
    expect(reactivated).toMatchObject({ status: 'pending', ended: null });
    const [row] = await scene.rows('SELECT pending_until, reactivated_at FROM subscription WHERE id = $1', id);
    expect(row).toEqual({ pending_until: scene.now() + 7 * DAY, reactivated_at: scene.now() });
    scene.api.clock.advance(DAY);
    expect(await scene.told(id, () => scene.subscriptions.checkout(id, byCard()))).toEqual([
      ...TAKEN_OVER,
      ...PAID,
      ...ACTIVATED,
    ]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', period_start: scene.now() });
    expect(await scene.cycles(id)).toMatchObject({ cycle: 3, anchorCycle: 3 });
  });

  test('is answered alike under the same Idempotency-Key', async () => {
    const { id } = await scene.make('suspended');
    const options = { idempotencyKey: `reactivate-${id}` };
    const first = await scene.subscriptions.reactivate(id, options);
    expect(await scene.subscriptions.reactivate(id, options)).toEqual(first);
    await expect(scene.subscriptions.reactivate(id)).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining(`${id} is pending`) }),
    );
  });

  test('twenty times at once is so once', async () => {
    const { id } = await scene.make('suspended');
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => scene.subscriptions.reactivate(id)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await scene.types(id)).filter((type) => type === 'subscription.reactivated')).toHaveLength(1);
  });

  test('in whose charge it is reactivated is activated by it without being told so twice', async () => {
    const { id } = await scene.make('suspended');
    scene.failpoints.meanwhile('card.after-charge', () => scene.subscriptions.reactivate(id));
    const told = await scene.told(id, () => scene.subscriptions.checkout(id, byCard()));
    expect(told).toEqual([...TAKEN_OVER, 'subscription.reactivated', ...PAID, ...ACTIVATED]);
  });
});
