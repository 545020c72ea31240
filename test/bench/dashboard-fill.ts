import type pg from 'pg';

const DAY = 86_400;
const YEAR = 365 * DAY;

/** SQL: when in the year before $2 the object with the number of an id was made; the last one of $3 is of now. */
const made = (id: string): string => `$2::bigint - ($3::bigint - 1 - right(${id}, 26)::bigint) * ${YEAR} / $3::bigint`;

const SPREAD = [
  `UPDATE payment_intent SET created = ${made('id')}, due_at = ${made('id')} + ${3 * DAY},
     amount = 4990 + right(id, 26)::int % 3 * 1000, payment_method_type = CASE WHEN right(id, 26)::int % 3 = 0 THEN 'card' ELSE 'pix' END,
     status = CASE WHEN right(id, 26)::int % 3 = 0 THEN 'failed' ELSE 'paid' END,
     paid_at = CASE WHEN right(id, 26)::int % 3 = 0 THEN NULL ELSE ${made('id')} + 60 END,
     decline_reason = CASE WHEN right(id, 26)::int % 3 = 0 THEN 'issuer_declined' END
   WHERE account_id = $1`,
  `UPDATE invoice SET created = ${made('id')}, finalized_at = ${made('id')}, due_at = ${made('id')} + ${3 * DAY},
     payment_intent_id = 'pi_' || right(id, 26), total = 4990 + right(id, 26)::int % 3 * 1000,
     status = CASE WHEN right(id, 26)::int % 3 = 0 THEN 'open' ELSE 'paid' END,
     amount_paid = CASE WHEN right(id, 26)::int % 3 = 0 THEN 0 ELSE 4990 + right(id, 26)::int % 3 * 1000 END,
     paid_at = CASE WHEN right(id, 26)::int % 3 = 0 THEN NULL ELSE ${made('id')} + 60 END,
     first_declined_at = CASE WHEN right(id, 26)::int % 3 = 0 THEN ${made('id')} END,
     first_decline_reason = CASE WHEN right(id, 26)::int % 3 = 0 THEN
       (ARRAY['insufficient_funds', 'expired_card', 'issuer_declined'])[1 + right(id, 26)::int / 3 % 3] END,
     overdue_at = CASE WHEN right(id, 26)::int % 3 = 0 AND ${made('id')} + ${3 * DAY} < $2 THEN ${made('id')} + ${3 * DAY} END
   WHERE account_id = $1`,
  `UPDATE subscription SET created = $2::bigint - right(id, 26)::bigint % 365 * ${DAY}, status = 'active', pending_until = NULL,
     activated_at = $2::bigint - right(id, 26)::bigint % 365 * ${DAY}, cycle = 1, current_period_start = $2::bigint - ${DAY},
     current_period_end = $2::bigint + ${29 * DAY}
   WHERE account_id = $1 AND $3::int IS NOT NULL AND right(id, 26)::int % 10 <> 0`,
  `UPDATE subscription_term SET price_id = $4 WHERE account_id = $1 AND $2::bigint + $3::int IS NOT NULL`,
];

interface Year {
  readonly accountId: string;
  readonly invoices: number;
  /** Unix seconds: the end of the year. */
  readonly now: number;
  readonly priceId: string;
}

/** Spreads what `fillSales` made over a year: two of three sales are paid, the others were declined and are overdue. */
export async function spreadOverYear(
  client: pg.ClientBase,
  { accountId, invoices, now, priceId }: Year,
): Promise<void> {
  await client.query('BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0');
  for (const sql of SPREAD) {
    const values = [accountId, now, invoices, priceId];
    await client.query(sql, values.slice(0, sql.includes('$4') ? 4 : 3));
  }
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}
