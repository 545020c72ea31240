import { routeLimits } from '../../contract/kernel.ts';

const UNREACHED = 1_000_000_000;

/** Limits of an account that no test comes near. */
export const unreachedLimits: Readonly<Record<string, number>> = Object.fromEntries(
  ['minute', ...Object.keys(routeLimits)].map((name) => [name, UNREACHED]),
);
