import { randomInt } from 'node:crypto';

/** A source of chance: the same seed makes the same ids, and the same choices of troubles. */
export interface Chance {
  /** At least 0, less than 1. */
  share(): number;
  /** So many letters and digits. */
  text(length: number): string;
  digits(length: number): string;
  hex(length: number): string;
}

const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
const LETTERS_AND_DIGITS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`;

export const newSeed = (): number => randomInt(2 ** 32);

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  // Mulberry32: ids of a test need to repeat, not to be unguessable.
  const share = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const drawn = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(share() * alphabet.length))).join('');
  return {
    share,
    text: (length) => drawn(LETTERS_AND_DIGITS, length),
    digits: (length) => drawn(DIGITS, length),
    hex: (length) => drawn(HEX, length),
  };
}
