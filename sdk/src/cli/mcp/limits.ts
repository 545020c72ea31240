import { Refusal } from './refusal.ts';

const CALLS_MAX = 60;
const WINDOW_MS = 60_000;

/** At most 60 calls a minute: an agent that runs in circles is stopped before the service stops the whole key. */
export class CallRate {
  #calls: number[] = [];

  take(nowMs: number): void {
    this.#calls = this.#calls.filter((at) => at > nowMs - WINDOW_MS);
    const [oldest] = this.#calls;
    if (oldest !== undefined && this.#calls.length >= CALLS_MAX) {
      const seconds = Math.ceil((oldest + WINDOW_MS - nowMs) / 1_000);
      throw new Refusal('TOO_MANY_CALLS', `at most ${CALLS_MAX} calls a minute; wait ${seconds} seconds`);
    }
    this.#calls.push(nowMs);
  }
}

/** `R$ 99,90`, with a plain space. */
export const reais = (cents: number): string =>
  (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' }).replaceAll('\u00a0', ' ');

/** What a session may move, in cents; what has an unknown outcome counts as moved. */
export class Budget {
  readonly #max: number;
  #moved = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get left(): number {
    return this.#max - this.#moved;
  }

  check(amount: number): void {
    if (amount <= this.left) return;
    throw new Refusal(
      'MAX_AMOUNT',
      `${reais(amount)} is more than the ${reais(this.left)} that this session may still move (of ${reais(this.#max)}). A person can start it with a larger --max-amount, in cents.`,
    );
  }

  /** Counts an amount ahead of its call; the answer gives it back. */
  take(amount: number): () => void {
    this.check(amount);
    this.#moved += amount;
    return () => {
      this.#moved -= amount;
    };
  }
}
