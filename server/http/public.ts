import type { Express } from 'express';
import type { MetricObject } from 'prom-client';
import type { Deps } from '../deps.ts';
import { briefly } from '../kernel/brief-cache.ts';
import { guardMetrics } from './metrics-access.ts';
import { SECURITY_TEXT_PATH, tellSecurityContact } from './security-text.ts';

/** What the workers tell through the database. */
export interface WorkerState {
  /** Metrics of each worker that is there; none while the database is away. */
  workerMetrics(): Promise<MetricObject[][]>;
}

/**
 * What is amiss while the API goes on: parts that are away, runs that stay away, a certificate of an acquirer that ends within a week
 * or has ended, a machine's clock that differs from the database's. With a full disk it does not.
 */
export type Degraded = 'temporal' | 'worker' | 'schedule' | 'acquirer_certificate' | 'clock' | 'disk_full';

/** Whether the parts the service stands on have answered. */
export interface Readiness extends WorkerState {
  /** `everReady`: PostgreSQL, Temporal and a worker have worked together, whenever that was. */
  check(): Promise<{ database: boolean; everReady: boolean; degraded: readonly Degraded[] }>;
}

/** However many ask, the database is asked for these routes so seldom. Milliseconds. */
const READINESS_MS = 250;
const METRICS_MS = 1_000;

/** One answer of a kind, shared by all who ask within its time. */
const shared = <Value>(ms: number, load: () => Promise<Value>): (() => Promise<Value>) => {
  const loaded = briefly(load, { ms, max: 1 });
  return () => loaded('');
};

/** Health, metrics and the contact for weaknesses: routes that need no key (docs/product/requests.md#public-routes). */
export function mountPublicRoutes(
  app: Express,
  deps: Pick<Deps, 'metrics' | 'settings'> & { readonly metricsText: () => Promise<string> },
  { readiness, draining }: { readonly readiness: Readiness; readonly draining: AbortSignal },
): void {
  const check = shared(READINESS_MS, () => readiness.check());
  const metricsText = shared(METRICS_MS, deps.metricsText);
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', async (_request, response) => {
    if (draining.aborted) {
      response.status(503).json({ status: 'draining' });
      return;
    }
    const { database, everReady, degraded } = await check();
    if (!database || !everReady) {
      response.status(503).json({ status: 'unavailable', database, degraded });
      return;
    }
    response.json(degraded.length === 0 ? { status: 'ok' } : { status: 'ok', degraded });
  });
  app.get('/metrics', guardMetrics(deps.settings), async (_request, response) => {
    response.type(deps.metrics.registry.contentType).send(await metricsText());
  });
  app.get(SECURITY_TEXT_PATH, tellSecurityContact(deps.settings));
}
