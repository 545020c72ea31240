import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Express } from 'express';
import type { MetricObject } from 'prom-client';
import { buildOpenApi } from '../../contract/openapi.ts';
import type { Deps } from '../deps.ts';
import { errorsPage, guidePage, referencePage, startPage } from './docs-pages.ts';

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

const swaggerFolder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const docsScript = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: false,
  supportedSubmitMethods: [], validatorUrl: null, defaultModelsExpandDepth: 0 });`;

/** The start, health, metrics, the OpenAPI document and the reference: routes that need no key (docs/product/requests.md#public-routes). */
export function mountPublicRoutes(
  app: Express,
  deps: Pick<Deps, 'metrics' | 'settings'> & { readonly metricsText: () => Promise<string> },
  readiness: Readiness,
): void {
  const openApi = JSON.stringify(buildOpenApi(deps.settings.publicUrl), null, 2);
  const guide = guidePage(deps.settings.publicUrl);
  app.get('/', (_request, response) => {
    response.type('html').send(startPage);
  });
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
  app.get('/openapi.json', (_request, response) => {
    response.type('json').send(openApi);
  });
  app.get('/docs', (_request, response) => {
    response.type('html').send(referencePage);
  });
  app.get('/docs/start.js', (_request, response) => {
    response.type('js').send(docsScript);
  });
  app.get('/docs/guide', (_request, response) => {
    response.type('html').send(guide);
  });
  app.get('/docs/errors', (_request, response) => {
    response.type('html').send(errorsPage);
  });
  app.use('/docs/assets', express.static(swaggerFolder, { index: false, maxAge: '1d' }));
}
