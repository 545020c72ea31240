import type pg from 'pg';
import { codeOf } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';

/** Whoever asks for a table queues behind a change of it that waits: for no longer than this. */
const LOCK_TIMEOUT_MS = 500;
const PAUSE_MIN_MS = 200;
const PAUSE_MAX_MS = 5_000;
const REPORT_EVERY_MS = 10_000;
/** What is built beside the service waits for transactions that are older, such as that of a backup, and nobody waits for it. */
const BESIDE_LOCK_TIMEOUT_MS = 30 * 60_000;

/** The connection of a migration, and a pool to look at it from. */
export interface SchemaSession {
  readonly client: pg.PoolClient;
  readonly pid: number;
  readonly pool: pg.Pool;
  readonly report: (line: string) => void;
  /** For so long a statement is tried again. */
  readonly patienceMs: number;
}

/** Others keep what a migration needs. What it has done stays, and it can be run again. */
export class SchemaBusy extends Error {}

interface Step {
  readonly migration: string;
  readonly at: number;
  readonly sql: string;
}

const BESIDE = /^\s*(?:CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)|DROP INDEX CONCURRENTLY IF EXISTS) /;

/** Whether a statement runs beside the service, outside of a transaction. */
export const runsBeside = (sql: string): boolean => BESIDE.test(sql);

/** The same statement where nobody is to be left alone. */
export const withinTransaction = (sql: string): string =>
  runsBeside(sql) ? sql.replace(' INDEX CONCURRENTLY ', ' INDEX ') : sql;

/** Runs one statement of a migration and keeps that it was run; a kill at any instant loses neither without the other. */
export function runStatement(session: SchemaSession, step: Step): Promise<void> {
  const what = `${step.migration}, statement ${step.at + 1}`;
  return patiently(session, what, () => (runsBeside(step.sql) ? beside(session, step) : inTransaction(session, step)));
}

const KEEP = 'UPDATE migration SET steps_done = $2 WHERE name = $1';

async function inTransaction({ client }: SchemaSession, { migration, at, sql }: Step): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(KEEP, [migration, at + 1]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

const findIndex = `SELECT indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = to_regclass($1)`;

async function beside({ client }: SchemaSession, { migration, at, sql }: Step): Promise<void> {
  const [, name, table] = /INDEX CONCURRENTLY (\w+) ON (\w+)/.exec(sql) ?? [];
  const isParted = table !== undefined && (await client.query(IS_PARTED, [table])).rows.length > 0;
  if (isParted && name !== undefined) await buildInParts(client, { name, table, sql });
  else await buildBeside(client, sql);
  await client.query(KEEP, [migration, at + 1]);
}

/** An index of a try that was broken off is there and is not used: it is built anew. */
async function buildBeside(client: pg.PoolClient, sql: string): Promise<void> {
  await client.query(`SET lock_timeout = ${BESIDE_LOCK_TIMEOUT_MS}`);
  const name = BESIDE.exec(sql)?.[1];
  const found = name === undefined ? [] : (await client.query<{ isWhole: boolean }>(findIndex, [name])).rows;
  if (found[0]?.isWhole === false) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  if (found[0]?.isWhole !== true) await client.query(sql);
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
}

const IS_PARTED = `SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'`;

/** The partitions whose part of an index is not in its place yet. */
const findUnindexed = `SELECT c.relname AS part FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = $1::regclass AND NOT EXISTS (
    SELECT FROM pg_inherits k JOIN pg_index x ON x.indexrelid = k.inhrelid
    WHERE k.inhparent = $2::regclass AND x.indrelid = i.inhrelid)
  ORDER BY c.relname`;

/** PostgreSQL builds no index of a partitioned table beside its work: each partition gets its own, and the table has them all. */
async function buildInParts(
  client: pg.PoolClient,
  { name, table, sql }: { name: string; table: string; sql: string },
): Promise<void> {
  const { rows: known } = await client.query(findIndex, [name]);
  if (known.length === 0)
    await client.query(sql.replace(' CONCURRENTLY', '').replace(` ON ${table}`, ` ON ONLY ${table}`));
  const { rows } = await client.query<{ part: string }>(findUnindexed, [table, name]);
  for (const { part } of rows) {
    const own = name.startsWith(`${table}_`) ? `${part}${name.slice(table.length)}` : `${part}_${name}`;
    await buildBeside(client, sql.replace(` ${name} ON ${table}`, ` ${own} ON ${part}`));
    await client.query(`ALTER INDEX ${name} ATTACH PARTITION ${own}`);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
/** Two that change the privileges of one object: PostgreSQL has no code of its own for it. */
const AT_THE_SAME_TIME = /tuple concurrently (?:updated|deleted)/;

const isPassing = (error: unknown): boolean =>
  error instanceof Error &&
  ([LOCK_NOT_AVAILABLE, DEADLOCK, SERIALIZATION_FAILURE].includes(codeOf(error) ?? '') ||
    AT_THE_SAME_TIME.test(error.message));

/** Does what needs locks of tables that others use, again until it gets them, with growing pauses in which those go on. */
export async function patiently(session: SchemaSession, what: string, work: () => Promise<unknown>): Promise<void> {
  const beganAtMs = realTimeMs();
  let reportAtMs = beganAtMs + REPORT_EVERY_MS;
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const watch = watchHolders(session);
    try {
      await session.client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await work();
      return;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const waits = `${what}, waits for ${(await watch.seen()) ?? 'what others change at this moment'}`;
      if (realTimeMs() - beganAtMs > session.patienceMs) {
        throw new SchemaBusy(`${waits}; it was tried for ${Math.round(session.patienceMs / 1_000)} s`);
      }
      if (realTimeMs() > reportAtMs) {
        session.report(`${waits}; it is tried again.`);
        reportAtMs += REPORT_EVERY_MS;
      }
    } finally {
      watch.stop();
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
  }
}

interface Holder {
  readonly awaited: string;
  readonly pid: number;
  readonly login: string;
  readonly program: string;
  /** Null where our login may not see that. */
  readonly seconds: number | null;
}

const findHolders = `SELECT coalesce('the table ' || w.relation::regclass::text, 'a lock of the kind ' || w.locktype) AS awaited,
    a.pid, coalesce(a.usename, '') AS login, a.application_name AS program,
    floor(extract(epoch FROM now() - a.xact_start))::integer AS seconds
  FROM pg_locks w CROSS JOIN unnest(pg_blocking_pids(w.pid)) AS b (pid) JOIN pg_stat_activity a ON a.pid = b.pid
  WHERE w.pid = $1 AND NOT w.granted ORDER BY a.xact_start LIMIT 1`;

const sentenceOf = ({ awaited, pid, login, program, seconds }: Holder): string =>
  `${awaited}, which process ${pid} keeps (login ${login}${program === '' ? '' : `, program ${program}`}` +
  `${seconds === null ? '' : `, in a transaction of ${seconds} s`}; SELECT pg_terminate_backend(${pid}) ends it)`;

/** Looks, in the middle of a wait, at whom it is that the connection waits for. */
function watchHolders({ pid, pool }: SchemaSession): { seen(): Promise<string | null>; stop(): void } {
  let looked: Promise<string | null> = Promise.resolve(null);
  const look = async (): Promise<string | null> => {
    const { rows } = await pool.query<Holder>(findHolders, [pid]);
    return rows[0] === undefined ? null : sentenceOf(rows[0]);
  };
  const timer = setTimeout(() => {
    looked = look().catch(() => null);
  }, LOCK_TIMEOUT_MS / 2);
  return { seen: () => looked, stop: () => clearTimeout(timer) };
}
