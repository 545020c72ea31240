import type { Chance } from '../fakes/random.ts';

/** Yyyymmddhhmm in UTC, as ids of payments and of returns hold it. */
const minuteOf = (atMs: number): string => new Date(atMs).toISOString().replaceAll(/[-:T]/g, '').slice(0, 12);

const ISPB_LENGTH = 8;

/** The id of a payment: the payer's bank, the minute, eleven characters of its own. */
export function endToEndId(chance: Chance, atMs: number): string {
  return `E${chance.digits(ISPB_LENGTH)}${minuteOf(atMs)}${chance.text(11)}`;
}

/** The id under which the money of a return moves: the receiver's bank, the minute, eleven characters of its own. */
export function returnIdentification(chance: Chance, ispb: string, atMs: number): string {
  return `D${ispb}${minuteOf(atMs)}${chance.text(11)}`;
}

/** A random key, as the directory of keys hands them out. */
export function randomPixKey(chance: Chance): string {
  const parts = [8, 4, 4, 4, 12].map((length) => chance.hex(length));
  return parts.join('-');
}
