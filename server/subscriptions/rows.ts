import { BILLED_PRICE_COLUMNS } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { keyed, statement } from '../db/statement.ts';
import { creditOf } from '../invoice-items/pending.ts';
import type { Timestamp } from '../kernel/time.ts';
import { realInstant } from '../kernel/time.ts';
import { table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Items } from './decide.ts';
import { type Subscription, type SubscriptionChange, SubscriptionChangeSchema, SubscriptionSchema } from './entity.ts';
import { isLong, nextDue } from './rules.ts';

export const subscriptions = table(SubscriptionSchema, {
  fixed: ['customerId'],
  derive: (subscription, { clock, has }) => {
    if (has(...CALENDARED)) fillCalendar(subscription);
    subscription.wakeAt = subscription.dueAt == null ? null : realInstant(clock, subscription.dueAt);
  },
});

/** What was asked for never changes; one that waits is applied, lapses or is taken back. */
export const changes = table(SubscriptionChangeSchema, {
  noun: 'subscription change',
  updatesFirst: true,
  fixed: [
    'subscriptionId',
    'effective',
    'cycle',
    'proration',
    'asked',
    'itemsBefore',
    'itemsAfter',
    'charge',
    'credit',
    'invoiceId',
    'lapsesAt',
    'penalty',
    'periodNet',
    'aheadNet',
  ],
});

/** Whatever changes of a subscription says anew what falls due; a change of that alone postpones it. */
const CALENDARED = subscriptions.changing.filter((column) => !['due', 'dueAt', 'wakeAt'].includes(column));

/** Says on a subscription what falls due of it next. */
export function fillCalendar(subscription: Subscription): void {
  const next = nextDue(subscription);
  subscription.due = next?.due ?? null;
  subscription.dueAt = next?.at ?? null;
}

/** Whatever a subscription comes to, it is not paused, and will not be. */
export function forgetPause(subscription: Subscription): void {
  subscription.pausedAt = null;
  subscription.resumesAt = null;
  subscription.daysLeft = null;
}

/** A subscription with what it bills each cycle. */
export interface Contracted {
  readonly subscription: Subscription;
  readonly items: Items;
  readonly credit: Credit;
  readonly scheduled: Scheduled;
}

/** A change that waits, with the prices that it names. */
export interface ScheduledChange {
  readonly change: SubscriptionChange;
  readonly prices: readonly BilledPrice[];
}

/** The changes that wait. */
export interface Scheduled {
  /** For its payment; null: none does. */
  awaiting: ScheduledChange | null;
  /** For their cycles, by these. */
  later: readonly ScheduledChange[];
}

/** What of the credits that wait for bills of the subscription alone is left, in cents. */
export interface Credit {
  left: number;
}

/** SQL: the items of the term in force of a subscription, as JSON in their order. */
export const itemsOf = (subscription: string): string =>
  `(SELECT json_agg(json_build_object('id', m.item_id, 'created', m.item_created, 'quantity', m.quantity, 'price',
      (SELECT row_to_json(priced) FROM (SELECT ${BILLED_PRICE_COLUMNS} FROM price q JOIN product t ON t.id = q.product_id
        WHERE q.id = m.price_id) priced)) ORDER BY m.position)
    FROM subscription_term m WHERE m.subscription_id = ${subscription}.id AND m.seq = ${subscription}.term_seq)`;

/** What is read of a subscription beside its row. */
export interface Beside {
  readonly items: Items;
  readonly credit: number;
  /** The changes that wait; null: none does. */
  readonly waiting: readonly ScheduledChange[] | null;
}

/** SQL: the changes that wait, as JSON. */
const waitingOf = (subscription: string): string =>
  `(SELECT json_agg(json_build_object('change', (SELECT row_to_json(change) FROM (SELECT ${changes.columns('g')}) change),
      'prices', (SELECT coalesce(json_agg(row_to_json(priced)), '[]') FROM (SELECT ${BILLED_PRICE_COLUMNS} FROM price q JOIN product t ON t.id = q.product_id
        WHERE q.account_id = g.account_id AND q.id IN (SELECT a ->> 'priceId' FROM json_array_elements(g.asked) a)) priced)) ORDER BY g.cycle, g.id)
    FROM subscription_change g WHERE g.subscription_id = ${subscription}.id AND g.status IN ('scheduled', 'awaiting_payment'))`;

