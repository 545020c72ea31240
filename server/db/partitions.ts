import type pg from 'pg';
import { codeOf } from '../kernel/errors.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';

export const PARTITIONED = ['event', 'event_standing', 'delivery', 'delivery_attempt'] as const;

/** Days made ahead: longer than any outage of the run that makes them. */
const DAYS_AHEAD = 14;

const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Makes the partitions of today and the days to come. A day whose rows already went to the default partition keeps them there. */
export async function ensurePartitions(pool: pg.Pool): Promise<number> {
  let made = 0;
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const from = dayText(realTimeMs() + ahead * DAY * SECOND_MS);
    const to = dayText(realTimeMs() + (ahead + 1) * DAY * SECOND_MS);
    for (const table of PARTITIONED) made += await ensurePartition(pool, { table, from, to });
  }
  return made;
}

const CHECK_VIOLATION = '23514';
const LOCK_NOT_AVAILABLE = '55P03';

/** Every insert waits behind a change of its table that waits for a long transaction: better to come back later. */
const LOCK_TIMEOUT = '2s';

/** Changes partitions; false when the table is too busy to be locked now. */
export async function changePartitions(pool: pg.Pool, sql: string): Promise<boolean> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(sql);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    if (codeOf(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function ensurePartition(pool: pg.Pool, part: { table: string; from: string; to: string }): Promise<number> {
  const name = `${part.table}_${part.from.replaceAll('-', '')}`;
  const { rows } = await pool.query('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
  if (rows[0]?.there === true) return 0;
  try {
    // Rows that are rewritten at once leave dead ones at the head of their indexes: until those go, claims and lists read past them.
    const vacuum =
      part.table === 'delivery' || part.table === 'event_standing'
        ? ' WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)'
        : '';
    const made = await changePartitions(
      pool,
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${part.table} FOR VALUES FROM ('${part.from}') TO ('${part.to}')${vacuum}`,
    );
    return made ? 1 : 0;
  } catch (error) {
    if (codeOf(error) === CHECK_VIOLATION) return 0;
    throw error;
  }
}
