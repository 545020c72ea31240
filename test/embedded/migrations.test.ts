import { Migration } from '@mikro-orm/migrations';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../server/db/database.ts';
import { migrate, statementsOf } from '../../server/db/migrate.ts';
import { migrationsList, type NamedMigration } from '../../server/db/migrations/index.ts';
import { runsBeside, SchemaBusy } from '../../server/db/schema-session.ts';
import { entities } from '../../server/entities.ts';
import { createDatabase, createEmptyDatabase } from '../support/database.ts';

let place: Awaited<ReturnType<typeof createDatabase>>;
let database: Database;

const useDatabase = (create: typeof createDatabase): void => {
  beforeAll(async () => {
    place = await create();
    database = await openDatabase(place.urls.migrator, { entities, size: 4 });
  });
  afterAll(async () => {
    await database.close();
    await place.drop();
  });
};

/** Locks behind which writers wait, by the table of before that they are on; an index's and a partition's are its table's. */
const LOCKED = `SELECT DISTINCT coalesce(pg_partition_root(t.oid), t.oid)::regclass::text AS name
  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation LEFT JOIN pg_index i ON i.indexrelid = c.oid
  JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
  WHERE l.pid = pg_backend_pid() AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    AND t.relkind IN ('r', 'p') AND t.oid = ANY ($1::oid[]) ORDER BY 1`;

/** How often this connection read tables from end to end. */
const SCANS = `SELECT relid::regclass::text AS name, seq_scan::integer AS times FROM pg_stat_xact_user_tables WHERE seq_scan > 0`;

const FILES = `SELECT oid, relfilenode AS file, oid::regclass::text AS name FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'sandbox_bank'))`;

interface File {
  readonly oid: number;
  readonly file: number;
  readonly name: string;
}

const scansOf = async (client: pg.PoolClient): Promise<Map<string, number>> =>
  new Map((await client.query<{ name: string; times: number }>(SCANS)).rows.map(({ name, times }) => [name, times]));

/** What one statement does to tables of before that the service would feel. */
async function feltOf(client: pg.PoolClient, sql: string, before: readonly File[]): Promise<string[]> {
  if (runsBeside(sql)) {
    await client.query(sql);
    return [];
  }
  await client.query('BEGIN');
  const scansBefore = await scansOf(client);
  await client.query(sql);
  const scans = await scansOf(client);
  const found = await client.query<{ name: string }>(LOCKED, [before.map(({ oid }) => oid)]);
  const locked = found.rows.map(({ name }) => name);
  const files = (await client.query<File>(FILES)).rows;
  await client.query('COMMIT');
  const rewritten = before.filter(({ oid, file }) => files.some((now) => now.oid === oid && now.file !== file));
  return [
    ...(locked.length > 1 ? [`locks ${locked.join(' and ')}`] : []),
    ...locked
      .filter((name) => scans.get(name) !== scansBefore.get(name))
      .map((name) => `reads all of ${name} behind its lock`),
    ...(/^\s*CREATE (?:UNIQUE )?INDEX/.test(sql)
      ? locked.map((name) => `builds an index while nobody writes ${name}`)
      : []),
    ...rewritten.map(({ name }) => `writes ${name} anew`),
  ];
}

const made = (name: string, ...statements: string[]): NamedMigration => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const sql of statements) this.addSql(sql);
    }
  },
});

describe('all migrations', () => {
  useDatabase(createEmptyDatabase);

  const feltOfAll = async (migrations: readonly NamedMigration[]): Promise<string[]> => {
    const client = await database.pool.connect();
    const felt: string[] = [];
    for (const migration of migrations) {
      const before = (await client.query<File>(FILES)).rows;
      for (const sql of await statementsOf(database.orm, migration))
        felt.push(...(await feltOf(client, sql, before)).map((what) => `${migration.name} ${what}`));
    }
    client.release();
    return felt;
  };

  test('a statement of a migration keeps one table of before at most, and only for a moment', async () => {
    const [schema, ...later] = migrationsList;
    await migrate(database, { migrations: schema === undefined ? [] : [schema] });
    expect(await feltOfAll(later)).toEqual([]);
  });

  test('one that does more is found', async () => {
    await database.pool.query('CREATE TABLE sold AS SELECT 1 AS id');
    const breaches = [
      made('index', 'CREATE INDEX sold_id ON sold (id)'),
      made('check', 'ALTER TABLE sold ADD CHECK (id > 0)'),
      made('rewrite', 'ALTER TABLE sold ALTER COLUMN id TYPE bigint'),
      made('two', 'ALTER TABLE sold ADD COLUMN mail_id text REFERENCES mail_suppression'),
      made(
        'harmless',
        'ALTER TABLE sold ADD COLUMN paid boolean',
        'CREATE INDEX CONCURRENTLY sold_beside ON sold (id)',
      ),
    ];
    expect(await feltOfAll(breaches)).toEqual([
      'index reads all of sold behind its lock',
      'index builds an index while nobody writes sold',
      'check reads all of sold behind its lock',
      'rewrite reads all of sold behind its lock',
      'rewrite writes sold anew',
      'two locks mail_suppression and sold',
    ]);
  });
});

