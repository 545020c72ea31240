import type { Subscription } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { type Standing, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

const pause = (id: string, ...how: [Parameters<typeof scene.subscriptions.pause>[1]] | []) =>
  scene.subscriptions.pause(id, ...how);
const resume = (id: string) => scene.subscriptions.resume(id);
const retrieve = (id: string) => scene.subscriptions.retrieve(id);
const invoicesOf = (id: string) => scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
const endOf = ({ current_period_end: end }: Subscription): number => end ?? 0;

/** Lets what is due next of a subscription be done in its time. */
async function passDue(id: string): Promise<void> {
  await scene.untilDue(id);
  await scene.pass(id, 0);
}

/** One that is paid by PIX and whose next bill was made ahead. */
async function billedAhead() {
  const { id } = await scene.subscribePaidByPix();
  await passDue(id);
  const { latest_invoice: ahead } = await retrieve(id);
  return { id, ahead: ahead ?? '' };
}

describe('now', () => {
  test('it keeps the days of its period, bills nothing, and serves them once it is resumed', async () => {
    const made = await scene.subscribeByCard();
    const end = endOf(made);
    const days = (end - scene.now()) / DAY;
    await scene.pass(made.id, 10 * DAY);
    const since = scene.now();
    const told = await scene.told(made.id, async () => {
      expect(await pause(made.id)).toMatchObject({
        ...{ status: 'paused', pause: { since, resumes_at: null, days_left: days - 10 } },
        ...{ current_period_end: end, billing_cycle_anchor: made.billing_cycle_anchor },
      });
      await scene.pass(made.id, 100 * DAY);
      expect(await retrieve(made.id)).toMatchObject({ status: 'paused', latest_invoice: made.latest_invoice });
      const until = scene.now() + (days - 10) * DAY;
      const period = { current_period_start: made.current_period_start, current_period_end: until };
      const resumed = await resume(made.id);
      expect(resumed).toMatchObject({ ...period, status: 'active', pause: null, billing_cycle_anchor: until });
      expect(resumed.item).toMatchObject(period);
      await scene.untilDue(made.id);
      expect(scene.now()).toBe(until);
    });
    expect(told).toEqual(['subscription.paused', 'subscription.resumed']);
    await scene.pass(made.id, 0);
    const renewed = await retrieve(made.id);
    expect(renewed).toMatchObject({ current_period_start: scene.now(), billing_cycle_anchor: scene.now() });
    const [second, ...first] = await invoicesOf(made.id);
    expect(first).toHaveLength(1);
    expect(second).toMatchObject({
      ...{ status: 'paid', cycle: 2, due_at: scene.now(), period_start: scene.now(), period_end: endOf(renewed) },
    });
  });

  test('by resumes_at it goes on by itself', async () => {
    const made = await scene.subscribeByCard();
    const days = (endOf(made) - scene.now()) / DAY;
    const resumesAt = scene.now() + 30 * DAY;
    await pause(made.id, { at: 'now', resumes_at: resumesAt });
    const told = await scene.told(made.id, () => passDue(made.id));
    expect(told).toEqual(['subscription.resumed']);
    expect(await retrieve(made.id)).toMatchObject({ status: 'active', current_period_end: resumesAt + days * DAY });
  });

  test('resumed on the same day nothing has changed', async () => {
    const made = await scene.subscribeByCard();
    const rows = () =>
      scene.rows(
        `SELECT cycle, anchor_cycle, billing_cycle_anchor, current_period_end, period_days, due, due_at FROM subscription WHERE id = $1`,
        made.id,
      );
    const shown = await retrieve(made.id);
    const before = await rows();
    await pause(made.id);
    await resume(made.id);
    expect(await retrieve(made.id)).toEqual(shown);
    expect(await rows()).toEqual(before);
  });

  test('a bill that was made ahead is voided, and made anew before the next period', async () => {
    const { id, ahead } = await billedAhead();
    expect(await scene.told(id, () => pause(id))).toEqual([
      ...['payment_intent.discarded', 'invoice.voided', 'subscription.paused'],
    ]);
    await scene.pass(id, 20 * DAY);
    const { current_period_end: end } = await resume(id);
    expect(end).toBe(scene.now() + 3 * DAY);
    await scene.pass(id, 0);
    const { latest_invoice: anew } = await retrieve(id);
    expect(anew).not.toBe(ahead);
    expect(await scene.invoice(anew ?? '')).toMatchObject({ status: 'open', cycle: 2, due_at: end, period_start: end });
  });

  test('a next period that is paid ahead begins once the days left are served', async () => {
    const { id, ahead } = await billedAhead();
    await payByPix(scene.merchant, ahead);
    await pause(id);
    await scene.pass(id, 20 * DAY);
    const resumed = await resume(id);
    expect(endOf(resumed)).toBe(scene.now() + 3 * DAY);
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ latest_invoice: ahead, current_period_start: endOf(resumed) });
  });
});

