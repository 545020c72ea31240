import type pg from 'pg';
import { PARTITIONED_BY_MONTH } from '../../server/db/months.ts';
import { DAY, SECOND_MS } from '../../server/kernel/time.ts';
import { suffixAt } from './id-sql.ts';

export const MONTHS = 36;
/** So many rows are made by one statement at most. */
const ROWS_AT_ONCE = 100_000;
/** Of all invoices; the rest are of other accounts. */
const SHARE_OF_ACCOUNT = 2;

const counted = (prefix: string, n: string): string => `'${prefix}' || lpad((${n})::text, 26, '0')`;

/** A subscription has a bill each month; a tenth of a thousand invoices is of one customer. */
export const RARE_CUSTOMER = `cus_${'7'.padStart(26, '0')}`;
export const RARE_SUBSCRIPTION = `sub_${'7'.padStart(26, '0')}`;

interface Filled {
  readonly accountId: string;
  /** A customer that a fiftieth of the account's invoices is of. */
  readonly busyCustomer: string;
  readonly invoices: number;
}

const monthsBack = (back: number): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
};
const dayText = (date: Date): string => date.toISOString().slice(0, 10);

/** The service made each month in its time; here they are made before the first row. */
export async function makeMonths(pool: pg.ClientBase): Promise<void> {
  for (const table of PARTITIONED_BY_MONTH) {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass AND inhrelid::regclass::text ~ '_[0-9]{6}$'`,
      [table],
    );
    for (const { name } of rows) {
      await pool.query(`ALTER TABLE ${table} DETACH PARTITION ${name}`);
      await pool.query(`DROP TABLE ${name}`);
    }
    for (let back = MONTHS - 1; back >= -rows.length + 1; back -= 1)
      await pool.query('SELECT make_month($1, $2)', [table, dayText(monthsBack(back))]);
  }
}

/** Rows `n` of a month: what of an invoice its children share. Every tenth thousand is a bill of a subscription. */
const rowsOf = ({ accountId, busyCustomer }: Filled, { from, to }: Span, { startMs, stepMs }: Times): string => `
  SELECT *, 'in_' || ${suffixAt('ms', `'in' || n`)} AS invoice_id, 'pi_' || ${suffixAt('ms + 1', `'pi' || n`)} AS intent_id,
    ${suffixAt('ms + 2', `'ca' || n`)} AS child, ms / ${SECOND_MS} AS created, 1000 + n % 90000 AS total,
    CASE WHEN n % 100000 = 7 THEN 'draft' WHEN n % 100 < 90 THEN 'paid' WHEN n % 100 < 95 THEN 'open' WHEN n % 100 < 98 THEN 'void' ELSE 'uncollectible' END AS status,
    CASE WHEN n % ${SHARE_OF_ACCOUNT} = 0 THEN '${accountId}' ELSE 'acct_' || n % 101 END AS account_id,
    CASE WHEN n % 100 = 0 THEN '${busyCustomer}' ELSE ${counted('cus_', '7 + n % 100000')} END AS customer_id,
    CASE WHEN n % 5 < 2 THEN ${counted('sub_', '7 + n % 200000')} END AS subscription_id,
    CASE WHEN n % 3 = 0 THEN 'pix' ELSE 'card' END AS method
  FROM (SELECT n, (${startMs} + (n - ${from}) * ${stepMs}::numeric)::bigint AS ms FROM generate_series(${from}, ${to}) AS n) AS made`;

interface Span {
  readonly from: number;
  readonly to: number;
}
interface Times {
  readonly startMs: number;
  readonly stepMs: number;
}

const FILLER = 'Acesso completo ao curso, com certificado. '.repeat(4).trim();
const LINES = `'[{"price":"price_00000000000000000000000001","quantity":1,"unitAmount":' || total || ',"description":"${FILLER}"}]'`;

/** Rows as the service would have left them; of each invoice the charge that settled it, or may. */
const insertAll = (rows: string): string => `WITH made AS MATERIALIZED (${rows}),
  invoices AS (INSERT INTO invoice (id, account_id, live_mode, created, customer_id, customer_name, customer_email, subscription_id, cycle, bill_number,
      status, billing_reason, total, amount_paid, payment_intent_id, external_code, line_items, due_at, finalized_at, paid_at, voided_at, marked_uncollectible_at)
    SELECT invoice_id, account_id, false, created, customer_id, 'Maria da Silva', 'maria@loja.test', subscription_id,
      CASE WHEN subscription_id IS NOT NULL THEN 1 + n END, CASE WHEN subscription_id IS NOT NULL THEN 1 + n END,
      status, CASE WHEN subscription_id IS NULL THEN 'manual' ELSE 'subscription_cycle' END, total, CASE WHEN status = 'paid' THEN total ELSE 0 END,
      CASE WHEN status <> 'draft' THEN intent_id END, CASE WHEN n % 20 = 0 THEN 'order-' || n END, (${LINES})::json, created + ${DAY},
      CASE WHEN status <> 'draft' THEN created END, CASE WHEN status = 'paid' THEN created + 60 END,
      CASE WHEN status = 'void' THEN created + 60 END, CASE WHEN status = 'uncollectible' THEN created + 60 END FROM made),
  cycles AS (INSERT INTO invoice_cycle (subscription_id, cycle, account_id, live_mode, invoice_id)
    SELECT subscription_id, 1 + n, account_id, false, invoice_id FROM made WHERE subscription_id IS NOT NULL),
  codes AS (INSERT INTO invoice_external_code (account_id, live_mode, external_code, invoice_id)
    SELECT account_id, false, 'order-' || n, invoice_id FROM made WHERE n % 20 = 0),
  intents AS (INSERT INTO payment_intent (id, account_id, live_mode, created, invoice_id, customer_id, subscription_id, status, amount, payment_method_type,
      attempts, due_at, processing_at, paid_at, failed_at, discarded_at)
    SELECT intent_id, account_id, false, created, invoice_id, customer_id, subscription_id,
      CASE status WHEN 'paid' THEN 'paid' WHEN 'void' THEN 'discarded' ELSE 'pending' END, total, method, 1, created + ${DAY},
      CASE WHEN method = 'card' THEN created END, CASE WHEN status = 'paid' THEN created + 60 END, NULL, CASE WHEN status = 'void' THEN created + 60 END
    FROM made WHERE status <> 'draft'),
  attempts AS (INSERT INTO charge_attempt (id, account_id, live_mode, created, intent_id, invoice_id, payment_method_id, brand, last4, amount, installments,
      deadline_at, status, decline_reason, is_reversible, completed_at)
    SELECT 'ca_' || child, account_id, false, created, intent_id, invoice_id, 'txn_' || child, 'visa', lpad((n % 9973)::text, 4, '0'), total, 1,
      to_timestamp(created + 20), CASE WHEN status = 'paid' THEN 'approved' ELSE 'declined' END, CASE WHEN status <> 'paid' THEN 'insufficient_funds' END,
      CASE WHEN status <> 'paid' THEN true END, created + 1 FROM made WHERE method = 'card' AND status <> 'draft'),
  codes_of_pix AS (INSERT INTO pix_charge (id, account_id, live_mode, created, intent_id, invoice_id, payment_method_id, amount, expires_at, copy_paste, state)
    SELECT child, account_id, false, created, intent_id, invoice_id, 'txn_' || child, total, created + ${DAY}, repeat('0', 150), 'ended'
    FROM made WHERE method = 'pix' AND status <> 'draft'),
  receipts AS (INSERT INTO pix_receipt (id, account_id, live_mode, created, txid, invoice_id, intent_id, amount, paid_at)
    SELECT 'E12345678' || child, account_id, false, created, child, invoice_id, intent_id, total, created + 60
    FROM made WHERE method = 'pix' AND status = 'paid')
  SELECT count(*) FROM made`;

interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Indexes are built when the rows are there; what constraints and months have of their own stays. */
async function withoutIndexes(pool: pg.ClientBase, fill: () => Promise<void>): Promise<void> {
  const { rows } = await pool.query<Index>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)`,
    [[...PARTITIONED_BY_MONTH, 'pix_receipt']],
  );
  for (const { name } of rows) await pool.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await pool.query(definition.replace(' ON ONLY ', ' ON '));
}

