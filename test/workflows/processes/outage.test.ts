import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../dev/embedded/ports.ts';
import { type RunningTemporal, startTemporal } from '../../../dev/embedded/temporal.ts';
import { createReadiness } from '../../../server/http/readiness.ts';
import { MODES } from '../../../server/kernel/mode.ts';
import { scheduleId } from '../../../workflows/run-shards.ts';
import { runsOf } from '../../../workflows/schedules.ts';
import { openClient } from '../../../workflows/temporal.ts';
import type { RunningWorker } from '../../../workflows/worker.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventOf, eventually, QUICK_LADDER, register, settled, workerFor } from '../support.ts';

const TEST_MS = 120_000;

let api: TestApi;
let shop: Merchant;
let target: Receiver;
let worker: RunningWorker;
let client: Client;
let temporal: RunningTemporal | null = null;
let port = 0;
const folders: string[] = [];

/** Of a Temporal server that knows nothing yet. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-outage-'));
  folders.push(folder);
  return folder;
}

async function start(dir: string): Promise<void> {
  temporal = await startTemporal({ dir, port, uiPort: null, namespace: 'default', env: process.env });
  expect(temporal.address).toBe(`127.0.0.1:${port}`);
}

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  target = await startReceiver();
  port = await freePort();
  const address = { address: `127.0.0.1:${port}`, namespace: 'default', apiKey: null, tls: null };
  client = openClient(address, api.composition.deps.secretBox);
  worker = workerFor(api, { temporal: address, ladder: QUICK_LADDER, schedulePrefix: '' });
});

afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await temporal?.stop();
  await target.stop();
  await api.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}, TEST_MS);

const pool = () => api.composition.deps.pool;
const productEvent = async () => eventOf(shop, (await newProduct(shop)).id, 'product.created');
const waitingInOutbox = async () => (await pool().query('SELECT key FROM outbox')).rows.length;

test(
  'the worker delivers before Temporal is there, while it is away, and climbs the ladders when it comes back',
  async () => {
    const readiness = createReadiness(pool(), { modes: MODES });
    const degraded = async () => (await readiness.check()).degraded.join();
    await register(shop, target, ['product.created']);

    await settled(shop, await productEvent(), 'delivered');
    expect(await readiness.check()).toEqual({ database: true, everReady: false, degraded: ['temporal'] });
    target.answer = () => 500;
    const early = await productEvent();
    await eventually('its first attempt', async () => (await waitingInOutbox()) === 1);
    target.answer = () => 200;

    const folder = emptyFolder();
    await start(folder);
    await settled(shop, early, 'delivered');
    await eventually('all to be ready', async () => (await degraded()) === '');
    expect(await readiness.check()).toEqual({ database: true, everReady: true, degraded: [] });
    expect(await waitingInOutbox()).toBe(0);

    await temporal?.stop();
    await eventually('Temporal to be missed', async () => (await degraded()) === 'temporal');
    expect((await readiness.check()).everReady).toBe(true);
    // Also to an API that starts meanwhile: sales need no Temporal.
    expect(await createReadiness(pool(), { modes: MODES }).check()).toEqual({
      database: true,
      everReady: true,
      degraded: ['temporal'],
    });
    await settled(shop, await productEvent(), 'delivered');
    target.answer = () => 500;
    const meanwhile = await productEvent();
    await eventually('its first attempt', async () => (await waitingInOutbox()) === 1);
    await sleep(1_500);
    expect((await pool().query('SELECT failures FROM outbox')).rows).toEqual([{ failures: 0 }]);
    target.answer = () => 200;
    await start(folder);
    await settled(shop, meanwhile, 'delivered');
    await eventually('all to be ready', async () => (await degraded()) === '');
  },
  TEST_MS,
);

test(
  'an empty Temporal gets its schedules again and fills itself from the database',
  async () => {
    const gate = Promise.withResolvers<number>();
    target.answer = () => gate.promise;
    const event = await productEvent();
    await eventually(
      'the attempt',
      async () => (await pool().query(`SELECT 1 FROM delivery WHERE event_id = $1`, [event])).rows.length === 1,
    );
    await temporal?.stop();
    await eventually('Temporal to be missed', async () => !worker.isTemporalUp);
    gate.resolve(500);
    await eventually('the ladder', async () => (await waitingInOutbox()) === 1);
    // What the relay had taken to the server that is lost now.
    await pool().query('DELETE FROM outbox');
    await pool().query(`UPDATE delivery SET claimable_at = now() - interval '1 hour' WHERE event_id = $1`, [event]);
    target.answer = () => 200;

    await start(emptyFolder());
    await eventually('Temporal', async () => worker.isTemporalUp);
    // A schedule is listed a moment after it was made.
    await eventually('all schedules', async () => {
      const names: string[] = [];
      for await (const { scheduleId } of client.schedule.list()) names.push(scheduleId);
      return (
        names.sort().join() ===
        runsOf(MODES)
          .map(({ run, mode }) => scheduleId(run, mode))
          .sort()
          .join()
      );
    });
    await client.schedule.getHandle('case-recovery-run-sandbox').trigger();
    await settled(shop, event, 'delivered');
  },
  TEST_MS,
);
