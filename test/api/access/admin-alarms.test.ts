import { afterAll, beforeAll, expect, test } from 'vitest';
import { alarmKinds, alarms, remedyAt } from '../../../server/kernel/alarms.ts';
import { createMetrics, ownMetrics } from '../../../server/metrics.ts';
import { runAdmin } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

async function listed(...options: string[]) {
  const { out } = await runAdmin(api, ['alarms', ...options]);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('`admin alarms` lists every kind with what to do, and with --raised those that workers raised', async () => {
  expect((await listed()).map(({ kind }) => kind)).toEqual(alarmKinds);
  expect(await listed('--raised')).toEqual([]);
  const worker = createMetrics();
  worker.alarms.inc({ kind: 'mail_failed' }, 2);
  // The command takes long to begin on a busy machine, and a worker that was not seen for long is gone.
  const beat = `INSERT INTO worker_heartbeat (id, modes, seen_at, temporal_ok, metrics) VALUES ($1, '{live}', now() + interval '5 minutes', true, $2)`;
  await api.composition.deps.pool.query(beat, ['a-worker', await ownMetrics(worker.registry)]);
  expect(await listed('--raised')).toEqual([
    { kind: 'mail_failed', raised_by_workers: 2, ...alarms.mail_failed, see: remedyAt('mail_failed') },
  ]);
});
