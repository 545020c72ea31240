import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../dev/embedded/ports.ts';
import type { TestApi } from './api.ts';
import { inspectorOf } from './heap.ts';
import { until } from './stack.ts';

/** The API as a process of its own whose memory a test looks into. */
export interface WatchedApi {
  readonly pid: number;
  readonly baseUrl: string;
  readonly inspector: string;
  stop(): Promise<void>;
}

/** Starts the API with an inspector, on the database of a test's own. */
export async function startWatchedApi(api: Pick<TestApi, 'databaseUrl' | 'encryptionKey'>): Promise<WatchedApi> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', 'server/main.ts'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: api.databaseUrl,
      ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64'),
      WEBHOOK_ALLOWED_NETWORKS: 'none',
    },
  });
  const inspector = await inspectorOf(child);
  const isUp = () =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the API to listen', isUp, 60_000);
  return {
    pid: child.pid ?? 0,
    baseUrl,
    inspector,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
