import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Login } from '../../../dev/embedded/postgres-logins.ts';
import { openPool } from '../../../server/db/database.ts';
import { EVERYBODY, type Owner, type Reach, reachOf } from '../../../server/db/reach.ts';
import { run, type Statement } from '../../../server/db/statement.ts';
import { removeEventsOfDay } from '../../../server/test-clock/event-removal.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { openShop } from '../../support/audit/shop.ts';
import {
  type Holding,
  holderOf,
  holderSql,
  holdingsSeen,
  isOf,
  OF_LIVE_ALONE,
  ownersIn,
  type Powers,
  powersOf,
  type Walled,
  walledTables,
} from './holders.ts';
import { HELD, NOBODY, programLogins, undone } from './logins.ts';
import { insertSql, plantRows, rowOf, takeAway } from './planted.ts';

const YEAR = 366 * 86_400;
/** Two shops that do everything there is to do are long in the making. */
const SHOPS_MS = 240_000;

/** Tables without a policy: what they hold belongs to no account. */
const UNWALLED = [
  'api_key_use',
  'audit_log_head',
  'encryption_key',
  'encryption_key_check',
  'encryption_ring',
  'installation',
  'mail_count',
  'mail_suppression',
  'migration',
  'rate_limit',
  'staff',
  'staff_passkey',
  'staff_session',
  'staff_token',
  'worker_heartbeat',
  'wrapped_key',
  'write_proof',
];
/** Tables with a policy of which a login may read nothing. */
const UNREAD: Readonly<Partial<Record<Login, readonly string[]>>> = {
  api: [],
  worker: ['api_key', 'audit_log', 'staff_invitation', 'staff_member'],
  admin: [],
  audit: ['api_key', 'live_acquirer'],
};
/** What the API removes of live accounts: words that a customer lost, files that may tell of one who is anonymized, a key whose request came to nothing, work that nobody needs to do, links to one who is anonymized, and people. */
const REMOVED_LIVE = [
  'customer_word',
  'export',
  'export_part',
  'idempotency_key',
  'outbox',
  'portal_link',
  'staff_invitation',
  'staff_member',
];

type Asked = [whose: 'own' | 'other', mode: 'live' | 'sandbox'];
const ASKED: Asked[] = [
  ['own', 'live'],
  ['own', 'sandbox'],
  ['other', 'live'],
  ['other', 'sandbox'],
];

let api: TestApi;
let superuser: pg.Client;
let tables: Walled[] = [];
let planted: Awaited<ReturnType<typeof plantRows>> = [];
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
  tables = await walledTables(superuser);
  planted = await plantRows(superuser, { tables, accounts: [own, other] });
}, SHOPS_MS);

afterAll(async () => {
  await takeAway(superuser, planted);
  await logins.close();
  await api.stop();
});

const askedFor = ([whose, mode]: Asked): Required<Owner> => ({
  accountId: whose === 'own' ? own : other,
  liveMode: mode === 'live',
});

const powersIn = (login: Login): Promise<Powers[]> => powersOf(superuser, { login, tables });

const readBy = async (login: Login): Promise<Powers[]> => (await powersIn(login)).filter(({ reads }) => reads);

