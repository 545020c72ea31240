import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../server/http/readiness.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { scheduleId } from '../../workflows/run-shards.ts';
import { isSilent, lateMs } from '../../workflows/schedule-watch.ts';
import { runsOf } from '../../workflows/schedules.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { clientOf, eventually, workerFor } from './support.ts';

/** Within so much of the fifth run that did not come it is told. */
const TOLD_MS = 60_000;
const TEST_MS = 2 * TOLD_MS;
const prefix = `test-${randomBytes(6).toString('hex')}-`;

let api: TestApi;
let client: Client;
let worker: RunningWorker;

beforeAll(async () => {
  api = await startApi();
  client = clientOf(api);
  worker = workerFor(api, { schedulePrefix: prefix, runEvery: { 'mail-run': '2 seconds' } });
  await eventually('the worker', async () => worker.isTemporalUp);
}, TEST_MS);

afterAll(async () => {
  await worker.stop(); // it makes those anew that are deleted
  for (const { run, mode } of runsOf(MODES)) await client.schedule.getHandle(prefix + scheduleId(run, mode)).delete();
  await client.connection.close();
  await api.stop();
});

const MINUTE = 60_000;
const standing = { everyMs: MINUTE, begunAtMs: 0, isPaused: false };

test.each([
  ['four runs did not come', standing, { nowMs: 5 * MINUTE - 1, upSinceMs: 0 }, false],
  ['five runs did not come', standing, { nowMs: 5 * MINUTE, upSinceMs: 0 }, true],
  ['an outage of ours is over', standing, { nowMs: 60 * MINUTE, upSinceMs: 59 * MINUTE }, false],
  ['five did not come since then', standing, { nowMs: 60 * MINUTE, upSinceMs: 55 * MINUTE }, true],
  ['it was paused before', { ...standing, isPaused: true }, { nowMs: 60 * MINUTE, upSinceMs: 59 * MINUTE }, true],
  ['it was paused just now', { ...standing, isPaused: true }, { nowMs: 2 * MINUTE, upSinceMs: 0 }, false],
] as const)('a schedule is silent or not when %s', (_when, given, now, expected) => {
  expect(isSilent(given, now)).toBe(expected);
});

test('the next run is late from when it was due', () => {
  expect([30, 60, 90].map((seconds) => lateMs(standing, { nowMs: seconds * 1000 }))).toEqual([0, 0, 30_000]);
});

const metric = async (name: string) => {
  const { registry } = api.composition.deps.metrics;
  return (await registry.getMetricsAsJSON()).find((one) => one.name === name)?.values ?? [];
};
const silentAlarms = async () =>
  (await metric('fatura_alarms_total')).find(({ labels }) => labels.kind === 'schedule_silent')?.value;

test('every schedule of ours has its queue among what is late', { timeout: TEST_MS }, async () => {
  const expected = runsOf(MODES)
    .map(({ run, mode }) => scheduleId(run, mode))
    .sort();
  const queues = async () => (await metric('fatura_oldest_due_seconds')).map(({ labels }) => String(labels.queue));
  await expect
    .poll(async () => (await queues()).filter((id) => id.endsWith('-run') || id.endsWith('-run-sandbox')).sort(), {
      timeout: TOLD_MS,
    })
    .toEqual(expected);
});

test('a paused schedule is told once, until it goes on', { timeout: 2 * TEST_MS }, async () => {
  const { check } = createReadiness(api.composition.deps.pool, { modes: MODES });
  const degraded = async () => (await check()).degraded;
  const handle = client.schedule.getHandle(prefix + scheduleId('mail-run', 'sandbox'));
  expect(await degraded()).toEqual([]);
  await handle.pause();
  await expect.poll(degraded, { timeout: TOLD_MS }).toEqual(['schedule']);
  expect(await silentAlarms()).toBe(1);
  await handle.unpause();
  await expect.poll(degraded, { timeout: TOLD_MS }).toEqual([]);
  expect(await silentAlarms()).toBe(1);
});

test('a schedule that somebody deleted is made anew', { timeout: TEST_MS }, async () => {
  const handle = client.schedule.getHandle(prefix + scheduleId('billing-run'));
  await handle.delete();
  const isThere = () =>
    handle.describe().then(
      ({ state }) => !state.paused,
      () => false,
    );
  await expect.poll(isThere, { timeout: TOLD_MS }).toBe(true);
});
