import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createReadiness } from '../../server/http/readiness.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { newProduct } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventOf, eventually, register, settled } from './support.ts';

const TEST_MS = 60_000;
const REPOSITORY = join(import.meta.dirname, '../..');

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const settings = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  DATABASE_URL: api.databaseUrl,
  ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64'),
  // First deliveries need no Temporal, and a worker here would take the work of other files.
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  LOG_LEVEL: 'fatal',
});

function startProcess(env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ['workflows/main.ts'], {
    cwd: REPOSITORY,
    env: { ...settings(), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

test(
  'SIGTERM lets what is under way end, records it and leaves',
  async () => {
    const [shop, target] = [await api.newMerchant(), await startReceiver()];
    onTestFinished(() => target.stop());
    const gate = Promise.withResolvers<number>();
    target.answer = () => gate.promise;
    await register(shop, target, ['product.created']);
    const worker = startProcess();
    const event = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    await eventually('the attempt under way', async () => target.requests === 1);
    const { pool } = api.composition.deps;
    expect(await createReadiness(pool).check()).toMatchObject({ degraded: ['temporal'], everReady: false });
    worker.kill('SIGTERM');
    await sleep(300);
    const late = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    gate.resolve(200);
    expect(await ended(worker)).toBe(0);
    expect(await shop.fatura.events.deliveries(event)).toMatchObject({ delivery_status: 'delivered' });
    expect(await shop.fatura.events.deliveries(late)).toMatchObject({ delivery_status: 'pending' });
    expect((await pool.query('SELECT 1 FROM worker_heartbeat')).rows).toEqual([]);
    startProcess();
    await settled(shop, late, 'delivered');
    expect(target.accepted.map(({ id }) => id)).toEqual([event, late]);
  },
  TEST_MS,
);

test(
  'a database that is not there yet is waited for',
  async () => {
    const url = new URL(api.databaseUrl);
    url.port = '1';
    const worker = startProcess({ DATABASE_URL: url.href });
    await sleep(3_000);
    expect(worker.exitCode).toBeNull();
    worker.kill('SIGTERM');
    expect(await ended(worker)).toBe(0);
  },
  TEST_MS,
);

/** Whether a process of the group that this one leads still runs. */
function isGroupAlive({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ['server', 'API listening'],
  ['worker', 'worker started'],
])(
  'regression-40-SIGTERM to npm run %s drains Node and leaves no process',
  async (script, started) => {
    const port = String(await freePort());
    const npm = spawn('npm', ['run', '--silent', script], {
      cwd: REPOSITORY,
      env: { ...settings(), HOME: process.env.HOME, PORT: port, LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // It leads a group of its own, by which what it leaves behind is found.
      detached: true,
    });
    onTestFinished(() => void (isGroupAlive(npm) && process.kill(-Number(npm.pid), 'SIGKILL')));
    let said = '';
    npm.stdout.setEncoding('utf8').on('data', (chunk) => (said += chunk));
    await eventually('the start', async () => said.includes(started));
    npm.kill('SIGTERM');
    expect(await ended(npm)).toBe(0);
    expect(said).toContain('draining');
    expect(isGroupAlive(npm)).toBe(false);
  },
  TEST_MS,
);

test.each([
  [
    'without its settings',
    { DATABASE_URL: '', TEMPORAL_ADDRESS: '' },
    'DATABASE_URL, ENCRYPTION_KEY and TEMPORAL_ADDRESS',
  ],
  ['with a wrong one', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be'],
])(
  '%s the worker says what is wrong and does not start',
  async (_, env, message) => {
    const worker = startProcess(env);
    let said = '';
    worker.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    expect(await ended(worker)).toBe(1);
    expect(said).toContain(message);
  },
  TEST_MS,
);
