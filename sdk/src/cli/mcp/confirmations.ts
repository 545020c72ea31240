import { randomInt } from 'node:crypto';
import { Refusal } from './refusal.ts';

/** Asked for and not taken up; the oldest is forgotten. */
const OPEN_MAX = 100;
/** Letters and digits that no font and no voice confuses. */
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const SIGNS_OF_CODE = 8;
/** Wrong codes for one question, and in one session: a person mistypes, an agent guesses. */
const GUESSES_OF_QUESTION = 3;
const GUESSES_OF_SESSION = 10;

interface Asked {
  /** Of the tool, its exact arguments, and what the person is shown. */
  readonly digest: string;
  readonly words: string;
  readonly code: string;
  readonly endsMs: number;
  wrong: number;
}

/** A question as a person is shown it, who alone learns its code. */
export type Question = Pick<Asked, 'words' | 'code' | 'endsMs'>;

/** The yes was to something else than what the call would do; `next`: what to do about it. */
export const mismatch = (next: string): Refusal =>
  new Refusal(
    'CONFIRMATION_MISMATCH',
    `the confirmation was for other arguments, or what the call would do has changed; ${next}`,
  );

const newCode = (): string => Array.from({ length: SIGNS_OF_CODE }, () => SIGNS[randomInt(SIGNS.length)]).join('');
/** As people read and type them. */
const spaced = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
const typed = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();

/** Questions to a person, each with a code that is good for one call that does what was shown, for a short time. */
export class Confirmations {
  readonly lifeMs: number;
  readonly #asked = new Map<string, Asked>();
  #wrong = 0;

  constructor(lifeMs: number) {
    this.lifeMs = lifeMs;
  }

  /** Those that a person may still answer, the newest last. */
  open(nowMs: number): Question[] {
    return [...this.#asked.values()]
      .filter(({ endsMs }) => endsMs > nowMs)
      .map(({ words, code, endsMs }) => ({ words, code: spaced(code), endsMs }));
  }

  /** Asks; null: the same was asked and stands, with the code that it has. */
  ask(digest: string, words: string, nowMs: number): Question | null {
    this.#refuseGuesser();
    const standing = [...this.#asked.values()].find((asked) => asked.digest === digest && asked.endsMs > nowMs);
    if (standing !== undefined) return null;
    const asked = { digest, words, code: newCode(), endsMs: nowMs + this.lifeMs, wrong: 0 };
    this.#asked.set(asked.code, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > OPEN_MAX && oldest !== undefined) this.#asked.delete(oldest);
    return { ...asked, code: spaced(asked.code) };
  }

  /** Takes up a confirmation, which is spent by it, whatever comes of it. */
  take(given: string, digest: string, nowMs: number): void {
    this.#refuseGuesser();
    const code = typed(given);
    const asked = this.#asked.get(code) ?? this.#refuseWrong(digest);
    this.#asked.delete(code);
    if (asked.endsMs <= nowMs) {
      throw new Refusal('CONFIRMATION_EXPIRED', 'the confirmation is too old: call without one to ask anew');
    }
    if (asked.digest !== digest) throw mismatch('it is void: call without one to ask anew');
  }

  #refuseWrong(digest: string): never {
    this.#wrong += 1;
    const asked = [...this.#asked.values()].findLast((one) => one.digest === digest);
    if (asked !== undefined) {
      asked.wrong += 1;
      if (asked.wrong >= GUESSES_OF_QUESTION) this.#asked.delete(asked.code);
    }
    throw new Refusal(
      'CONFIRMATION_INVALID',
      'no such confirmation, or it was used: the person reads the code to you; call without one to ask anew',
    );
  }

  #refuseGuesser(): void {
    if (this.#wrong < GUESSES_OF_SESSION) return;
    throw new Refusal(
      'TOO_MANY_GUESSES',
      `${GUESSES_OF_SESSION} codes were wrong: nothing is confirmed any more until a person starts this server anew`,
    );
  }
}
