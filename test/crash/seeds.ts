import { cards } from '../support/cards.ts';

/** What a seed varies of a cell that nobody else has a hand in. */
export interface Variation {
  readonly amount: number;
  /** Of a card that is approved. */
  readonly card: string;
}

/** What a seed adds to it: others at the same invoice, and a death that may come at anybody's step. */
export interface Chaos {
  readonly countdown: { readonly countdown: number; readonly parks: false };
  readonly drawn: number;
}

export interface Seed {
  readonly seed: number;
  readonly variation: Variation;
  readonly chaos: Chaos | null;
}

const SOAK_SEEDS = 20;
const COUNTDOWN_MAX = 6;
const AMOUNT_MIN = 1_000;
/** Times a hundred and one more: no amount whose cents the sandbox takes for a test. */
const AMOUNT_STEPS = 5_000;

const brands = [cards.approved, cards.mastercard, cards.elo, cards.hipercard];

/** mulberry32: the same numbers for the same seed, on every machine. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function drawSeed(seed: number): Seed {
  const random = randomOf(seed);
  const amount = AMOUNT_MIN + 100 * random(AMOUNT_STEPS) + 1;
  const card = brands[random(brands.length)] ?? cards.approved;
  const countdown = { countdown: 1 + random(COUNTDOWN_MAX), parks: false } as const;
  // Half of the seeds foretell everything, the others trouble everything.
  const chaos = seed % 2 === 0 ? null : { countdown, drawn: random(100) };
  return { seed, variation: { amount, card }, chaos };
}

/** One seed, that foretells everything, or with SOAK=1 twenty. */
export const seeds: readonly Seed[] = Array.from({ length: process.env.SOAK === '1' ? SOAK_SEEDS : 1 }, (_, seed) =>
  drawSeed(seed),
);
