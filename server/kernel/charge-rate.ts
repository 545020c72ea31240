import { HOUR, MINUTE, SECOND_MS } from './time.ts';

/** How often a second runs may ask the acquirer of an account, unless its settings say otherwise. */
export const CHARGES_PER_SECOND = 20;
export const CHARGES_PER_SECOND_MAX = 1_000;

/** However often the acquirer says that it is asked too often. */
const LEAST_PER_SECOND = 1;
/** What an acquirer refuses within this was sent before it was asked less, and halves no more. Milliseconds. */
const ONE_REFUSAL_MS = SECOND_MS;
/** For how long an acquirer is asked less: what it wants, within these. Seconds. */
const SLOW_LEAST = MINUTE;
const SLOW_MOST = HOUR;

/** How often a second runs may ask an acquirer: what its account has set, and less while it says that this is too often. */
export class ChargeRate {
  readonly #set: number;
  readonly #nowMs: () => number;
  #slowed: { readonly perSecond: number; readonly sinceMs: number; readonly untilMs: number } | null = null;

  constructor(perSecond: number, nowMs: () => number) {
    this.#set = perSecond;
    this.#nowMs = nowMs;
  }

  get perSecond(): number {
    if (this.#slowed !== null && this.#nowMs() >= this.#slowed.untilMs) this.#slowed = null;
    return this.#slowed?.perSecond ?? this.#set;
  }

  /** The acquirer says that it is asked too often, and for how many seconds it wants less; answers the rate that it has now. */
  halve(retryAfterSeconds: number): number {
    const { perSecond } = this;
    const nowMs = this.#nowMs();
    const forMs = Math.min(SLOW_MOST, Math.max(SLOW_LEAST, retryAfterSeconds)) * SECOND_MS;
    const isSame = this.#slowed !== null && nowMs - this.#slowed.sinceMs < ONE_REFUSAL_MS;
    this.#slowed = {
      perSecond: isSame ? perSecond : Math.max(LEAST_PER_SECOND, perSecond / 2),
      sinceMs: isSame ? (this.#slowed?.sinceMs ?? nowMs) : nowMs,
      untilMs: Math.max(this.#slowed?.untilMs ?? 0, nowMs + forMs),
    };
    return this.#slowed.perSecond;
  }
}
