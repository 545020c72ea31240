import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Paces } from '../../server/db/paces.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('so many are taken at once, then one in its time, by each holder apart', () => {
  const paces = new Paces(2);
  expect([paces.take('a', 10), paces.take('a', 10), paces.take('a', 10), paces.take('b', 10)]).toEqual([0, 0, 100, 0]);
  vi.advanceTimersByTime(100);
  expect([paces.take('a', 10), paces.take('a', 10)]).toEqual([0, 100]);
});

test('what is spent beyond is owed, and who has all again is forgotten', () => {
  const paces = new Paces(2);
  expect([paces.spend('a', 10), paces.spend('a', 10), paces.spend('a', 10)]).toEqual([0, 100, 200]);
  expect([paces.left('a', 10), paces.left('b', 10)]).toEqual([0, 2]);
  expect(paces.lefts(10)).toEqual(new Map([['a', 0]]));
  vi.advanceTimersByTime(200);
  expect(paces.lefts(10)).toEqual(new Map([['a', 1]]));
  vi.advanceTimersByTime(100);
  expect(paces.lefts(10)).toEqual(new Map());
});