/** Fills invoices with what hangs on them, spread evenly over the months until now, `from` the number that is there already. */
export async function fillInvoices(
  pool: pg.Pool,
  filled: Filled & { readonly from: number },
  say: (line: string) => void,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    // Neither foreign keys nor triggers: what they keep is filled, too.
    await client.query('SET session_replication_role = replica');
    const aMonth = (filled.invoices - filled.from) / MONTHS;
    const fill = async () => {
      for (let month = 0; month < MONTHS; month += 1) {
        say(`${Math.round(filled.from + aMonth * month).toLocaleString('en')} invoices`);
        const startMs = monthsBack(MONTHS - 1 - month).getTime();
        const endMs = Math.min(monthsBack(MONTHS - 2 - month).getTime(), Date.now()) - SECOND_MS;
        const span = {
          from: Math.round(filled.from + aMonth * month),
          to: Math.round(filled.from + aMonth * (month + 1)) - 1,
        };
        const stepMs = (endMs - startMs) / (span.to - span.from + 1);
        for (let from = span.from; from <= span.to; from += ROWS_AT_ONCE) {
          const to = Math.min(span.to, from + ROWS_AT_ONCE - 1);
          const times = { startMs: startMs + (from - span.from) * stepMs, stepMs };
          await client.query(insertAll(rowsOf(filled, { from, to }, times)));
        }
      }
      say('indexes');
    };
    await withoutIndexes(client, fill);
    say('statistics');
    await client.query('RESET session_replication_role');
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    client.release(true);
  }
}
