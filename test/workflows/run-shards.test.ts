import { randomBytes } from 'node:crypto';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { everyShard, SHARD_COUNTS, type ShardCount } from '../../server/kernel/shards.ts';
import { RunShards, scheduleId } from '../../workflows/run-shards.ts';
import { ensureSchedules, runsOf } from '../../workflows/schedules.ts';
import type { RunningWorker, WorkerOptions } from '../../workflows/worker.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { subscribeByCard } from '../support/subscriptions.ts';
import { clientOf, eventually, workerFor } from './support.ts';

const TEST_MS = 240_000;
/** The watch of the schedules looks every twenty seconds. */
const LOOKED_MS = 45_000;
/** Longer than a start takes, and until the look behind it. */
const KEEPS_MS = 30_000;
const HAS_ITS_WAY_MS = KEEPS_MS + LOOKED_MS;
const SUBSCRIPTIONS = 24;

let api: TestApi;
let client: Client;
let prefix: string;
let taskQueue: string;
let workers: RunningWorker[] = [];

beforeAll(async () => {
  api = await startApi();
  client = clientOf(api);
});
afterAll(async () => {
  await client.connection.close();
  await api.stop();
});

beforeEach(() => {
  const own = randomBytes(6).toString('hex');
  prefix = `test-${own}-`;
  taskQueue = `test-${own}`;
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop())); // it makes those anew that are deleted
  workers = [];
  const ids = SHARD_COUNTS.flatMap((of) => runsOf(['live', 'sandbox'], of)).map(
    ({ run, mode, runShard }) => prefix + scheduleId(run, mode, runShard),
  );
  for (const id of new Set(ids))
    await client.schedule
      .getHandle(id)
      .delete()
      .catch(() => {});
}, TEST_MS);

/** A worker beside the others, with as many connections as they have. */
async function start(runShards: ShardCount, more: Partial<WorkerOptions> = {}): Promise<RunningWorker> {
  const worker = workerFor(api, { schedulePrefix: prefix, taskQueue, runShards, ...more });
  workers.push(worker);
  await eventually('the worker', async () => worker.isTemporalUp);
  return worker;
}

/** How the schedules of a run are there: by their name whether each is paused. */
async function schedulesOf(run: 'billing-run' | 'mail-run' | 'session-expiry-run'): Promise<Record<string, boolean>> {
  const ids = SHARD_COUNTS.flatMap(everyShard).map((runShard) => scheduleId(run, 'sandbox', runShard));
  const found = ids.map(async (id): Promise<[string, boolean][]> => {
    try {
      return [[id, (await client.schedule.getHandle(prefix + id).describe()).state.paused]];
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return [];
      throw error;
    }
  });
  return Object.fromEntries((await Promise.all(found)).flat());
}

const standing = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, false]));
const shardsOfBilling = (of: ShardCount): string[] =>
  everyShard(of).map((runShard) => scheduleId('billing-run', 'sandbox', runShard));

/** Active subscriptions by card whose next cycle has begun. */
async function fallDue(): Promise<{ merchant: Merchant; ids: string[] }> {
  const merchant = await api.newMerchant();
  const made = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, () => subscribeByCard(merchant)));
  const last = Math.max(...made.map(({ current_period_end: end }) => end ?? 0));
  api.clock.advance(last - api.clock.now());
  return { merchant, ids: made.map(({ id }) => id) };
}

/** By subscription how often the second cycle was billed, paid and charged at the bank. */
async function renewals(ids: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await api.composition.deps.pool.query<{ id: string; done: string }>(
    `SELECT s.id, count(DISTINCT i.id) || ' billed, ' || count(DISTINCT i.id) FILTER (WHERE i.status = 'paid') || ' paid, '
       || count(b.reference) || ' charged' AS done
     FROM subscription s LEFT JOIN invoice i ON i.subscription_id = s.id AND i.cycle = 2
       LEFT JOIN charge_attempt c ON c.invoice_id = i.id LEFT JOIN sandbox_bank.charge b ON b.reference = c.id
     WHERE s.id = ANY ($1::text[]) GROUP BY s.id`,
    [ids],
  );
  return Object.fromEntries(rows.map(({ id, done }) => [id, done]));
}

const once = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, '1 billed, 1 paid, 1 charged']));

const inShard = async (ids: readonly string[], [first, last]: readonly [number, number]): Promise<number> => {
  const { rowCount } = await api.composition.deps.pool.query(
    'SELECT FROM subscription WHERE id = ANY ($1::text[]) AND shard BETWEEN $2 AND $3',
    [ids, first, last],
  );
  return rowCount ?? 0;
};

test('two workers do every row of four shards once, each shard its own', { timeout: TEST_MS }, async () => {
  const runEvery = { 'billing-run': '1 day' } as const;
  for (let worker = 0; worker < 2; worker += 1) await start(4, { runEvery });
  expect(await schedulesOf('billing-run')).toEqual(standing(...shardsOfBilling(4)));
  expect(Object.keys(await schedulesOf('mail-run'))).toHaveLength(4);
  expect(Object.keys(await schedulesOf('session-expiry-run'))).toHaveLength(4);
  const { ids } = await fallDue();
  const handles = shardsOfBilling(4).map((id) => client.schedule.getHandle(prefix + id));
  await Promise.all(handles.map((handle) => handle.trigger()));
  const begun = handles.map((handle) =>
    eventually('a shard to begin', async () => (await handle.describe()).info.recentActions.at(-1)?.action.workflow),
  );
  const counts = await Promise.all(
    (await Promise.all(begun)).map(({ workflowId }) => client.workflow.getHandle(workflowId).result()),
  );
  for (const [shard, { due, approved }] of counts.entries()) {
    const expected = await inShard(ids, [shard * 256, shard * 256 + 255]);
    expect({ due, approved: approved ?? 0 }).toEqual({ due: expected, approved: expected });
  }
  expect(await renewals(ids)).toEqual(once(ids));
});

