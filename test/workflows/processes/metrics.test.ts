import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReadiness } from '../../../server/http/readiness.ts';
import { alarmKinds } from '../../../server/kernel/alarms.ts';
import { MODES } from '../../../server/kernel/mode.ts';
import type { ShardCount } from '../../../server/kernel/shards.ts';
import { createMetrics, mergedMetrics, ownMetrics } from '../../../server/metrics.ts';
import { createOldestDueMeasure } from '../../../server/outbox/oldest-due.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { subscribe } from '../../support/subscriptions.ts';

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

test('the age of the oldest due row is told of each shard, for as long as there are as many', async () => {
  const { deps } = api.composition;
  let shards: ShardCount = 4;
  const measure = createOldestDueMeasure(deps, () => shards);
  const { id } = await subscribe(await api.newMerchant());
  await deps.pool.query('UPDATE subscription SET wake_at = extract(epoch FROM now()) - 3600 WHERE id = $1', [id]);
  const { rows } = await deps.pool.query('SELECT shard / 256 AS shard FROM subscription WHERE id = $1', [id]);
  const ages = async () =>
    Object.fromEntries(
      (await deps.metrics.oldestDue.get()).values
        .filter(({ labels }) => String(labels.queue).startsWith('billing'))
        .map(({ labels, value }) => [labels.queue, Math.round(value / 60)]),
    );
  await measure();
  expect(await ages()).toEqual({
    billing: 60,
    ...Object.fromEntries([0, 1, 2, 3].map((shard) => [`billing-${shard}of4`, shard === rows[0].shard ? 60 : 0])),
  });
  shards = 1;
  // It rests after a look, two hundred times as long as that took.
  await expect
    .poll(async () => {
      await measure();
      return ages();
    })
    .toEqual({ billing: 60 });
  await deps.pool.query('UPDATE subscription SET wake_at = due_at WHERE id = $1', [id]);
});

test('the API shows what each worker counted, by its process, and its own counts beside them', async () => {
  const { pool } = api.composition.deps;
  for (const [name, count] of [
    ['one/7', 2],
    ['two/7', 3],
  ] as const) {
    const worker = createMetrics();
    worker.alarms.inc({ kind: 'surplus_return_refused' }, count);
    await pool.query(
      `INSERT INTO worker_heartbeat (id, modes, seen_at, temporal_ok, metrics) VALUES ($1, '{live}', now(), true, $2)`,
      [randomUUID(), await ownMetrics(worker.registry, name)],
    );
  }
  const own = createMetrics();
  own.alarms.inc({ kind: 'surplus_return_refused' });
  const text = await mergedMetrics(own.registry, await createReadiness(pool, { modes: MODES }).workerMetrics());
  const told = [...text.matchAll(/^fatura_alarms_total\{kind="surplus_return_refused",process="(.+)"\} (\d)$/gm)];
  expect(told.map(([, name, count]) => [name, count])).toEqual([
    [`${hostname()}/${process.pid}`, '1'],
    ['one/7', '2'],
    ['two/7', '3'],
  ]);
  expect(text).toContain('process_cpu_seconds_total');
});
