import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../dev/embedded/ports.ts';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import type { RealTimeApi } from './api.ts';
import { until } from './stack.ts';

const ENTRY = resolve(import.meta.dirname, '../../server/main.ts');
const SKEWED_CLOCK = resolve(import.meta.dirname, 'skewed-clock.ts');
const START_MS = 60_000;

/** The API as operators run it, beside that of a test and on its database. */
export interface ServerProcess {
  readonly baseUrl: string;
  readonly pid: number;
  /** Every line of its log so far. */
  logged(): string;
  /** Tells it to stop; answers its exit code and how long that took. */
  stop(): Promise<{ code: number | null; ms: number }>;
  /** Ends it without a word, if it is still there. */
  kill9(): void;
}

/** `clockAheadMs`: by how much the clock of its machine differs from ours; `settings`: what it is told beside. */
export async function startServer({
  databaseUrl,
  encryptionKey,
  clockAheadMs = 0,
  settings = {},
}: Pick<RealTimeApi, 'databaseUrl' | 'encryptionKey'> & {
  readonly clockAheadMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
}): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', SKEWED_CLOCK, ENTRY], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      CLOCK_AHEAD_MS: String(clockAheadMs),
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: loginUrls(databaseUrl).api,
      ENCRYPTION_KEY: Buffer.from(encryptionKey).toString('base64'),
      WEBHOOK_ALLOWED_NETWORKS: 'none',
      DRAIN_SECONDS: '0',
      // Node then parses our TypeScript once, not at every start.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      ...settings,
    },
  });
  let log = '';
  child.stdout.on('data', (text: Buffer) => {
    log += text;
  });
  const exited = once(child, 'exit');
  const baseUrl = `http://127.0.0.1:${port}`;
  // Another program may have taken the port: then ours ends, and what answers is not ours.
  const isUp = () =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok && child.exitCode === null,
      () => false,
    );
  await until('the API to listen', isUp, START_MS);
  return {
    baseUrl,
    pid: child.pid ?? 0,
    logged: () => log,
    async stop() {
      const toldAtMs = performance.now();
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return { code, ms: performance.now() - toldAtMs };
    },
    kill9: () => void child.kill('SIGKILL'),
  };
}
