import { expect, test } from 'vitest';
import { areTests } from '../../../server/payments/card/declines.ts';

test.each([
  [50, 50, false],
  [51, 51, true],
  [51, 101, true],
  [51, 102, false],
  [1_000, 100_000, false],
])('%i declines of %i attempts within an hour are tests of stolen cards: %s', (declined, attempts, isTested) => {
  expect(areTests({ attempts, declined })).toBe(isTested);
});
