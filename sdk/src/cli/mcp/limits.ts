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

/** Money that a call would move. */
export interface Claim {
  /** Cents. */
  readonly amount: number;
  /** What it can move once alone, however often it is asked for. */
  readonly once?: string;
}

function totalOf(claims: Iterable<Claim>): number {
  const largest = new Map<Claim | string, number>();
  for (const claim of claims) {
    const of = claim.once ?? claim;
    largest.set(of, Math.max(claim.amount, largest.get(of) ?? 0));
  }
  return [...largest.values()].reduce((sum, amount) => sum + amount, 0);
}

/** What a session may move, in cents; what has an unknown outcome counts as moved. */
export class Budget {
  readonly #max: number;
  readonly #claims = new Set<Claim>();

  constructor(max: number) {
    this.#max = max;
  }

  get left(): number {
    return this.#max - totalOf(this.#claims);
  }

  check(claim: Claim): void {
    if (totalOf([...this.#claims, claim]) <= this.#max) return;
    throw new Refusal(
      'MAX_AMOUNT',
      `${reais(claim.amount)} is more than the ${reais(this.left)} that this session may still move (of ${reais(this.#max)}). A person can start it with a larger --max-amount, in cents.`,
    );
  }

  /** Counts a claim ahead of its call; the answer gives it back. */
  take(claim: Claim): () => void {
    this.check(claim);
    const own = { ...claim }; // the same may be taken twice
    this.#claims.add(own);
    return () => void this.#claims.delete(own);
  }
}
