import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { createApp } from './app.ts';
import { probeOf } from './db/shared-pool.ts';
import type { Deps } from './deps.ts';
import { exitSaying } from './exit-saying.ts';
import { createHttpServer } from './http/http-server.ts';
import { createReadiness } from './http/readiness.ts';
import { measuredLateness } from './http/shedding.ts';
import { isPlainHttpUrl } from './kernel/loopback.ts';
import { runUntilStopped, type Start } from './run-until-stopped.ts';
import { PagesNotBuilt } from './web/built.ts';

/** Answers under way get this long to end after SIGTERM; longer than any request may take. */
const DRAIN_MS = 28_000;
const SWEEP_MS = 50;

const PLAIN_HTTP_WARNING =
  'PUBLIC_URL is an http:// address: live API keys and cards that come over plain http are refused; put a proxy with TLS in front, and set PUBLIC_URL and TRUST_PROXY';

/** Before the database has proven the keys, buyers would be refused. While it is away, readiness can be asked after so long. */
const UNPROVEN_MS = 2_000;

async function serve({ config, composition, logger, databaseAnswers }: Start) {
  const draining = new AbortController();
  const app = appOrExit(composition.deps, draining.signal);
  await Promise.race([databaseAnswers, sleep(UNPROVEN_MS, undefined, { ref: false })]);
  const server = createHttpServer(app, composition.deps);
  server.once('error', ({ message }) => {
    exitSaying(`Cannot listen on ${config.host}:${config.port} (${message}); choose another PORT.`);
  });
  server.listen(config.port, config.host, () => {
    logger.info({ url: config.publicUrl }, 'API listening');
    if (isPlainHttpUrl(config.publicUrl)) logger.warn({ url: config.publicUrl }, PLAIN_HTTP_WARNING);
  });
  return {
    /** Lets answers under way end and takes no new ones. */
    async stop(): Promise<void> {
      draining.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      // A kept-alive connection idles as soon as its answer is out.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      server.closeIdleConnections();
      await closed;
      clearInterval(sweep);
    },
  };
}

function appOrExit(deps: Deps, draining: AbortSignal): Express {
  try {
    return createApp(deps, { readiness: createReadiness(probeOf(deps.pool)), draining, lateness: measuredLateness() });
  } catch (error) {
    if (!(error instanceof PagesNotBuilt)) throw error;
    return exitSaying(error.message);
  }
}

await runUntilStopped({
  name: 'api',
  env: process.env,
  needs: ['DATABASE_URL', 'ENCRYPTION_KEY'],
  drainMs: DRAIN_MS,
  begin: serve,
});
