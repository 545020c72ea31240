import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../server/config.ts';
import { localTemporalUi, workflowsPage } from '../../server/kernel/temporal-ui.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';
import type { Child } from './child.ts';
import { makeFolder, writePrivately } from './files.ts';
import { type Address, freePortFrom, hiddenAddress } from './ports.ts';
import { startServer } from './server.ts';
import { findTemporal } from './temporal/find.mjs';
import { startUiGate } from './temporal-ui.ts';

const PREFERRED_PORT = 7233;
const READY_WAIT_MS = 90_000;
const GRACE_MS = 15_000;

/** Cases alone: runs are started by schedules, and there are thousands of them a day (docs/operations.md#the-temporal-ui). */
export const CASES_QUERY = 'TemporalScheduledById IS NULL';

/** Where the UI shows the cases. */
export const casesUrl = ({ port, namespace }: { port: number; namespace: string }): string =>
  workflowsPage({ ui: localTemporalUi(port), namespace, query: CASES_QUERY });

export type TemporalOptions = {
  dir: string;
  /** Default: the first free one from 7233. */
  port?: number | undefined;
  /** Null: no UI. */
  uiPort: number | null;
  /** Where the UI has payloads opened; null: it shows what Temporal keeps. */
  codecPort?: number | null;
  namespace: string;
  /** Where to look for the program: PATH, XDG_CACHE_HOME. */
  env: Record<string, string | undefined>;
  report?: ((line: string) => void) | undefined;
};

export type RunningTemporal = Child & { address: string; port: number };

/** Where the worker opens payloads for the UI of our own server; null: the server is another's. */
export async function chooseCodecPort({ temporal, temporalUiPort }: Config): Promise<number | null> {
  if (temporal.address !== null) return null;
  return temporal.codec.port ?? freePortFrom(temporalUiPort + 1);
}

/** Starts the local Temporal server of `dir`; the caller sees to it that only one is started there. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const { env, report } = options;
  const program = findTemporal(env);
  if (program === null) throw new Error('There is no Temporal server here yet: run `npm run setup`.');
  const dir = resolve(options.dir);
  makeFolder(dir);
  const complete = join(dir, 'temporal.complete');
  prepareDatabase(dir, existsSync(complete));
  const ui = options.uiPort === null ? null : await hiddenAddress();
  const server = await startServer({
    name: `The Temporal server (${program})`,
    port: options.port,
    preferredPort: PREFERRED_PORT,
    onPort: (port) => ({
      command: [program, ...serverArguments({ ...options, dir, port, ui })],
      env: { PATH: env.PATH, HOME: env.HOME, TMPDIR: env.TMPDIR }, // no TEMPORAL_*: the program would read them as its own
      logFile: join(dir, 'temporal.log'),
      graceMs: GRACE_MS,
    }),
    isReady: /Server: .*:\d+/,
    isPassing: /address already in use/,
    limitMs: READY_WAIT_MS,
    advice:
      `If its state is of no use (after a change of its version, say), delete ${complete}: the next start makes it ` +
      'anew, and the workflows start again from the database.',
    report,
  });
  const address = `127.0.0.1:${server.port}`;
  writePrivately(complete, `${address}\n`);
  if (ui !== null && options.uiPort !== null) {
    const closeGate = await startUiGate({ port: options.uiPort, ui });
    void server.exited.then(closeGate);
  }
  return { ...server, address };
}

/** The server writes its schema only into a file that does not exist; killed meanwhile, it never starts again. */
function prepareDatabase(dir: string, isComplete: boolean): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const file = join(dir, `temporal.db${suffix}`);
    if (!isComplete) rmSync(file, { force: true });
    else if (existsSync(file)) chmodSync(file, 0o600);
  }
}

/** A page of a site may call any port of this machine, so the server's own API for such callers answers none of them. */
const NOT_FOR_PAGES = ['frontend.httpAllowedHosts=[]', 'system.enableNexus=false'];

type ServerOptions = Pick<TemporalOptions, 'dir' | 'codecPort' | 'namespace'> & { port: number; ui: Address | null };

function serverArguments({ dir, port, ui, codecPort = null, namespace }: ServerOptions): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(ui === null ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)]),
    ...(codecPort === null ? [] : ['--ui-codec-endpoint', `http://127.0.0.1:${codecPort}`]),
    ...['--db-filename', join(dir, 'temporal.db'), '--namespace', namespace, '--log-level', 'error'],
    // Twice as fast as the default journal, and as durable.
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=full'],
    ...['frontend.enableServerVersionCheck=false', ...NOT_FOR_PAGES].flatMap((one) => ['--dynamic-config-value', one]),
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}
