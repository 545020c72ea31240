import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { measuredLag } from './admission/overload.ts';
import { createApp } from './app.ts';
import { probeOf } from './db/shared-pool.ts';
import type { Deps } from './deps.ts';
import { exitSaying } from './exit-saying.ts';
import { createHttpServer } from './http/http-server.ts';
import { createReadiness } from './http/readiness.ts';
import { isPlainHttpUrl } from './kernel/loopback.ts';
import { SECOND_MS } from './kernel/time.ts';
import { runUntilStopped, type Start } from './run-until-stopped.ts';
import { PagesNotBuilt } from './web/built.ts';

/** Answers in flight get this long to end once no connection is taken any more; longer than any request may take. */
const ANSWERS_MS = 28_000;

const PLAIN_HTTP_WARNING =
  'PUBLIC_URL is an http:// address: live API keys and cards that come over plain http are refused; put a proxy with TLS in front, and set PUBLIC_URL and TRUST_PROXY';

/** Before the database has proven the keys, buyers would be refused. While it is away, readiness can be asked after so long. */
const UNPROVEN_MS = 2_000;

async function serve({ config, composition, logger, databaseAnswers }: Start) {
  const draining = new AbortController();
  const app = appOrExit(composition.deps, draining.signal);
  await Promise.race([databaseAnswers, sleep(UNPROVEN_MS, undefined, { ref: false })]);
  const { server, drain } = createHttpServer(app, composition.deps);
  server.once('error', ({ message }) => {
    exitSaying(`Cannot listen on ${config.host}:${config.port} (${message}); choose another PORT.`);
  });
  server.listen(config.port, config.host, () => {
    logger.info({ url: config.publicUrl }, 'API listening');
    if (isPlainHttpUrl(config.publicUrl)) logger.warn({ url: config.publicUrl }, PLAIN_HTTP_WARNING);
  });
  return {
    /** Says that it is not ready, and lets clients go. */
    async stop(): Promise<void> {
      draining.abort();
      await drain(config.drainSeconds * SECOND_MS);
    },
  };
}

function appOrExit(deps: Deps, draining: AbortSignal): Express {
  try {
    const readiness = createReadiness(probeOf(deps.pool), deps.settings);
    return createApp(deps, { readiness, draining, lag: measuredLag() });
  } catch (error) {
    if (!(error instanceof PagesNotBuilt)) throw error;
    return exitSaying(error.message);
  }
}

await runUntilStopped({
  name: 'api',
  env: process.env,
  needs: ['DATABASE_URL', 'ENCRYPTION_KEY'],
  drainMs: ({ drainSeconds }) => drainSeconds * SECOND_MS + ANSWERS_MS,
  begin: serve,
});
