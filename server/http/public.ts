import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type Express } from 'express';
import type { MetricObject } from 'prom-client';
import { errorCatalog } from '../../contract/errors.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import type { Deps } from '../deps.ts';
import { escapeHtml } from '../kernel/html.ts';

/** What the workers tell through the database. */
export interface WorkerNews {
  /** Metrics of each worker that is there; none while the database is away. */
  workerMetrics(): Promise<MetricObject[][]>;
}

/** Whether the parts the service stands on have answered. */
export interface Readiness extends WorkerNews {
  /** Parts that have answered at least once since the start, and answer now. */
  check(): Promise<{ database: boolean; everReady: boolean; degraded: readonly ('temporal' | 'worker')[] }>;
}

const swaggerFolder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const docsPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fatura API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css"></head>
<body><div id="reference"></div><script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`;

const docsScript = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: false,
  supportedSubmitMethods: [], validatorUrl: null, defaultModelsExpandDepth: 0 });`;

function errorsPage(): string {
  const rows = Object.entries(errorCatalog).map(
    ([code, entry]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${entry.status}</td><td><code>${entry.type}</code></td><td>${entry.retry}</td><td>${escapeHtml(entry.doc)}</td></tr>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fatura API errors</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:64rem;padding:0 1rem}td,th{padding:.4rem .8rem;text-align:left;border-bottom:1px solid #ddd}tr:target{background:#fff6cc}</style>
</head><body><h1>Errors</h1><table><thead><tr><th>Code</th><th>HTTP</th><th>Type</th><th>Retry</th><th>Meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></body></html>`;
}

/** Health, metrics, the OpenAPI document and the reference: routes that need no key (docs/product/requests.md#public-routes). */
export function mountPublicRoutes(
  app: Express,
  deps: Pick<Deps, 'metrics' | 'settings'> & { readonly metricsText: () => Promise<string> },
  readiness: Readiness,
): void {
  const openApi = JSON.stringify(buildOpenApi(deps.settings.publicUrl), null, 2);
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
    response.type('html').send(docsPage);
  });
  app.get('/docs/start.js', (_request, response) => {
    response.type('js').send(docsScript);
  });
  app.get('/docs/errors', (_request, response) => {
    response.type('html').send(errorsPage());
  });
  app.use('/docs/assets', express.static(swaggerFolder, { index: false, maxAge: '1d' }));
}
