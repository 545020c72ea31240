import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectionSharing } from '../../server/admission/connections.ts';
import { proveConnection, UnfitPooler } from '../../server/db/connection-proof.ts';
import { openPool } from '../../server/db/database.ts';
import { createDatabase } from '../support/database.ts';
import { lackOfPgbouncer, POOLER_MS, startPgbouncer } from '../support/pgbouncer.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const VITEST = resolve(REPOSITORY, 'node_modules/vitest/vitest.mjs');

/** Money, locks and bounds; `TEST_PGBOUNCER=1` has any test of `test/api` go this way. */
const FILES = [
  'test/api/walls/bounds.test.ts',
  'test/api/access/reading-forward.test.ts',
  'test/api/payments/intents.test.ts',
  'test/api/invoices/actions.test.ts',
  'test/api/events/filters.test.ts',
];

let lack: string | null = null;
beforeAll(() => {
  lack = lackOfPgbouncer();
  if (lack !== null && process.env.CI === 'true') throw new Error(lack);
}, POOLER_MS);

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

const poolAt = (port: number) =>
  openPool(Object.assign(new URL(database.urls.api), { port: String(port) }).href, {
    size: 2,
    sharing: connectionSharing(() => {}),
  });

test('a pooler that keeps no prepared statements is refused in words', async ({ skip }) => {
  if (lack !== null) return skip(lack);
  const pooler = await startPgbouncer(inject('postgresUrl'), { prepared: 0 });
  const pool = poolAt(pooler.port);
  const refusal = await proveConnection(pool).catch((error: unknown) => error);
  await pool.end();
  await pooler.stop();
  expect(refusal).toBeInstanceOf(UnfitPooler);
  expect(String(refusal)).toContain('max_prepared_statements above 0');
});

test('the API sells behind a pooler of transactions, and its bounds hold there', { timeout: 300_000 }, async ({
  skip,
}) => {
  if (lack !== null) return skip(lack);
  const pooler = await startPgbouncer(inject('postgresUrl'));
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = {
    ...Object.fromEntries(own),
    TEST_POSTGRES_URL: inject('postgresUrl'),
    TEST_POOLER_PORT: String(pooler.port),
  };
  const args = [VITEST, 'run', '--project', 'main', '--reporter=default', ...FILES];
  const told = await new Promise<{ code: number; output: string }>((ended) => {
    execFile(process.execPath, args, { cwd: REPOSITORY, env, maxBuffer: 1 << 26 }, (error, out, err) =>
      ended({ code: Number(error?.code ?? 0), output: out + err }),
    );
  });
  await pooler.stop();
  expect(told.code, told.output).toBe(0);
});
