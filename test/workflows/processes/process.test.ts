import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../dev/embedded/ports.ts';
import { createReadiness } from '../../../server/http/readiness.ts';
import { createKeyRing } from '../../../server/kernel/key-ring.ts';
import { MODES } from '../../../server/kernel/mode.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { startReceiver } from '../../support/receiver.ts';
import { eventOf, eventually, register, settled } from '../support.ts';

const TEST_MS = 60_000;
const REPOSITORY = join(import.meta.dirname, '../../..');

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const settings = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64'),
  // First deliveries need no Temporal, and a worker here would take the work of other files.
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  LOG_LEVEL: 'fatal',
  DRAIN_SECONDS: '0',
  // Node then parses our TypeScript once, not at every start.
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
});

type Program = 'server/main.ts' | 'workflows/main.ts';
const PROGRAMS: Program[] = ['server/main.ts', 'workflows/main.ts'];

/** How the program logs in. */
const urlOf = (program: Program): string => (program === 'server/main.ts' ? api.urls.api : api.urls.worker);

function startProcess(env: Record<string, string> = {}, program: Program = 'workflows/main.ts'): ChildProcess {
  const child = spawn(process.execPath, [program], {
    cwd: REPOSITORY,
    env: { ...settings(), DATABASE_URL: urlOf(program), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** What a process has said so far, on both of its outputs. */
function outputOf(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  return () => said;
}

/** Waits until a process has logged something. */
function logged(child: ChildProcess, message: string): Promise<unknown> {
  const said = outputOf(child);
  return eventually(`"${message}" in the log`, async () => said().includes(message));
}

async function ended(child: ChildProcess): Promise<number | null> {
  // Its output has ended, too.
  if (child.exitCode === null) await once(child, 'close');
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
    const worker = startProcess({ LOG_LEVEL: 'info' });
    const event = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
    await eventually('the attempt under way', async () => target.requests === 1);
    const { pool } = api.composition.deps;
    const readiness = createReadiness(pool, { modes: MODES });
    await eventually('the worker to be alive', async () => !(await readiness.check()).degraded.includes('worker'));
    expect(await readiness.check()).toMatchObject({ degraded: ['temporal'], everReady: false });
    const draining = logged(worker, 'draining');
    worker.kill('SIGTERM');
    await draining;
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

/** Passes connections on to PostgreSQL from now on. */
async function openWay(port: number): Promise<void> {
  const { hostname, port: databasePort } = new URL(api.databaseUrl);
  const way = createServer((inward) => {
    const outward = connect(Number(databasePort), hostname);
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const)
      from.pipe(to).on('error', () => to.destroy());
    inward.on('close', () => outward.destroy());
  });
  onTestFinished(() => void way.close());
  way.listen(port, '127.0.0.1');
  await once(way, 'listening');
}

test.each(PROGRAMS)(
  'regression-45-%s says that the database does not answer, and uses it once it does',
  async (program) => {
    const [port, databasePort] = [await freePort(), await freePort()];
    const url = new URL(urlOf(program));
    url.port = String(databasePort);
    const child = startProcess({ DATABASE_URL: url.href, PORT: String(port), LOG_LEVEL: 'info' }, program);
    const said = outputOf(child);
    await eventually('the warning', async () => said().includes('the database cannot be used: connect ECONNREFUSED'));
    await openWay(databasePort);
    await eventually('the database', async () => said().includes('the database answers'));
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    expect(said().split('the database cannot be used: connect ECONNREFUSED')).toHaveLength(2);
  },
  TEST_MS,
);

test.each(PROGRAMS)(
  'regression-45-%s says within about a second that the database is silent',
  async (program) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
    const url = new URL(urlOf(program));
    url.port = String(address.port);
    const child = startProcess({ DATABASE_URL: url.href, PORT: String(await freePort()), LOG_LEVEL: 'warn' }, program);
    const said = outputOf(child);
    const [connection] = await once(silent, 'connection');
    const connectedAt = performance.now();
    await eventually('the warning', async () => said().includes('the database cannot be used: it does not answer'));
    expect(performance.now() - connectedAt).toBeLessThan(3_000);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    connection.destroy();
  },
  TEST_MS,
);

test.each(PROGRAMS)(
  'regression-41-%s does not start with another key than the database was sealed with',
  async (program) => {
    const key = randomBytes(32);
    const ENCRYPTION_KEY = key.toString('base64');
    const child = startProcess({ ENCRYPTION_KEY, PORT: String(await freePort()) }, program);
    const said = outputOf(child);
    expect(await ended(child)).toBe(1);
    expect(said()).toBe(
      'ENCRYPTION_KEY is not the key that this database was sealed with: ' +
        'set it to the key of the former starts, or set DATABASE_URL to the database of this key. ' +
        `The ring has the key ${createKeyRing([key]).first.id}.\n`,
    );
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
  ['server', 'API listening', 'server/main.ts'],
  ['worker', 'worker started', 'workflows/main.ts'],
] as const)(
  'regression-40-SIGTERM to npm run %s drains Node and leaves no process',
  async (script, started, program) => {
    const port = String(await freePort());
    const npm = spawn('npm', ['run', '--silent', script], {
      cwd: REPOSITORY,
      env: { ...settings(), DATABASE_URL: urlOf(program), HOME: process.env.HOME, PORT: port, LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // It leads a group of its own, by which what it leaves behind is found.
      detached: true,
    });
    onTestFinished(() => void (isGroupAlive(npm) && process.kill(-Number(npm.pid), 'SIGKILL')));
    const said = outputOf(npm);
    await eventually('the start', async () => said().includes(started));
    npm.kill('SIGTERM');
    expect(await ended(npm)).toBe(0);
    expect(said()).toContain('draining');
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
    const said = outputOf(worker);
    expect(await ended(worker)).toBe(1);
    expect(said()).toContain(message);
  },
  TEST_MS,
);
