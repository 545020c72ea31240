import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Config, parseConfig } from '../server/config.ts';
import { banner } from './embedded/banner.ts';
import { type Child, startChild } from './embedded/child.ts';
import { claimDataDir, encryptionKeysOf, writeRunningInstance } from './embedded/data-dir.ts';
import { ensureDemoAccount } from './embedded/demo-account.ts';
import { commonEnvironment, type Services } from './embedded/environments.ts';
import { type Kept, keepRunning } from './embedded/keep-running.ts';
import { describePortInUse } from './embedded/ports.ts';
import { type RunningPostgres, startPostgres } from './embedded/postgres.ts';
import { type Login, type LoginUrls, loginUrls } from './embedded/postgres-logins.ts';
import { chooseCodecPort, type RunningTemporal, startTemporal } from './embedded/temporal.ts';
import { waitFor } from './embedded/wait.ts';

const REPOSITORY = resolve(import.meta.dirname, '..');
const READY_WAIT_MS = 5 * 60_000;
const CRASHES_BEFORE_READY_MAX = 3;
const DRAIN_MS = 40_000;
/** npm repeats a terminal's Ctrl-C to us; only one that comes later is a second wish. */
const SECOND_SIGNAL_AFTER_MS = 1_000;

const NAMES = { worker: 'The worker', api: 'The API' } as const;

/** What Node is given to run each program, by the login that it has; tests hand in stand-ins. */
export type Programs = Record<Exclude<Login, 'audit'>, string[]>;

type Starting = {
  config: Config;
  env: Record<string, string | undefined>;
  programs: Programs;
  print: (line: string) => void;
  /** To be stopped in reverse order. */
  parts: Pick<Child, 'stop' | 'kill'>[];
  stopping: AbortSignal;
};

/** `npm start`: everything on one machine, until a signal. Resolves to the exit code. */
export async function start(options: Pick<Starting, 'env' | 'programs' | 'print'>): Promise<number> {
  const { print } = options;
  const parts: Starting['parts'] = [];
  const stopping = stopAtSignal(() => {
    for (const part of parts) part.kill();
    process.exit(1);
  });
  let exitCode = 0;
  process.umask(0o077); // what we and our programs write is for its owner alone
  try {
    refuseFullDisk(parseConfig(options.env));
    await startAll({ ...options, config: parseConfig(options.env), parts, stopping: stopping.signal });
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  } catch (error) {
    if (!stopping.signal.aborted) {
      exitCode = 1;
      print(`Fatura does not start. ${error instanceof Error ? error.message : error}`);
    }
    stopping.abort();
  }
  if (parts.length > 0) print('Stopping …');
  for (const part of parts.toReversed()) await part.stop();
  if (parts.length > 0) print('Stopped.');
  return exitCode;
}

/** PostgreSQL needs as much for a file of its log; without it, it ends and cannot even say why. */
const ROOM_BYTES_MIN = 64 * 1_048_576;

function refuseFullDisk({ dataDir, databaseUrl, temporal }: Config): void {
  if (databaseUrl !== null && temporal.address !== null) return;
  let folder = resolve(dataDir);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize, blocks } = statfsSync(folder);
  // A file system without blocks is no disk: that nothing can be made there is told by the attempt.
  if (blocks === 0 || bavail * bsize >= ROOM_BYTES_MIN) return;
  const left = Math.floor((bavail * bsize) / 1_048_576);
  const needed = ROOM_BYTES_MIN / 1_048_576;
  throw new Error(
    `The disk of ${folder} is full: ${left} MiB are left, and ${needed} are needed. Make room, or set DATA_DIR.`,
  );
}

function stopAtSignal(force: () => void): AbortController {
  const stopping = new AbortController();
  let firstAt = Number.POSITIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (performance.now() - firstAt > SECOND_SIGNAL_AFTER_MS) force();
      if (firstAt === Number.POSITIVE_INFINITY) firstAt = performance.now();
      stopping.abort();
    });
  }
  return stopping;
}

async function startAll(given: Starting): Promise<void> {
  const startedAt = performance.now();
  const { print, parts } = given;
  const { path, release } = claimDataDir(given.config.dataDir);
  const config = { ...given.config, dataDir: path };
  const starting = { ...given, config };
  parts.push({ stop: async () => release(), kill: () => {} });
  await refusePortsInUse(config);
  const ring = encryptionKeysOf(config);
  const services = await startServices(starting);
  const { databaseUrls, temporalAddress } = services;
  const common = commonEnvironment(starting, { ...services, encryptionKeys: ring.keys });
  const context = { ...starting, envOf: (login: Login) => ({ ...common, DATABASE_URL: databaseUrls[login] }) };
  await runProgram(context, 'migrator');
  const isEmbedded = config.databaseUrl === null;
  const apiUrl = `http://${reachableHost(config)}:${config.port}`;
  const { admin: databaseUrl, audit: auditUrl, api: apiDatabaseUrl } = databaseUrls;
  const reached = { databaseUrl, auditUrl, apiDatabaseUrl, apiUrl, temporalAddress };
  if (isEmbedded) writeRunningInstance(path, { ...reached, encryptionKeyFile: ring.file });
  const demo = isEmbedded ? await ensureDemoAccount(path, (...args) => runProgram(context, 'admin', ...args)) : null;
  const api = await keepProgram(context, 'api');
  const worker = await keepProgram(context, 'worker');
  await untilReady(context, { url: `${apiUrl}/readyz`, api, worker });
  print(banner({ config, demo, seconds: (performance.now() - startedAt) / 1000 }).join('\n'));
  demo?.markShown();
}

