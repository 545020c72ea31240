import { BILLED_PRICE_COLUMNS } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { statement } from '../db/statement.ts';
import { realInstant } from '../kernel/time.ts';
import { table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Subscription, SubscriptionSchema } from './entity.ts';
import { nextDue } from './rules.ts';

export const subscriptions = table(SubscriptionSchema, {
  fixed: ['customerId', 'priceId', 'itemId', 'discounts'],
  derive: (subscription, { clock, has }) => {
    if (has(...CALENDARED)) fillCalendar(subscription);
    subscription.wakeAt = subscription.dueAt == null ? null : realInstant(clock, subscription.dueAt);
  },
});

/** Whatever changes of a subscription says anew what falls due; a change of that alone postpones it. */
const CALENDARED = subscriptions.changing.filter((column) => !['due', 'dueAt', 'wakeAt'].includes(column));

/** Says on a subscription what falls due of it next. */
export function fillCalendar(subscription: Subscription): void {
  const next = nextDue(subscription);
  subscription.due = next?.due ?? null;
  subscription.dueAt = next?.at ?? null;
}

/** A subscription with the price it bills. */
export interface Contracted {
  readonly subscription: Subscription;
  readonly price: BilledPrice;
}

const readPrice = statement<BilledPrice>(
  'read_subscribed_price',
  `SELECT ${BILLED_PRICE_COLUMNS} FROM subscription s JOIN price q ON q.id = s.price_id JOIN product t ON t.id = q.product_id
   WHERE s.id = :id`,
);

/** The subscription until the transaction ends: it is locked before its invoices (docs/design/transactions.md#locks). */
export async function lockSubscription(tx: Tx, id: string): Promise<Contracted> {
  const [subscription, price] = await Promise.all([
    tx.lock(subscriptions, id),
    tx.once(priceKey(id), async () => (await tx.query(readPrice, { id }))[0]),
  ]);
  if (price === undefined) throw new Error(`the subscription ${id} has no price`);
  return { subscription, price };
}

const priceKey = (id: string): string => `price of ${id}`;

/** Takes the price of a subscription as read that a statement of the caller's brought along. */
export const knowPrice = (tx: Tx, id: string, price: BilledPrice): Promise<BilledPrice> =>
  tx.once(priceKey(id), async () => price);
