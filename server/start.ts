import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { startChild } from './embedded/child.ts';
import { type DemoAccount, ensureDemoAccount } from './embedded/demo-account.ts';
import { type Embedded, processRecord, startEmbedded } from './embedded/index.ts';
import { type Kept, keepRunning } from './embedded/keep-running.ts';
import { removeRunningInstance, writeRunningInstance } from './embedded/running-instance.ts';

const REPOSITORY = resolve(import.meta.dirname, '..');
const READY_POLL_MS = 100;
const READY_WAIT_MS = 5 * 60_000;
const READY_LINE_EVERY_MS = 10_000;
const CRASHES_BEFORE_READY_MAX = 3;
const DRAIN_MS = 40_000;
/** npm repeats a terminal's Ctrl-C to us; only one that comes later is a second wish. */
const SECOND_SIGNAL_AFTER_MS = 1_000;

type Env = Record<string, string | undefined>;
type Print = (line: string) => void;
type Part = { stop(): Promise<void>; kill(): void };

/** What Node is given to run each program; tests hand in stand-ins. */
export type Programs = { migrate: string[]; api: string[]; worker: string[]; admin: string[] };

export const PROGRAMS: Programs = {
  migrate: ['server/migrate.ts'],
  api: ['server/main.ts'],
  worker: ['workflows/main.ts'],
  admin: ['server/admin.ts'],
};

/** `npm start`: everything on one machine, until a signal. Resolves to the exit code. */
export async function start(options: { env: Env; programs: Programs; print: Print }): Promise<number> {
  const parts: Part[] = [];
  const stopping = listenForStop(() => {
    for (const part of parts.toReversed()) part.kill();
    process.exit(1);
  });
  let exitCode = 0;
  try {
    await startAll({ ...options, config: parseConfig(options.env), parts, stopping });
    if (!stopping.aborted) await once(stopping, 'abort');
  } catch (error) {
    if (!stopping.aborted) {
      exitCode = 1;
      options.print(explain(error));
    }
  }
  if (parts.length > 0) options.print('Stopping …');
  for (const part of parts.toReversed()) await part.stop();
  if (parts.length > 0) options.print('Stopped.');
  return exitCode;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return `Fatura does not start. ${error.message}`;
  return `Fatura does not start. ${error instanceof Error ? error.message : error}`;
}

function listenForStop(force: () => void): AbortSignal {
  const stopping = new AbortController();
  let firstAt = Number.POSITIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - firstAt > SECOND_SIGNAL_AFTER_MS) force();
      if (stopping.signal.aborted) return;
      firstAt = performance.now();
      stopping.abort();
    });
  }
  return stopping.signal;
}

type Starting = { config: Config; env: Env; programs: Programs; print: Print; parts: Part[]; stopping: AbortSignal };

async function startAll(starting: Starting): Promise<void> {
  const { config, print, parts, stopping } = starting;
  const startedAt = performance.now();
  const embedded = await startEmbedded({ config, env: starting.env, report: print });
  parts.push(embedded);
  stopping.throwIfAborted();
  const context = { ...starting, embedded, childEnv: childEnvironment(starting, embedded) };
  await runProgram(context, { record: 'migrate', args: starting.programs.migrate, outputFile: null });
  if (!config.databaseUrl) announceInstance(context);
  const demo = config.databaseUrl ? null : await demoAccount(context);
  const api = await keepProgram(context, 'api');
  parts.push(api);
  const worker = await keepProgram(context, 'worker');
  parts.push(worker);
  await waitUntilReady(context, { api, worker });
  // In one piece: whoever waits for its first line may read on at once.
  print(banner({ config, embedded, demo, seconds: (performance.now() - startedAt) / 1000 }).join('\n'));
  demo?.markShown();
}

type Context = Starting & { embedded: Embedded; childEnv: NodeJS.ProcessEnv };

function childEnvironment({ env, config }: Starting, embedded: Embedded): NodeJS.ProcessEnv {
  return {
    ...env,
    DATA_DIR: config.dataDir,
    DATABASE_URL: embedded.databaseUrl,
    TEMPORAL_ADDRESS: embedded.temporalAddress,
    ENCRYPTION_KEY: embedded.encryptionKey,
    WEBHOOK_ALLOWED_NETWORKS: embedded.webhookAllowedNetworks.join(',') || 'none',
    PUBLIC_URL: config.publicUrl,
    HOST: config.host,
    PORT: String(config.port),
    // Node then parses our TypeScript once, not at every start.
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(config.dataDir, 'compile-cache'),
  };
}

function announceInstance({ config, embedded, parts }: Context): void {
  const { databaseUrl, temporalAddress, encryptionKeyFile } = embedded;
  const apiUrl = `http://${reachableHost(config)}:${config.port}`;
  writeRunningInstance(config.dataDir, { databaseUrl, temporalAddress, apiUrl, encryptionKeyFile });
  parts.push({ stop: async () => removeRunningInstance(config.dataDir), kill: () => {} });
}

type Program = { record: 'migrate' | 'demo-account'; args: string[]; outputFile: string | null };

/** Runs one of our programs to its end; a stop meanwhile ends it. */
async function runProgram(context: Context, { record, args, outputFile }: Program): Promise<void> {
  const child = await startNode(context, {
    args,
    outputFile,
    recordFile: processRecord(context.config.dataDir, record),
  });
  const stop = () => void child.stop();
  context.stopping.addEventListener('abort', stop);
  const how = await child.exited;
  context.stopping.removeEventListener('abort', stop);
  await child.stop(); // it has ended: this drops its record
  context.stopping.throwIfAborted();
  if (how !== 'exit code 0') throw new Error(`node ${args.join(' ')} failed (${how}); its output says why.`);
}