test('the number of shards changes from 1 to 4 to 2 under work, and nothing is done twice', {
  timeout: TEST_MS,
}, async () => {
  const runEvery = { 'billing-run': '1 second' } as const;
  await start(1, { runEvery });
  const { merchant, ids } = await fallDue();
  await start(4, { runEvery, keepsShardsMs: 0 });
  expect(await schedulesOf('billing-run')).toEqual(standing(...shardsOfBilling(4)));
  const more = await Promise.all(Array.from({ length: SUBSCRIPTIONS }, () => subscribeByCard(merchant)));
  const last = Math.max(...more.map(({ current_period_end: end }) => end ?? 0));
  api.clock.advance(last - api.clock.now());
  await start(2, { runEvery, keepsShardsMs: 0 });
  expect(await schedulesOf('billing-run')).toEqual(standing(...shardsOfBilling(2)));
  const all = [...ids, ...more.map(({ id }) => id)];
  await eventually('every renewal', async () => {
    const done = await renewals(all);
    return all.every((id) => done[id]?.includes('1 paid'));
  });
  expect(await renewals(all)).toEqual(once(all));
  // Those that were started before keep what the last one made.
  await new Promise((resolve) => setTimeout(resolve, LOOKED_MS));
  expect(await schedulesOf('billing-run')).toEqual(standing(...shardsOfBilling(2)));
});

test('a worker that wants another number keeps what is there, says so, and has its way later', {
  timeout: TEST_MS,
}, async () => {
  await start(1);
  const told: object[] = [];
  const { deps } = api.composition;
  // Of the workers before.
  deps.metrics.oldestDue.reset();
  const logger = Object.assign(Object.create(deps.logger), {
    warn: (details: object, message: string) => {
      if (message.startsWith('RUN_SHARDS')) told.push(details);
    },
  });
  await start(4, { deps: { ...deps, logger }, keepsShardsMs: KEEPS_MS });
  expect(await schedulesOf('billing-run')).toEqual(standing('billing-run-sandbox'));
  expect(told).toEqual([
    { mode: 'live', wanted: 4, inForce: 1 },
    { mode: 'sandbox', wanted: 4, inForce: 1 },
  ]);
  await expect
    .poll(() => schedulesOf('billing-run'), { timeout: HAS_ITS_WAY_MS })
    .toEqual(standing(...shardsOfBilling(4)));
  expect(told).toHaveLength(2);
  const queues = async () =>
    (await deps.metrics.oldestDue.get()).values
      .map(({ labels }) => String(labels.queue))
      .filter((queue) => queue.startsWith('billing-run-sandbox'));
  await expect.poll(async () => (await queues()).sort(), { timeout: LOOKED_MS }).toEqual(shardsOfBilling(4));
});

test('what was paused stays paused however it is cut, and the rest goes on', { timeout: TEST_MS }, async () => {
  const { logger } = api.composition.deps;
  const cut = (wanted: ShardCount) =>
    ensureSchedules(client, {
      prefix,
      taskQueue,
      modes: ['sandbox'],
      runEvery: { 'billing-run': '1 day' },
      shards: new RunShards({ client, prefix, wanted, keepsMs: 0, logger }),
    });
  const handleOf = (id: string) => client.schedule.getHandle(prefix + id);
  await cut(1);
  await handleOf('billing-run-sandbox').pause('no charges today');
  await cut(4);
  const paused = Object.fromEntries(shardsOfBilling(4).map((id) => [id, true]));
  expect(await schedulesOf('billing-run')).toEqual(paused);
  expect((await handleOf('billing-run-sandbox-3of4').describe()).state.note).toBe('no charges today');
  expect(await schedulesOf('mail-run')).toEqual(
    standing(...['0of4', '1of4', '2of4', '3of4'].map((name) => `mail-run-sandbox-${name}`)),
  );
  for (const name of ['0of4', '2of4', '3of4']) await handleOf(`billing-run-sandbox-${name}`).unpause();
  await cut(4);
  expect(await schedulesOf('billing-run')).toEqual({
    ...standing(...shardsOfBilling(4)),
    'billing-run-sandbox-1of4': true,
  });
  await cut(2);
  expect(await schedulesOf('billing-run')).toEqual({
    'billing-run-sandbox-0of2': true,
    'billing-run-sandbox-1of2': false,
  });
  await cut(1);
  expect(await schedulesOf('billing-run')).toEqual({ 'billing-run-sandbox': true });
});

test('a change that died halfway is ended by the next worker', { timeout: TEST_MS }, async () => {
  const { logger } = api.composition.deps;
  const cut = (wanted: ShardCount, keepsMs: number) =>
    ensureSchedules(client, {
      prefix,
      taskQueue,
      modes: ['sandbox'],
      runEvery: {},
      shards: new RunShards({ client, prefix, wanted, keepsMs, logger }),
    });
  await cut(4, 0);
  await cut(2, 0);
  const [first = ''] = shardsOfBilling(4);
  const { action, spec, policies } = await client.schedule.getHandle(`${prefix}billing-run-sandbox-0of2`).describe();
  // The first shard of four was made last, as if a worker had died then.
  await client.schedule.create({ scheduleId: prefix + first, action: action as never, spec: spec as never, policies });
  await cut(2, 60_000);
  expect(await schedulesOf('billing-run')).toEqual(standing(...shardsOfBilling(4)));
});
