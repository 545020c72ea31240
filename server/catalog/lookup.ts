import { mine, readIn, statement } from '../db/statement.ts';
import type { Scope, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';

/** A price as a purchase needs it. */
export interface PurchasePrice {
  readonly id: string;
  readonly type: 'one_time' | 'recurring';
  readonly unitAmount: number;
  /** Whether the price and its product are active. */
  readonly active: boolean;
  readonly productName: string;
}

const findPrices = statement<PurchasePrice>(
  'find_purchase_prices',
  `SELECT p.id, p.type, p.unit_amount AS "unitAmount", p.active AND t.active AS active, t.name AS "productName"
   FROM price p JOIN product t ON t.id = p.product_id
   WHERE p.id = ANY (:ids::text[]) AND ${mine('p')}`,
);

/** The prices of these ids, by id; ids of nothing are absent. */
export async function findPurchasePrices(tx: Tx, ids: readonly string[]): Promise<Map<string, PurchasePrice>> {
  const found = await tx.query(findPrices, { ids });
  return new Map(found.map((price) => [price.id, price]));
}

/** A recurring price as a subscription bills it. */
export interface RecurringPrice {
  readonly id: string;
  readonly type: 'one_time' | 'recurring';
  /** Whether the price itself is active; renewals go on without. */
  readonly active: boolean;
  /** Whether its product is, too. */
  readonly isSold: boolean;
  readonly created: number;
  readonly productId: string;
  readonly productName: string;
  readonly interval: 'day' | 'week' | 'month';
  readonly intervalCount: number;
  readonly unitAmount: number;
  readonly description: string | null;
}

export const RECURRING_PRICE_COLUMNS = `q.id, q.type, q.active, t.active AND q.active AS "isSold", q.created, q.product_id AS "productId",
  t.name AS "productName", q.recurring_interval AS interval, q.recurring_interval_count AS "intervalCount",
  q.unit_amount AS "unitAmount", q.description`;

const findRecurring = statement<RecurringPrice>(
  'find_recurring_prices',
  `SELECT ${RECURRING_PRICE_COLUMNS} FROM price q JOIN product t ON t.id = q.product_id
   WHERE q.id = ANY (:ids::text[]) AND ${mine('q')}`,
);

/** The price of a subscription to be; null when the account has none of this id. */
export async function findRecurringPrice(tx: Tx, id: string): Promise<RecurringPrice | null> {
  const [price] = await tx.query(findRecurring, { ids: [id] });
  return price ?? null;
}

/** The prices of subscriptions, by id, for their views. */
export async function findRecurringPrices(
  pool: Deps['pool'],
  scope: Scope,
  ids: readonly string[],
): Promise<Map<string, RecurringPrice>> {
  const found = await readIn(pool, scope, findRecurring, { ids });
  return new Map(found.map((price) => [price.id, price]));
}
