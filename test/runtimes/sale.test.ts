import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { build as buildByVite } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../sdk/scripts/build.ts';
import { pack } from '../../sdk/scripts/check.ts';
import { newWebhookSecret, signWebhook } from '../../server/events/deliveries/signing.ts';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { installRuntimes, type Runtime } from './install.ts';
import type { Order } from './sale.ts';

const run = promisify(execFile);
const SLOW_MS = 120_000;
const source = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url));

let api: RealTimeApi;
let runtimes: Record<Runtime, string>;
/** A project of a merchant with the packed package, and the programs in it as its build would leave them. */
let project: string;

beforeAll(async () => {
  runtimes = await installRuntimes();
  const temporary = await mkdtemp(join(tmpdir(), 'fatura-runtimes-'));
  project = join(temporary, 'project');
  await mkdir(project);
  await buildPackage(join(temporary, 'built'));
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--offline', await pack(join(temporary, 'built'))], { cwd: project });
  const program = { bundle: true, packages: 'external', platform: 'neutral', target: 'es2022' } as const;
  const main = { ...program, entryPoints: [source('main')] };
  await bundle({ ...main, format: 'esm', outfile: join(project, 'main.mjs') });
  await bundle({ ...main, format: 'cjs', outfile: join(project, 'main.cjs') });
  await bundle({ ...program, entryPoints: [source('worker')], format: 'esm', outfile: join(project, 'worker.mjs') });
  api = await startRealTimeApi();
  return () => rm(temporary, { recursive: true });
}, SLOW_MS);
afterAll(() => api.stop());

async function newOrder(): Promise<Order> {
  const { sandboxKey } = await api.newMerchant();
  const secret = newWebhookSecret();
  const timestamp = Math.floor(Date.now() / 1_000);
  const event = { id: 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4', object: 'event', type: 'invoice.paid', created: timestamp };
  const invoice = { object: 'invoice', amount_paid: 9990 };
  const body = JSON.stringify({ ...event, live_mode: false, data: { object: invoice } });
  const headers = signWebhook({ id: event.id, timestamp, body, secrets: [secret] });
  return { apiKey: sandboxKey, baseUrl: api.baseUrl, delivery: { secret, headers, body } };
}

const SOLD = {
  status: 'paid',
  amount_paid: 9990,
  refusal: 409,
  events: ['invoice.created', 'invoice.paid', 'payment_intent.created', 'payment_intent.paid'],
  answers: [200, 400],
  received: ['invoice.paid'],
};

async function sellBy(program: string, ...args: string[]): Promise<unknown> {
  const env = { ...process.env, ORDER: JSON.stringify(await newOrder()), DENO_DIR: join(project, 'deno') };
  const { stdout } = await run(program, args, { cwd: project, env });
  return JSON.parse(stdout);
}

test.each(['main.mjs', 'main.cjs'])(
  'the package sells on the Node of the repository and on the oldest that it promises: %s',
  async (file) => {
    expect(await sellBy(process.execPath, file)).toEqual(SOLD);
    expect((await run(runtimes.node20, ['--version'])).stdout).toMatch(/^v20\./);
    expect(await sellBy(runtimes.node20, file)).toEqual(SOLD);
  },
  SLOW_MS,
);

test.each(['main.mjs', 'main.cjs'])(
  'it sells on Bun: %s',
  async (file) => expect(await sellBy(runtimes.bun, '--no-install', file)).toEqual(SOLD),
  SLOW_MS,
);

test(
  'it sells on Deno, which is allowed nothing but the order and the service',
  async () => {
    const allowed = ['--allow-env=ORDER', `--allow-net=${new URL(api.baseUrl).host}`];
    expect(await sellBy(runtimes.deno, 'run', '--cached-only', ...allowed, 'main.mjs')).toEqual(SOLD);
  },
  SLOW_MS,
);

test(
  'it sells from a bundle of esbuild and from one of Vite, away from its package',
  async () => {
    const away = join(project, '../away');
    const entry = join(project, 'main.mjs');
    await bundle({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      outfile: join(away, 'esbuild.mjs'),
    });
    await buildByVite({
      root: project,
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: entry,
        outDir: away,
        emptyOutDir: false,
        rolldownOptions: { output: { entryFileNames: 'vite.mjs' } },
      },
      ssr: { noExternal: true },
    });
    for (const file of ['esbuild.mjs', 'vite.mjs']) {
      expect(await sellBy(process.execPath, join(away, file)), file).toEqual(SOLD);
    }
  },
  SLOW_MS,
);

/** A worker without any API of Node, which may reach this machine alone. */
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "bundle.js")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`;

test(
  'it sells on Cloudflare Workers',
  async () => {
    const outfile = join(project, 'bundle.js');
    await bundle({ entryPoints: [join(project, 'worker.mjs')], bundle: true, format: 'esm', outfile });
    await writeFile(join(project, 'config.capnp'), WORKERD);
    const child = spawn(runtimes.workerd, ['serve', 'config.capnp', '--control-fd=1'], { cwd: project });
    try {
      const [said] = await Array.fromAsync(firstOf(createInterface({ input: child.stdout })));
      const { port } = JSON.parse(said ?? '{}');
      const body = JSON.stringify(await newOrder());
      const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
      expect(await answer.json()).toEqual(SOLD);
    } finally {
      child.kill();
    }
  },
  SLOW_MS,
);

async function* firstOf<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) return yield item;
}
