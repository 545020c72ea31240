import type { Server } from 'node:http';
import { ANSWER_MAX_MS } from './request.ts';

/** How often connections are held to their times: a limit holds to about this. */
export const CHECK_EVERY_MS = 500;

/** A request's headers are in within so long, from its first byte. */
const HEADERS_MAX_MS = 15_000;
/** Longer than proxies keep an idle connection, so that it is never us who closes one that is being used. */
const IDLE_MAX_MS = 65_000;
/** So many connections are held at once; each costs some 20 KB. */
const CONNECTIONS_MAX = 5_000;
/** Longer than any answer takes that says nothing meanwhile. */
const STALLED_MAX_MS = 30_000;

/**
 * Bounds what connections may cost: how many there are, how long a request may take to come in, and how long an answer may
 * find nobody who takes anything of it (docs/design/budgets.md#answers).
 *
 * They are not counted by address: behind a proxy all have one.
 */
export function boundConnections(server: Server, stalledMaxMs: number = STALLED_MAX_MS): void {
  server.maxConnections = CONNECTIONS_MAX;
  server.headersTimeout = HEADERS_MAX_MS;
  server.requestTimeout = ANSWER_MAX_MS;
  server.keepAliveTimeout = IDLE_MAX_MS;
  // A write that goes on counts as activity.
  server.setTimeout(stalledMaxMs, (socket) => socket.destroy());
}
