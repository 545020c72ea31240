import { expect, test } from 'vitest';
import { civilDaysBetween } from '../../../server/kernel/brazil.ts';
import { performDue } from '../../../server/subscriptions/billing/due.ts';
import { byCard } from '../../support/cards.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;
const ROUNDS = 6;
const QUANTITY = 3;

const due = (id: string) => performDue(scene.api.composition.deps, id);

async function changeTo(id: string, quantity: number) {
  const { item } = await scene.subscriptions.retrieve(id);
  return () => scene.fatura.subscriptionChanges.create(id, { items: [{ item: item.id, quantity }], effective: 'now' });
}

/** What the first days of a period come to, half a cent up. */
const cumulated = (net: number, gone: number, days: number): number => Math.floor((2 * net * gone + days) / (2 * days));

/** What the rest of the current period comes to at a net. */
async function restAt(id: string): Promise<(net: number) => number> {
  const { current_period_start: start, current_period_end: end } = await scene.subscriptions.retrieve(id);
  const days = civilDaysBetween(start ?? 0, end ?? 0);
  const gone = civilDaysBetween(start ?? 0, scene.now());
  return (net) => net - cumulated(net, gone, days);
}

/** The bills of a subscription that are not void. */
async function bills(id: string) {
  const invoices = await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 20 });
  return invoices.filter(({ status }) => status !== 'void');
}

const billed = async (id: string): Promise<number> => (await bills(id)).reduce((sum, { total }) => sum + total, 0);

const unitOf = async (id: string): Promise<number> => (await scene.subscriptions.retrieve(id)).item.price.unit_amount;

test('changes at once are made one after the other: the last of a day alone moves money', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await scene.subscribeByCard();
    await scene.pass(id, 10 * DAY);
    const [unit, rest] = await Promise.all([unitOf(id), restAt(id)]);
    const changes = await Promise.all([2, 3, 4, 5].map((quantity) => changeTo(id, quantity)));
    await Promise.all(changes.map((change) => change()));
    const { quantity } = (await scene.subscriptions.retrieve(id)).item;
    await scene.renew(id);
    expect(await billed(id)).toBe(unit + quantity * unit + rest(quantity * unit) - rest(unit));
  }
});

test('a change and the renewal at once bill each period whole, at the terms of its days', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await scene.subscribeByCard();
    const unit = await unitOf(id);
    await scene.untilDue(id);
    const change = await changeTo(id, QUANTITY);
    await Promise.all(round % 2 === 0 ? [due(id), change()] : [change(), due(id)]);
    await due(id);
    await scene.renew(id);
    expect(await billed(id)).toBe(unit + 2 * QUANTITY * unit);
  }
});

test('a change and the payment of the bill ahead are one after the other, or the change is refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await scene.subscribePaidByPix();
    const unit = await unitOf(id);
    await scene.untilDue(id);
    await scene.pass(id, 0);
    const [ahead] = await scene.openInvoices(id);
    const { intent } = await scene.checkoutByPix(ahead?.id ?? '');
    const rest = await restAt(id);
    const change = await changeTo(id, QUANTITY);
    const [changed] = await Promise.allSettled([change(), scene.payPix(intent)]);
    const isChanged = changed.status === 'fulfilled';
    if (!isChanged) expect(['PIX_PAYMENT_CONFIRMED', 'PAYMENT_IN_PROGRESS']).toContain(changed.reason.code);
    // Whatever was made ahead, or made anew, the third bill has all of it.
    while ((await bills(id)).length < 3) {
      for (const open of await scene.openInvoices(id)) await payByPix(scene.merchant, open.id);
      await scene.renew(id);
    }
    const moved = isChanged ? 2 * QUANTITY * unit + rest(QUANTITY * unit) - rest(unit) : 2 * unit;
    expect(await billed(id)).toBe(unit + moved);
  }
});

test('a change and the end of a trial at once bill the first cycle whole', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await scene.subscribe({ trial: { days: 14 } });
    await scene.subscriptions.checkout(id, byCard());
    const unit = await unitOf(id);
    const change = await changeTo(id, QUANTITY);
    await Promise.all([scene.subscriptions.endTrial(id), change()]);
    await scene.renew(id);
    expect(await billed(id)).toBe(2 * QUANTITY * unit);
  }
});

test('a change and a cancellation at once end it', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await scene.subscribeByCard();
    const change = await changeTo(id, QUANTITY);
    const [changed, canceled] = await Promise.allSettled([change(), scene.subscriptions.cancel(id)]);
    expect(canceled.status).toBe('fulfilled');
    if (changed.status === 'rejected') expect(changed.reason).toMatchObject({ code: 'INVALID_STATE' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive', pending_change: null });
  }
});
