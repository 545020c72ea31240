import type { Express } from 'express';
import type { MetricObject } from 'prom-client';
import type { Deps } from '../deps.ts';

/** What the workers tell through the database. */
export interface WorkerNews {
  /** Metrics of each worker that is there; none while the database is away. */
  workerMetrics(): Promise<MetricObject[][]>;
}

/** What is amiss while the API goes on: parts that are away, and a certificate of an acquirer that ends within a week or has ended. */
export type Degraded = 'temporal' | 'worker' | 'acquirer_certificate';

/** Whether the parts the service stands on have answered. */
export interface Readiness extends WorkerNews {
  /** Parts that have answered at least once since the start, and answer now. */
  check(): Promise<{ database: boolean; everReady: boolean; degraded: readonly Degraded[] }>;
}

/** Health and metrics: routes that need no key (docs/product/requests.md#public-routes). */
export function mountPublicRoutes(
  app: Express,
  deps: Pick<Deps, 'metrics'> & { readonly metricsText: () => Promise<string> },
  readiness: Readiness,
): void {
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    const { database, everReady, degraded } = await readiness.check();
    if (!database || !everReady) {
      response.status(503).json({ status: 'unavailable', database, degraded });
      return;
    }
    response.json(degraded.length === 0 ? { status: 'ok' } : { status: 'ok', degraded });
  });
  app.get('/metrics', async (_request, response) => {
    response.type(deps.metrics.registry.contentType).send(await deps.metricsText());
  });
}