function startNode({ childEnv }: Context, run: { args: string[]; outputFile: string | null; recordFile: string }) {
  return startChild({
    command: process.execPath,
    args: run.args,
    env: childEnv,
    cwd: REPOSITORY,
    logFile: run.outputFile,
    recordFile: run.recordFile,
    stopLadder: [
      { signal: 'SIGTERM', waitMs: DRAIN_MS },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ],
    forceSignal: 'SIGKILL',
  });
}

function demoAccount(context: Context): Promise<DemoAccount> {
  return ensureDemoAccount(context.config.dataDir, ({ args, outputFile }) =>
    runProgram(context, { record: 'demo-account', args: [...context.programs.admin, ...args], outputFile }),
  );
}

const NAMES = { api: 'The API', worker: 'The worker' } as const;

function keepProgram(
  context: Context,
  program: 'api' | 'worker',
): Promise<Kept<Awaited<ReturnType<typeof startNode>>>> {
  context.stopping.throwIfAborted();
  const recordFile = processRecord(context.config.dataDir, program);
  const run = { args: context.programs[program], outputFile: null, recordFile };
  return keepRunning({ name: NAMES[program], start: () => startNode(context, run), report: context.print });
}

async function waitUntilReady(context: Context, kept: Record<'api' | 'worker', Kept<unknown>>): Promise<void> {
  const url = `http://${reachableHost(context.config)}:${context.config.port}/readyz`;
  const startedAt = performance.now();
  let nextLineMs = READY_LINE_EVERY_MS;
  for (;;) {
    const crashesBefore = kept.api.crashes();
    const answer = await askReady(url);
    // While our own API is down, only a stranger can have answered.
    const isOurs = kept.api.isRunning() && kept.api.crashes() === crashesBefore;
    if (answer === null && isOurs) return;
    context.stopping.throwIfAborted();
    for (const program of ['api', 'worker'] as const) {
      if (kept[program].crashes() < CRASHES_BEFORE_READY_MAX) continue;
      throw new Error(
        `${NAMES[program]} ended ${CRASHES_BEFORE_READY_MAX} times before it was ready; its output says why.`,
      );
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > READY_WAIT_MS)
      throw new Error(`${url} is not ready after ${READY_WAIT_MS / 1000} s: ${answer ?? NOT_OURS}`);
    if (waitedMs > nextLineMs) {
      context.print(`Waiting for ${url} (${Math.round(waitedMs / 1000)} s): ${answer ?? NOT_OURS}`);
      nextLineMs += READY_LINE_EVERY_MS;
    }
    await sleep(READY_POLL_MS);
  }
}

const NOT_OURS = 'another program answers there, not our API';
const readyAnswer = z.object({ status: z.literal('ok') });

/** Null when it is ready, else what it says. */
async function askReady(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    const body = await response.text();
    if (response.status === 200 && isReadyAnswer(body)) return null;
    return `${response.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  }
}

/** Another program may answer 200 as well, Temporal's UI for one to every path. */
function isReadyAnswer(body: string): boolean {
  try {
    return readyAnswer.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** Listening everywhere is no address to ask. */
function reachableHost({ host }: Config): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

type Banner = { config: Config; embedded: Embedded; demo: DemoAccount | null; seconds: number };

function banner({ config, embedded, demo, seconds }: Banner): string[] {
  const { publicUrl } = config;
  const networks = embedded.webhookAllowedNetworks.join(', ');
  return [
    '',
    `Fatura is ready (${seconds.toFixed(1)} s).`,
    `  API          ${publicUrl}/api/v1`,
    `  Docs         ${publicUrl}/docs`,
    `  Metrics      ${publicUrl}/metrics`,
    ...(config.temporal.address === null ? [`  Temporal UI  http://127.0.0.1:${config.temporalUiPort}`] : []),
    ...(config.smtpUrl === null
      ? ['  E-mails      are kept: npm run --silent admin -- mail list (SMTP_URL sends them)']
      : []),
    ...(networks ? [`  Webhooks     sandbox deliveries may also go to ${networks} (WEBHOOK_ALLOWED_NETWORKS)`] : []),
    ...(demo ? demoLines({ demo, publicUrl }) : []),
    '',
  ];
}

function demoLines({ demo, publicUrl }: { demo: DemoAccount; publicUrl: string }): string[] {
  const example = 'npx node sdk/examples/pix-sale.ts';
  const elsewhere = publicUrl === 'http://127.0.0.1:3000' ? '' : ` ${publicUrl}`;
  if (demo.sandboxKey === null) {
    return [
      '  Demo key     is shown once, by the first start; for another: npm run --silent admin -- key roll',
      `  Try          ${example} <sandbox_key>${elsewhere}`,
    ];
  }
  return [
    `  Demo key     ${demo.sandboxKey} (shown only now)`,
    `  Try          ${example} ${demo.sandboxKey}${elsewhere}`,
  ];
}

if (import.meta.main) {
  const print: Print = (line) => process.stdout.write(`${line}\n`);
  process.stdout.on('error', () => {}); // a closed terminal must not keep us from stopping the rest
  process.exitCode = await start({ env: process.env, programs: PROGRAMS, print });
}
