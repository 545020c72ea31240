import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dueInTurn, runDue } from '../../server/jobs/due-run.ts';
import type { Mode } from '../../server/kernel/mode.ts';
import { startApi, type TestApi } from '../support/api.ts';

const FLOOD = 1_500;
const claim = dueInTurn('claim_things_of_test', { table: 'due_thing' });

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  await pool().query(`CREATE TABLE due_thing (id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL,
    live_mode boolean NOT NULL, wake_at bigint)`);
  await pool().query('GRANT SELECT ON due_thing TO fatura_worker');
  await pool().query(`CREATE INDEX ON due_thing (live_mode, account_id, wake_at, id) WHERE wake_at IS NOT NULL`);
});
beforeEach(() => pool().query('TRUNCATE due_thing'));
afterAll(() => api.stop());

const pool = () => api.composition.deps.pool;

/** Rows of an account that are due, those of the flood long before any other. */
const plant = (accountId: string, { count = 1, liveMode = true, wakeAt = 1_000 } = {}) =>
  pool().query(
    `INSERT INTO due_thing SELECT $1 || '-' || lpad(n::text, 5, '0'), $1, $3, $4 FROM generate_series(1, $2::int) n`,
    [accountId, count, liveMode, wakeAt],
  );

const done = async (id: string): Promise<string> => {
  await pool().query('UPDATE due_thing SET wake_at = NULL WHERE id = $1', [id]);
  return 'done';
};

const runWith = (perform: (id: string) => Promise<string>, mode: Mode = 'live') =>
  runDue(api.composition.deps, { mode, told: () => {} }, [{ claim, perform }]);

test('the row of an account is done while every one of another account’s flood hangs', async () => {
  await plant('acct_flood', { count: FLOOD, wakeAt: 1 });
  await plant('acct_quiet');
  const [released, quiet] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = runWith(async (id) => {
    if (id.startsWith('acct_flood')) await released.promise;
    else quiet.resolve();
    return done(id);
  });
  await quiet.promise;
  released.resolve();
  expect(await running).toEqual({ due: FLOOD + 1, done: FLOOD + 1 });
});

test('what falls due while a flood is at work is found by the same run', async () => {
  await plant('acct_flood', { count: FLOOD, wakeAt: 1 });
  const [released, begun, found] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const running = runWith(async (id) => {
    begun?.resolve();
    if (id.startsWith('acct_flood')) await released?.promise;
    else found?.resolve();
    return done(id);
  });
  await begun?.promise;
  await plant('acct_later');
  await found?.promise;
  released?.resolve();
  expect(await running).toEqual({ due: FLOOD + 1, done: FLOOD + 1 });
});

test('a mode does what is due of its own mode, each row once', async () => {
  await plant('acct_one', { count: 450 });
  await plant('acct_two', { count: 3, liveMode: false });
  const seen: string[] = [];
  const note = (id: string) => {
    seen.push(id);
    return done(id);
  };
  expect(await runWith(note)).toEqual({ due: 450, done: 450 });
  expect(new Set(seen).size).toBe(450);
  expect(seen.some((id) => id.startsWith('acct_two'))).toBe(false);
  expect(await runWith(note, 'sandbox')).toEqual({ due: 3, done: 3 });
});
