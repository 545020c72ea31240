import { describe, expect, test } from 'vitest';
import { performDue } from '../../../../server/subscriptions/billing/due.ts';
import { performStep } from '../../../../server/subscriptions/collection/step.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { DECLINED, PAID, SENT } from '../../payments/payment-scene.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const BEGUN = 'subscription.period_started';
const CREATED = 'invoice.created';

describe('a renewal by card', () => {
  test('begins the cycle, bills it and charges the stored card at that instant', async () => {
    const { id, current_period_end: end } = await scene.subscribeByCard(cards.elo);
    await scene.untilDue(id);
    const told = await scene.told(id, async () => expect(await performDue(scene.deps, id)).toBe('approved'));
    expect(told).toEqual([BEGUN, CREATED, ...SENT, ...PAID]);
    const renewed = await scene.subscriptions.retrieve(id);
    const next = { start: end ?? 0, end: renewed.current_period_end ?? 0 };
    expect(renewed).toMatchObject({ status: 'active', current_period_start: next.start, payment_method_type: 'card' });
    expect(next.end).toBeGreaterThan(next.start);
    const invoice = await scene.invoice(renewed.latest_invoice ?? '');
    expect(invoice).toMatchObject({
      status: 'paid',
      subscription: id,
      billing_reason: 'subscription_cycle',
      total: 9_990,
      due_at: next.start,
      period_start: next.start,
      period_end: next.end,
      status_transitions: { finalized_at: next.start, paid_at: next.start },
    });
    expect(await scene.intentsOf(invoice.id)).toMatchObject([
      {
        status: 'paid',
        payment_method_type: 'card',
        attempts: 1,
        max_attempts: 4,
        next_attempt: null,
        due_at: next.start,
      },
    ]);
    expect(await scene.attemptsOf(invoice.id)).toMatchObject([{ status: 'approved', brand: 'elo', last4: '8311' }]);
    expect(await performDue(scene.deps, id)).toBe('not_due');
  });

  test('regression-63-shows its own invoice in the event that begins its period', async () => {
    const { id } = await scene.subscribeByCard();
    const { id: invoice } = await scene.renew(id);
    const begun = (await scene.facts(id)).findLast(({ type }) => type === BEGUN);
    expect(begun?.object).toMatchObject({ latest_invoice: invoice });
  });

  test('shows in each event what its own step made of it', async () => {
    const { id } = await scene.subscribeByCard(cards.renewals_declined);
    const before = (await scene.facts(id)).length;
    await scene.renew(id);
    const shown = (await scene.facts(id)).slice(before).map(({ type, object }) => {
      const { status, payment_method_type, attempts } = object as Record<string, unknown>;
      return [type, status, payment_method_type, attempts];
    });
    expect(shown).toEqual([
      [BEGUN, 'active', 'card', undefined],
      [CREATED, 'open', undefined, undefined],
      ['payment_intent.created', 'pending', null, 0],
      ['payment_intent.processing', 'processing', 'card', 1],
      ['payment_intent.failed', 'failed', 'card', 1],
      ['invoice.payment_failed', 'open', undefined, undefined],
    ]);
  });

  test('is made once, however many ask at once', async () => {
    const { id } = await scene.subscribeByCard();
    await scene.untilDue(id);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => performDue(scene.deps, id)));
    expect(outcomes.filter((one) => one !== 'not_due')).toEqual(['approved']);
    expect((await scene.cycles(id)).cycle).toBe(2);
  });

  test('that ends with the process before its card is charged is found never charged, and tried a day later', async () => {
    const { id } = await scene.subscribeByCard();
    await scene.untilDue(id);
    scene.failpoints.crashAt('renewal.after-opening');
    await expect(performDue(scene.deps, id)).rejects.toThrow('crashed');
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    const { payment_intent: intent } = await scene.invoice(invoice ?? '');
    expect(await scene.intent(intent ?? '')).toMatchObject({ status: 'processing' });
    await scene.passDeadline(intent ?? '');
    expect(await scene.told(id, () => scene.reconcile(intent ?? ''))).toEqual(DECLINED);
    const told = await scene.told(id, () => scene.pass(id, DAY));
    expect(told).toEqual(['payment_intent.processing', ...PAID]);
    expect(await scene.chargesAtBank(invoice ?? '')).toHaveLength(1);
  });

  test('goes on when its price and its product are sold no more', async () => {
    const { id, item } = await scene.subscribeByCard();
    await scene.fatura.prices.update(item.price.id, { active: false });
    await scene.fatura.products.update(item.price.product, { active: false });
    expect(await scene.renew(id)).toMatchObject({ status: 'paid' });
  });

  test('meets a cancellation at the same instant in one of both orders', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await scene.subscribeByCard();
      await scene.untilDue(id);
      await Promise.allSettled([performDue(scene.deps, id), scene.subscriptions.cancel(id)]);
      const types = await scene.types(id);
      const isRenewed = types.filter((type) => type === BEGUN).length === 2;
      expect(types.filter((type) => type === 'invoice.paid')).toHaveLength(isRenewed ? 2 : 1);
    }
  });
});

