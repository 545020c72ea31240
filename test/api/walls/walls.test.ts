import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPool } from '../../../server/db/database.ts';
import { EVERYBODY, type Owner, type Reach, reachOf } from '../../../server/db/reach.ts';
import { run, type Statement } from '../../../server/db/statement.ts';
import type { Login } from '../../../server/embedded/postgres-logins.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { openShop } from '../../support/audit/shop.ts';
import { HELD, NOBODY, programLogins, undone } from './logins.ts';

const YEAR = 366 * 86_400;
/** Two shops that do everything there is to do are long in the making. */
const SHOPS_MS = 240_000;

/** Tables without a policy: what they hold belongs to no account. */
const UNWALLED = [
  'api_key_use',
  'audit_log_head',
  'encryption_canary',
  'encryption_key',
  'encryption_ring',
  'event_standing_fill',
  'mail_count',
  'mail_suppression',
  'migration',
  'rate_limit',
  'worker_heartbeat',
];
interface Walled {
  readonly name: string;
  readonly columns: readonly string[];
}

let api: TestApi;
let superuser: pg.Client;
let tables: Walled[] = [];
let own = '';
let other = '';
const { clientOf, ...logins } = programLogins();

beforeAll(async () => {
  // Two shops live through years on one clock: what falls due of the first while the second does is nobody's work here.
  api = await startApi({ patienceSeconds: 10 * YEAR });
  own = (await openShop(api)).accountId;
  other = (await openShop(api)).accountId;
  await logins.open(api);
  superuser = logins.superuser();
  const { rows } = await superuser.query<Walled>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relrowsecurity
     GROUP BY c.relname ORDER BY c.relname`,
  );
  tables = rows;
}, SHOPS_MS);

afterAll(async () => {
  await logins.close();
  await api.stop();
});

/** How many rows of an account, in a mode where the table has one, somebody sees with a reach. */
async function seen(
  client: pg.Client,
  { name, columns }: Walled,
  { accountId, liveMode }: Required<Owner>,
): Promise<number> {
  const account = name === 'account' ? 'id' : 'account_id';
  const where = columns.includes('live_mode') ? `${account} = $1 AND live_mode = ${liveMode}` : `${account} = $1`;
  const { rows } = await client.query(`SELECT count(*)::int AS rows FROM ${name} WHERE ${where}`, [accountId]);
  return rows[0].rows;
}

const byAccount = (): Walled[] =>
  tables.filter(({ name, columns }) => name === 'account' || columns.includes('account_id'));

/** A table of which a role may read nothing has no rows for it either. */
async function mayRead(login: Login, { name }: Walled): Promise<boolean> {
  const { rows } = await superuser.query('SELECT has_table_privilege($1, $2, $3) AS may', [login, name, 'SELECT']);
  return rows[0].may;
}

test('every table has a policy, or holds nothing of an account', async () => {
  const { rows } = await superuser.query<{ name: string; policies: number; walled: boolean }>(
    `SELECT c.relname AS name, c.relrowsecurity AS walled, (SELECT count(*)::int FROM pg_policy p WHERE p.polrelid = c.oid) AS policies
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  );
  expect(
    rows
      .filter(({ walled, policies }) => !walled || policies === 0)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(UNWALLED);
  expect(tables.length).toBeGreaterThan(24);
});

test('past their table nobody reaches a row of a partition', async () => {
  const { rows } = await superuser.query(
    `SELECT c.relname, c.relrowsecurity AS walled, r.rolname FROM pg_class c CROSS JOIN pg_roles r
     WHERE c.relispartition AND c.relkind = 'r' AND r.rolname = ANY ($1)
       AND (NOT c.relrowsecurity OR has_table_privilege(r.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE'))`,
    [HELD],
  );
  expect(rows).toEqual([]);
});

