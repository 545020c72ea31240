import type { FaturaError } from './errors.ts';
import type { RouteId } from './generated/routes.ts';

/** Receives a line for each try and each wait, never keys, bodies or query strings. `console` will do. */
export interface Logger {
  debug(message: string, details: object): void;
  warn(message: string, details: object): void;
}

/** One try of a call, before it is sent. Neither the API key nor the body or the query is told. */
export interface RequestInfo {
  /** The method of the client: `invoices.checkout`. */
  readonly route: RouteId;
  /** The HTTP method. */
  readonly method: string;
  /** Path of the request, without its query. */
  readonly path: string;
  /** Number of the try: 0 for the first. */
  readonly attempt: number;
  /** The same on each try of a call; null where none is sent. */
  readonly idempotencyKey: string | null;
}

/** One try of a call, after its answer came or did not. */
export interface ResponseInfo extends RequestInfo {
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Id of the request at the service; null when no answer came. */
  readonly requestId: string | null;
  /** How long the try took, its answer read. Milliseconds. */
  readonly durationMs: number;
  /** Why it failed; null when it did not. */
  readonly error: FaturaError | null;
  /** The wait before the next try. Milliseconds; null when the call ends with this one. */
  readonly retryInMs: number | null;
}

/** Looks on at each try of a call: hooks, logs, traces. Nothing of it changes what becomes of the call. */
export type Observer = (response: ResponseInfo) => unknown;

/** A line for each try, and one for each wait. */
export const logging =
  (logger: Logger): Observer =>
  ({ error, retryInMs, ...details }) => {
    logger.debug('fatura: request', details);
    const { route, method, path, idempotencyKey } = details;
    const call = { route, method, path, idempotencyKey };
    if (retryInMs !== null) logger.warn('fatura: will retry', { ...call, code: error?.code, delayMs: retryInMs });
  };

const LONG_WAIT_MS = 5_000;

/** Where nobody looks on, a wait that looks like a program that hangs is told. */
export const tellingLongWaits: Observer = ({ route, error, retryInMs }) => {
  if (retryInMs === null || retryInMs < LONG_WAIT_MS) return;
  console.warn(`fatura: ${route} was answered ${error?.code}; trying again in ${Math.ceil(retryInMs / 1_000)} s`);
};

/** Runs what is not ours. What it throws, now or later, is told and goes no further: money may have moved already. */
export function shielded<T>(run: () => T, logger: Pick<Logger, 'warn'> = console): T | undefined {
  const tell = (error: unknown): undefined => {
    try {
      logger.warn('fatura: a hook failed', { error });
    } catch {
      // The logger is not ours either.
    }
  };
  try {
    const result = run();
    if (result instanceof Promise) result.catch(tell);
    return result;
  } catch (error) {
    return tell(error);
  }
}

/** The headers of a try: those that a hook adds, and over them our own, which none replaces. */
export function withAdded(added: object, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ ...added });
  headers.delete('Idempotency-Key'); // an error tells the key of its call, so none goes out unknown to it
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}
