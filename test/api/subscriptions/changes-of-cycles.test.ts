import type { Subscription, SubscriptionChangeInput } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { ChangeScene, DAY, noon } from './change-scene.ts';

const scene = new ChangeScene();

const inCycle = async (subscription: Subscription, cycle: number, cents: number, months = 1) => {
  const asked: SubscriptionChangeInput = {
    ...(await scene.toPrice(subscription, cents, months)),
    effective: { cycle },
  };
  return asked;
};

const totals = async (id: string, bills: number): Promise<number[]> => {
  const made: number[] = [];
  for (let bill = 0; bill < bills; bill += 1) made.push((await scene.renew(id)).total);
  return made;
};

describe('changes of later cycles', () => {
  test('begin to hold each with its cycle: a price of the first months', async () => {
    const subscription = await scene.activeSince('2027-01-31', { cents: 1_000 });
    const { id } = subscription;
    const third = await scene.change(id, await inCycle(subscription, 3, 2_000));
    expect(third).toMatchObject({
      status: 'scheduled',
      effective: 'cycle',
      cycle: 3,
      effective_at: noon('2027-03-31'),
    });
    await scene.change(id, await inCycle(subscription, 5, 3_000));
    await scene.change(id, await inCycle(subscription, 4, 2_500));
    expect((await scene.subscriptions.retrieve(id)).pending_change?.id).toBe(third.id);
    expect(await totals(id, 5)).toEqual([1_000, 2_000, 2_500, 3_000, 3_000]);
    expect((await scene.subscriptions.retrieve(id)).pending_change).toBeNull();
    expect((await scene.types(id)).filter((type) => type === 'subscription.changed')).toHaveLength(3);
  });

  test.each(['card', 'pix'] as const)('stand beside one of the end of the period, by %s', async (method) => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method });
    const { id, item } = subscription;
    await scene.change(id, await inCycle(subscription, 3, 2_000));
    await scene.change(id, { items: [{ item: item.id, quantity: 2 }], effective: 'period_end' });
    await scene.change(id, { items: [{ item: item.id, quantity: 3 }], effective: 'period_end' });
    const made: number[] = [];
    for (let bill = 0; bill < 2; bill += 1) {
      const { id: invoice, total } = await scene.renew(id);
      if (method === 'pix') await payByPix(scene.merchant, invoice);
      made.push(total);
    }
    expect(made).toEqual([3 * 4_990, 3 * 2_000]);
  });

  test('of another interval count the cycles from there', async () => {
    const subscription = await scene.activeSince('2027-01-31', { cents: 1_000 });
    const { id } = subscription;
    await scene.change(id, await inCycle(subscription, 3, 12_000, 12));
    const back = await scene.change(id, await inCycle(subscription, 4, 1_500));
    expect(back.effective_at).toBe(noon('2028-03-31'));
    await scene.renew(id);
    expect(await scene.renew(id)).toMatchObject({ cycle: 3, total: 12_000, period_end: noon('2028-03-31') });
    expect(await scene.renew(id)).toMatchObject({ cycle: 4, total: 1_500, period_end: noon('2028-04-30') });
  });

  test('are told by previews as they are billed', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000 });
    const { id } = subscription;
    const next = await inCycle(subscription, 2, 2_000);
    expect((await scene.preview(id, next)).next_invoice).toMatchObject({ cycle: 2, total: 2_000 });
    const later = await inCycle(subscription, 3, 3_000);
    expect((await scene.preview(id, later)).next_invoice).toMatchObject({ cycle: 2, total: 1_000 });
    await scene.change(id, next);
    expect((await scene.subscriptions.upcomingInvoice(id)).total).toBe(2_000);
    expect((await scene.renew(id)).total).toBe(2_000);
  });

  test('replace one of the same cycle, and are taken back one by one', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000 });
    const { id } = subscription;
    const one = await scene.change(id, await inCycle(subscription, 3, 2_000));
    const other = await scene.change(id, await inCycle(subscription, 3, 2_500));
    const fourth = await scene.change(id, await inCycle(subscription, 4, 3_000));
    await expect(scene.takeBack(id, one.id)).resolves.toMatchObject({ status: 'canceled' });
    await expect(scene.takeBack(id, fourth.id)).resolves.toMatchObject({ status: 'canceled' });
    expect((await scene.subscriptions.retrieve(id)).pending_change?.id).toBe(other.id);
    expect(await totals(id, 3)).toEqual([1_000, 2_500, 2_500]);
  });

  test('lapse where their items are gone, or their price is not sold any more', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000 });
    const { id } = subscription;
    const extra = await scene.newPriceOf(500);
    const { items_after: items } = await scene.change(id, { items: [{ price_id: extra.id }], effective: 'now' });
    const item = items.data.at(-1)?.item ?? '';
    await scene.change(id, { items: [{ item, quantity: 2 }], effective: { cycle: 2 } });
    const unsold = await inCycle(subscription, 3, 9_000);
    await scene.change(id, unsold);
    await scene.change(id, { items: [{ item, removed: true }], effective: 'now', proration: 'none' });
    await scene.fatura.prices.update(unsold.items[0]?.price_id ?? '', { active: false });
    expect((await totals(id, 2)).at(-1)).toBe(1_000);
    expect((await scene.types(id)).filter((type) => type === 'subscription.change_lapsed')).toHaveLength(2);
  });

  test('hold by PIX as they were billed ahead, whatever is sold then', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000, method: 'pix' });
    const { id } = subscription;
    const asked = await inCycle(subscription, 2, 2_000);
    const change = await scene.change(id, asked);
    const bill = await scene.renew(id);
    expect(bill.total).toBe(2_000);
    await payByPix(scene.merchant, bill.id);
    await expect(scene.takeBack(id, change.id)).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(scene.change(id, await inCycle(subscription, 2, 3_000))).rejects.toEqual(refusal('INVALID_STATE'));
    await scene.fatura.prices.update(asked.items[0]?.price_id ?? '', { active: false });
    await scene.pass(id, 4 * DAY);
    expect((await scene.subscriptions.retrieve(id)).item.price.unit_amount).toBe(2_000);
  });

  test('leave a bill that was made ahead of a former cycle as it is', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000, method: 'pix' });
    const { id } = subscription;
    const bill = await scene.renew(id);
    const change = await scene.change(id, await inCycle(subscription, 3, 2_000));
    await scene.takeBack(id, change.id);
    expect((await scene.invoice(bill.id)).status).toBe('open');
    await scene.change(id, await inCycle(subscription, 2, 2_000));
    expect((await scene.invoice(bill.id)).status).toBe('void');
    expect(await scene.renew(id)).toMatchObject({ cycle: 2, total: 2_000 });
  });

  test('are said before the first payment', async () => {
    const subscription = await scene.subscribe({ amount: 1_000 });
    const { id } = subscription;
    await scene.change(id, await inCycle(subscription, 2, 2_000));
    expect((await scene.invoice(subscription.latest_invoice ?? '')).status).toBe('open');
    await scene.subscriptions.checkout(id, byCard());
    expect(await totals(id, 2)).toEqual([2_000, 2_000]);
  });

  test('are refused of a cycle that has begun, of nothing, and beyond ten', async () => {
    const subscription = await scene.activeSince(null, { cents: 1_000 });
    const { id, item } = subscription;
    const begun = refusal('PARAMETER_INVALID', { param: 'effective.cycle' });
    await expect(scene.change(id, await inCycle(subscription, 1, 2_000))).rejects.toEqual(begun);
    for (let cycle = 2; cycle <= 11; cycle += 1)
      await scene.change(id, await inCycle(subscription, cycle, 1_000 + cycle));
    await expect(scene.change(id, await inCycle(subscription, 12, 2_000))).rejects.toEqual(refusal('INVALID_STATE'));
    await scene.change(id, await inCycle(subscription, 11, 3_000));
    await scene.change(id, { items: [{ item: item.id, quantity: 2 }], effective: 'period_end' });
    await scene.renew(id);
    await expect(scene.change(id, await inCycle(subscription, 2, 2_000))).rejects.toEqual(begun);
    await scene.subscriptions.cancel(id);
    expect((await scene.subscriptions.retrieve(id)).pending_change).toBeNull();
  });

  test('of less are for cycles behind the minimum term', async () => {
    const price = await scene.newPriceOf(9_000);
    const term = { cycles: 3, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;
    const made = await scene.subscribe({ price_id: price.id, minimum_term: term });
    const subscription = await scene.subscriptions.checkout(made.id, byCard());
    await expect(scene.change(made.id, await inCycle(subscription, 3, 2_000))).rejects.toEqual(
      refusal('INVALID_STATE'),
    );
    await scene.change(made.id, await inCycle(subscription, 4, 2_000));
    expect(await totals(made.id, 3)).toEqual([9_000, 9_000, 2_000]);
  });
});
