import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../../server/app.ts';
import { type Composition, compose } from '../../server/compose.ts';
import { createHttpServer } from '../../server/http/http-server.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import type { Mode } from '../../server/kernel/mode.ts';
import type { TestApi } from '../support/api.ts';

export interface AnotherProcess {
  readonly baseUrl: string;
  readonly composition: Composition;
  stop(): Promise<void>;
}

/** The service once more on the same database, with pool, caches and counters of its own, as a second process has them. */
export async function startAnother(
  api: TestApi,
  options: {
    trustProxy?: number;
    clientCertificateHeader?: string;
    modes?: readonly Mode[];
    databaseUrl?: string;
  } = {},
): Promise<AnotherProcess> {
  const composition = await compose({
    databaseUrl: api.urls.api,
    keyRing: createKeyRing([api.encryptionKey]),
    publicUrl: 'http://127.0.0.1:3000',
    trustProxy: 0,
    ...options,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    webhookAllowedNetworks: [],
    logger: pino({ level: 'error' }),
    clock: api.clock,
  });
  const readiness = {
    check: async () => ({ database: true, everReady: true, degraded: [] }),
    workerMetrics: async () => [],
  };
  const app = createApp(composition.deps, { readiness, validateResponses: true });
  const server = await new Promise<Server>((resolve) => {
    const { server: listening } = createHttpServer(app, composition.deps);
    listening.listen(0, '127.0.0.1', () => resolve(listening));
  });
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    composition,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await composition.close();
    },
  };
}
