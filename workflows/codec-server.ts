import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { namesOwnPort } from '../server/kernel/loopback.ts';

const LOOPBACK = '127.0.0.1';
const BODY_MAX_BYTES = 4 * 1024 * 1024;
const PAYLOADS_MAX = 10_000;

export interface CodecServerOptions {
  readonly codec: Pick<PayloadCodec, 'decode'>;
  readonly port: number;
  /** The origins of Temporal UIs whose pages may ask. */
  readonly origins: readonly string[];
  /** What callers show as `Authorization: Bearer`; null: nothing is asked, which is for a Temporal on this machine. */
  readonly token: string | null;
}

/** Payloads as Temporal's UI and command line send them: JSON with base64. */
const Asked = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), z.string()).optional(), data: z.string().optional() }))
    .max(PAYLOADS_MAX),
});

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Why a call is not answered, as a status; null: it is. */
function refusalOf(request: IncomingMessage, { port, origins, token }: CodecServerOptions): number | null {
  const { host, origin, authorization = '', 'content-type': type = '' } = request.headers;
  if (!namesOwnPort(host, port)) return 421;
  if (origin !== undefined && !origins.includes(origin)) return 403;
  if (request.method === 'OPTIONS') return origin === undefined ? 400 : null;
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/decode') return 404;
  if (token !== null && !timingSafeEqual(sha256(authorization), sha256(`Bearer ${token}`))) return 401;
  if (!type.startsWith('application/json')) return 415;
  return Number(request.headers['content-length'] ?? Number.NaN) <= BODY_MAX_BYTES ? null : 413;
}

async function decode(codec: CodecServerOptions['codec'], body: unknown): Promise<object> {
  const { payloads } = Asked.parse(body);
  const decoded = await codec.decode(
    payloads.map(({ metadata = {}, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value, 'base64')])),
      data: Buffer.from(data ?? '', 'base64'),
    })),
  );
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  return {
    payloads: decoded.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([key, value]) => [key, base64(value)])),
      data: base64(data),
    })),
  };
}

function allow(request: IncomingMessage, response: ServerResponse): void {
  const { origin } = request.headers;
  response.setHeader('vary', 'origin');
  response.setHeader('cache-control', 'no-store');
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'POST');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-namespace');
}

async function answer(request: IncomingMessage, response: ServerResponse, options: CodecServerOptions): Promise<void> {
  const refusal = refusalOf(request, options);
  if (refusal !== null) {
    response.writeHead(refusal).end();
    return;
  }
  allow(request, response);
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  try {
    const decoded = await decode(options.codec, await json(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(decoded));
  } catch {
    // Which of the payloads no key opens is no concern of who asks.
    response.writeHead(400).end();
  }
}

export interface CodecServer {
  stop(): Promise<void>;
}

/**
 * Opens payloads for Temporal's UI and command line, on loopback alone: whoever asks shows ciphertext, and gets what the
 * ring opens (docs/design/keys.md#what-temporal-keeps).
 */
export function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const server = createServer((request, response) => void answer(request, response, options));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, LOOPBACK, () =>
      resolve({
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped());
            server.closeAllConnections();
          }),
      }),
    );
  });
}