describe('at the end of the period', () => {
  test('it is shown before, comes with the end, and leaves no days', async () => {
    const made = await scene.subscribeByCard();
    const shown = { since: endOf(made), resumes_at: null, days_left: 0 };
    const told = await scene.told(made.id, async () => {
      expect(await pause(made.id, { at: 'period_end' })).toMatchObject({ status: 'active', pause: shown });
      await passDue(made.id);
      expect(scene.now()).toBe(endOf(made));
    });
    expect(told).toEqual(['subscription.updated', 'subscription.paused']);
    expect(await retrieve(made.id)).toMatchObject({ status: 'paused', pause: shown });
    await scene.pass(made.id, 40 * DAY);
    expect(await invoicesOf(made.id)).toHaveLength(1);
    await resume(made.id);
    await scene.pass(made.id, 0);
    const [second] = await invoicesOf(made.id);
    expect(second).toMatchObject({ status: 'paid', cycle: 2, period_start: scene.now(), due_at: scene.now() });
    expect(await retrieve(made.id)).toMatchObject({ status: 'active', current_period_start: scene.now() });
  });

  test('by PIX the bill of the next period comes as it is resumed', async () => {
    const { id } = await scene.subscribePaidByPix();
    await pause(id, { at: 'period_end' });
    await passDue(id);
    await scene.pass(id, 9 * DAY);
    await resume(id);
    await scene.pass(id, 0);
    expect(await scene.openInvoices(id)).toMatchObject([{ cycle: 2, due_at: scene.now(), period_start: scene.now() }]);
    expect(await retrieve(id)).toMatchObject({ current_period_start: scene.now() });
  });

  test('that is taken back, it renews as ever', async () => {
    const { id } = await scene.subscribeByCard();
    const made = await retrieve(id);
    await pause(made.id, { at: 'period_end' });
    expect(await scene.told(made.id, () => resume(made.id))).toEqual(['subscription.updated']);
    expect(await retrieve(made.id)).toEqual(made);
    expect(await scene.renew(made.id)).toMatchObject({ status: 'paid', period_start: endOf(made) });
  });

  test('an open bill of the next period is voided; a paid one is served first', async () => {
    const { id, ahead } = await billedAhead();
    await pause(id, { at: 'period_end' });
    expect(await scene.invoice(ahead)).toMatchObject({ status: 'void' });
    const other = await billedAhead();
    await payByPix(scene.merchant, other.ahead);
    const { period_end: end } = await scene.invoice(other.ahead);
    expect(await pause(other.id, { at: 'period_end' })).toMatchObject({ pause: { since: end } });
    await passDue(other.id);
    expect(await retrieve(other.id)).toMatchObject({ status: 'active', current_period_end: end });
    await passDue(other.id);
    expect(await retrieve(other.id)).toMatchObject({ status: 'paused', latest_invoice: other.ahead });
  });

  test('the same again tells nothing', async () => {
    const made = await scene.subscribeByCard();
    await pause(made.id, { at: 'period_end' });
    expect(await scene.told(made.id, () => pause(made.id, { at: 'period_end' }))).toEqual([]);
  });
});

