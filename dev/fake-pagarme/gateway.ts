import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Refused } from './answer.ts';
import { hashOf, type Merchant } from './books.ts';
import { createToken } from './cards.ts';
import { endDue } from './charges.ts';
import type { Hooks } from './hooks.ts';
import { type Desk, routeOf } from './operations.ts';
import type { Operation, PagarmeTroubles, TroubleKind } from './troubles.ts';

const BASE = '/core/v5';
const DAY_MS = 86_400_000;
const SLOW_MS = 1_000;
const HTML = '<html><body><h1>Bad Gateway</h1></body></html>';
const DENIED = { status: 401, body: { message: 'Authorization has been denied for this request.' } };

export interface GatewayParts {
  readonly desk: Desk;
  readonly hooks: Hooks;
  readonly troubles: PagarmeTroubles;
  readonly merchants: readonly Merchant[];
}

/** What stands before the operations: keys, idempotency, troubles. */
export class Gateway {
  readonly #parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://pagarme.invalid');
    if (url.pathname === '/.well-known/jwks.json')
      return send(response, { status: 200, body: this.#parts.hooks.jwks() });
    const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length) : '';
    const body = await text(request);
    if (path === '/tokens') return this.#tokens(request, response, { url, body });
    const merchant = this.#merchantOf(request.headers.authorization);
    if (merchant === undefined) return send(response, DENIED);
    try {
      const { route, ids } = routeOf(request.method ?? '', path);
      const work = (): Answer => {
        const call = { desk: this.#parts.desk, merchant, ids, query: url.searchParams, body: parse(body) };
        if (request.method !== 'GET') merchant.requests.push({ operation: route.operation, body: call.body });
        endDue(this.#parts.desk, merchant);
        return route.handle(call);
      };
      const key = request.headers['idempotency-key'];
      const once = (): Answer =>
        typeof key === 'string'
          ? this.#once(merchant, { key, request: `${request.method} ${path} ${body}` }, work)
          : work();
      await this.#troubled(response, { merchant, operation: route.operation }, () => answered(once));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      send(response, error.answer);
    }
  }

  #merchantOf(authorization = ''): Merchant | undefined {
    const [, coded = ''] = /^Basic (.+)$/.exec(authorization) ?? [];
    const [key] = Buffer.from(coded, 'base64').toString().split(':');
    return this.#parts.merchants.find(({ secretKey }) => secretKey === key);
  }

  /** The same key answers what it answered first, for a day; with another request it is refused. */
  #once(merchant: Merchant, { key, request }: { key: string; request: string }, work: () => Answer): Answer {
    const now = this.#parts.desk.now();
    const kept = merchant.kept.get(key);
    if (kept !== undefined && now - kept.atMs < DAY_MS) {
      if (kept.request === hashOf(request)) return { status: kept.status, body: kept.body };
      throw new Refused(409, 'The idempotency key was used with another request.');
    }
    const answer = answered(work);
    // What was refused for its form did nothing, and may be mended.
    if (answer.status < 400) merchant.kept.set(key, { ...answer, request: hashOf(request), atMs: now });
    return answer;
  }

  /** A browser of a registered domain, without any key but the public one. */
  async #tokens(
    request: IncomingMessage,
    response: ServerResponse,
    { url, body }: { url: URL; body: string },
  ): Promise<void> {
    const merchant = this.#parts.merchants.find(({ publicKey }) => publicKey === url.searchParams.get('appId'));
    const { origin } = request.headers;
    const isAllowed = origin === undefined || merchant?.domains.has(new URL(origin).hostname) === true;
    if (origin !== undefined && isAllowed) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Allow-Methods', 'POST');
      response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
    }
    if (request.method === 'OPTIONS') return send(response, { status: isAllowed ? 204 : 403, body: null });
    if (merchant === undefined || request.headers.authorization !== undefined) return send(response, DENIED);
    if (!isAllowed) return send(response, { status: 403, body: { message: 'The domain is not registered.' } });
    if (request.method !== 'POST') return send(response, { status: 405, body: { message: 'Method not allowed.' } });
    const work = () => createToken(this.#parts.desk, merchant, parse(body));
    await this.#troubled(response, { merchant, operation: 'createToken' }, () => answered(work));
  }

  async #troubled(
    response: ServerResponse,
    { merchant, operation }: { merchant: Merchant; operation: Operation },
    work: () => Answer,
  ): Promise<void> {
    const strikes = (kind: TroubleKind) =>
      this.#parts.troubles.strikes(kind, { merchant: merchant.secretKey, operation });
    if (strikes('request_lost') !== null) return void response.destroy();
    if (strikes('unavailable') !== null)
      return send(response, { status: 503, body: { message: 'Service unavailable.' } });
    if (strikes('too_many') !== null) return send(response, { status: 429, body: { message: 'Too many requests.' } });
    if (strikes('unauthorized') !== null) return send(response, DENIED);
    const stalled = strikes('stalled');
    if (stalled !== null) await sleep(stalled.milliseconds ?? SLOW_MS);
    const answer = work();
    if (strikes('answer_lost') !== null) return void response.destroy();
    if (strikes('hanging') !== null) return;
    if (strikes('fault') !== null) return send(response, { status: 500, body: { message: 'Internal server error.' } });
    if (strikes('html_fault') !== null) return void response.writeHead(502, { 'content-type': 'text/html' }).end(HTML);
    const slow = strikes('slow');
    if (slow !== null) await sleep(slow.milliseconds ?? SLOW_MS);
    send(response, answer);
  }
}

function answered(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

function parse(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new Refused(400, 'The body is no JSON.');
  }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (body === null) return void response.writeHead(status).end();
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
