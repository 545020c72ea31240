import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../../contract/events.ts';
import {
  deliveryStatus,
  healthChange,
  LADDER,
  type LadderState,
  newestInTurn,
  nextAttemptAt,
} from '../../../server/events/deliveries/rules.ts';
import { expandFilters } from '../../../server/events/rules.ts';

const FIRST = 1_800_000_000;
const MINUTE = 60;
const HOUR = 3_600;
const END = FIRST + 93 * HOUR;

const next = (overrides: Partial<Parameters<typeof nextAttemptAt>[1]>) =>
  nextAttemptAt(LADDER, {
    firstAttemptAt: FIRST,
    attempts: 1,
    now: FIRST,
    retryAfterSeconds: null,
    random: 0,
    ...overrides,
  });

describe('the ladder', () => {
  test.each([
    [1, MINUTE],
    [2, 10 * MINUTE],
    [3, HOUR],
    [4, 3 * HOUR],
    [5, 9 * HOUR],
    [6, 21 * HOUR],
    [7, 45 * HOUR],
    [8, 69 * HOUR],
    [9, 93 * HOUR],
  ])('after attempt %i the next is due %i s after the first', (attempts, seconds) => {
    const now = FIRST + (LADDER[attempts - 1] ?? 0);
    expect(next({ attempts, now })).toBe(FIRST + seconds);
  });

  test('ends with the tenth attempt', () => {
    expect(next({ attempts: 10, now: END })).toBeNull();
  });

  test('has no jitter at its first step and never any past 93 hours', () => {
    expect(next({ attempts: 1, random: 0.999_999 })).toBe(FIRST + MINUTE);
    expect(next({ attempts: 9, now: FIRST + 69 * HOUR, random: 0.999_999 })).toBe(END);
  });

  test.each([
    { asked: 30, due: MINUTE, why: 'sooner than the step: the step' },
    { asked: 300, due: 300, why: 'between two steps: as asked' },
    { asked: 7_200, due: 10 * MINUTE, why: 'beyond the following step: that step' },
  ])('Retry-After $asked s: $why', ({ asked, due }) => {
    expect(next({ retryAfterSeconds: asked })).toBe(FIRST + due);
  });

  test('Retry-After does not move the last step', () => {
    expect(next({ attempts: 9, now: FIRST + 69 * HOUR, retryAfterSeconds: 7 * 24 * HOUR })).toBe(END);
  });

  test('steps that an outage passed over are not made up for at once', () => {
    const now = FIRST + 5 * HOUR;
    expect(next({ attempts: 2, now })).toBe(now + MINUTE);
    expect(next({ attempts: 9, now: END - 10 })).toBe(END);
    expect(next({ attempts: 5, now: END + HOUR })).toBe(END + HOUR);
  });

  const failed = fc.record({
    attempts: fc.integer({ min: 1, max: 9 }),
    late: fc.integer({ min: 0, max: 100 * HOUR }),
    retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 8 * 24 * HOUR })),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  test('never goes back, never leaves its 93 hours unless it is later already', () => {
    fc.assert(
      fc.property(failed, ({ attempts, late, retryAfterSeconds, random }) => {
        const now = FIRST + late;
        const due = next({ attempts, now, retryAfterSeconds, random }) ?? Number.NaN;
        expect(due).toBeGreaterThanOrEqual(now);
        expect(due).toBeLessThanOrEqual(Math.max(END, now));
        expect(Number.isInteger(due)).toBe(true);
      }),
    );
  });

  test('on time, an attempt comes no sooner than its step and before the step that follows', () => {
    fc.assert(
      fc.property(failed, ({ attempts, random }) => {
        const due = next({ attempts, now: FIRST + (LADDER[attempts - 1] ?? 0), random }) ?? Number.NaN;
        expect(due).toBeGreaterThanOrEqual(FIRST + (LADDER[attempts] ?? 0));
        if (attempts < 9) expect(due).toBeLessThan(FIRST + (LADDER[attempts + 1] ?? 0));
      }),
    );
  });
});

