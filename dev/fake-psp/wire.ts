import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Answer } from './answer.ts';
import type { Gateway, Outcome } from './gateway.ts';

export interface WireOptions {
  readonly gateway: Gateway;
  /** What the PSP shows to callers. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The authority of the merchants' certificates. */
  readonly clientCaPem: string;
  /** Whether a caller without a certificate of it is refused before any request. */
  readonly refusesInHandshake: boolean;
  readonly host: string;
  readonly port: number;
}

export interface Wire {
  readonly port: number;
  close(): Promise<void>;
}

const BODY_MAX = 64 * 1024;

/** The PSP's server: real TLS, with a certificate of each side. */
export async function startWire(options: WireOptions): Promise<Wire> {
  const server = createServer({
    cert: options.certificatePem,
    key: options.keyPem,
    ca: options.clientCaPem,
    requestCert: true,
    rejectUnauthorized: options.refusesInHandshake,
  });
  server.on('request', (request, response) => {
    serve(options.gateway, request, response).catch((error: unknown) => {
      // Only a fault of this program comes here; it is told, so that a test does not take it for a trouble.
      process.stderr.write(`fake PSP: ${error instanceof Error ? error.stack : error}\n`);
      response.destroy();
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: portOf(server), close: () => stop(server) };
}

async function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (body === null) return void response.destroy();
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  const { method = '', url = '', socket } = request;
  const outcome = await gateway.handle({ method, url, headers, body, fingerprint: fingerprintOf(socket) });
  conclude(outcome, response);
}

function conclude({ wire, answer }: Outcome, response: ServerResponse): void {
  if (wire === 'hang') return;
  if (wire === 'destroy') return void response.destroy();
  const text = textOf(answer);
  const half = text.slice(0, text.length / 2);
  const type = answer.contentType ?? 'application/json';
  const head = text === '' ? {} : { 'content-type': type };
  if (wire === 'cut-off') {
    response.writeHead(answer.status, { ...head, 'content-length': Buffer.byteLength(text) });
    response.write(half, () => response.destroy());
    return;
  }
  response.writeHead(answer.status, head).end(wire === 'truncate' ? half : text);
}

const textOf = ({ body }: Answer): string =>
  body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);

/** Null: longer than any call of the API, or cut off. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request) {
      length += part.length;
      if (length > BODY_MAX) return null;
      parts.push(part);
    }
  } catch {
    return null;
  }
  return Buffer.concat(parts).toString();
}

function fingerprintOf(socket: IncomingMessage['socket']): string | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  return socket.getPeerCertificate().fingerprint256 ?? null;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
