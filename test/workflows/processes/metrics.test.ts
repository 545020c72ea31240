import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../../server/http/readiness.ts';
import { alarmKinds } from '../../../server/kernel/alarms.ts';
import { MODES } from '../../../server/kernel/mode.ts';
import { createMetrics, mergedMetrics, ownMetrics } from '../../../server/metrics.ts';
import { createOldestDueMeasure } from '../../../server/outbox/oldest-due.ts';
import { startApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('regression-80-every kind of alarm is there from the start with 0', async () => {
  const text = await createMetrics().registry.metrics();
  const kinds = [...text.matchAll(/^fatura_alarms_total\{kind="(\w+)"\} 0$/gm)].map(([, kind]) => kind);
  expect(kinds).toEqual(alarmKinds);
});

test('the age of the oldest due row of each queue is measured', async () => {
  const { deps } = api.composition;
  await createOldestDueMeasure(deps)();
  const ages = async () =>
    (await deps.metrics.oldestDue.get()).values.map(({ labels, value }) => [labels.queue, value]);
  expect(await ages()).toEqual([
    ['outbox', 0],
    ['deliveries', 0],
    ['billing', 0],
  ]);
  await deps.pool.query(
    `INSERT INTO outbox (kind, key, account_id, live_mode, due_at) VALUES ('collection', 'sub_x', 'acct_x', true, now() - interval '1 hour')`,
  );
  await createOldestDueMeasure(deps)();
  await deps.pool.query('DELETE FROM outbox');
  expect((await ages())[0]).toEqual(['outbox', expect.closeTo(3_600, -2)]);
});

test('the API shows what the workers counted, summed', async () => {
  const { pool } = api.composition.deps;
  for (const count of [2, 3]) {
    const worker = createMetrics();
    worker.alarms.inc({ kind: 'surplus_return_refused' }, count);
    await pool.query(
      `INSERT INTO worker_heartbeat (id, modes, seen_at, temporal_ok, metrics) VALUES ($1, '{live}', now(), true, $2)`,
      [randomUUID(), await ownMetrics(worker.registry)],
    );
  }
  const own = createMetrics();
  const text = await mergedMetrics(own.registry, await createReadiness(pool, { modes: MODES }).workerMetrics());
  expect(text).toContain('fatura_alarms_total{kind="surplus_return_refused"} 5');
  expect(text).toContain('process_cpu_seconds_total');
});
