import type { Logger, RequestInfo, ResponseInfo } from './observers.ts';
import type { Tracer } from './tracing.ts';

const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';
export const DEFAULT_TIMEOUT_MS = 60_000;
const TIMEOUT_MAX_MS = 600_000;
export const DEFAULT_RETRIES = 2;
const RETRIES_MAX = 10;

export interface FaturaOptions {
  /**
   * `sk_sandbox_…` or `sk_live_…`. Keep it on your server: it can charge and read everything of the account.
   * Null sends none: for a page that calls a server of your own, with a `fetch` that shows that server who calls.
   */
  apiKey: string | null;
  /** Where the service runs; default `http://127.0.0.1:3000`, the address of a service started with `npm start`. */
  baseUrl?: string | undefined;
  /** How long one try may take, answer included. Milliseconds, default 60000, at most 600000. */
  timeoutMs?: number | undefined;
  /** Tries after the first, 0 to 10, default 2. */
  retries?: number | undefined;
  /** The `fetch` to send with; default the global one. */
  fetch?: typeof globalThis.fetch | undefined;
  logger?: Logger | undefined;
  /**
   * Called ahead of each try. Headers that it returns are sent too, such as `traceparent`; those of this client stay as
   * they are. It is not awaited, and what it throws is told to the `logger` (else the console) and changes nothing.
   */
  onRequest?: ((request: RequestInfo) => Readonly<Record<string, string>> | undefined) | undefined;
  /** Called after each try, failed ones too; the last of a call has `retryInMs: null`. Not awaited either. */
  onResponse?: ((response: ResponseInfo) => void) | undefined;
  /**
   * A tracer of OpenTelemetry. Each call becomes a client span named after its method, with a `retry` event for each try
   * that was not the last; it is the active span while the call is made.
   */
  tracer?: Tracer | undefined;
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

/** Every option by its name, so that none is forgotten. */
const OPTIONS: Record<keyof FaturaOptions, true> = {
  apiKey: true,
  baseUrl: true,
  timeoutMs: true,
  retries: true,
  fetch: true,
  logger: true,
  onRequest: true,
  onResponse: true,
  tracer: true,
};

/** A page shows its key to everybody who opens it. The DOM of a test that runs on a server is no page. */
function refuseBrowsers(): void {
  const { window, document, navigator }: { window?: unknown; document?: unknown; navigator?: { userAgent: string } } =
    globalThis;
  if (window === undefined || document === undefined || /jsdom|happydom/i.test(navigator?.userAgent ?? '')) return;
  throw new TypeError(
    'new Fatura() was called in a browser. A key that a page holds is shown to everybody, and who has it can charge and ' +
      'read everything of your account: call Fatura from your server, and send buyers to the hosted page, ' +
      'the `payment_url` of an invoice or the `url` of a checkout session.',
  );
}

/** A key is a secret: no message repeats one. */
export function checkOptions(options: FaturaOptions): void {
  if (options?.apiKey !== null) refuseBrowsers();
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`the options must be an object: new Fatura({ apiKey: 'sk_…' }), got ${typeof options}`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is no option of the client; it takes ${Object.keys(OPTIONS).join(', ')}`);
  }
  const { apiKey, fetch } = options;
  if (apiKey === null && fetch !== undefined) return;
  if (apiKey == null || apiKey === '')
    throw new TypeError('apiKey is missing: give a key of your account, sk_sandbox_… or sk_live_…');
  // fetch would refuse such a key too, with the key in its message.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be a string of printable characters, without spaces or line breaks');
  }
}

/** Names and addresses that do not leave the machine, as `URL` writes them. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function readBaseUrl({ apiKey, baseUrl = DEFAULT_BASE_URL }: FaturaOptions): string {
  if (!/^https?:\/\/[^?#]+$/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(`baseUrl must be an http or https URL without a query, got ${baseUrl}`);
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (apiKey?.startsWith('sk_live_') && protocol === 'http:' && !LOOPBACK.test(hostname)) {
    throw new TypeError(
      `a live key goes over https alone: baseUrl is ${baseUrl}, on whose way anybody can read the key`,
    );
  }
  return baseUrl.replace(/\/+$/, '');
}

export function readTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) {
    throw new TypeError(`timeoutMs must be above 0 and at most ${TIMEOUT_MAX_MS}, got ${timeoutMs}`);
  }
  return timeoutMs;
}

export function readRetries(retries: number): number {
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= RETRIES_MAX)) {
    throw new TypeError(`retries must be a whole number of 0 to ${RETRIES_MAX}, got ${retries}`);
  }
  return retries;
}

export function readKey(key: string | null): string | null {
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters');
  }
  return key;
}
