import type { Sharing } from '../db/shared-pool.ts';
import { BillingError } from '../kernel/errors.ts';
import { FairSemaphore, NoPermit } from '../kernel/fair-semaphore.ts';
import { CONNECTIONS, limits } from './limits.ts';
import { keyNow } from './tenant.ts';

/** Longer than any statement of a request may last, so that a connection comes free meanwhile. */
const WAIT_MS = 5_000;
const RETRY_SECONDS = 2;

/** Has requests take connections in turns of whom they are for; `onRefused` is called when none came free. */
export function connectionSharing(onRefused: () => void): Sharing {
  const each = limits.connections.live;
  const semaphore = new FairSemaphore({ total: CONNECTIONS.requests, each, timeoutMs: WAIT_MS });
  return {
    sizes: CONNECTIONS,
    isOfRequest: () => keyNow() !== undefined,
    acquire: () =>
      semaphore.acquire(keyNow() ?? '').catch((error: unknown) => {
        if (!(error instanceof NoPermit)) throw error;
        onRefused();
        const message = `No connection to the database came free in ${WAIT_MS / 1_000} s; repeat with the same Idempotency-Key`;
        throw new BillingError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: RETRY_SECONDS });
      }),
  };
}
