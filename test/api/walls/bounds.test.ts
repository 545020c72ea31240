import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionSharing } from '../../../server/admission/connections.ts';
import { proveConnection } from '../../../server/db/connection-proof.ts';
import { openPool } from '../../../server/db/database.ts';
import { beginIn, EVERYBODY } from '../../../server/db/reach.ts';
import { run, type Statement } from '../../../server/db/statement.ts';
import { startApi } from '../../support/api.ts';
import { createDatabase } from '../../support/database.ts';
import { newInvoice } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: ReturnType<typeof openPool>;
beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.urls.api, { size: 3, sharing: connectionSharing(() => {}) });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const sleeping = (isAcross: boolean): Statement => ({
  name: '',
  text: 'SELECT pg_sleep(10)',
  parameters: [],
  ...(isAcross ? { isAcross: true as const } : {}),
});

test.each([[false], [true]])(
  'a statement by itself ends after three seconds (of all accounts: %s)',
  async (isAcross) => {
    const began = performance.now();
    await expect(run(pool, sleeping(isAcross), [])).rejects.toThrow('statement timeout');
    expect(performance.now() - began).toBeLessThan(5_000);
  },
);

test('so does one of a transaction, and its connection keeps no setting behind it', async () => {
  const client = await pool.connect();
  await client.query(beginIn(client, EVERYBODY));
  const began = performance.now();
  await expect(client.query('SELECT pg_sleep(10)')).rejects.toThrow('statement timeout');
  expect(performance.now() - began).toBeLessThan(5_000);
  await client.query('ROLLBACK');
  const { rows } = await client.query(
    `SELECT name FROM pg_settings WHERE source = 'client' AND name LIKE '%timeout' OR source = 'session' AND name LIKE 'fatura.%'`,
  );
  client.release();
  expect(rows).toEqual([]);
});

test('a connection says nothing as it begins but its name, and its bounds are proven', async () => {
  expect(Object.keys(pool.options).filter((name) => /timeout$|options/.test(name))).toEqual([]);
  await proveConnection(pool);
});

test('a change of an invoice that somebody keeps is refused within three seconds', async () => {
  const api = await startApi();
  const merchant = await api.newMerchant();
  const { id } = await newInvoice(merchant);
  const keeper = await rolesOf(api.composition.database.pool).superuser.connect();
  await keeper.query('BEGIN');
  await keeper.query('SELECT FROM invoice WHERE id = $1 FOR UPDATE', [id]);
  const began = performance.now();
  const refusal = await merchant.fatura.invoices.void(id).catch((error: unknown) => error);
  expect(performance.now() - began).toBeLessThan(3_000);
  await keeper.query('ROLLBACK');
  keeper.release();
  expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  await api.stop();
});
