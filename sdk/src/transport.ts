import { type Answer, answerOf, type WithResponse } from './answer.ts';
import { answerError, type ClientErrorCode, FaturaError } from './errors.ts';
import { type RouteId, type RouteTypes, routes } from './generated/routes.ts';
import { isRetryable, pause, retryDelayMs, timeLimit } from './retry.ts';
import { VERSION } from './version.ts';

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';
const DEFAULT_TIMEOUT_MS = 60_000;
const TIMEOUT_MAX_MS = 600_000;
const DEFAULT_RETRIES = 2;
const RETRIES_MAX = 10;

/** Receives a line for each try and each wait, never keys, bodies or query strings. `console` will do. */
export interface Logger {
  debug(message: string, details: object): void;
  warn(message: string, details: object): void;
}

export interface FaturaOptions {
  /** `sk_sandbox_…` or `sk_live_…`. Keep it on your server: it can charge and read everything of the account. */
  apiKey: string;
  /** Where the service runs; default `http://127.0.0.1:3000`, the address of a service started with `npm start`. */
  baseUrl?: string | undefined;
  /** How long one try may take, answer included. Milliseconds, default 60000, at most 600000. */
  timeoutMs?: number | undefined;
  /** Tries after the first, 0 to 10, default 2. */
  retries?: number | undefined;
  /** The `fetch` to send with; default the global one. */
  fetch?: typeof globalThis.fetch | undefined;
  logger?: Logger | undefined;
}

/** Options of one call; they win over those of the client. */
export interface RequestOptions {
  /** How long one try may take, answer included. Milliseconds. */
  timeoutMs?: number | undefined;
  /** Tries after the first, 0 to 10. */
  retries?: number | undefined;
  /** Ends the call, waits between tries included, with code `ABORTED`. */
  signal?: AbortSignal | undefined;
}

/** Options of one call that changes something. */
export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 printable characters, unique to this change: for 72 hours a repeat under it changes nothing anew.
   * Without it (or with null) a POST gets a random one. A PATCH gets none: it sets values, and twice is as once.
   */
  idempotencyKey?: string | null | undefined;
}

interface Call {
  id?: string;
  body?: object;
  query?: object;
}

interface Prepared {
  readonly method: string;
  /** Without the query, which may hold personal data; for the log. */
  readonly path: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly envelope: string | undefined;
  readonly idempotencyKey: string | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends requests: authentication, envelope, time limit, retries. */
export class Transport {
  readonly #apiKey: string;
  readonly #baseUrl: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof globalThis.fetch | undefined;
  readonly #logger: Logger | undefined;

  constructor(options: FaturaOptions) {
    checkOptions(options);
    this.#apiKey = options.apiKey;
    this.#baseUrl = readBaseUrl(options.baseUrl ?? DEFAULT_BASE_URL);
    this.#timeoutMs = readTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.#retries = readRetries(options.retries ?? DEFAULT_RETRIES);
    this.#fetch = options.fetch;
    this.#logger = options.logger;
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
    const retries = readRetries(options.retries ?? this.#retries);
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(request, attempt);
      // The service holds its answers to the contract that RouteTypes is made from.
      if (!(outcome instanceof FaturaError)) return outcome as WithResponse<RouteTypes[R]['answer']>;
      const delayMs = attempt < retries && isRetryable(outcome) ? retryDelayMs(outcome, attempt) : null;
      if (delayMs === null) throw outcome;
      this.#logger?.warn('fatura: will retry', { ...describe(request), code: outcome.code, delayMs });
      await pause(delayMs, request.signal);
    }
  }

  #prepare(route: RouteId, call: Call, options: WriteOptions): Prepared {
    const { method, path: template, envelope }: { method: string; path: string; envelope?: string } = routes[route];
    const path = template.includes('{id}') ? template.replace('{id}', pathSegment(call.id)) : template;
    const body = call.body && JSON.stringify(envelope ? { [envelope]: call.body } : call.body);
    const idempotencyKey = readKey(options.idempotencyKey ?? (method === 'POST' ? crypto.randomUUID() : null));
    return {
      method,
      path,
      url: this.#baseUrl + path + queryString(call.query),
      headers: {
        Accept: 'application/json',
        Authorization: `ApiKey ${this.#apiKey}`,
        'User-Agent': `fatura-sdk/${VERSION}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: body ?? null,
      envelope,
      idempotencyKey,
      timeoutMs: readTimeout(options.timeoutMs ?? this.#timeoutMs),
      signal: options.signal,
    };
  }

  async #attempt(request: Prepared, attempt: number): Promise<WithResponse<unknown> | FaturaError> {
    const startedAt = Date.now();
    const outcome = await exchange(request, this.#fetch ?? globalThis.fetch);
    this.#logger?.debug('fatura: request', {
      ...describe(request),
      attempt,
      status: outcome instanceof FaturaError ? outcome.status : outcome.response.status,
      requestId: outcome.requestId,
      durationMs: Date.now() - startedAt,
    });
    return outcome;
  }
}

/** One try, under a time limit of its own. */
async function exchange(
  request: Prepared,
  send: typeof globalThis.fetch,
): Promise<WithResponse<unknown> | FaturaError> {
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

function whyUnanswered({ signal, timeoutMs }: Prepared, isStopped: boolean): { code: ClientErrorCode; what: string } {
  if (signal?.aborted) return { code: 'ABORTED', what: 'was aborted' };
  if (isStopped) return { code: 'TIMEOUT', what: `had no answer within ${timeoutMs} ms` };
  return { code: 'CONNECTION_FAILED', what: 'got no answer' };
}

const describe = ({ method, path, idempotencyKey }: Prepared) => ({ method, path, idempotencyKey });

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

const OPTIONS = ['apiKey', 'baseUrl', 'timeoutMs', 'retries', 'fetch', 'logger'];

/** A key is a secret: no message repeats one. */
function checkOptions(options: FaturaOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`the options must be an object: new Fatura({ apiKey: 'sk_…' }), got ${typeof options}`);
  }
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${unknown} is no option of the client; it takes ${OPTIONS.join(', ')}`);
  const { apiKey } = options;
  if (apiKey == null || apiKey === '')
    throw new TypeError('apiKey is missing: give a key of your account, sk_sandbox_… or sk_live_…');
  // fetch would refuse such a key too, with the key in its message.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a string of printable characters, without spaces or line breaks');
  }
}

function readBaseUrl(baseUrl: string): string {
  if (!/^https?:\/\/[^?#]+$/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(`baseUrl must be an http or https URL without a query, got ${baseUrl}`);
  }
  return baseUrl.replace(/\/+$/, '');
}

function readTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) {
    throw new TypeError(`timeoutMs must be above 0 and at most ${TIMEOUT_MAX_MS}, got ${timeoutMs}`);
  }
  return timeoutMs;
}

function readRetries(retries: number): number {
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= RETRIES_MAX)) {
    throw new TypeError(`retries must be a whole number of 0 to ${RETRIES_MAX}, got ${retries}`);
  }
  return retries;
}

function readKey(key: string | null): string | null {
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters');
  }
  return key;
}
