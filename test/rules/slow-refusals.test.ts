import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SlowRefusals } from '../../server/http/slow-refusals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('twenty refusals of an account in a second are told at once, and more a second later', () => {
  const slow = new SlowRefusals();
  const [loud, quiet] = [
    { accountId: 'loud', liveMode: false },
    { accountId: 'loud', liveMode: true },
  ];
  const waits = (count: number): number[] => Array.from({ length: count }, () => slow.waitMs(loud));
  expect(new Set(waits(20))).toEqual(new Set([0]));
  expect(new Set(waits(3))).toEqual(new Set([1_000]));
  expect(slow.waitMs(quiet)).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(slow.waitMs(loud)).toBe(0);
});
