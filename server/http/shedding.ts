import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RequestHandler } from 'express';
import type { Deps } from '../deps.ts';
import { amountOf } from '../kernel/budgets.ts';
import { BillingError } from '../kernel/errors.ts';
import { holderOf, type Party } from './party.ts';

/** How late the event loop is before something is refused: of whoever keeps it busy first, of everybody in a mode later. */
const LATE_MS = {
  sandbox: { loud: 100, all: 250 },
  live: { loud: 250, all: 1_000 },
} as const;

const LOOK_EVERY_MS = 500;
/** What an account was busy with counts half as much a look later. */
const FORGOTTEN_SHARE = 0.5;
/** Less than this is nothing to speak of, and is forgotten. */
const LEAST_MS = 1;
const RETRY_SECONDS = 1;

/** How late the event loop was since the last look. */
export type Lateness = () => number;

/** As the runtime measures it. */
export function measuredLateness(): Lateness {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return () => {
    // Nothing was measured where the loop never came round.
    const ms = Number.isNaN(delays.mean) ? 0 : delays.mean / 1e6;
    delays.reset();
    return ms;
  };
}

/**
 * Refuses work while the process is late with all it has: sandboxes before live, and in each mode the accounts that kept it
 * busiest in the last seconds before all others. Buyers, callbacks of acquirers and probes are not asked about
 * (docs/design/budgets.md#load-is-shed).
 */
export class Shedding {
  readonly #lateness: Lateness;
  readonly #refuse: Deps['metrics']['budgets']['refuse'];
  readonly #busyMs = new Map<string, number>();
  #formerMs = 0;
  /** In both of the last looks. */
  #lateMs = 0;

  constructor(lateness: Lateness, { metrics }: Pick<Deps, 'metrics'>) {
    this.#lateness = lateness;
    this.#refuse = metrics.budgets.refuse;
  }

  /** To be called now and then, evenly. */
  look(): void {
    const latenessMs = this.#lateness();
    // One pause, as of a collection of garbage, is no load.
    this.#lateMs = Math.min(latenessMs, this.#formerMs);
    this.#formerMs = latenessMs;
    for (const [name, ms] of this.#busyMs) {
      const left = ms * FORGOTTEN_SHARE;
      if (left < LEAST_MS) this.#busyMs.delete(name);
      else this.#busyMs.set(name, left);
    }
  }

  /** Counts what a request took. */
  count(party: Party, ms: number): void {
    const name = holderOf(party);
    this.#busyMs.set(name, (this.#busyMs.get(name) ?? 0) + ms);
  }

  /** Throws where a request of an account is not to be begun now. */
  admit(party: Party): void {
    const late = party.liveMode ? LATE_MS.live : LATE_MS.sandbox;
    if (this.#lateMs < late.loud) return;
    const most = amountOf('handler_time', party);
    if (this.#shareOf(party) > most) {
      this.#refuse('handler_time', party);
      const message = `The service is busy, and this account has more of it than the budget "handler_time" of ${most} %; repeat in ${RETRY_SECONDS} s`;
      throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds: RETRY_SECONDS });
    }
    if (this.#lateMs < late.all) return;
    const message = 'The service is busy; repeat shortly, with the same Idempotency-Key';
    throw new BillingError('SERVICE_UNAVAILABLE', { message });
  }

  /** Of all that the process was busy with, in percent. */
  #shareOf(party: Party): number {
    let all = 0;
    for (const ms of this.#busyMs.values()) all += ms;
    return all === 0 ? 0 : (100 * (this.#busyMs.get(holderOf(party)) ?? 0)) / all;
  }
}

/** Looks at the lateness of this process for as long as it runs. */
export function watchLateness(shedding: Shedding): void {
  setInterval(() => shedding.look(), LOOK_EVERY_MS).unref();
}

/** Behind the authentication: before a body is read, and counting until the answer has left or the request only waits. */
export const shed =
  (shedding: Shedding): RequestHandler =>
  (request, response, next) => {
    const { accountId, liveMode } = request.identity;
    const startedMs = performance.now();
    let isCounted = false;
    const count = (): void => {
      if (isCounted) return;
      isCounted = true;
      shedding.count({ accountId, liveMode }, performance.now() - startedMs);
    };
    request.stepAside = count;
    response.once('close', count);
    shedding.admit({ accountId, liveMode });
    next();
  };