async function refusePortsInUse({ port, host, temporal, temporalUiPort }: Config): Promise<void> {
  const problems = [await describePortInUse('PORT', { port, host })];
  if (temporal.address === null) {
    problems.push(await describePortInUse('TEMPORAL_UI_PORT', { port: temporalUiPort, host: '127.0.0.1' }));
  }
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new Error(found.join('\n'));
}

async function startServices(starting: Starting): Promise<Services> {
  starting.print(`Starting the services in ${starting.config.dataDir} …`);
  const codecPort = await chooseCodecPort(starting.config);
  const begun = [postgresUrls(starting), temporalAddress(starting, codecPort)] as const;
  await Promise.allSettled(begun); // so that both are known when one fails and the other has to be stopped
  const [databaseUrls, address] = await Promise.all(begun);
  return { databaseUrls, temporalAddress: address, codecPort };
}

/** Each program has a login of its own; a database of yours is used by the one login that you give. */
async function postgresUrls(starting: Starting): Promise<LoginUrls> {
  const { databaseUrl, dataDir: dir } = starting.config;
  if (databaseUrl) {
    const given = databaseUrl.reveal();
    return { migrator: given, api: given, worker: given, admin: given, audit: given };
  }
  const options = { dir, report: starting.print };
  const kept = await keep<RunningPostgres>(starting, 'PostgreSQL', (former) =>
    startPostgres({ ...options, port: former?.port }),
  );
  return loginUrls(kept.latest().url);
}

async function temporalAddress(starting: Starting, codecPort: number | null): Promise<string> {
  const { dataDir: dir, temporalUiPort: uiPort, temporal } = starting.config;
  if (temporal.address !== null) return temporal.address;
  const options = { dir, uiPort, codecPort, namespace: temporal.namespace, env: starting.env, report: starting.print };
  const kept = await keep<RunningTemporal>(starting, 'The Temporal server', (former) =>
    startTemporal({ ...options, port: former?.port }),
  );
  return kept.latest().address;
}

async function keep<T extends Child>(
  starting: Starting,
  name: string,
  start: (former: T | null) => Promise<T>,
): Promise<Kept<T>> {
  starting.stopping.throwIfAborted();
  const kept = await keepRunning({ ...starting, name, start });
  starting.parts.push(kept);
  return kept;
}

type Context = Starting & { envOf: (login: Login) => NodeJS.ProcessEnv };

/** Runs one of our programs to its end, and resolves to what it printed; a stop meanwhile ends it. */
async function runProgram(context: Context, program: 'migrator' | 'admin', ...args: string[]): Promise<string> {
  const { programs, envOf, stopping: signal } = context;
  signal.throwIfAborted();
  const command = [...programs[program], ...args];
  const options = { cwd: REPOSITORY, env: envOf(program), signal };
  const child = spawn(process.execPath, command, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code, endedBy]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code === 0) return output;
  throw new Error(`node ${command.join(' ')} failed (${endedBy ?? `exit code ${code}`}); its output says why.`);
}

function keepProgram(context: Context, program: 'api' | 'worker'): Promise<Kept<Child>> {
  const command = [process.execPath, ...context.programs[program]];
  const options = { command, env: context.envOf(program), cwd: REPOSITORY, logFile: null, graceMs: DRAIN_MS };
  return keep(context, NAMES[program], () => startChild(options));
}

/** An installation that was ready once answers 200 without its worker: whoever starts it here waits for all of it. */
const ALL_READY = /^200 .*"status":"ok"(?!.*"(?:temporal|worker)")/;

type Readiness = { url: string } & Record<'api' | 'worker', Kept<Child>>;

async function untilReady({ print, stopping }: Context, { url, ...kept }: Readiness): Promise<void> {
  let answer: string | null = null;
  const isReady = async () => {
    stopping.throwIfAborted();
    for (const program of ['api', 'worker'] as const) {
      if (kept[program].crashes() < CRASHES_BEFORE_READY_MAX) continue;
      const often = `ended ${CRASHES_BEFORE_READY_MAX} times before it was ready`;
      throw new Error(`${NAMES[program]} ${often}; its output says why.`);
    }
    const api = kept.api.latest();
    answer = await ask(url);
    // While our own API is down, only a stranger can have answered.
    return !api.hasExited() && ALL_READY.test(answer);
  };
  const tell = (waited: string) => print(`Waiting for ${url} (${waited}): ${answer}`);
  if (await waitFor(isReady, { limitMs: READY_WAIT_MS, tell })) return;
  throw new Error(`${url} is not ready after ${READY_WAIT_MS / 1000} s: ${answer}`);
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return `${response.status} ${(await response.text()).slice(0, 300)}`;
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  }
}

/** Listening everywhere is no address to ask. */
function reachableHost({ host }: Config): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

if (import.meta.main) {
  const programs: Programs = {
    migrator: ['server/migrate.ts'],
    api: ['server/main.ts'],
    worker: ['workflows/main.ts'],
    admin: ['ops/admin/main.ts'],
  };
  process.stdout.on('error', () => {}); // a closed terminal must not keep us from stopping the rest
  process.exitCode = await start({
    env: process.env,
    programs,
    print: (line) => process.stdout.write(`${line}\n`),
  });
}
