import { LANES, type Lane } from '../../server/kernel/lane.ts';

/** Does the same in each lane, and adds up what it counted. */
export async function inEachLane<Counts extends Record<string, number>>(
  work: (lane: Lane) => Promise<Counts>,
): Promise<Counts> {
  const sums: Record<string, number> = {};
  for (const lane of LANES)
    for (const [name, count] of Object.entries(await work(lane))) sums[name] = (sums[name] ?? 0) + count;
  // Of the same names as each of its parts.
  return sums as Counts;
}
