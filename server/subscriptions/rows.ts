import { RECURRING_PRICE_COLUMNS, type RecurringPrice } from '../catalog/lookup.ts';
import { rowTable, scopedColumns } from '../db/row-table.ts';
import { statement } from '../db/statement.ts';
import type { Tx } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { realInstant } from '../kernel/time.ts';
import { nextDue } from './billing/rules.ts';
import type { Subscription } from './entity.ts';

const rows = rowTable<Subscription>('subscription', {
  fixed: [...scopedColumns, 'customerId', 'priceId', 'itemId', 'discounts'],
  changing: [
    'quantity',
    'externalCode',
    'status',
    'billingCycleAnchor',
    'anchorCycle',
    'cycle',
    'billedCycle',
    'currentPeriodStart',
    'currentPeriodEnd',
    'latestInvoiceId',
    'paymentMethodType',
    'paymentMethodId',
    'installments',
    'pendingUntil',
    'activatedAt',
    'suspendedAt',
    'reactivatedAt',
    'ended',
    'due',
    'dueAt',
    'wakeAt',
  ],
});

/** A subscription with the price it bills. */
export interface Contracted {
  readonly subscription: Subscription;
  readonly price: RecurringPrice;
}

const lockRow = statement(
  'lock_subscription',
  `SELECT ${rows.columns('s')} FROM subscription s WHERE s.id = $1 AND s.account_id = $2 AND s.live_mode = $3 FOR UPDATE`,
);

const readPrice = statement(
  'read_subscribed_price',
  `SELECT ${RECURRING_PRICE_COLUMNS} FROM subscription s JOIN price q ON q.id = s.price_id JOIN product t ON t.id = q.product_id
   WHERE s.id = $1`,
);

/** What a transaction has locked: whoever asks again gets the same object, with what was changed of it. */
const locked = new WeakMap<Tx, Map<string, Promise<Contracted>>>();

/** The subscription until the transaction ends: it is locked before its invoices (design, rule 3). */
export function lockSubscription(tx: Tx, id: string): Promise<Contracted> {
  const ofTx = locked.get(tx) ?? new Map<string, Promise<Contracted>>();
  locked.set(tx, ofTx);
  const found = ofTx.get(id) ?? readLocked(tx, id);
  ofTx.set(id, found);
  return found;
}

/** Takes a subscription as locked that a statement of another's read with its lock. */
export function adoptLocked(tx: Tx, contracted: Contracted): Contracted {
  const ofTx = locked.get(tx) ?? new Map<string, Promise<Contracted>>();
  locked.set(tx, ofTx.set(contracted.subscription.id, Promise.resolve(contracted)));
  return contracted;
}

async function readLocked(tx: Tx, id: string): Promise<Contracted> {
  const [subscription, [price]] = await Promise.all([
    lockSubscriptionRow(tx, id),
    tx.query<RecurringPrice & Record<string, unknown>>(readPrice, [id]),
  ]);
  if (price === undefined) throw new Error(`the subscription ${id} has no price`);
  return { subscription, price };
}

/** The row alone, for whoever reads what else it needs behind the lock. */
export async function lockSubscriptionRow(tx: Tx, id: string): Promise<Subscription> {
  const [subscription] = await tx.query<Subscription>(lockRow, [id, tx.scope.accountId, tx.scope.liveMode]);
  if (subscription === undefined) throw missing('subscription', id);
  return subscription;
}

export function insertSubscription(tx: Tx, subscription: Subscription): void {
  calendar(tx, subscription);
  tx.write(rows.insert, rows.insertValues({ ...subscription, discounts: jsonOf(subscription.discounts) }));
}

// The driver would write an array as one of PostgreSQL's.
const jsonOf = (discounts: Subscription['discounts']) =>
  JSON.stringify(discounts) as unknown as Subscription['discounts'];

export function updateSubscription(tx: Tx, subscription: Subscription): void {
  calendar(tx, subscription);
  tx.write(rows.update, rows.updateValues(subscription));
}

/** Sent at once, where what follows may write the row with the commit. */
export async function updateSubscriptionNow(tx: Tx, subscription: Subscription): Promise<void> {
  calendar(tx, subscription);
  await tx.query(rows.update, rows.updateValues(subscription));
}

/** Whatever changed of a subscription, its row says what falls due next. */
function calendar(tx: Tx, subscription: Subscription): void {
  const next = nextDue(subscription);
  subscription.due = next?.due ?? null;
  subscription.dueAt = next?.at ?? null;
  subscription.wakeAt = next === null ? null : realInstant(tx.scope.clock, next.at);
}
