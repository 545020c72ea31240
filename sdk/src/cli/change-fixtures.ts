import type { Fatura, Subscription } from '../index.ts';

/** A month and a day. Seconds. */
const PERIOD_AND_MORE = 32 * 86_400;

/** Two of its item, now or with the next cycle. */
export const changePlan = (fatura: Fatura, { id, item }: Subscription, effective: 'now' | 'period_end') =>
  fatura.subscriptionChanges.create(id, { items: [{ item: item.id, quantity: 2 }], effective });

/** What a change that waits is of goes before it holds. */
export async function letChangeLapse(fatura: Fatura, { id, item }: Subscription): Promise<void> {
  const { product, interval, interval_count } = item.price;
  const recurring = { interval, interval_count };
  const price = await fatura.prices.create({ product_id: product, unit_amount: 990, type: 'recurring', recurring });
  const added = await fatura.subscriptionChanges.create(id, { items: [{ price_id: price.id }] });
  const of = { item: added.items_after.data.at(-1)?.item ?? '' };
  await fatura.subscriptionChanges.create(id, { items: [{ ...of, quantity: 2 }], effective: 'period_end' });
  await fatura.subscriptionChanges.create(id, { items: [{ ...of, removed: true }], effective: 'now' });
  const { now } = await fatura.testClock.retrieve();
  await fatura.testClock.advance({ to: now + PERIOD_AND_MORE });
}
