import { expect, test } from 'vitest';
import { RoundRobin } from '../../server/jobs/round-robin.ts';

test('claims go on behind the last key while they are full, and from the beginning once they are not', () => {
  const roundRobin = new RoundRobin();
  expect([roundRobin.after, roundRobin.took(['a', 'b', 'a'], 3), roundRobin.after]).toEqual(['', true, 'b']);
  expect([roundRobin.took(['c'], 3), roundRobin.after]).toEqual([true, '']);
  expect([roundRobin.took([], 3), roundRobin.after]).toEqual([false, '']);
});
