import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { BilledPrice } from './rules.ts';

export const BILLED_PRICE_COLUMNS = `q.id, q.type, q.active, t.active AND q.active AS "isSold", q.created, q.product_id AS "productId",
  t.name AS "productName", q.recurring_interval AS interval, q.recurring_interval_count AS "intervalCount",
  q.unit_amount AS "unitAmount", q.description`;

const findPrices = statement<BilledPrice>(
  'find_billed_prices',
  `SELECT ${BILLED_PRICE_COLUMNS} FROM price q JOIN product t ON t.id = q.product_id
   WHERE q.id = ANY (:ids::text[]) AND ${mine('q')}`,
);

export type Prices = ReadonlyMap<string, BilledPrice>;

const byId = (found: readonly BilledPrice[]): Prices => new Map(found.map((price) => [price.id, price]));

/** The prices that an invoice or a subscription is made of, by id; ids of nothing are absent. */
export const findBilledPrices = async (tx: Tx, ids: readonly string[]): Promise<Prices> =>
  byId(await tx.query(findPrices, { ids }));

/** The prices that views of subscriptions show, by id. */
export const readBilledPrices = async (pool: Deps['pool'], scope: Scope, ids: readonly string[]): Promise<Prices> =>
  byId(await readIn(pool, scope, findPrices, { ids }));