const journal = async (name: string): Promise<unknown> =>
  (await database.pool.query('SELECT steps_done AS steps FROM migration WHERE name = $1', [name])).rows[0];

describe('what is run on a service that is at work', () => {
  useDatabase(createDatabase);
  beforeAll(async () => {
    await database.pool.query('CREATE TABLE sold (id integer)');
    await database.pool.query('INSERT INTO sold VALUES (1), (1)');
  });

  test('a migration that breaks off goes on where it was', async () => {
    const counted = `INSERT INTO sold VALUES (2)`;
    const broken = made('broken-off', counted, 'SELECT 1 / 0', counted);
    await expect(migrate(database, { migrations: [broken] })).rejects.toThrow('division by zero');
    expect(await journal('broken-off')).toEqual({ steps: 1 });

    await migrate(database, { migrations: [made('broken-off', counted, 'SELECT 1', counted)] });
    await migrate(database, { migrations: [made('broken-off', counted, 'SELECT 1', counted)] });
    expect(await journal('broken-off')).toEqual({ steps: null });
    expect((await database.pool.query('SELECT FROM sold WHERE id = 2')).rowCount).toBe(2);
  });

  test('an index that was left half made is built anew', async () => {
    const unique = made('sold-once', 'CREATE UNIQUE INDEX CONCURRENTLY sold_once ON sold (id)');
    await expect(migrate(database, { migrations: [unique] })).rejects.toThrow('could not create unique index');
    const isWhole = `SELECT indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = 'sold_once'::regclass`;
    expect((await database.pool.query(isWhole)).rows).toEqual([{ isWhole: false }]);

    await database.pool.query('DELETE FROM sold');
    await migrate(database, { migrations: [unique] });
    expect((await database.pool.query(isWhole)).rows).toEqual([{ isWhole: true }]);
  });

  test('two that migrate at once wait for each other, and an index beside them is built all the same', async () => {
    const slow = made('slow', 'SELECT pg_sleep(0.7)', 'CREATE INDEX CONCURRENTLY sold_slow ON sold (id)');
    const said: string[] = [];
    const other = await openDatabase(place.urls.migrator, { entities, size: 4 });
    await Promise.all([
      migrate(database, { migrations: [slow], report: (line) => said.push(line) }),
      migrate(other, { migrations: [slow], report: (line) => said.push(line) }),
    ]);
    await other.close();
    expect(said).toEqual(['Another process migrates this database; waiting for it.']);
    expect(await journal('slow')).toEqual({ steps: null });
  });

  test('whoever reads a table that a change waits for waits half a second at most', async () => {
    const keeper = await database.pool.connect();
    await keeper.query('BEGIN; LOCK TABLE sold IN ACCESS SHARE MODE');
    const changed = migrate(database, { migrations: [made('column', 'ALTER TABLE sold ADD COLUMN paid boolean')] });
    const waits: number[] = [];
    for (let reads = 0; reads < 30; reads += 1) {
      const began = performance.now();
      await database.pool.query('SELECT FROM sold');
      waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await keeper.query('COMMIT');
    keeper.release();
    await changed;
    // The longest did wait: its read met the change.
    expect(Math.max(...waits)).toBeGreaterThan(100);
    expect(Math.max(...waits)).toBeLessThan(1_500);
  });

  test('a table that somebody keeps for long ends it with one sentence that names both', async () => {
    const keeper = await database.pool.connect();
    const { rows } = await keeper.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await keeper.query('BEGIN; LOCK TABLE sold IN ACCESS SHARE MODE');
    const change = { migrations: [made('kept', 'ALTER TABLE sold ADD COLUMN due boolean')], patienceMs: 2_000 };
    const refusal = await migrate(database, change).catch((error: unknown) => error);
    await keeper.query('COMMIT');
    keeper.release();
    expect(refusal).toBeInstanceOf(SchemaBusy);
    expect(String(refusal)).toMatch(
      new RegExp(
        `kept, statement 1, waits for the table sold, which process ${rows[0]?.pid} keeps \\(login migrator, program fatura-\\w+, in a transaction of \\d+ s`,
      ),
    );
    await migrate(database, change);
  });
});
