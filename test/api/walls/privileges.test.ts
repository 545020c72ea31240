import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Login } from '../../../dev/embedded/postgres-logins.ts';
import { EVERYBODY } from '../../../server/db/reach.ts';
import { createDatabase } from '../../support/database.ts';
import { HELD, NOBODY, programLogins, undone } from './logins.ts';

/** The audit proves nothing of these, and has no business with what they keep. */
const UNAUDITED = [
  'api_key',
  'encryption_key',
  'encryption_key_check',
  'encryption_ring',
  'installation',
  'live_acquirer',
  'mail_count',
  'mail_suppression',
  'rate_limit',
  'staff',
  'staff_passkey',
  'staff_session',
  'staff_token',
  'wrapped_key',
  'write_proof',
];

const { clientOf, superuser, ...logins } = programLogins();
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  await logins.open({ databaseUrl: database.url, urls: database.urls });
});
afterAll(async () => {
  await logins.close();
  await drop();
});

describe('nobody', () => {
  const forbidden: [what: string, sql: string][] = [
    ['makes a table', 'CREATE TABLE made (id int)'],
    ['makes a temporary table', 'CREATE TEMPORARY TABLE made (id int)'],
    ['makes a schema', 'CREATE SCHEMA made'],
    ['makes a function', 'CREATE FUNCTION made() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'],
    ['makes a role', 'CREATE ROLE made'],
    ['changes a table', 'ALTER TABLE invoice ADD COLUMN made int'],
    ['drops a table', 'DROP TABLE worker_heartbeat'],
    ['empties a table', 'TRUNCATE outbox'],
    ['lifts a policy', 'ALTER TABLE invoice DISABLE ROW LEVEL SECURITY'],
    ['becomes the owner', 'SET ROLE migrator'],
    ['runs a program', `COPY (SELECT 1) TO PROGRAM 'cat'`],
    ['reads a file of the server', `COPY rate_limit FROM '/etc/passwd'`],
    ['gives a table its policy', 'CREATE POLICY made ON rate_limit USING (true)'],
    ['reads the passwords', 'SELECT rolpassword FROM pg_authid'],
  ];

  test.each(forbidden)('%s', async (_, sql) => {
    for (const login of HELD) {
      const attempt = undone(clientOf(login), EVERYBODY, () => clientOf(login).query(sql));
      await expect(attempt, login).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  test('is a superuser or passes by the policies', async () => {
    const { rows } = await superuser().query(
      'SELECT rolname FROM pg_roles WHERE rolname = ANY ($1) AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)',
      [[...HELD, 'migrator']],
    );
    expect(rows).toEqual([]);
  });
});

const refused: [login: Login, what: string, sql: string][] = [
  ['api', 'lets a key do more', `UPDATE api_key SET scope = 'full'`],
  ['api', 'makes a key another one', `UPDATE api_key SET key_hash = ''`],
  ['api', 'removes a key', 'DELETE FROM api_key'],
  ['api', 'makes an account', `INSERT INTO account (id) VALUES ('acct_1')`],
  ['api', 'lifts a limit', `UPDATE account SET limits = '{}'`],
  ['api', 'changes whose letters go where', `UPDATE account SET email = 'a@b.test'`],
  ['api', 'removes an account', 'DELETE FROM account'],
  ['api', 'makes a look', `INSERT INTO account_look (account_id) VALUES ('acct_1')`],
  ['api', 'gives the live money of one account to another', `UPDATE live_acquirer SET account_id = 'acct_2'`],
  ['api', 'forgets the live money', 'DELETE FROM live_acquirer'],
  ['api', 'rewrites an event', `UPDATE event SET body = '{}'`],
  ['api', 'makes a partition', `SELECT make_partition('event', '2020-01-01')`],
  ['api', 'drops a partition', `SELECT drop_partition('event', '2020-01-01')`],
  ['worker', 'issues a key', `INSERT INTO api_key (id, account_id) VALUES ('key_1', 'acct_1')`],
  ['worker', 'reads a key', 'SELECT FROM api_key'],
  ['worker', 'changes a profile', `UPDATE account_look SET name = 'Outra'`],
  ['worker', 'changes a look', `UPDATE account_look SET name = 'Outra'`],
  ['worker', 'takes over the live money', `UPDATE live_acquirer SET settings = ''`],
  ['worker', 'rewrites an event', `UPDATE event SET body = '{}'`],
  ['admin', 'moves money', 'UPDATE payment_intent SET amount = 1'],
  ['admin', 'removes an account', 'DELETE FROM account'],
  ['audit', 'writes', 'UPDATE invoice SET total = 1'],
  ['audit', 'reads a key', 'SELECT FROM api_key'],
];

test.each(refused)('as %s nobody %s', async (login, _, sql) => {
  await expect(undone(clientOf(login), EVERYBODY, () => clientOf(login).query(sql))).rejects.toThrow(
    'permission denied',
  );
});

describe('the worker', () => {
  const asWorker = (sql: string) => undone(clientOf('worker'), NOBODY, () => clientOf('worker').query(sql));

  test('makes and drops partitions of days that are over', async () => {
    await undone(clientOf('worker'), NOBODY, async () => {
      const worker = clientOf('worker');
      const there = async () => (await worker.query(`SELECT to_regclass('event_20200101') AS name`)).rows[0].name;
      expect((await worker.query(`SELECT make_partition('event', '2020-01-01') AS made`)).rows).toEqual([
        { made: true },
      ]);
      expect((await worker.query(`SELECT make_partition('event', '2020-01-01') AS made`)).rows).toEqual([
        { made: false },
      ]);
      expect(await there()).toBe('event_20200101');
      await worker.query(`SELECT drop_partition('event', '2020-01-01')`);
      expect(await there()).toBeNull();
    });
  });

  test.each([
    ['of another table', `SELECT drop_partition('invoice', '2020-01-01')`, 'invoice has no partitions by day'],
    ['made for another table', `SELECT make_partition('account', '2020-01-01')`, 'account has no partitions'],
    ['of a day that is kept', `SELECT drop_partition('event', current_date)`, 'are kept'],
    ['emptied of rows that are kept', `SELECT delete_strays('event', current_date, 10)`, 'are kept'],
  ])('cannot have a partition %s', async (_, sql, refusal) => {
    await expect(asWorker(sql)).rejects.toThrow(refusal);
  });
});

test('the audit reads every table that it has business with', async () => {
  const { rows } = await superuser().query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
       AND NOT c.relispartition AND NOT has_table_privilege('audit', c.oid, 'SELECT') ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(UNAUDITED);
});
