import type pg from 'pg';
import { run, type Statement, type Values } from './statement.ts';

/**
 * What keeps a list to the index that it was made for: ordered scans that end with the page. What the planner believes of
 * an average account says nothing of one with millions of rows, and a sort reads them all.
 */
const ORDERED = [
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

/** Reads by a plan of ordered index scans wherever there is one, in one round trip. */
export const readOrdered = <Row>(pool: pg.Pool, prepared: Statement<Row>, values: Values): Promise<Row[]> =>
  readWith(pool, BEGIN_ORDERED, { prepared, values });

/** Reads by a plan that is made for these values. */
export const readAdapted = <Row>(pool: pg.Pool, prepared: Statement<Row>, values: Values): Promise<Row[]> =>
  readWith(pool, BEGIN_ADAPTED, { prepared, values });

async function readWith<Row>(
  pool: pg.Pool,
  begin: string,
  { prepared, values }: { prepared: Statement<Row>; values: Values },
): Promise<Row[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    // All three are on the wire before the first answers.
    const sent = [client.query(begin), run(client, prepared, values), client.query('ROLLBACK')] as const;
    const [, rows] = await Promise.all(sent);
    broken = false;
    return rows;
  } finally {
    client.release(broken);
  }
}