/** SQL: what is read of a subscription beside its row. */
export const besideOf = (subscription: string): string =>
  `${itemsOf(subscription)} AS items, ${creditOf(subscription)} AS credit, ${waitingOf(subscription)} AS waiting`;

const readBeside = keyed<Beside & { key: string }>(
  'read_beside_subscription',
  (isAsked) => `SELECT s.id AS key, ${besideOf('s')} FROM subscription s WHERE ${isAsked('s.id')}`,
);

/** The subscription until the transaction ends: it is locked before its invoices (docs/design/transactions.md#locks). */
export async function lockSubscription(tx: Tx, id: string): Promise<Contracted> {
  // What is read behind the lock is what its former holder committed.
  const [subscription, beside] = await Promise.all([
    tx.lock(subscriptions, id),
    tx.once(besideKey(id), async () => held(await tx.find(readBeside, id), id)),
  ]);
  return { subscription, ...beside };
}

/** What the transaction knows of a subscription beside its row: a new term changes its items, bills use its credit. */
interface HeldBeside {
  items: Items;
  readonly credit: Credit;
  readonly scheduled: Scheduled;
}

/** What is read beside a subscription, as one works with it. */
export function held(beside: Beside | undefined, id: string): HeldBeside {
  if (beside === undefined) throw new Error(`the subscription ${id} has no items`);
  const { items, credit, waiting } = beside;
  const of = (status: SubscriptionChange['status']): ScheduledChange[] =>
    (waiting ?? []).filter(({ change }) => change.status === status);
  const [awaiting = null] = of('awaiting_payment');
  return { items, credit: { left: credit }, scheduled: { awaiting, later: of('scheduled') } };
}

const besideKey = (id: string): string => `beside ${id}`;

/** Takes as read what a statement of the caller's brought along of a subscription. */
export const knowBeside = (tx: Tx, id: string, beside: Beside): Promise<HeldBeside> =>
  tx.once(besideKey(id), async () => held(beside, id));

const insertTerm = statement(
  'insert_subscription_term',
  `INSERT INTO subscription_term (subscription_id, seq, position, account_id, live_mode, created, effective_at, item_id, item_created, price_id, quantity)
   SELECT :subscriptionId, :seq, n.position - 1, :accountId, :liveMode, :created, :effectiveAt, n.item_id, n.item_created, n.price_id, n.quantity
   FROM unnest(:itemIds::text[], :itemsCreated::bigint[], :priceIds::text[], :quantities::int[])
     WITH ORDINALITY AS n (item_id, item_created, price_id, quantity, position)`,
);

/** Adds a term to the history of a subscription, which the transaction holds; it is in force from now on. */
export function addTerm(
  tx: Tx,
  subscription: Pick<Subscription, 'id' | 'termSeq' | 'tellsRenewal'>,
  { items, effectiveAt = tx.now }: { items: Items; effectiveAt?: Timestamp },
): void {
  subscription.tellsRenewal = isLong(items[0].price);
  tx.write(insertTerm, {
    subscriptionId: subscription.id,
    seq: subscription.termSeq,
    created: tx.now,
    effectiveAt,
    itemIds: items.map(({ id }) => id),
    itemsCreated: items.map(({ created }) => created),
    priceIds: items.map(({ price }) => price.id),
    quantities: items.map(({ quantity }) => quantity),
  });
}

/** Has a subscription bill other items from now on, or since the period that begins now. */
export async function changeItems(
  tx: Tx,
  contracted: Contracted,
  term: { items: Items; effectiveAt?: Timestamp },
): Promise<Contracted> {
  const { subscription, credit, scheduled } = contracted;
  const known = await knowBeside(tx, subscription.id, {
    items: term.items,
    credit: credit.left,
    waiting: [...(scheduled.awaiting === null ? [] : [scheduled.awaiting]), ...scheduled.later],
  });
  known.items = term.items;
  subscription.termSeq += 1;
  addTerm(tx, subscription, term);
  return { ...contracted, items: term.items };
}
