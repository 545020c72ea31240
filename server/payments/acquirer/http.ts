import { Agent, buildConnector, type Dispatcher } from 'undici';
import { readInterimAnswers } from '../../kernel/interim-answers.ts';
import { retryAfterSeconds } from '../../kernel/retry-after.ts';
import { SECOND_MS } from '../../kernel/time.ts';
import type { PspRefusal } from './port.ts';

const CONNECT_MS = 5 * SECOND_MS;
/** From the request to the whole answer; a caller waits 20 s for several of them. */
const EXCHANGE_MS = 10 * SECOND_MS;
/** A page of a hundred payments has about 60 KiB. */
const ANSWER_BYTES_MAX = 1_048_576;
const CONNECTIONS = 32;
const IDLE_MS = 30 * SECOND_MS;
/** So many exchanges in a row came to nothing. */
const SILENT_AFTER = 8;
const AT_ONCE_IF_SILENT = 4;

/** What a PSP answered, or why nobody knows what it did. */
export type PspExchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly body: unknown;
      /** For how many seconds it asks not to be asked again; null: it does not say. */
      readonly retryAfterSeconds: number | null;
    }
  /** The request never got there: nothing happened. */
  | { readonly kind: 'not_sent'; readonly why: string }
  /** It may have got there. */
  | { readonly kind: 'unanswered'; readonly why: string };

type Answered = Extract<PspExchange, { kind: 'answered' }>;

const GONE = 410;
const NOT_FOUND = 404;
const TOO_MANY = 429;

export const isSuccess = (exchange: PspExchange): exchange is Answered =>
  exchange.kind === 'answered' && exchange.status >= 200 && exchange.status < 300;

export const isAbsent = (exchange: PspExchange): boolean =>
  exchange.kind === 'answered' && (exchange.status === NOT_FOUND || exchange.status === GONE);

/** Whether the PSP does not take who asked: a key or a certificate that is wrong, revoked or of another environment. */
const isKeyRefused = (exchange: PspExchange): boolean =>
  exchange.kind === 'answered' && [401, 403].includes(exchange.status);

/** Whether a call was done, or found nothing. */
const isExpected = (exchange: PspExchange): boolean =>
  exchange.kind === 'answered' && (exchange.status < 300 || exchange.status === NOT_FOUND);

/** What an operator is to know of how a call ended; null: nothing. */
export function refusedCall(
  exchange: PspExchange,
  { call, tell }: { call: string; tell: (exchange: PspExchange) => string },
): PspRefusal | null {
  if (isExpected(exchange)) return null;
  return {
    call,
    why: tell(exchange),
    isKeyRefused: isKeyRefused(exchange),
    slowDownSeconds: slowDownSeconds(exchange),
  };
}

/** The same of an answer of which nothing is booked. */
export const unbookedCall = (call: string, why: string): PspRefusal => ({
  call,
  why,
  isKeyRefused: false,
  slowDownSeconds: null,
});

/** For how many seconds the PSP wants to be asked less often; null: it did not say that it is asked too often. */
export const slowDownSeconds = (exchange: PspExchange): number | null => {
  if (exchange.kind !== 'answered') return null;
  return exchange.retryAfterSeconds ?? (exchange.status === TOO_MANY ? 0 : null);
};

/** Whether the PSP refused what was asked, and not only who asked, how often or when. */
export const isRefusal = (exchange: PspExchange): boolean =>
  exchange.kind === 'answered' && [400, 404, 409, 422].includes(exchange.status);

/** What is not known of a call, by how its exchange ended. */
export function unknownBy(exchange: PspExchange): { known: false; why: 'unreachable' | 'timeout' | 'fault' } {
  if (exchange.kind === 'not_sent') return { known: false, why: 'unreachable' };
  return { known: false, why: exchange.kind === 'unanswered' ? 'timeout' : 'fault' };
}

