import pg from 'pg';
import { realTimeMs } from '../kernel/time.ts';
import type { Database } from './database.ts';
import { migrationsList, type NamedMigration } from './migrations/index.ts';
import { makePartition, partitionsAhead } from './partitions.ts';
import { CLOSE_TO_PUBLIC, MAKE_GROUPS } from './roles.ts';
import { patiently, runStatement, SchemaBusy, type SchemaSession, withinTransaction } from './schema-session.ts';

/** So long a statement is tried again. */
const PATIENCE_MS = 5 * 60_000;
/** Any number that every process of this service agrees on. */
const MIGRATION_LOCK = 7_106_518;
const LOCK_POLL_MS = 500;
/** Another one may build indexes of large tables. */
const LOCK_WAIT_MS = 60 * 60_000;

interface Migrating {
  /** Told what the migration waits for. */
  readonly report?: (line: string) => void;
  readonly migrations?: readonly NamedMigration[];
  /** For so long what others keep is tried again; absent: for minutes. */
  readonly patienceMs?: number;
}

/**
 * Brings the schema up to date while the service goes on: each statement is a transaction of its own, which waits a moment
 * for its locks and tries again (docs/design/sql.md#migrations). Two processes at once wait for each other.
 */
export async function migrate(
  database: Database,
  { report = () => {}, migrations = migrationsList, patienceMs = PATIENCE_MS }: Migrating = {},
): Promise<void> {
  const { pool } = database;
  const client = await pool.connect();
  const told = new Set<string>();
  /** What the database warns of, once. */
  const tell = ({ severity, message = '' }: { severity?: string | undefined; message?: string | undefined }): void => {
    if (severity !== 'WARNING' || told.has(message)) return;
    told.add(message);
    report(message);
  };
  try {
    const session = { client, pool, report, patienceMs, pid: await prepare(client) };
    await takeTurn(session);
    client.on('notice', tell);
    if (migrations === migrationsList) await assertPrivileges(session);
    await runMigrations(database, session, migrations);
    for (const part of partitionsAhead())
      await patiently(session, `the partition of ${part.day}`, () => makePartition(client, part));
  } finally {
    // The lock ends with the connection, and so do its settings.
    client.release(true);
  }
}

/** A restored database has none of what its server, or the database itself, is told. */
async function assertPrivileges(session: SchemaSession): Promise<void> {
  for (const sql of [MAKE_GROUPS, CLOSE_TO_PUBLIC])
    await patiently(session, 'the privileges of the service', () => session.client.query(sql));
}

/** Answers the process of the database that serves the connection. */
async function prepare(client: pg.PoolClient): Promise<number> {
  await client.query('SET statement_timeout = 0');
  // A crash that forgets a statement forgets its place too: it is run again.
  await client.query('SET synchronous_commit = off');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

/** Asks again and again: a statement that waited would hold a snapshot, which the other one's indexes wait for. */
async function takeTurn({ client, report }: SchemaSession): Promise<void> {
  const untilMs = realTimeMs() + LOCK_WAIT_MS;
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK]);
    if (rows[0]?.mine === true) return;
    if (realTimeMs() > untilMs) throw new SchemaBusy('another process migrates this database and does not end');
    if (tries === 0) report('Another process migrates this database; waiting for it.');
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}

/** `steps_done` counts the statements of a migration that is not finished; null: it is whole. */
const JOURNAL = `CREATE TABLE IF NOT EXISTS migration (
  id serial PRIMARY KEY, name varchar(255), executed_at timestamptz DEFAULT current_timestamp, steps_done integer)`;

/** The journal of a database of before may lack the column: such a database is refused by its names. */
const READ_JOURNAL = `SELECT m.name, (to_jsonb(m) ->> 'steps_done')::integer AS steps FROM migration m`;

async function runMigrations(
  { orm }: Database,
  session: SchemaSession,
  migrations: readonly NamedMigration[],
): Promise<void> {
  const { client } = session;
  await patiently(session, 'the table migration', () => client.query(JOURNAL));
  const { rows } = await client.query<{ name: string; steps: number | null }>(READ_JOURNAL);
  if (rows.length === 0) return makeSchema(orm, client, migrations);
  const known = new Map(rows.map(({ name, steps }) => [name, steps]));
  const [schema] = migrationsList;
  if (schema !== undefined && !known.has(schema.name))
    throw new Error(
      `this database was made before ${schema.name}, from which none is brought up to date: make a new one`,
    );
  for (const migration of migrations) {
    const done = known.get(migration.name);
    if (done === null) continue;
    if (done === undefined)
      await client.query('INSERT INTO migration (name, steps_done) VALUES ($1, 0)', [migration.name]);
    const statements = await statementsOf(orm, migration);
    for (const [at, sql] of statements.entries())
      if (at >= (done ?? 0)) await runStatement(session, { migration: migration.name, at, sql });
    await client.query('UPDATE migration SET steps_done = NULL, executed_at = now() WHERE name = $1', [migration.name]);
  }
}

/** Of a new database, where nobody waits: a migration is one transaction, and sent at once. */
async function makeSchema(
  orm: Database['orm'],
  client: pg.PoolClient,
  migrations: readonly NamedMigration[],
): Promise<void> {
  for (const migration of migrations) {
    const statements = (await statementsOf(orm, migration)).map(withinTransaction);
    const keep = `INSERT INTO migration (name) VALUES (${pg.escapeLiteral(migration.name)})`;
    await client.query([...statements, keep].join(';\n'));
  }
}

/** What a migration has the database do, in its order. */
export async function statementsOf(orm: Database['orm'], { name, class: Made }: NamedMigration): Promise<string[]> {
  const migration = new Made(orm.em.getDriver(), orm.config);
  await migration.up();
  return migration.getQueries().map((query) => {
    if (typeof query !== 'string') throw new Error(`${name} has a statement that is not written as SQL`);
    return query;
  });
}
