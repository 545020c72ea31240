import { Paces } from '../db/paces.ts';
import type { PerLane } from '../kernel/lane.ts';
import { SECOND_MS } from '../kernel/time.ts';

/** Of all time they have a fifth: what is slow without carrying much keeps the database busy. */
const TIME_PER_TAKEN = 5;
const REST_MAX_MS = 1_000;
/** So much need not be waited for at once: whoever lists ten objects now and then never waits, and no slow moment is paid for many times. */
const CREDIT_MS = 250;

/** How long a place was taken, and how much was carried meanwhile. */
interface Taken {
  readonly takenMs: number;
  readonly bytes: number;
}

/** How long the places of dear requests rest beside others, so that they have no more than their part of all time and bytes. */
class Rests {
  readonly #credits = new Paces(CREDIT_MS);
  readonly #bytesPerMs: number;
  readonly #timePerTaken: number;

  constructor({ bytesPerSecond, timePerTaken }: { bytesPerSecond: number; timePerTaken: number }) {
    this.#bytesPerMs = bytesPerSecond / SECOND_MS;
    this.#timePerTaken = timePerTaken;
  }

  /** Milliseconds that a holder's place rests after a request. */
  after(holder: string, { takenMs, bytes }: Taken): number {
    const dueMs = Math.max(bytes / this.#bytesPerMs, this.#timePerTaken * takenMs);
    const restMs = this.#credits.spend(holder, SECOND_MS, Math.min(dueMs, takenMs + REST_MAX_MS));
    return Math.min(restMs, REST_MAX_MS);
  }

  /** Gives a holder's place back when it has rested after a request. */
  leave(holder: string, taken: Taken, giveBack: () => void): void {
    const restMs = this.after(holder, taken);
    if (restMs === 0) giveBack();
    else setTimeout(giveBack, restMs).unref();
  }
}

/** Rests of dear requests of which so many bytes pass in a second; sandboxes have half of the bytes, and of the time. */
export const createRests = (bytesPerSecond: number): PerLane<Rests> => ({
  live: new Rests({ bytesPerSecond, timePerTaken: TIME_PER_TAKEN }),
  sandbox: new Rests({ bytesPerSecond: bytesPerSecond / 2, timePerTaken: 2 * TIME_PER_TAKEN }),
});
