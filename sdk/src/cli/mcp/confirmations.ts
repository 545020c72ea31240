import { randomBytes } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** Asked for and not taken up; the oldest is forgotten. */
const OPEN_MAX = 100;

interface Asked {
  /** Of the tool, its exact arguments, and what the person was shown. */
  readonly digest: string;
  readonly endsMs: number;
}

/** The yes was to something else than what the call would do; `next`: what to do about it. */
export const mismatch = (next: string): Refusal =>
  new Refusal(
    'CONFIRMATION_MISMATCH',
    `the confirmation was for other arguments, or what the call would do has changed; ${next}`,
  );

/** Confirmations that were offered; each is good for one call that does what was shown, for a short time. */
export class Confirmations {
  readonly #asked = new Map<string, Asked>();
  readonly #lifeMs: number;

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  get lifeMs(): number {
    return this.#lifeMs;
  }

  offer(digest: string, nowMs: number): string {
    const token = `confirm_${randomBytes(16).toString('hex')}`;
    this.#asked.set(token, { digest, endsMs: nowMs + this.#lifeMs });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > OPEN_MAX && oldest !== undefined) this.#asked.delete(oldest);
    return token;
  }

  /** Takes up a confirmation, which is spent by it, whatever comes of it. */
  take(token: string, digest: string, nowMs: number): void {
    const asked = this.#asked.get(token);
    this.#asked.delete(token);
    if (asked === undefined) {
      throw new Refusal('CONFIRMATION_INVALID', 'no such confirmation, or it was used: call without one to ask anew');
    }
    if (asked.endsMs <= nowMs) {
      throw new Refusal('CONFIRMATION_EXPIRED', 'the confirmation is too old: call without one to ask anew');
    }
    if (asked.digest !== digest) {
      throw mismatch('it is void: call without one to ask anew');
    }
  }
}
