import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cyclePeriod, cycleStart } from '../../../server/subscriptions/rules.ts';

const at = (text: string): number => Date.parse(text) / 1_000;
const shown = (instant: number): string => new Date(instant * 1_000).toISOString().slice(0, 16);

const month = { interval: 'month', intervalCount: 1 } as const;

describe('cycles from an anchor in São Paulo', () => {
  test('of the 31st fall on the last day of shorter months, and come back', () => {
    const anchor = at('2027-01-31T15:00:00Z');
    expect([0, 1, 2, 3, 13].map((n) => shown(cycleStart(anchor, month, n)))).toEqual([
      '2027-01-31T15:00',
      '2027-02-28T15:00',
      '2027-03-31T15:00',
      '2027-04-30T15:00',
      '2028-02-29T15:00',
    ]);
  });

  test('of an evening count by the civil date there, not by that of UTC', () => {
    const anchor = at('2027-02-01T01:30:00Z');
    expect(shown(cycleStart(anchor, month, 1))).toBe('2027-03-01T01:30');
  });

  test('keep the time of day across a change of the clocks, as there were until 2019', () => {
    const anchor = at('2018-10-10T12:00:00Z');
    expect(shown(cycleStart(anchor, month, 1))).toBe('2018-11-10T11:00');
    const midnight = at('2018-10-04T03:00:00Z');
    expect(shown(cycleStart(midnight, month, 1))).toBe('2018-11-04T03:00');
  });

  test('may be of days, weeks and several months', () => {
    const anchor = at('2027-01-31T15:00:00Z');
    expect(shown(cycleStart(anchor, { interval: 'day', intervalCount: 10 }, 3))).toBe('2027-03-02T15:00');
    expect(shown(cycleStart(anchor, { interval: 'week', intervalCount: 2 }, 2))).toBe('2027-02-28T15:00');
    expect(shown(cycleStart(anchor, { interval: 'month', intervalCount: 12 }, 2))).toBe('2029-01-31T15:00');
  });

  test('begin each where the one before ends, and are never empty', () => {
    const anchors = integer({ min: at('2000-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') });
    const intervals = constantFrom('day' as const, 'week' as const, 'month' as const);
    const counts = integer({ min: 1, max: 36 });
    const numbers = integer({ min: 0, max: 300 });
    assert(
      property(anchors, intervals, counts, numbers, (anchor, interval, intervalCount, n) => {
        const recurrence = { interval, intervalCount };
        const period = cyclePeriod(anchor, recurrence, n);
        expect(period.end).toBe(cyclePeriod(anchor, recurrence, n + 1).start);
        expect(period.end).toBeGreaterThan(period.start);
        if (n === 0) expect(period.start).toBe(anchor);
      }),
    );
  });
});
