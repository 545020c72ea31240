import { type Answer, answerOf, type WithResponse } from './answer.ts';
import { answerError, type ClientErrorCode, FaturaError } from './errors.ts';
import { type RouteId, type RouteTypes, routes } from './generated/routes.ts';
import { logging, type Observer, type RequestInfo, shielded, tellingLongWaits, withAdded } from './observers.ts';
import {
  checkOptions,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  type FaturaOptions,
  readBaseUrl,
  readKey,
  readRetries,
  readTimeout,
  type WriteOptions,
} from './options.ts';
import { isRetryable, pause, retryDelayMs, timeLimit } from './retry.ts';
import { traced } from './tracing.ts';
import { VERSION } from './version.ts';

export type { FaturaOptions, RequestOptions, WriteOptions } from './options.ts';

interface Call {
  id?: string;
  /** The id of an object within that one. */
  below?: string;
  body?: object;
  query?: object;
}

interface Prepared {
  readonly route: RouteId;
  readonly method: string;
  /** Without the query, which may hold personal data; for whoever looks on. */
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly envelope: string | undefined;
  readonly idempotencyKey: string | null;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
}

type Outcome = WithResponse<unknown> | FaturaError;

/** Sends requests: authentication, envelope, time limit, retries. */
export class Transport {
  readonly #options: FaturaOptions;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #observers: readonly Observer[];

  constructor(options: FaturaOptions) {
    checkOptions(options);
    const { logger, onResponse } = options;
    this.#options = { ...options };
    this.#baseUrl = readBaseUrl(options);
    this.#timeoutMs = readTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.#retries = readRetries(options.retries ?? DEFAULT_RETRIES);
    const observers = [...(logger ? [logging(logger)] : []), ...(onResponse ? [onResponse] : [])];
    this.#observers = observers.length > 0 ? observers : [tellingLongWaits];
  }

  /** Calls a route and answers its object. */
  send<R extends RouteId>(
    route: R,
    call: RouteTypes[R]['call'],
    options?: WriteOptions,
  ): Answer<RouteTypes[R]['answer']> {
    return answerOf(this.request(route, call, options));
  }

  async request<R extends RouteId>(
    route: R,
    call: RouteTypes[R]['call'],
    options: WriteOptions = {},
  ): Promise<WithResponse<RouteTypes[R]['answer']>> {
    const request = this.#prepare(route, call, options);
    const { tracer, logger } = this.#options;
    const run = (spanned: readonly Observer[]) => this.#untilDone(request, [...this.#observers, ...spanned]);
    // The service holds its answers to the contract that RouteTypes is made from.
    return (tracer ? traced({ tracer, request, logger, run }) : run([])) as Promise<
      WithResponse<RouteTypes[R]['answer']>
    >;
  }

  async #untilDone(request: Prepared, observers: readonly Observer[]): Promise<WithResponse<unknown>> {
    for (let attempt = 0; ; attempt += 1) {
      const { outcome, retryInMs } = await this.#attempt(request, attempt, observers);
      if (!(outcome instanceof FaturaError)) return outcome;
      if (retryInMs === null) throw outcome;
      await pause(retryInMs, request.signal);
    }
  }

  #prepare(route: RouteId, call: Call, options: WriteOptions): Prepared {
    const { method, path: template, envelope }: { method: string; path: string; envelope?: string } = routes[route];
    const ids = [call.id, call.below];
    const path = template.replace(/\{\w+\}/g, () => pathSegment(ids.shift()));
    const body = call.body && JSON.stringify(envelope ? { [envelope]: call.body } : call.body);
    const idempotencyKey = readKey(options.idempotencyKey ?? (method === 'POST' ? crypto.randomUUID() : null));
    return {
      route,
      method,
      path,
      url: this.#baseUrl + path + queryString(call.query),
      headers: {
        Accept: 'application/json',
        ...(this.#options.apiKey !== null && { Authorization: `ApiKey ${this.#options.apiKey}` }),
        'User-Agent': `fatura-sdk/${VERSION}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: body ?? null,
      envelope,
      idempotencyKey,
      timeoutMs: readTimeout(options.timeoutMs ?? this.#timeoutMs),
      retries: readRetries(options.retries ?? this.#retries),
      signal: options.signal,
    };
  }

  async #attempt(
    request: Prepared,
    attempt: number,
    observers: readonly Observer[],
  ): Promise<{ outcome: Outcome; retryInMs: number | null }> {
    const { route, method, path, idempotencyKey } = request;
    const { fetch = globalThis.fetch, logger, onRequest } = this.#options;
    const told: RequestInfo = { route, method, path, attempt, idempotencyKey };
    const added = onRequest && shielded(() => onRequest(told), logger);
    const headers = added && shielded(() => withAdded(added, request.headers), logger);
    const startedAt = Date.now();
    const outcome = await exchange({ ...request, headers: headers || request.headers }, fetch);
    const durationMs = Date.now() - startedAt;
    const error = outcome instanceof FaturaError ? outcome : null;
    const status = outcome instanceof FaturaError ? outcome.status : outcome.response.status;
    const mayRetry = error !== null && attempt < request.retries && isRetryable(error);
    const retryInMs = mayRetry ? retryDelayMs(error, attempt) : null;
    const response = { ...told, status, requestId: outcome.requestId, durationMs, error, retryInMs };
    for (const observe of observers) shielded(() => observe(response), logger);
    return { outcome, retryInMs };
  }
}

/** One try, under a time limit of its own. */
async function exchange(
  request: Omit<Prepared, 'headers'> & { headers: Headers | Prepared['headers'] },
  send: typeof globalThis.fetch,
): Promise<Outcome> {
  const { method, headers, body, signal, idempotencyKey } = request;
  const limit = timeLimit(request.timeoutMs, signal);
  try {
    if (signal?.aborted) throw signal.reason;
    const response = await send(request.url, { method, headers, body, redirect: 'manual', signal: limit.signal });
    const data = parseJson(await response.text());
    if (!response.ok || data === undefined) return answerError(response, data, request);
    return { data, response, requestId: response.headers.get('Request-Id') };
  } catch (cause) {
    const { code, what } = whyUnanswered(request, limit.signal.aborted);
    const message = `${method} ${request.url.replace(/\?.*/, '')} ${what}`; // a query may hold personal data
    return new FaturaError({ message, code, type: 'client_error', idempotencyKey, cause });
  } finally {
    limit.release();
  }
}

function whyUnanswered(
  { signal, timeoutMs }: Pick<Prepared, 'signal' | 'timeoutMs'>,
  isStopped: boolean,
): { code: ClientErrorCode; what: string } {
  if (signal?.aborted) return { code: 'ABORTED', what: 'was aborted' };
  if (isStopped) return { code: 'TIMEOUT', what: `had no answer within ${timeoutMs} ms` };
  return { code: 'CONNECTION_FAILED', what: 'got no answer' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An id as one segment of a path; one that would name another route is a mistake of the caller. */
function pathSegment(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    throw new TypeError(`id must be the id of an object, got ${JSON.stringify(id)}`);
  }
  return encodeURIComponent(id);
}

function queryString(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(name, String(item));
    }
  }
  return search.size > 0 ? `?${search}` : '';
}