describe.each(HELD)('%s', (login) => {
  test.each([true, false])('sees rows of the account and mode that it asks for alone (live: %s)', async (liveMode) => {
    const client = clientOf(login);
    let found = 0;
    for (const table of byAccount()) {
      if (!(await mayRead(login, table))) continue;
      const wanted = await seen(superuser, table, { accountId: own, liveMode });
      const counts = await undone(client, reachOf({ accountId: own, liveMode }), async () => [
        await seen(client, table, { accountId: own, liveMode }),
        await seen(client, table, { accountId: other, liveMode }),
        table.columns.includes('live_mode') ? await seen(client, table, { accountId: own, liveMode: !liveMode }) : 0,
      ]);
      // Only live accounts have an acquirer.
      expect(counts, table.name).toEqual([table.name === 'live_acquirer' && !liveMode ? 0 : wanted, 0, 0]);
      found += wanted;
    }
    expect(found).toBeGreaterThan(liveMode ? 1 : 25);
  });

  test('sees nothing without saying for whom, and everything where it says so', async () => {
    const client = clientOf(login);
    for (const table of tables) {
      if (!(await mayRead(login, table))) continue;
      const all = `SELECT count(*)::int AS rows FROM ${table.name}`;
      const count = async (reach: Reach) => (await undone(client, reach, () => client.query(all))).rows[0].rows;
      expect(await count(NOBODY), table.name).toBe(0);
      expect((await client.query(all)).rows[0].rows, table.name).toBe(0);
      expect(await count(EVERYBODY), table.name).toBe((await superuser.query(all)).rows[0].rows);
    }
  });

  test('changes and removes no row of another, and makes none', async () => {
    const client = clientOf(login);
    for (const table of byAccount()) {
      const account = table.name === 'account' ? 'id' : 'account_id';
      const privileges = await superuser.query(
        `SELECT has_any_column_privilege($1, $2, 'UPDATE') AS update, has_table_privilege($1, $2, 'DELETE') AS delete,
           has_table_privilege($1, $2, 'INSERT') AS insert`,
        [login, table.name],
      );
      const [may] = privileges.rows;
      const reach = reachOf({ accountId: own, liveMode: false });
      const attempt = (sql: string) => undone(client, reach, () => client.query(sql, [other]));
      if (may.delete)
        expect((await attempt(`DELETE FROM ${table.name} WHERE ${account} = $1`)).rowCount, table.name).toBe(0);
      if (may.update)
        expect((await attempt(`SELECT FROM ${table.name} WHERE ${account} = $1 FOR UPDATE`)).rowCount).toBe(0);
      if (!may.insert) continue;
      const copied = table.columns.filter((column) => column !== 'id' || table.name !== 'outbox');
      const row = `SELECT ${copied.map((column) => `r.${column}`).join(', ')} FROM jsonb_populate_record(NULL::${table.name}, $1) r`;
      const { rows } = await superuser.query(
        `SELECT to_jsonb(t) AS row FROM ${table.name} t WHERE t.${account} = $1 LIMIT 1`,
        [other],
      );
      const [{ row: theirs } = { row: null }] = rows;
      if (theirs === null) continue;
      const insert = undone(client, reach, () =>
        client.query(`INSERT INTO ${table.name} (${copied.join(', ')}) ${row}`, [JSON.stringify(theirs)]),
      );
      await expect(insert, table.name).rejects.toThrow(/row-level security policy/);
    }
  });
});

test('the API removes nothing that is live', async () => {
  const client = clientOf('api');
  const live = reachOf({ accountId: own, liveMode: true });
  const made = `INSERT INTO product (id, account_id, live_mode, created, name, active) VALUES ('prod_live', $1, true, 0, 'Plano', true)`;
  const removed = await undone(client, live, async () => {
    await client.query(made, [own]);
    return (await client.query(`DELETE FROM product WHERE id = 'prod_live'`)).rowCount;
  });
  expect(removed).toBe(0);
});

test('the owner sees all, so that migrations and backups do', async () => {
  const { rows } = await clientOf('migrator').query('SELECT count(DISTINCT account_id)::int AS accounts FROM invoice');
  expect(rows[0].accounts).toBe(2);
});

describe('a statement of the service', () => {
  const forgetful: Statement<{ id: string }> = {
    name: 'forgot_its_account',
    text: 'SELECT id FROM invoice',
    parameters: [],
  };

  test('that forgot its account finds nothing', async () => {
    const pool = openPool(api.urls.api, { size: 1 });
    expect(await run(pool, forgetful, {})).toEqual([]);
    await pool.end();
  });

  test('leaves nothing behind for the next one on its connection', async () => {
    const pool = openPool(api.urls.api, { size: 1 });
    const across: Statement<{ id: string }> = { ...forgetful, name: 'across', isAcross: true };
    const ofOwn: Statement<{ account: string }> = {
      name: 'of_own',
      text: 'SELECT DISTINCT account_id AS account FROM invoice WHERE $1::text IS NOT NULL',
      parameters: ['accountId'],
    };
    // All in one packet.
    const [all, mine, none, theirs] = await Promise.all([
      run(pool, across, {}),
      run(pool, ofOwn, { accountId: own }),
      run(pool, forgetful, {}),
      run(pool, ofOwn, { accountId: other }),
    ]);
    expect(all.length).toBeGreaterThan(2);
    expect([mine, none, theirs]).toEqual([[{ account: own }], [], [{ account: other }]]);
    await pool.end();
  });

  test('that fails leaves nothing behind either, and is prepared again where it was not', async () => {
    const pool = openPool(api.urls.api, { size: 1 });
    const broken: Statement = { name: 'broken', text: 'SELECT nothing FROM invoice', parameters: ['accountId'] };
    const failing: Statement = { name: 'failing', text: 'SELECT 1 / length($1::text)', parameters: ['accountId'] };
    for (let time = 0; time < 2; time += 1) {
      await expect(run(pool, broken, { accountId: own })).rejects.toThrow('column "nothing" does not exist');
      await expect(run(pool, failing, { accountId: '' })).rejects.toThrow('division by zero');
      expect(await run(pool, failing, { accountId: own })).toHaveLength(1);
      expect(await run(pool, forgetful, {})).toEqual([]);
    }
    await pool.end();
  });

  test('is for no account where what came in its place is none', async () => {
    const pool = openPool(api.urls.api, { size: 1 });
    const sought: Statement = {
      name: 'sought',
      text: 'SELECT FROM invoice WHERE $1::text IS NOT NULL',
      parameters: ['accountId'],
    };
    expect(await run(pool, sought, { accountId: '*' })).toEqual([]);
    await pool.end();
  });
});