export interface HttpRequest {
  /** Sooner than an exchange may take anyway. Milliseconds. */
  readonly withinMs?: number;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a client proves itself, and whom it believes: PEM. */
export interface TlsIdentity {
  /** Null: by something else than a certificate. */
  readonly own: { readonly certificate: string; readonly key: string } | null;
  /** Who signs the server's certificate; null: the public authorities. */
  readonly ca: string | null;
}

/** Connections to one PSP as one client. Never rejects for what the other side does. */
export class PspHttp {
  readonly #agent: Agent;
  #unanswered = 0;
  #inFlight = 0;

  constructor({ own, ca }: TlsIdentity) {
    const dial = buildConnector({
      ...(own === null ? {} : { cert: own.certificate, key: own.key }),
      ...(ca === null ? {} : { ca }),
      timeout: CONNECT_MS,
      allowH2: false,
    });
    this.#agent = new Agent({
      connect: (options, callback) =>
        dial(options, (error, socket) => {
          if (error !== null) return callback(error, null);
          readInterimAnswers(socket);
          callback(null, socket);
        }),
      connections: CONNECTIONS,
      keepAliveTimeout: IDLE_MS,
      headersTimeout: EXCHANGE_MS,
      bodyTimeout: EXCHANGE_MS,
      maxResponseSize: ANSWER_BYTES_MAX,
    });
  }

  /** A PSP that goes on not answering is asked by few at once, so that those who wait for it hold up nobody else. */
  async exchange(request: HttpRequest): Promise<PspExchange> {
    if (this.#unanswered >= SILENT_AFTER && this.#inFlight >= AT_ONCE_IF_SILENT)
      return { kind: 'not_sent', why: 'it has not answered for a while, and others ask it already' };
    this.#inFlight += 1;
    const exchange = await this.#send(request);
    this.#inFlight -= 1;
    if (exchange.kind === 'answered') this.#unanswered = 0;
    if (exchange.kind === 'unanswered') this.#unanswered += 1;
    return exchange;
  }

  async #send({ method, url, headers, body, withinMs = EXCHANGE_MS }: HttpRequest): Promise<PspExchange> {
    const signal = AbortSignal.timeout(withinMs);
    // A text would leave copies in freed memory: what is sent may be a card, and is overwritten once the call is over.
    const bytes = body === undefined ? null : Buffer.from(body);
    const options = { method, headers, signal, ...(bytes === null ? {} : { body: bytes }) };
    try {
      const { origin, pathname, search } = new URL(url);
      const answer = await this.#agent.request({ ...options, origin, path: pathname + search });
      const { statusCode: status, headers: told } = answer;
      return { kind: 'answered', status, body: await readBody(answer), retryAfterSeconds: retryAfterSeconds(told) };
    } catch (error) {
      const why = reasonOf(error);
      return isBeforeSending(error) ? { kind: 'not_sent', why } : { kind: 'unanswered', why };
    } finally {
      bytes?.fill(0);
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

/** What is no JSON is nothing: HTML of a gateway, a truncated answer, an empty one. */
async function readBody({ body }: Dispatcher.ResponseData): Promise<unknown> {
  const text = await body.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const chain = (error: unknown): unknown[] => (error instanceof Error ? [error, ...chain(error.cause)] : []);

const codesOf = (error: unknown): string[] =>
  chain(error).flatMap((link) => (link instanceof Error && 'code' in link ? String(link.code) : []));

/** No connection stood: the name, TCP or TLS failed. A certificate that the server refuses after the handshake ends one that stood. */
const BEFORE_SENDING =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_(?:CONNECT_TIMEOUT|CLOSED|DESTROYED)|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

const isBeforeSending = (error: unknown): boolean => codesOf(error).some((code) => BEFORE_SENDING.test(code));

/** Codes alone: a message may hold what was sent. */
const reasonOf = (error: unknown): string =>
  codesOf(error).join(' ') || (error instanceof Error ? error.name : 'unknown');
