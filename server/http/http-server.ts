import { createServer, type RequestListener, type Server } from 'node:http';
import type { Deps } from '../deps.ts';
import { answerClientErrors } from './client-errors.ts';
import { boundConnections, CHECK_EVERY_MS } from './connections.ts';
import { serveUntilDrained } from './drain.ts';

export interface HttpServer {
  readonly server: Server;
  /** Ends the server without a client noticing: it takes connections for so long yet, and answers all that it has taken. */
  readonly drain: (listenMs: number) => Promise<void>;
}

/** The server of HTTP as operators run it: each answer of it is one of ours, and each connection is bounded. */
export function createHttpServer(
  app: RequestListener,
  deps: Pick<Deps, 'logger' | 'metrics' | 'settings'>,
): HttpServer {
  // A request without Host is refused by the app, with a body.
  const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: CHECK_EVERY_MS });
  const connections = boundConnections(server, deps);
  const drain = serveUntilDrained(app, { server, connections });
  // What the app refuses, Node would refuse without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerClientErrors(server, deps);
  return { server, drain };
}