describe('in a pause', () => {
  test('the days left are kept by a second pause too', async () => {
    const made = await scene.subscribeByCard();
    const days = (endOf(made) - scene.now()) / DAY;
    await pause(made.id);
    await scene.pass(made.id, 5 * DAY);
    await resume(made.id);
    await scene.pass(made.id, 4 * DAY);
    expect(await pause(made.id)).toMatchObject({ pause: { days_left: days - 4 } });
    await scene.pass(made.id, DAY);
    expect(endOf(await resume(made.id))).toBe(scene.now() + (days - 4) * DAY);
  });

  test('it is cancelled, now or at an instant', async () => {
    const [one, other] = [await scene.subscribeByCard(), await scene.subscribeByCard()];
    await pause(one.id);
    expect(await scene.subscriptions.cancel(one.id)).toMatchObject({ status: 'inactive', pause: null });
    await pause(other.id);
    const at = scene.now() + 50 * DAY;
    expect(await scene.subscriptions.cancelAt(other.id, { at })).toMatchObject({ status: 'paused', cancel_at: at });
    await passDue(other.id);
    expect(await retrieve(other.id)).toMatchObject({ status: 'inactive', ended: at, canceled_reason: 'requested' });
  });

  test('an open invoice is collected on, and paid it ends no pause', async () => {
    const { id } = await scene.subscribeUnfunded();
    const { id: unpaid } = await scene.renew(id);
    await pause(id);
    await scene.fatura.invoices.checkout(unpaid, byCard());
    expect(await scene.invoice(unpaid)).toMatchObject({ status: 'paid' });
    expect(await retrieve(id)).toMatchObject({ status: 'paused' });
  });

  test('an open invoice suspends it as an active one, and its payment begins a period', async () => {
    const { id } = await scene.subscribeUnfunded();
    await scene.renew(id);
    await pause(id);
    await scene.pass(id, 12 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'suspended', pause: null });
    expect(await scene.types(id)).toContain('subscription.overdue');
    const paid = await scene.subscriptions.checkout(id, byCard());
    expect(paid).toMatchObject({ status: 'active', pause: null, current_period_start: scene.now() });
  });

  test('another card is stored, and nothing is previewed', async () => {
    const made = await scene.subscribeByCard();
    await pause(made.id, { at: 'period_end' });
    await expect(scene.subscriptions.upcomingInvoice(made.id)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409 }),
    );
    await passDue(made.id);
    await scene.subscriptions.updatePaymentMethod(made.id, byCard());
    await expect(scene.subscriptions.upcomingInvoice(made.id)).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409 }),
    );
  });
});

describe('is refused', () => {
  test.each<[Standing]>([['pending'], ['suspended'], ['reactivated'], ['inactive']])(
    'to one that is %s, as it is to resume it',
    async (standing) => {
      const { id } = await scene.make(standing);
      await expect(pause(id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
      await expect(resume(id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    },
  );

  test('to one in its trial', async () => {
    const { id } = await scene.subscribe({ trial: { days: 7, requires_payment_method: false } });
    await expect(pause(id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    await expect(pause(id, { at: 'period_end' })).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    expect(await scene.status(id)).toBe('trialing');
  });

  test('to one with an overdue invoice', async () => {
    const { id } = await scene.subscribeUnfunded();
    await scene.renew(id);
    await scene.pass(id, 2 * DAY);
    await expect(pause(id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });

  test('to one that is paused, or ends with its period', async () => {
    const made = await scene.subscribeByCard();
    await pause(made.id);
    await expect(pause(made.id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    await expect(scene.subscriptions.cancelAt(made.id, { at: 'period_end' })).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409 }),
    );
    const ending = await scene.subscribeByCard();
    await scene.subscriptions.cancelAt(ending.id, { at: 'period_end' });
    await expect(pause(ending.id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });

  test('with an end that has passed, or is too far', async () => {
    const { id } = await scene.subscribeByCard();
    for (const resumes_at of [0, scene.now(), scene.now() + 366 * DAY])
      await expect(pause(id, { at: 'now', resumes_at })).rejects.toEqual(
        refusal('PARAMETER_INVALID', { param: 'resumes_at' }),
      );
    expect(await retrieve(id)).toMatchObject({ status: 'active', pause: null });
  });
});
