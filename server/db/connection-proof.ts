import type pg from 'pg';
import { codeOf } from '../kernel/errors.ts';
import { boundsOf, settingsIn } from './bounds.ts';
import { beginIn, EVERYBODY } from './reach.ts';
import { run, statement } from './statement.ts';

/** What stands between us and PostgreSQL does not do what the service needs (docs/operations.md#a-pooler). */
export class UnfitPooler extends Error {}

const readBounds = statement<Record<string, string>>(
  'read_bounds',
  `SELECT current_setting('statement_timeout') AS statement_timeout, current_setting('lock_timeout') AS lock_timeout,
     current_setting('idle_in_transaction_session_timeout') AS idle_in_transaction_session_timeout,
     current_setting('max_parallel_workers_per_gather') AS max_parallel_workers_per_gather`,
);

/** SQLSTATE of a statement that is not prepared where we prepared it, and of one that somebody else prepared there. */
const PREPARED_ELSEWHERE: readonly (string | null)[] = ['26000', '42P05'];

/** Proves that bounds hold on the way to the database: for a statement by itself and within a transaction. */
export async function proveConnection(pool: pg.Pool): Promise<void> {
  try {
    await withConnection(pool, (one) => withConnection(pool, (other) => proveBoth(one, other)));
  } catch (error) {
    if (!(error instanceof Error) || !PREPARED_ELSEWHERE.includes(codeOf(error))) throw error;
    throw new UnfitPooler(
      'the pooler between this process and PostgreSQL keeps no prepared statements: it needs max_prepared_statements above 0 (PgBouncer 1.21 or newer)',
    );
  }
}

async function withConnection(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let broken = true;
  try {
    await work(client);
    broken = false;
  } finally {
    client.release(broken);
  }
}

async function proveBoth(one: pg.PoolClient, other: pg.PoolClient): Promise<void> {
  await run(one, readBounds, {});
  await other.query(beginIn(other, EVERYBODY));
  // The connection behind the pooler on which `one` prepared its statement is taken now: another one serves it.
  await run(one, readBounds, {});
  await refuseUnbound(other);
  await other.query('ROLLBACK');
}

async function refuseUnbound(client: pg.ClientBase): Promise<void> {
  const bounds = boundsOf(client);
  const [found] = await run(client, readBounds, {});
  const unbound = Object.entries(bounds === null ? {} : settingsIn(bounds)).filter(
    ([name, value]) => milliseconds(found?.[name]) !== Number(value),
  );
  if (unbound.length === 0) return;
  const told = unbound.map(([name, value]) => `${name} is ${found?.[name]} and not ${value}`).join(', ');
  throw new UnfitPooler(`the database does not keep the bounds of a transaction (${told})`);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** PostgreSQL shows a time in the largest unit that it is a whole number of. */
function milliseconds(shown = ''): number {
  const [, digits, unit = ''] = /^(\d+)(\w*)$/.exec(shown) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}
