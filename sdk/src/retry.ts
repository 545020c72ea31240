import type { FaturaError } from './errors.ts';

const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 8_000;
/** Longest wait a `Retry-After` may ask; the rate limit's window is this long. */
const RETRY_AFTER_MAX_SECONDS = 60;

/** Whether the same request, under the same Idempotency-Key, may succeed when sent again. */
export function isRetryable({ status, code }: FaturaError): boolean {
  if (status === null) return code === 'CONNECTION_FAILED' || code === 'TIMEOUT';
  return status === 408 || status === 429 || status >= 500 || code === 'IDEMPOTENCY_KEY_IN_USE';
}

/**
 * Milliseconds before the next try, or null when the service asks for more patience than a call should have.
 * `Retry-After` decides; without it a random part of a growing bound, so that clients that failed together spread out.
 */
export function retryDelayMs(error: FaturaError, attempt: number, random: () => number = Math.random): number | null {
  const asked = error.retryAfterSeconds;
  if (asked !== null) return asked <= RETRY_AFTER_MAX_SECONDS ? asked * 1000 : null;
  return random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** attempt);
}

const TIMER_MAX_MS = 2 ** 31 - 1;

/** A signal that aborts with the caller's, and after a time; `release` it when what it limits has ended. */
export function timeLimit(ms: number, caller: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort(caller?.reason);
  const timer = setTimeout(abort, Math.min(ms, TIMER_MAX_MS));
  caller?.addEventListener('abort', abort);
  if (caller?.aborted) abort();
  const release = () => {
    clearTimeout(timer);
    caller?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}

/** Waits; ends early, without an error, when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}
