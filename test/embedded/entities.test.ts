import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../server/db/database.ts';
import { EntitySchemaGenerator } from '../../server/db/schema.ts';
import { entities } from '../../server/entities.ts';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.ts';

/** Tables and views of the entities; partitions follow from their tables. */
const DECLARED = `SELECT c.*, c.oid::regclass::text AS name FROM pg_class c
  WHERE c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'sandbox_bank'))
    AND NOT c.relispartition AND c.relkind IN ('r', 'p', 'v') AND c.relname NOT IN ('migration', 'write_proof')`;

/** The catalog in lines: what can be declared of a table, as PostgreSQL writes it. */
const CATALOG = `WITH declared AS (${DECLARED})
  SELECT concat_ws(' ', name, attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END, collname,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid)) AS line
    FROM declared JOIN pg_attribute ON attrelid = declared.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum LEFT JOIN pg_collation co ON co.oid = attcollation
  UNION ALL SELECT concat_ws(' ', name, conname, pg_get_constraintdef(k.oid)) FROM declared JOIN pg_constraint k ON conrelid = declared.oid
      AND NOT EXISTS (SELECT FROM pg_class target WHERE target.oid = k.confrelid AND target.relispartition)
  UNION ALL SELECT pg_get_indexdef(indexrelid) FROM declared JOIN pg_index ON indrelid = declared.oid
  UNION ALL SELECT concat_ws(' ', name, polname, polcmd, polpermissive, polroles::regrole[], pg_get_expr(polqual, polrelid))
    FROM declared JOIN pg_policy ON polrelid = declared.oid
  UNION ALL SELECT concat_ws(' ', name, relrowsecurity, CASE relkind WHEN 'p' THEN pg_get_partkeydef(oid) WHEN 'v' THEN pg_get_viewdef(oid) END)
    FROM declared`;

const catalogOf = async (client: pg.Pool | pg.PoolClient): Promise<string[]> =>
  (await client.query<{ line: string }>(CATALOG)).rows.map(({ line }) => line).sort();

const places: TestDatabase[] = [];
const open = async (place: TestDatabase): Promise<Database> => {
  places.push(place);
  return openDatabase(place.urls.migrator, { entities, size: 2 });
};

let migrated: Database;
let made: Database;

beforeAll(async () => {
  migrated = await open(await createDatabase());
  made = await open(await createEmptyDatabase());
  await made.pool.query(readFileSync('server/db/migrations/0001/before.sql', 'utf8'));
  await made.pool.query(await new EntitySchemaGenerator(made.orm).getCreateSchemaSQL({ wrap: false }));
});
afterAll(async () => {
  await Promise.all([migrated.close(), made.close()]);
  await Promise.all(places.map(({ drop }) => drop()));
});

test('the migrations make what the entities declare', async () => {
  const catalog = await catalogOf(migrated.pool);
  expect(catalog.length).toBeGreaterThan(1_000);
  expect(catalog).toEqual(await catalogOf(made.pool));
});

test.each([
  'ALTER TABLE product ADD COLUMN weight integer',
  'ALTER TABLE invoice DROP CONSTRAINT invoice_paid',
  'ALTER TABLE invoice ALTER COLUMN charges DROP DEFAULT',
  'ALTER TABLE dispute DROP CONSTRAINT dispute_account_id_live_mode_intent_id_fkey',
  'DROP INDEX delivery_turn',
  'DROP POLICY removed_in_sandbox ON price',
])('a database that went another way is found: %s', async (sql) => {
  const client = await migrated.pool.connect();
  await client.query('BEGIN');
  await client.query(sql);
  const catalog = await catalogOf(client);
  await client.query('ROLLBACK');
  client.release();
  expect(catalog).not.toEqual(await catalogOf(made.pool));
});
