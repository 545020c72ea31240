import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { text } from 'node:stream/consumers';
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
  const body = await text(request).catch(() => null);
  if (body === null) return; // the caller is gone
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
  const whole = textOf(answer);
  const half = whole.slice(0, whole.length / 2);
  const type = answer.contentType ?? 'application/json';
  const head = whole === '' ? {} : { 'content-type': type };
  if (wire === 'cut-off') {
    response.writeHead(answer.status, { ...head, 'content-length': Buffer.byteLength(whole) });
    response.write(half, () => response.destroy());
    return;
  }
  response.writeHead(answer.status, head).end(wire === 'truncate' ? half : whole);
}

const textOf = ({ body }: Answer): string =>
  body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);

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