/** What a login does with rows of an owner that it reaches by a reach; all of it is undone. */
async function reachedOf(
  login: Login,
  { name, deletes, updated, inserted }: Powers,
  { reach, owner }: { readonly reach: Reach; readonly owner: Owner },
): Promise<string[]> {
  const client = clientOf(login);
  const changes = async (sql: string): Promise<boolean> => {
    const { rowCount } = await undone(client, reach, () =>
      client.query(`${sql} WHERE ${holderSql(name)} = $1`, [holderOf(owner)]),
    );
    return rowCount !== 0;
  };
  const reached: string[] = [];
  if (deletes && (await changes(`DELETE FROM ${name}`))) reached.push('removes');
  const [column] = updated;
  if (column !== undefined && (await changes(`UPDATE ${name} SET ${column} = ${column}`))) reached.push('changes');
  const row = await rowOf(superuser, { table: name, owner });
  const isMade = async (): Promise<boolean> => {
    try {
      await undone(client, reach, () => client.query(insertSql(name, inserted), [row]));
      return true;
    } catch (error) {
      if (String(error).includes('row-level security policy')) return false;
      throw error;
    }
  };
  if (inserted.length > 0 && (await isMade())) reached.push('makes');
  return reached.map((what) => `${what} ${name} of ${holderOf(owner)}`);
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

test('each table has rows of both accounts, and of both modes, so that there is something to see and to hide', async () => {
  const there = (await holdingsSeen(superuser, tables)).map(({ table, holder }) => `${table} of ${holder}`);
  const wanted = tables.flatMap(({ name }) =>
    ownersIn(name, [own, other]).map((owner) => `${name} of ${holderOf(owner)}`),
  );
  expect(wanted.filter((holding) => !there.includes(holding))).toEqual([]);
});

describe.each(HELD)('%s', (login) => {
  test.each(ASKED)(
    'sees all rows of the account and mode that it asks for, and no others (%s, %s)',
    async (...asked) => {
      const owner = askedFor(asked);
      const read = await readBy(login);
      const all = await holdingsSeen(superuser, read);
      const seen = await undone(clientOf(login), reachOf(owner), () => holdingsSeen(clientOf(login), read));
      expect(seen).toEqual(all.filter(({ holder }) => isOf(holder, owner)));
      const hidden = owner.liveMode ? [] : OF_LIVE_ALONE;
      // A table may have rows of the mode and of both.
      const found = [...new Set(seen.map(({ table }) => table))];
      expect(found).toEqual(
        tables.map(({ name }) => name).filter((name) => ![...(UNREAD[login] ?? []), ...hidden].includes(name)),
      );
    },
  );

  test('sees nothing without saying for whom, and everything where it says so', async () => {
    const client = clientOf(login);
    const read = await readBy(login);
    expect(await undone(client, NOBODY, () => holdingsSeen(client, read))).toEqual([]);
    expect(await holdingsSeen(client, read)).toEqual([]);
    const all: Holding[] = await holdingsSeen(superuser, read);
    expect(await undone(client, EVERYBODY, () => holdingsSeen(client, read))).toEqual(all);
  });

  test.each(ASKED)(
    'changes and removes no row of another account or mode, and makes none (%s, %s)',
    async (...asked) => {
      const mine = askedFor(asked);
      const reached: string[] = [];
      for (const powers of await powersIn(login)) {
        const others = ownersIn(powers.name, [own, other]).filter((owner) => !isOf(holderOf(owner), mine));
        for (const owner of others) reached.push(...(await reachedOf(login, powers, { reach: reachOf(mine), owner })));
      }
      expect(reached).toEqual([]);
    },
  );
});

describe('the API', () => {
  test('removes nothing that is live, but what is named here', async () => {
    const removable = (await powersIn('api')).filter(({ deletes }) => deletes);
    const live = { accountId: own, liveMode: true };
    for (const reach of [reachOf(live), EVERYBODY]) {
      const removed: string[] = [];
      for (const powers of removable) {
        const [owner = live] = ownersIn(powers.name, [own]);
        const removing = { ...powers, updated: [], inserted: [] };
        if ((await reachedOf('api', removing, { reach, owner })).length > 0) removed.push(powers.name);
      }
      expect(removed).toEqual(REMOVED_LIVE);
    }
    expect(removable.length).toBeGreaterThan(20);
  });

  test.each(['live', 'sandbox'])(
    'removes events with their attempts where they are of a sandbox (%s)',
    async (mode) => {
      const { rows } = await superuser.query<{ day: string; id: string; attempts: number }>(
        `SELECT day::text, event_id AS id, count(*)::int AS attempts FROM delivery_attempt
       WHERE ${holderSql('delivery_attempt')} = $1 GROUP BY 1, 2`,
        [`${own} ${mode}`],
      );
      expect(rows).not.toEqual([]);
      for (const { day, id, attempts } of rows) {
        const removal = undone(clientOf('api'), EVERYBODY, () =>
          clientOf('api').query(removeEventsOfDay.text, [day, [id]]),
        );
        expect((await removal).rowCount).toBe(mode === 'live' ? 0 : attempts);
      }
    },
  );
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
