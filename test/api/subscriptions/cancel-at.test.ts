import type { Subscription } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newPrice } from '../../support/factories.ts';
import { payByPix, subscribeByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { type Standing, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

const cancelAt = (id: string, at: 'now' | 'period_end' | number) => scene.subscriptions.cancelAt(id, { at });
const retrieve = (id: string) => scene.subscriptions.retrieve(id);
const invoicesOf = (id: string) => scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
const endOf = ({ current_period_end: end }: Subscription): number => end ?? 0;

/** Lets what is due next of a subscription be done in its time. */
async function passDue(id: string): Promise<void> {
  await scene.untilDue(id);
  await scene.pass(id, 0);
}

/** One that is paid by PIX and whose next bill was made ahead. */
async function billedAhead(overrides: Parameters<typeof subscribeByPix>[1] = {}) {
  const price = await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'month' } });
  const { id } = await subscribeByPix(scene.merchant, { price_id: price.id, ...overrides });
  await passDue(id);
  const { latest_invoice: ahead } = await retrieve(id);
  return { id, ahead: ahead ?? '' };
}

describe('at the end of the period', () => {
  test('it stays active until then, renews nothing and is told twice', async () => {
    const made = await scene.subscribeByCard();
    const told = await scene.told(made.id, async () => {
      const said = await cancelAt(made.id, 'period_end');
      expect(said).toMatchObject({
        ...{ status: 'active', cancel_at: endOf(made), cancel_at_period_end: true },
        ...{ ended: null, canceled_reason: null },
      });
      await scene.untilDue(made.id);
      expect(scene.now()).toBe(endOf(made));
      expect(await retrieve(made.id)).toEqual(said);
      await scene.pass(made.id, 0);
    });
    expect(told).toEqual(['subscription.cancel_scheduled', 'subscription.canceled']);
    expect(await retrieve(made.id)).toMatchObject({
      ...{ status: 'inactive', ended: endOf(made), canceled_reason: 'requested', update_payment_url: null },
    });
    expect(await invoicesOf(made.id)).toHaveLength(1);
  });

  test('a bill that was made ahead is voided and its QR code ended', async () => {
    const { id, ahead } = await billedAhead();
    const told = await scene.told(id, () => cancelAt(id, 'period_end'));
    expect(told).toEqual(['payment_intent.discarded', 'invoice.voided', 'subscription.cancel_scheduled']);
    expect(await scene.invoice(ahead)).toMatchObject({ status: 'void' });
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', canceled_reason: 'requested' });
  });

  test('that is taken back, the bill is made anew for the same cycle, with the discounts of its number', async () => {
    const discounts = [{ type: 'percentage', percentage: 50, cycles: 2 } as const];
    const { id, ahead } = await billedAhead({ discounts });
    const former = await scene.invoice(ahead);
    await cancelAt(id, 'period_end');
    const told = await scene.told(id, () => scene.subscriptions.uncancel(id));
    expect(told).toEqual(['subscription.cancel_unscheduled']);
    expect(await retrieve(id)).toMatchObject({ status: 'active', cancel_at: null, cancel_at_period_end: false });
    await scene.pass(id, 0);
    const { latest_invoice: latest } = await retrieve(id);
    const anew = await scene.invoice(latest ?? '');
    expect(anew.id).not.toBe(former.id);
    const { cycle, total, subtotal, period_start, period_end, due_at } = former;
    expect(anew).toMatchObject({ status: 'open', cycle, total, subtotal, period_start, period_end, due_at });
    await payByPix(scene.merchant, anew.id);
    // The second period begins, its buyer is told that the discount ends, and is billed.
    for (const _ of ['start_period', 'tell_renewal', 'bill']) await passDue(id);
    const { latest_invoice: third } = await retrieve(id);
    expect(await scene.invoice(third ?? '')).toMatchObject({ cycle: 3, total: subtotal });
  });

  test('is that of the next one, where that was billed ahead and is paid', async () => {
    const { id, ahead } = await billedAhead();
    await payByPix(scene.merchant, ahead);
    const { period_end: end } = await scene.invoice(ahead);
    expect(await cancelAt(id, 'period_end')).toMatchObject({ cancel_at: end });
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'active', current_period_end: end });
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', ended: end });
  });

  test('what is still owed then can be paid all the same, and brings nothing back', async () => {
    const { id } = await scene.subscribeUnfunded({ interval: 'week' });
    const { id: unpaid } = await scene.renew(id);
    await cancelAt(id, 'period_end');
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', canceled_reason: 'requested' });
    expect(await scene.invoice(unpaid)).toMatchObject({ status: 'uncollectible' });
    await scene.fatura.invoices.checkout(unpaid, byCard(cards.approved));
    expect(await scene.invoice(unpaid)).toMatchObject({ status: 'paid' });
    expect(await retrieve(id)).toMatchObject({ status: 'inactive' });
  });

  test('follows the period that a payment after a suspension begins', async () => {
    const { id } = await scene.subscribeUnfunded();
    await scene.renew(id);
    await cancelAt(id, 'period_end');
    await scene.suspend(id);
    const paid = await scene.subscriptions.checkout(id, byCard(cards.approved));
    expect(paid).toMatchObject({ status: 'active', cancel_at: endOf(paid), cancel_at_period_end: true });
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', ended: endOf(paid) });
  });
});

