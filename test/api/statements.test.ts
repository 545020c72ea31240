import { globSync } from 'node:fs';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPool } from '../../server/db/database.ts';
import { declaredStatements, mine, type Statement, statement } from '../../server/db/statement.ts';
import { createDatabase } from '../support/database.ts';
import { acrossByAccount, ofKeptRow, unheld } from '../support/statement-table.ts';
import { loadStatements, unboundTables } from '../support/statements.ts';

const paths = globSync('{server,workflows,ops}/**/*.ts').sort();

/** What the database says has an account and a mode; a table of tomorrow is among them. */
async function scopedTables(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname IN ('account_id', 'live_mode') GROUP BY c.relname HAVING count(*) = 2`,
  );
  return new Set(rows.map(({ name }) => name));
}

let tables: ReadonlySet<string>;
let declared: readonly Statement<unknown>[];

beforeAll(async () => {
  const own = await createDatabase();
  const pool = openPool(own.url);
  tables = await scopedTables(pool);
  await loadStatements(paths);
  // A test that shares this process may have declared some.
  // The forms for one key and for many have one condition.
  declared = declaredStatements().filter(({ name }) => !/_of_(?:test|many)$/.test(name));
  await pool.end();
  await own.drop();
});

const namesOfUnheld = (): string[] =>
  declared.filter((one) => unboundTables(one, tables).length > 0).map(({ name }) => name);

test('each statement is held to the account and mode of who asks, or has its reason not to be', () => {
  expect(tables).toContain('invoice');
  expect(declared.map(({ name }) => name)).toContain('list_events_by_object');
  expect(declared.length).toBeGreaterThan(150);
  const allowed = new Set(unheld.flatMap(({ names }) => names));
  expect(namesOfUnheld().filter((name) => !allowed.has(name) && !ofKeptRow.test(name))).toEqual([]);
});

test('what reaches every account has its reason to', () => {
  const across = declared.filter(({ isAcross }) => isAcross === true).map(({ name }) => name);
  const allowed = [...unheld.flatMap(({ names }) => names), ...acrossByAccount.flatMap(({ names }) => names)];
  expect(across.length).toBeGreaterThan(40);
  expect(across.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(acrossByAccount.flatMap(({ names }) => names).filter((name) => !across.includes(name))).toEqual([]);
});

test('each reason is still needed', () => {
  const found = new Set(namesOfUnheld());
  expect(unheld.flatMap(({ names }) => names).filter((name) => !found.has(name))).toEqual([]);
});

describe('what is refused', () => {
  const broken: [what: string, sql: string, tables: string[]][] = [
    ['a read by an id', 'SELECT id FROM invoice WHERE id = :id', ['invoice']],
    ['a read of one account in both modes', 'SELECT i.id FROM invoice i WHERE i.account_id = :accountId', ['invoice']],
    ['one under another name', `SELECT i.id FROM invoice i WHERE ${mine('x')} AND i.id = :id`, ['invoice']],
    ['one by values of the caller', 'SELECT FROM mail m WHERE m.account_id = :a AND m.live_mode = :b', ['mail']],
    ['a change', `UPDATE customer u SET external_code = :code WHERE u.id = :id`, ['customer']],
    ['a removal', 'DELETE FROM delivery d WHERE d.endpoint_id = :id', ['delivery']],
    [
      'a look aside that nothing ties to the row',
      `SELECT i.id, (SELECT count(*) FROM price p WHERE p.active) AS prices FROM invoice i WHERE ${mine('i')}`,
      ['price'],
    ],
    [
      'a second part of a union',
      `SELECT i.id FROM invoice i WHERE ${mine('i')} UNION SELECT s.id FROM subscription s WHERE s.id = :id`,
      ['subscription'],
    ],
    [
      'an insert for whom the values name',
      'INSERT INTO mail (id, account_id, live_mode) VALUES (:id, :a, :b)',
      ['mail'],
    ],
  ];

  test.each(broken)('%s', (_, sql, found) => {
    expect(unboundTables(statement('made_up', sql), tables)).toEqual(found);
  });

  test('and nothing else', () => {
    const held = [
      `SELECT i.id FROM invoice i WHERE i.id = :id AND ${mine('i')}`,
      `SELECT p.id FROM price p JOIN product t ON t.id = p.product_id WHERE ${mine('p')}`,
      `UPDATE mail m SET subject = NULL FROM invoice i WHERE i.id = m.invoice_id AND ${mine('i')}`,
      `SELECT i.id FROM invoice i WHERE ${mine('i')} AND EXISTS(SELECT FROM pix_charge c WHERE c.invoice_id = i.id)`,
      'UPDATE subscription SET wake_at = NULL WHERE account_id = :accountId AND NOT live_mode',
      'INSERT INTO mail (id, account_id, live_mode) VALUES (:id, :accountId, :liveMode)',
      'SELECT a.id FROM account a WHERE a.id = :id',
    ];
    for (const sql of held) expect(unboundTables(statement('made_up', sql), tables), sql).toEqual([]);
  });
});