describe('the delivery result of an event', () => {
  const at = (endpointId: string, ladder: number, status: LadderState['status']): LadderState => ({
    endpointId,
    ladder,
    status,
  });

  test.each([
    { ladders: [], result: 'not_sent', why: 'nobody subscribed' },
    { ladders: [at('a', 1, 'delivered')], result: 'delivered', why: 'all accepted' },
    {
      ladders: [at('a', 1, 'delivered'), at('b', 1, 'pending')],
      result: 'pending',
      why: 'something is still scheduled',
    },
    { ladders: [at('a', 1, 'pending'), at('b', 1, 'failed')], result: 'failed', why: 'failed goes before pending' },
    { ladders: [at('a', 1, 'failed'), at('a', 2, 'delivered')], result: 'delivered', why: 'the newest ladder counts' },
    { ladders: [at('a', 2, 'failed'), at('a', 1, 'delivered')], result: 'failed', why: 'in whatever order they come' },
    { ladders: [at('a', 10, 'delivered'), at('a', 9, 'failed')], result: 'delivered', why: 'by number, not by text' },
  ])('is $result: $why', ({ ladders, result }) => {
    expect(deliveryStatus(ladders)).toBe(result);
  });
});

describe('the ladders of an event', () => {
  const inTurn = (text: string) => {
    const ladders = text.split(' ').map((name) => ({ endpointId: name.slice(0, 1), ladder: Number(name.slice(1)) }));
    return newestInTurn(ladders.map((ladder) => ({ ...ladder, status: 'failed' as const })))
      .map(({ endpointId, ladder }) => `${endpointId}${ladder}`)
      .join(' ');
  };

  test.each([
    ['a1', 'a1'],
    ['a3 a2 a1', 'a3 a2 a1'],
    ['b2 a2 b1 a1', 'b2 a2 b1 a1'],
    ['a4 a3 a2 c2 b1 a1', 'a4 c2 b1 a3 a2 a1'],
    ['a9 a8 b7 b6 c5', 'a9 b7 c5 a8 b6'],
  ])('%s, newest first, are shown as %s: the newest at each endpoint, then those before them', (found, shown) => {
    expect(inTurn(found)).toBe(shown);
  });

  test('of none are none', () => {
    expect(newestInTurn([])).toEqual([]);
  });
});

describe('the filter of an endpoint', () => {
  test('`*` stands for every type', () => {
    expect(expandFilters(['*'])).toEqual([...eventTypes]);
  });

  test('`customer.*` stands for the types of customers, and no other resource with that beginning', () => {
    expect(expandFilters(['customer.*'])).toEqual(['customer.created', 'customer.updated', 'customer.anonymized']);
    expect(expandFilters(['payment_intent.*']).every((type) => type.startsWith('payment_intent.'))).toBe(true);
  });

  test('is kept in the order of the catalogue, each type once', () => {
    expect(expandFilters(['invoice.paid', 'customer.created', 'invoice.paid', 'customer.*'])).toEqual([
      'customer.created',
      'customer.updated',
      'customer.anonymized',
      'invoice.paid',
    ]);
  });

  test('of nothing is nothing', () => {
    expect(expandFilters([])).toEqual([]);
  });
});

describe('the health of an endpoint', () => {
  const outcomes = (text: string) =>
    [...text].map((letter, index) => ({ accepted: letter === '+', at: FIRST + index }));

  test.each([
    ['+', { accepted: true, failures: 0, failingSince: null }],
    ['--', { accepted: false, failures: 2, failingSince: FIRST }],
    ['--+', { accepted: true, failures: 0, failingSince: null }],
    ['-+--', { accepted: true, failures: 2, failingSince: FIRST + 2 }],
  ])('%s', (text, change) => {
    expect(healthChange(outcomes(text))).toEqual(change);
  });
});
