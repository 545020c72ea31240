import { type ProfileName, profileNames } from '../../../dev/fake-psp/psp.ts';
import type { Variation } from '../seeds.ts';
import type { LiveCell } from './member.ts';

/** Cells take PSPs of all profiles in turn: what each does in its own way is nothing to what comes of it. */
export const inTurn = <T>(
  all: readonly T[],
  make: (one: T, amount: number, profile: ProfileName) => LiveCell,
  { amount }: Variation,
): LiveCell[] => all.map((one, index) => make(one, amount, profileNames[index % profileNames.length] ?? 'standard'));