describe('a bill by PIX', () => {
  /** When the next bill is made, and when its period begins and begins to count, in days after the one before. */
  async function billedAhead(recurring: Parameters<typeof scene.subscribePaidByPix>[0]) {
    const { id, current_period_start: start } = await scene.subscribePaidByPix(recurring);
    const before = (await scene.types(id)).length;
    await scene.pass(id, ((await scene.subscriptions.retrieve(id)).current_period_end ?? 0) - scene.now());
    return (await scene.story(id, start ?? 0)).slice(before);
  }

  test('comes three days ahead of a month, with its QR code, and its period begins unpaid', async () => {
    const { id, current_period_start: start, current_period_end: end } = await scene.subscribePaidByPix();
    const before = (await scene.types(id)).length;
    const invoice = await scene.renew(id);
    expect(scene.now()).toBe((end ?? 0) - 3 * DAY);
    expect(invoice).toMatchObject({
      status: 'open',
      due_at: end,
      period_start: end,
      billing_reason: 'subscription_cycle',
    });
    expect(await scene.intentsOf(invoice.id)).toMatchObject([
      { status: 'pending', payment_method_type: 'pix', attempts: 0, max_attempts: 1, due_at: end },
    ]);
    expect(await scene.rows('SELECT expires_at, state FROM pix_charge WHERE invoice_id = $1', invoice.id)).toEqual([
      { expires_at: (end ?? 0) + 10 * DAY, state: 'active' },
    ]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      current_period_start: start,
      latest_invoice: invoice.id,
    });
    await scene.pass(id, 3 * DAY);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ current_period_start: end, status: 'active' });
    expect((await scene.types(id)).slice(before)).toEqual([CREATED, 'payment_intent.created', BEGUN]);
  });

  test('of a week comes three days ahead, of three days and of one as the period before begins', async () => {
    const week = await billedAhead({ interval: 'week' });
    expect(week).toEqual([
      [4, CREATED],
      [4, 'payment_intent.created'],
      [7, BEGUN],
    ]);
    expect((await billedAhead({ interval: 'day', interval_count: 3 })).slice(0, 3)).toEqual([
      [0, CREATED],
      [0, 'payment_intent.created'],
      [3, BEGUN],
    ]);
    expect((await billedAhead({ interval: 'day' })).slice(0, 3)).toEqual([
      [0, CREATED],
      [0, 'payment_intent.created'],
      [1, BEGUN],
    ]);
  });

  test('that is paid ahead leaves the cycle under way, and the next one begins in its time', async () => {
    const { id, current_period_start: start, current_period_end: end } = await scene.subscribePaidByPix();
    const { payment_intent: intent } = await scene.renew(id);
    expect(await scene.told(id, () => scene.payPix(intent ?? ''))).toEqual(PAID);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ current_period_start: start });
    expect(await scene.told(id, () => scene.pass(id, 3 * DAY))).toEqual([BEGUN]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ current_period_start: end });
    expect(await scene.told(id, () => scene.pass(id, 20 * DAY))).toEqual([]);
  });

  test('that is late has a QR code for a day at least', async () => {
    const { id } = await scene.subscribePaidByPix();
    await scene.untilDue(id);
    scene.api.clock.advance(13 * DAY - 3_600);
    expect(await performDue(scene.deps, id)).toBe('billed');
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    expect(await scene.rows('SELECT expires_at FROM pix_charge WHERE invoice_id = $1', invoice)).toEqual([
      { expires_at: scene.now() + DAY },
    ]);
  });

  test('whose QR code is made anew has it until the suspension, and for a day at least', async () => {
    const { id, current_period_end: end } = await scene.subscribePaidByPix();
    const { id: invoice } = await scene.renew(id);
    await scene.pass(id, 12.5 * DAY);
    const expiries = () => scene.rows('SELECT expires_at FROM pix_charge WHERE invoice_id = $1 ORDER BY id', invoice);
    await scene.pass(id, DAY);
    await scene.checkoutByPix(invoice);
    expect(await expiries()).toEqual([{ expires_at: (end ?? 0) + 10 * DAY }, { expires_at: scene.now() + DAY }]);
  });

  test('at a bank that is away is made without its QR code, which the payment link makes', async () => {
    const { id } = await scene.subscribePaidByPix();
    scene.bank.meets('createPix', 'unreachable');
    await scene.untilDue(id);
    const told = await scene.told(id, async () => expect(await performDue(scene.deps, id)).toBe('billed_without_qr'));
    expect(told).toEqual([CREATED, 'payment_intent.created']);
    scene.bank.recovers();
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    const [waiting] = await scene.rows('SELECT id, state FROM pix_charge WHERE invoice_id = $1', invoice);
    expect(waiting).toMatchObject({ state: 'creating' });
    const { txid, intent } = await scene.checkoutByPix(invoice ?? '');
    expect(txid).toBe(waiting?.id);
    expect(await scene.told(id, () => scene.payPix(intent))).toEqual(PAID);
  });

  test('of one that gave a card meanwhile is charged to that as its period begins', async () => {
    const { id, current_period_end: end } = await scene.subscribePaidByPix();
    const { id: invoice } = await scene.renew(id);
    await scene.subscriptions.updatePaymentMethod(id, byCard(cards.amex));
    const told = await scene.told(id, () => scene.pass(id, 3 * DAY));
    expect(told).toEqual(['payment_intent.discarded', ...SENT, ...PAID, BEGUN]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', status_transitions: { paid_at: end } });
    await scene.untilDue(id);
    expect(await performDue(scene.deps, id)).toBe('approved');
  });

  test('of one without a method comes the same way', async () => {
    const free = await scene.subscribe({ discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }] });
    const invoice = await scene.renew(free.id);
    expect(invoice).toMatchObject({ status: 'open', total: 9_990 });
    expect((invoice.due_at ?? 0) - scene.now()).toBe(3 * DAY);
    await scene.payPix(invoice.payment_intent ?? '');
    expect(await scene.subscriptions.retrieve(free.id)).toMatchObject({ payment_method_type: 'pix' });
  });

  test('is reminded of in its time, and not any more once it is paid', async () => {
    scene.api.clock.advanceToHour(12);
    const { id } = await scene.subscribePaidByPix();
    const { id: invoice, payment_intent: intent } = await scene.renew(id);
    const reminded = async () =>
      (await scene.rows('SELECT reminders FROM invoice WHERE id = $1', invoice))[0]?.reminders;
    const sent: unknown[] = [];
    for (const days of [0, 3, 1, 2]) {
      await scene.pass(id, days * DAY);
      sent.push(await reminded());
    }
    expect(sent).toEqual([1, 2, 3, 4]);
    await scene.payPix(intent ?? '');
    expect(await scene.pass(id, 5 * DAY)).toEqual([]);
    expect(await performStep(scene.deps, invoice)).toBe('not_due');
  });
});
