import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dueInTurn, permitsFor, runDue } from '../../server/jobs/due-run.ts';
import { TokenBucket } from '../../server/jobs/token-bucket.ts';
import { newId } from '../../server/kernel/ids.ts';
import type { Mode } from '../../server/kernel/mode.ts';
import { everyShard, type RunShard } from '../../server/kernel/shards.ts';
import { startApi, type TestApi } from '../support/api.ts';

const FLOOD = 1_500;
const claim = dueInTurn('claim_things_of_test', { table: 'due_thing' });

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
  await pool().query(`CREATE TABLE due_thing (id text COLLATE "C" PRIMARY KEY, account_id text COLLATE "C" NOT NULL,
    live_mode boolean NOT NULL, wake_at bigint, shard smallint GENERATED ALWAYS AS (fatura_shard(id)) STORED)`);
  await pool().query('GRANT SELECT ON due_thing TO fatura_worker');
  await pool().query(`CREATE INDEX ON due_thing (live_mode, account_id, wake_at, id, shard) WHERE wake_at IS NOT NULL`);
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

/** Rows of an account with ids as the service makes them, so that they lie in all shards. */
const plantInAllShards = (accountId: string, { count, wakeAt = 1_000 }: { count: number; wakeAt?: number }) =>
  pool().query(
    `INSERT INTO due_thing (id, account_id, live_mode, wake_at) SELECT id, $1, true, $3 FROM unnest($2::text[]) id`,
    [accountId, Array.from({ length: count }, () => newId('sub')), wakeAt],
  );

const runOfShard = (runShard: RunShard, perform: (id: string) => Promise<string>, permits = permitsFor()) =>
  runDue(api.composition.deps, { mode: 'live', told: () => {}, runShard, permits }, [{ claim, perform }]);

test.each([1, 2, 4, 8, 16] as const)('a run cut into %i shards does each row once', async (of) => {
  for (const account of ['acct_one', 'acct_two']) await plantInAllShards(account, { count: 300 });
  const seen: string[] = [];
  const note = (id: string) => {
    seen.push(id);
    return done(id);
  };
  const counts = await Promise.all(everyShard(of).map((runShard) => runOfShard(runShard, note)));
  expect(counts.reduce((sum, { due }) => sum + due, 0)).toBe(600);
  expect(counts.filter(({ due }) => due === 0)).toEqual([]);
  expect(new Set(seen).size).toBe(600);
  expect(seen).toHaveLength(600);
});

test('the shards that a worker has at once share its permits, and each has its turn', async () => {
  const [first, second] = everyShard(2);
  await plantInAllShards('acct_flood', { count: FLOOD });
  const permits = permitsFor(8);
  let atWork = 0;
  let most = 0;
  const order: number[] = [];
  const perform = (shard: number) => async (id: string) => {
    atWork += 1;
    most = Math.max(most, atWork);
    order.push(shard);
    await done(id);
    atWork -= 1;
    return 'done';
  };
  const shards = [first, second].flatMap((runShard) => runShard ?? []);
  const counts = await Promise.all(shards.map((runShard) => runOfShard(runShard, perform(runShard.shard), permits)));
  expect(counts.reduce((sum, { due }) => sum + due, 0)).toBe(FLOOD);
  // Seven of eight permits are those of one account.
  expect(most).toBe(7);
  expect(permits.use).toEqual({ taken: 0, waiting: 0 });
  const half = order.slice(0, FLOOD / 2);
  for (const { shard } of shards) expect(half.filter((one) => one === shard).length).toBeGreaterThan(FLOOD / 8);
});

/** A run in which the rows of one account ask something that may be asked so often a second. */
function runLimited(perSecond: number, perform: (id: string) => Promise<string>, permits = permitsFor()) {
  const bucket = new TokenBucket(() => perSecond);
  const bucketOf = ({ accountId }: { accountId: string }) =>
    accountId === 'acct_limited' ? Promise.resolve(bucket) : null;
  const options = { mode: 'live' as const, told: () => {}, permits };
  return runDue(api.composition.deps, options, [{ claim, perform, bucketOf }]);
}

test('rows that wait for their tokens hold no permit, and no other account up', async () => {
  await plant('acct_limited', { count: 30, wakeAt: 1 });
  await plant('acct_quiet', { count: 21 });
  const permits = permitsFor(8);
  const order: string[] = [];
  let atWork = 0;
  const together = Promise.withResolvers<void>();
  const perform = async (id: string) => {
    order.push(id.slice(0, id.lastIndexOf('-')));
    if (id.startsWith('acct_limited')) return done(id);
    // All permits that one account may have are there for the other one.
    atWork += 1;
    if (atWork === 7) together.resolve();
    await together.promise;
    return done(id);
  };
  expect(await runLimited(15, perform, permits)).toEqual({ due: 51, done: 51 });
  expect(order.slice(order.lastIndexOf('acct_quiet') + 1)).toContain('acct_limited');
  expect(permits.use).toEqual({ taken: 0, waiting: 0 });
});

test('a row that has no token until the next kind has its turn is found again, and done once', async () => {
  await plant('acct_limited', { count: 2 });
  const doneAt: number[] = [];
  const perform = (id: string) => {
    doneAt.push(performance.now());
    return done(id);
  };
  // The second token comes after the five seconds of a stage.
  expect(await runLimited(0.19, perform)).toEqual({ due: 2, done: 2 });
  expect((doneAt[1] ?? 0) - (doneAt[0] ?? 0)).toBeGreaterThan(5_000);
}, 20_000);
