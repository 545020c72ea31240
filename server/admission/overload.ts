import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BillingError } from '../kernel/errors.ts';

/** How late the event loop is before work is refused. Pages of buyers are refused last. */
const LATE_MS = { keys: 250, links: 1_000 } as const;

const LOOK_EVERY_MS = 500;

/** How late the event loop was since the last look, in milliseconds. */
export type EventLoopLag = () => number;

/** As the runtime measures it. */
export function measuredLag(): EventLoopLag {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return () => {
    // Nothing was measured where the loop never came round.
    const ms = Number.isNaN(delays.mean) ? 0 : delays.mean / 1e6;
    delays.reset();
    return ms;
  };
}

/** Sheds load of all tenants alike while the event loop is late. Callbacks of acquirers and probes are answered throughout. */
export class Overload {
  readonly #lag: EventLoopLag;
  #formerMs = 0;
  /** In both of the last looks: one pause, as of a collection of garbage, is no load. */
  #lateMs = 0;

  constructor(lag: EventLoopLag) {
    this.#lag = lag;
  }

  /** Looks at the lag for as long as the process runs. */
  watch(): void {
    setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  look(): void {
    const lagMs = this.#lag();
    this.#lateMs = Math.min(lagMs, this.#formerMs);
    this.#formerMs = lagMs;
  }

  /** Throws 503 where a request is not to be begun now. */
  admit(kind: keyof typeof LATE_MS): void {
    if (this.#lateMs < LATE_MS[kind]) return;
    const message = 'The service is overloaded; repeat shortly, with the same Idempotency-Key';
    throw new BillingError('SERVICE_UNAVAILABLE', { message });
  }
}
