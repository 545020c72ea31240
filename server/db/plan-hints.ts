import type pg from 'pg';
import type { ClockScope } from '../kernel/time.ts';
import { ask } from './ask.ts';
import { beginIn, reachOf } from './reach.ts';
import { placed, type Statement, sendAlone, type Write } from './statement.ts';

/**
 * What keeps a list to the index that it was made for: ordered scans that end with the page. What the planner believes of
 * an average account says nothing of one with millions of rows, and a sort reads them all.
 */
export const ORDERED = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_bitmapscan = off',
  'enable_sort = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/** What it takes to see the days that are asked for, and how many rows an object has in them. */
const ADAPTED = ['plan_cache_mode = force_custom_plan', 'enable_seqscan = off'];

const beginWith = (settings: readonly string[]): string =>
  `BEGIN READ ONLY; ${settings.map((setting) => `SET LOCAL ${setting}`).join('; ')}`;

const BEGIN_ORDERED = beginWith(ORDERED);
const BEGIN_ADAPTED = beginWith(ADAPTED);

/** A statement that is read for an account and mode. */
interface Read<Row> {
  readonly prepared: Statement<Row>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads by a plan of ordered index scans wherever there is one, in one round trip. */
export const readOrdered = <Row>(pool: pg.Pool, scope: ClockScope, read: Read<Row>): Promise<Row[]> =>
  readWith(pool, { scope, begin: BEGIN_ORDERED }, read);

/** Reads by a plan that is made for these values. */
export const readAdapted = <Row>(pool: pg.Pool, scope: ClockScope, read: Read<Row>): Promise<Row[]> =>
  readWith(pool, { scope, begin: BEGIN_ADAPTED }, read);

const of = (scope: ClockScope, { prepared, values }: Read<unknown>): Write => ({
  statement: prepared,
  values: placed(prepared, values, scope),
});

async function readWith<Row>(
  pool: pg.Pool,
  { scope, begin }: { scope: ClockScope; begin: string },
  read: Read<Row>,
): Promise<Row[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    // All three are on the wire before the first answers.
    const begun = ask(client, beginIn(client, reachOf(scope), begin));
    const sent = [begun, sendAlone<Row>(client, of(scope, read)), ask(client, 'ROLLBACK')] as const;
    const [, rows] = await Promise.all(sent);
    broken = false;
    return rows;
  } finally {
    client.release(broken);
  }
}
