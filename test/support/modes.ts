import { MODES, type Mode } from '../../server/kernel/mode.ts';

/** Does the same in each mode, and adds up what it counted. */
export async function inEachMode<Counts extends Record<string, number>>(
  work: (mode: Mode) => Promise<Counts>,
): Promise<Counts> {
  const sums: Record<string, number> = {};
  for (const mode of MODES)
    for (const [name, count] of Object.entries(await work(mode))) sums[name] = (sums[name] ?? 0) + count;
  // Of the same names as each of its parts.
  return sums as Counts;
}
