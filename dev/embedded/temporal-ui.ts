import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { namesOwnPort, ownOrigins } from '../../server/kernel/loopback.ts';
import type { Address } from './ports.ts';

const LOOPBACK = '127.0.0.1';

/** Why a call is not passed on, as a status; null: it is. */
function refusalOf({ method, headers }: IncomingMessage, port: number): number | null {
  if (!namesOwnPort(headers.host, port)) return 421;
  if (headers.origin !== undefined && !ownOrigins(port).includes(headers.origin)) return 403;
  const site = headers['sec-fetch-site'];
  // Browsers say where a call comes from; programs do not. A link on another page may lead to the UI, and to nothing else.
  if (site === undefined || site === 'same-origin' || site === 'none') return null;
  const isLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isLink ? null : 403;
}

async function passOn(call: IncomingMessage, answer: ServerResponse, { host, port }: Address): Promise<void> {
  const onward = send({ host, port, method: call.method, path: call.url, headers: call.headers });
  answer.once('close', () => onward.destroy());
  try {
    const [[response]] = await Promise.all([once(onward, 'response'), pipeline(call, onward)]);
    answer.writeHead(response.statusCode, response.headers);
    await pipeline(response, answer);
  } catch {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502).end();
  }
}

/**
 * Stands before the UI of the local Temporal server, which asks nobody who they are: no page but its own may read or change
 * anything through it (docs/design/security.md).
 */
export async function startUiGate({ port, ui }: { port: number; ui: Address }): Promise<() => void> {
  const server = createServer((call, answer) => {
    const refusal = refusalOf(call, port);
    if (refusal === null) void passOn(call, answer, ui);
    else answer.writeHead(refusal).end();
  });
  await once(server.listen(port, LOOPBACK), 'listening');
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
