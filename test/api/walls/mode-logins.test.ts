import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { troublesOfLogin } from '../../../server/db/login.ts';
import { beginIn, EVERYBODY } from '../../../server/db/reach.ts';
import { MODES, type Mode } from '../../../server/kernel/mode.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { configureLive } from '../../support/live-settings.ts';
import { rolesOf } from '../../support/roles.ts';
import { startAnother } from '../another-process.ts';
import { send } from '../requests.ts';

let api: TestApi;
let shop: Merchant;
const password = randomBytes(16).toString('hex');
const suffix = randomBytes(4).toString('hex');
const pools = {} as Record<Mode, pg.Pool>;

const superuser = () => rolesOf(api.composition.deps.pool).superuser;
const nameOf = (mode: Mode): string => `api_${mode}_${suffix}`;

function urlOf(mode: Mode): string {
  const url = new URL(api.urls.api);
  url.username = nameOf(mode);
  url.password = password;
  return url.href;
}

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  for (const mode of MODES) {
    await superuser().query(`CREATE ROLE ${nameOf(mode)} LOGIN PASSWORD '${password}' IN ROLE fatura_api_${mode}`);
    pools[mode] = new pg.Pool({ connectionString: urlOf(mode), max: 2 });
  }
  for (const merchant of [shop, { ...shop, fatura: shop.live }]) await newInvoice(merchant);
  await configureLive(api, shop.accountId, { days: 365 });
});
afterAll(async () => {
  for (const mode of MODES) {
    await pools[mode].end();
    await superuser().query(`DROP ROLE ${nameOf(mode)}`);
  }
  await api.stop();
});

/** What a login reads while it says that it reaches everybody. */
async function rowsOf(mode: Mode, sql: string): Promise<Record<string, unknown>[]> {
  const client = await pools[mode].connect();
  try {
    await client.query(beginIn(client, EVERYBODY));
    return (await client.query(sql)).rows;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const tablesOfModes = async (): Promise<string[]> => {
  const { rows } = await superuser().query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'live_mode'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND has_table_privilege('fatura_api', c.oid, 'SELECT') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

describe.each(MODES)('a login of %s mode', (mode) => {
  const isLive = mode === 'live';

  test('reads no row of the other mode in any table, whatever it says that it reaches', async () => {
    const tables = await tablesOfModes();
    expect(tables.length).toBeGreaterThan(15);
    for (const table of tables) {
      const rows = await rowsOf(mode, `SELECT count(*)::int AS count FROM ${table} WHERE live_mode = ${!isLive}`);
      expect(rows, table).toEqual([{ count: 0 }]);
    }
    const own = await rowsOf(mode, `SELECT DISTINCT live_mode AS "liveMode" FROM invoice`);
    expect(own).toEqual([{ liveMode: isLive }]);
  });

  test('finds no event of the other mode past the policies, and sees a live acquirer only in live mode', async () => {
    const { rows } = await superuser().query('SELECT related[1] AS id FROM event WHERE live_mode = $1 LIMIT 1', [
      !isLive,
    ]);
    const found = await rowsOf(mode, `SELECT id FROM events_of_object('${rows[0].id}', '-infinity', 'infinity')`);
    expect(found).toEqual([]);
    expect(await rowsOf(mode, 'SELECT count(*)::int AS count FROM live_acquirer')).toEqual([{ count: isLive ? 1 : 0 }]);
  });

  test('writes no row of the other mode', async () => {
    const made = rowsOf(
      mode,
      `INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('pix-settlement', 'x', '${shop.accountId}', ${!isLive})`,
    );
    await expect(made).rejects.toThrow(/row-level security/);
    const changed = await rowsOf(mode, `UPDATE product SET active = false WHERE live_mode = ${!isLive} RETURNING id`);
    expect(changed).toEqual([]);
  });

  test('is all that a process of its mode needs to sell', async () => {
    const process = await startAnother(api, { modes: [mode], databaseUrl: urlOf(mode) });
    const { id } = await newCustomer(isLive ? { ...shop, fatura: shop.live } : shop);
    const key = isLive ? shop.liveKey : shop.sandboxKey;
    const answers = [
      await send(process, { method: 'POST', path: '/products', key, body: { product: { name: 'Curso' } } }),
      await send(process, { method: 'GET', path: `/customers/${id}`, key }),
      await send(process, { method: 'GET', path: '/invoices', key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    const troubles = (modes: readonly Mode[]) =>
      troublesOfLogin(process.composition.deps.pool, { process: 'api', modes });
    expect(await troubles([mode])).toEqual([]);
    expect(await troubles(MODES)).toEqual([expect.stringContaining(`reaches ${mode} mode alone`)]);
    await process.stop();
  });
});

test('a login of both modes is told which one a process of one mode is to have', async () => {
  const troubles = await troublesOfLogin(api.composition.deps.pool, { process: 'api', modes: ['sandbox'] });
  expect(troubles.join()).toContain('IN ROLE fatura_api_sandbox');
});
