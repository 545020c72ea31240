import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Fatura, type FaturaOptions } from '@fatura/sdk';
import { onTestFinished } from 'vitest';

/** How the service answers one request. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent as it is, in place of `body` as JSON. */
  raw?: string;
  /** `hang`: no answer ever; `reset`: the connection breaks; `half`: it breaks within the body. */
  fault?: 'hang' | 'reset' | 'half';
}

export interface SeenRequest {
  method: string;
  path: string;
  query: string;
  headers: IncomingMessage['headers'];
  body: string;
  at: number;
}

export interface FakeService {
  url: string;
  requests: SeenRequest[];
  client(options?: Partial<FaturaOptions>): Fatura;
}

export const API_KEY = 'sk_sandbox_0000000000000000000000000000000000000000000';

function send(response: ServerResponse, reply: Reply): void {
  if (reply.fault === 'hang') return;
  if (reply.fault === 'reset') return void response.destroy();
  const body = reply.raw ?? JSON.stringify(reply.body ?? {});
  response.writeHead(reply.status ?? 200, { 'Request-Id': 'req_1', ...reply.headers });
  if (reply.fault !== 'half') return void response.end(body);
  response.write('{"half":', () => response.destroy());
}

/** A local HTTP server that gives these replies in order (the last one again and again) and remembers what it was sent. */
export function fakeService(...replies: Reply[]): Promise<FakeService> {
  return fakeServiceThat((_, count) => replies[Math.min(count, replies.length) - 1] ?? {});
}

/** A local HTTP server that answers each request by a rule; `count` is the number of the request. */
export async function fakeServiceThat(answer: (request: SeenRequest, count: number) => Reply): Promise<FakeService> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const { method = '', headers } = request;
    const seen = { method, path, query, headers, body: await text(request), at: performance.now() };
    send(response, answer(seen, requests.push(seen)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP: not a pipe's name
  return { url, requests, client: (options) => new Fatura({ apiKey: API_KEY, baseUrl: url, ...options }) };
}

/** An error answer of the API. `Retry-After: 0` makes a retry come at once. */
export const refusal = (status: number, code: string, error: object = {}): Reply => ({
  status,
  headers: { 'Retry-After': '0' },
  body: {
    error: {
      type: 'invalid_request_error',
      code,
      message: `${code} happened`,
      param: null,
      decline_reason: null,
      request_id: 'req_2',
      doc_url: `http://127.0.0.1:3000/docs#${code}`,
      ...error,
    },
  },
});
