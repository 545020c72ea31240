import { statement } from '../db/statement.ts';
import type { Tx } from '../deps.ts';

/** A price as a purchase needs it. */
export interface PurchasePrice {
  readonly id: string;
  readonly type: 'one_time' | 'recurring';
  readonly unitAmount: number;
  /** Whether the price and its product are active. */
  readonly active: boolean;
  readonly productName: string;
}

interface PriceRow {
  id: string;
  type: 'one_time' | 'recurring';
  unit_amount: number;
  active: boolean;
  name: string;
}

const findPrices = statement(
  'find_purchase_prices',
  `SELECT p.id, p.type, p.unit_amount, p.active AND t.active AS active, t.name
   FROM price p JOIN product t ON t.id = p.product_id
   WHERE p.id = ANY ($3::text[]) AND p.account_id = $1 AND p.live_mode = $2`,
);

/** The prices of these ids, by id; ids of nothing are absent. */
export async function findPurchasePrices(tx: Tx, ids: readonly string[]): Promise<Map<string, PurchasePrice>> {
  const rows = await tx.query<PriceRow & Record<string, unknown>>(findPrices, [
    tx.scope.accountId,
    tx.scope.liveMode,
    ids,
  ]);
  return new Map(
    rows.map((row) => [
      row.id,
      { id: row.id, type: row.type, unitAmount: row.unit_amount, active: row.active, productName: row.name },
    ]),
  );
}
