import type pg from 'pg';
import { eventTypes } from '../../contract/events.ts';
import { DAY, SECOND_MS } from '../../server/kernel/time.ts';
import { suffixAt } from './id-sql.ts';

/** Events of one account: how many, and which of them stand how. */
export interface Crowd {
  readonly accountId: string;
  readonly events: number;
  /** SQL for the delivery result of the event `n` (1: the oldest) of `of`. */
  readonly status: string;
}

export const DAYS = 30;
/** Of a thousand events so many are of the four types that every sale makes; the rest are of the others. */
const FREQUENT = ['invoice.created', 'payment_intent.created', 'payment_intent.paid', 'invoice.paid'] as const;
export const RARE_TYPE = 'customer.anonymized';
export const SELDOM_TYPE = 'price.updated';
const OTHERS = eventTypes.filter((type) => ![...FREQUENT, RARE_TYPE, SELDOM_TYPE].includes(type));

const listOf = (texts: readonly string[]): string => `ARRAY[${texts.map((text) => `'${text}'`).join(', ')}]`;

const TYPE = `CASE WHEN n % 500000 = 7 THEN '${RARE_TYPE}' WHEN n % 50000 = 9 THEN '${SELDOM_TYPE}'
  WHEN n % 10 < 9 THEN (${listOf(FREQUENT)})[1 + n % ${FREQUENT.length}] ELSE (${listOf(OTHERS)})[1 + (n / 10) % ${OTHERS.length}] END`;

/** SQL for an id of a kind made at `ms`; the rest of it is the hash of `seed`. */
const idAt = (prefix: string, { ms, seed }: { ms: string; seed: string }): string =>
  `'${prefix}_' || ${suffixAt(ms, seed)}`;

/** Buyers of an account by how many events tell of them: each fifth is of the one, each fiftieth of the other. */
export const crowdedBuyer = (accountId: string): string =>
  `cus_${'0'.repeat(10)}${'a'.repeat(12)}${accountId.slice(-4)}`;
export const busyBuyer = (accountId: string): string => `cus_${'0'.repeat(10)}${'b'.repeat(12)}${accountId.slice(-4)}`;

const FILLER = 'Acesso completo ao curso, com certificado. '.repeat(14).trim();

/** An invoice has five events, in a row; its id is of the time when the first of them happened. */
const rowsOf = (
  { accountId, events, status }: Crowd,
  { fromMs, stepMs }: { fromMs: number; stepMs: number },
): string => `
  SELECT (to_timestamp(ms / 1000.0) AT TIME ZONE 'UTC')::date AS day, ${idAt('evt', { ms: 'ms', seed: `'${accountId}' || n` })} AS id,
    '${accountId}' AS account_id, false AS live_mode, ${TYPE} AS type, ms / ${SECOND_MS} AS created, ${status} AS status,
    ${idAt('in', { ms: 'invoice_ms', seed: `'${accountId}' || n / 5` })} AS object_id,
    CASE WHEN n % 5 = 0 THEN '${crowdedBuyer(accountId)}' WHEN n % 50 = 1 THEN '${busyBuyer(accountId)}'
      ELSE ${idAt('cus', { ms: 'invoice_ms', seed: `'${accountId}' || n / 40` })} END AS buyer
  FROM (SELECT n, ${events} AS of, (${fromMs} + n * ${stepMs}::numeric)::bigint AS ms, (${fromMs} + (n / 5) * 5 * ${stepMs}::numeric)::bigint AS invoice_ms
    FROM generate_series(1, ${events}) AS n) AS made`;

/** Days that have no partition yet get one: the service made theirs as they came. */
async function makePartitions(pool: pg.ClientBase, firstMs: number): Promise<void> {
  const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  for (let ahead = -1; ahead < DAYS; ahead += 1) {
    const [from, to] = [dayText(firstMs + ahead * DAY * SECOND_MS), dayText(firstMs + (ahead + 1) * DAY * SECOND_MS)];
    for (const table of ['event', 'event_delivery_status', 'delivery', 'delivery_attempt']) {
      const name = `${table}_${from.replaceAll('-', '')}`;
      await pool.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
    }
  }
}

interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Indexes are built when the rows are there: ten times as quick, and none of them differs. */
async function withoutIndexes(
  pool: pg.ClientBase,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { rows } = await pool.query<Index>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = ANY ($1::regclass[]) AND NOT i.indisprimary`,
    [tables],
  );
  for (const { name } of rows) await pool.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await pool.query(definition.replace(' ON ONLY ', ' ON '));
}

/** Fills events and standings as the service would have left them; nothing else is read by a list. */
export async function fillEvents(
  pool: pg.ClientBase,
  crowds: readonly Crowd[],
  say: (line: string) => void,
): Promise<void> {
  const fromMs = Date.now() - (DAYS * DAY - 3_600) * SECOND_MS;
  await makePartitions(pool, fromMs);
  for (const table of ['event', 'delivery']) await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  await withoutIndexes(pool, ['event', 'event_delivery_status'], async () => {
    for (const crowd of crowds) {
      say(`${crowd.events.toLocaleString('en')} events of ${crowd.accountId}`);
      const stepMs = ((DAYS * DAY - 7_200) * SECOND_MS) / crowd.events;
      await pool.query(`WITH made AS MATERIALIZED (${rowsOf(crowd, { fromMs, stepMs })}), standings AS (
          INSERT INTO event_delivery_status (day, event_id, account_id, live_mode, type, created, status)
          SELECT day, id, account_id, live_mode, type, created, status FROM made)
        INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
        SELECT day, id, account_id, live_mode, type, created, object_id, ARRAY[object_id, buyer],
          '{"id":"' || id || '","object":"event","type":"' || type || '","created":' || created || ',"live_mode":false,"data":{"object":{"id":"'
            || object_id || '","description":"${FILLER}"}}}', '00000000-0000-0000-0000-000000000000'
        FROM made`);
    }
    say('indexes');
  });
  for (const table of ['event', 'delivery']) await pool.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  say('statistics');
  await pool.query('VACUUM ANALYZE event');
  await pool.query('VACUUM ANALYZE event_delivery_status');
}
