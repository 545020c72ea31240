import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../../server/http/readiness.ts';
import { createMetrics, mergedMetrics, ownMetrics } from '../../../server/metrics.ts';
import { startApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('the API shows what the workers counted, summed', async () => {
  const { pool } = api.composition.deps;
  for (const count of [2, 3]) {
    const worker = createMetrics();
    worker.alarms.inc({ kind: 'surplus_return_refused' }, count);
    await pool.query('INSERT INTO worker_heartbeat VALUES ($1, now(), true, $2)', [
      randomUUID(),
      await ownMetrics(worker.registry),
    ]);
  }
  const own = createMetrics();
  const text = await mergedMetrics(own.registry, await createReadiness(pool).workerMetrics());
  expect(text).toContain('fatura_alarms_total{kind="surplus_return_refused"} 5');
  expect(text).toContain('process_cpu_seconds_total');
});