describe('at an instant', () => {
  test('within the period it ends then', async () => {
    const { id } = await scene.subscribeByCard();
    const at = scene.now() + 5 * DAY;
    expect(await cancelAt(id, at)).toMatchObject({ cancel_at: at, cancel_at_period_end: false });
    await passDue(id);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', ended: at });
  });

  test('beyond it renews until then, each bill whole', async () => {
    const made = await scene.subscribeByCard();
    const at = endOf(made) + 5 * DAY;
    await cancelAt(made.id, at);
    const renewal = await scene.renew(made.id);
    expect(renewal).toMatchObject({ status: 'paid', total: 9_990 });
    await passDue(made.id);
    expect(await retrieve(made.id)).toMatchObject({ status: 'inactive', ended: at });
    expect(await invoicesOf(made.id)).toHaveLength(2);
  });

  test('that has passed, or is too far, is refused', async () => {
    const { id } = await scene.subscribeByCard();
    for (const at of [0, scene.now(), scene.now() + 731 * DAY])
      await expect(cancelAt(id, at)).rejects.toEqual(refusal('PARAMETER_INVALID', { param: 'at' }));
    expect(await retrieve(id)).toMatchObject({ cancel_at: null });
  });
});

test('the same again tells nothing; another instant takes the place of the former', async () => {
  const made = await scene.subscribeByCard();
  await cancelAt(made.id, 'period_end');
  expect(await scene.told(made.id, () => cancelAt(made.id, 'period_end'))).toEqual([]);
  const at = scene.now() + DAY;
  expect(await scene.told(made.id, () => cancelAt(made.id, at))).toEqual(['subscription.cancel_scheduled']);
  expect(await retrieve(made.id)).toMatchObject({ cancel_at: at, cancel_at_period_end: false });
});

test('now is at once, also of one that was to end later', async () => {
  const made = await scene.subscribeByCard();
  await cancelAt(made.id, 'period_end');
  expect(await cancelAt(made.id, 'now')).toMatchObject({ status: 'inactive', canceled_reason: 'requested' });
  await expect(scene.subscriptions.uncancel(made.id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
});

test('nothing to take back is answered as it is', async () => {
  const made = await scene.subscribeByCard();
  expect(await scene.told(made.id, () => scene.subscriptions.uncancel(made.id))).toEqual([]);
});

test.each<[Standing]>([['pending'], ['suspended'], ['reactivated'], ['inactive']])(
  'one that is %s has no period to end with',
  async (standing) => {
    const { id } = await scene.make(standing);
    await expect(cancelAt(id, 'period_end')).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  },
);

test('one that nobody pays ends unpaid', async () => {
  const { id } = await scene.subscribe();
  await passDue(id);
  expect(await retrieve(id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
});

test('a payment of the bill ahead and the end of the period, at once, are one or the other', async () => {
  for (let time = 0; time < 6; time += 1) {
    const { id, ahead } = await billedAhead();
    const [said, paid] = await Promise.allSettled([cancelAt(id, 'period_end'), payByPix(scene.merchant, ahead)]);
    const { status, period_end: end } = await scene.invoice(ahead);
    const { cancel_at, current_period_end } = await retrieve(id);
    if (said.status === 'fulfilled') {
      // Paid before the end was asked for, it is of the period that the subscription ends with.
      expect([
        ['void', current_period_end],
        ['paid', end],
      ]).toContainEqual([status, cancel_at]);
    } else {
      expect(['PIX_PAYMENT_CONFIRMED', 'PAYMENT_IN_PROGRESS']).toContain(said.reason.code);
      expect([paid.status, status, cancel_at]).toEqual(['fulfilled', 'paid', null]);
    }
  }
});
