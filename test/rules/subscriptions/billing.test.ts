import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SubscriptionStatus, subscriptionStatuses } from '../../../contract/subscriptions.ts';
import { type InstallmentTerms, installmentsAllowed } from '../../../server/catalog/rules.ts';
import { cents } from '../../../server/kernel/money.ts';
import {
  type Calendared,
  cyclePeriod,
  type Due,
  nextDue,
  renewalInstallments,
} from '../../../server/subscriptions/rules.ts';

const DAY = 86_400;
const START = Date.parse('2027-03-10T15:00:00Z') / 1_000;
const END = START + 31 * DAY;

/** One in its second cycle, with nothing billed ahead. */
const subscription = (overrides: Partial<Calendared>): Calendared => ({
  status: 'active',
  paymentMethodType: 'card',
  cycle: 2,
  billedCycle: 2,
  currentPeriodStart: START,
  currentPeriodEnd: END,
  pendingUntil: null,
  ...overrides,
});

describe('what the calendar brings next', () => {
  const methods = ['card', 'pix', null] as const;
  const bills = { billed: 3, unbilled: 2 } as const;
  const ahead: Due = { due: 'bill', at: END - 3 * DAY };
  const told: Due = { due: 'tell_trial', at: END - 3 * DAY };
  const begins: Due = { due: 'start_period', at: END };

  /** By the status, the method and whether the next cycle is billed (docs/product/subscriptions.md#calendar). */
  const table: Record<SubscriptionStatus, Record<'card' | 'pix' | 'null', Record<keyof typeof bills, Due | null>>> = {
    active: {
      card: { billed: begins, unbilled: { due: 'renew', at: END } },
      pix: { billed: begins, unbilled: ahead },
      null: { billed: begins, unbilled: ahead },
    },
    pending: {
      card: { billed: { due: 'end', at: 7 }, unbilled: { due: 'end', at: 7 } },
      pix: { billed: { due: 'end', at: 7 }, unbilled: { due: 'end', at: 7 } },
      null: { billed: { due: 'end', at: 7 }, unbilled: { due: 'end', at: 7 } },
    },
    paused: {
      card: { billed: null, unbilled: null },
      pix: { billed: null, unbilled: null },
      null: { billed: null, unbilled: null },
    },
    scheduled: {
      card: { billed: { due: 'start', at: 9 }, unbilled: { due: 'start', at: 9 } },
      pix: { billed: { due: 'start', at: 9 }, unbilled: { due: 'start', at: 9 } },
      null: { billed: { due: 'start', at: 9 }, unbilled: { due: 'start', at: 9 } },
    },
    trialing: {
      card: { billed: told, unbilled: told },
      pix: { billed: told, unbilled: told },
      null: { billed: told, unbilled: told },
    },
    suspended: {
      card: { billed: null, unbilled: null },
      pix: { billed: null, unbilled: null },
      null: { billed: null, unbilled: null },
    },
    inactive: {
      card: { billed: null, unbilled: null },
      pix: { billed: null, unbilled: null },
      null: { billed: null, unbilled: null },
    },
  };
  const cases = subscriptionStatuses.flatMap((status) =>
    methods.flatMap((method) =>
      (['billed', 'unbilled'] as const).map(
        (ofNext) => [status, method, ofNext, table[status][`${method}`][ofNext]] as const,
      ),
    ),
  );

  test.each(cases)('to one that is %s, pays by %s and is %s for its next cycle', (status, method, ofNext, expected) => {
    const times = { startsAt: 9, trialEndAt: END };
    const pendingUntil = status === 'pending' ? 7 : null;
    const one = subscription({ status, paymentMethodType: method, billedCycle: bills[ofNext], pendingUntil, ...times });
    expect(nextDue(one)).toEqual(expected);
  });

  test('to one whose row leaves out what it does not have is the same', () => {
    expect(
      nextDue({ status: 'active', cycle: 1, billedCycle: 1, currentPeriodStart: START, currentPeriodEnd: END }),
    ).toEqual(ahead);
    expect(nextDue({ status: 'active', cycle: 0, billedCycle: 1 })).toBeNull();
    expect(nextDue({ status: 'pending', cycle: 0, billedCycle: 1 })).toBeNull();
  });
});

describe('an end by wish', () => {
  const end = (cancelAt: number): Due => ({ due: 'end', at: cancelAt });

  test.each<[string, Partial<Calendared>, Due | null]>([
    ['comes before the period is over', { cancelAt: START + DAY }, end(START + DAY)],
    ['comes with the period, in place of the renewal', { cancelAt: END }, end(END)],
    ['comes in place of the bill ahead', { cancelAt: END, paymentMethodType: 'pix' }, end(END)],
    ['lets a later period be renewed', { cancelAt: END + 1 }, { due: 'renew', at: END }],
    [
      'lets a period begin that is paid ahead',
      { cancelAt: END + DAY, billedCycle: 3 },
      { due: 'start_period', at: END },
    ],
    ['comes although the next period is paid', { cancelAt: START + DAY, billedCycle: 3 }, end(START + DAY)],
    ['comes while it is suspended', { cancelAt: END, status: 'suspended' }, end(END)],
    ['comes before its payment is given up', { cancelAt: 5, status: 'pending', pendingUntil: 7 }, end(5)],
    ['comes after its payment was given up', { cancelAt: 9, status: 'pending', pendingUntil: 7 }, end(7)],
    ['brings an ended one nothing', { cancelAt: END, status: 'inactive' }, null],
  ])('%s', (_, overrides, expected) => {
    expect(nextDue(subscription(overrides))).toEqual(expected);
  });
});

describe('a change that waits for its payment', () => {
  const lapse = (at: number): Due => ({ due: 'lapse_change', at });

  test.each<[string, Partial<Calendared>, Due]>([
    ['lapses before the next cycle', { changeLapsesAt: END }, lapse(END)],
    [
      'lapses before a bill is made ahead',
      { changeLapsesAt: END - 2 * DAY, paymentMethodType: 'pix' },
      lapse(END - 2 * DAY),
    ],
    ['lapses before a period that is billed ahead', { changeLapsesAt: END, billedCycle: 3 }, lapse(END)],
    [
      'lapses before an end by wish, and before a pause',
      { changeLapsesAt: END, cancelAt: END, pausedAt: END },
      lapse(END),
    ],
    ['ends with its subscription', { changeLapsesAt: END, cancelAt: END - 1 }, { due: 'end', at: END - 1 }],
  ])('%s', (_, overrides, expected) => {
    expect(nextDue(subscription(overrides))).toEqual(expected);
  });
});

describe('a trial', () => {
  const trial = (overrides: Partial<Calendared>) =>
    nextDue(subscription({ status: 'trialing', trialEndAt: END, trialTold: true, ...overrides }));

  test.each<[string, Partial<Calendared>, Due]>([
    ['that was told of ends', {}, { due: 'end_trial', at: END }],
    ['is told of three days ahead', { trialTold: false }, { due: 'tell_trial', at: END - 3 * DAY }],
    ['ends the subscription with it by wish', { cancelAt: END }, { due: 'end', at: END }],
    ['may end before it is told of', { cancelAt: END - 4 * DAY, trialTold: false }, { due: 'end', at: END - 4 * DAY }],
    [
      'is told of all the same before an end by wish',
      { cancelAt: END, trialTold: false },
      { due: 'tell_trial', at: END - 3 * DAY },
    ],
    ['is over before a later end by wish', { cancelAt: END + 1 }, { due: 'end_trial', at: END }],
  ])('%s', (_, overrides, expected) => {
    expect(trial(overrides)).toEqual(expected);
  });
});

describe('a bill by PIX comes', () => {
  const every = (interval: 'day' | 'week' | 'month', intervalCount = 1) =>
    cyclePeriod(START, { interval, intervalCount }, 0);
  const billedAt = (period: { start: number; end: number }) =>
    nextDue(subscription({ paymentMethodType: 'pix', currentPeriodStart: period.start, currentPeriodEnd: period.end }));

  test.each([
    ['three days ahead of a month', every('month'), 28],
    ['three days ahead of a year', every('month', 12), 363],
    ['three days ahead of a week', every('week'), 4],
    ['a day after the fourth one began', every('day', 4), 1],
    ['as three days begin', every('day', 3), 0],
    ['as two days begin', every('day', 2), 0],
    ['as a day begins', every('day'), 0],
  ] as const)('%s', (_, period, days) => {
    expect(billedAt(period)).toEqual({ due: 'bill', at: period.start + days * DAY });
  });

  test('never before the period under way, nor after the one that it is for', () => {
    const length = fc.integer({ min: 1, max: 40 * DAY });
    fc.assert(
      fc.property(length, (seconds) => {
        const at = billedAt({ start: START, end: START + seconds })?.at ?? 0;
        expect(at).toBeGreaterThanOrEqual(START);
        expect(at).toBeLessThan(START + seconds);
        expect(at).toBeGreaterThanOrEqual(START + seconds - 3 * DAY);
      }),
    );
  });
});

describe('installments of a renewal', () => {
  const every = (intervalCount: number, overrides: Partial<InstallmentTerms> = {}): InstallmentTerms => ({
    cardInstallmentsEnabled: true,
    maxCardInstallments: 12,
    recurrence: { interval: 'month', intervalCount },
    ...overrides,
  });

  test.each([
    ['are those of the first charge', 6, every(6), 60_000, 6],
    ['are no more, though more were allowed', 2, every(6), 60_000, 2],
    ['are as many as the price allows by now', 6, every(6, { maxCardInstallments: 3 }), 60_000, 3],
    ['are one where the price allows none any more', 6, every(6, { cardInstallmentsEnabled: false }), 60_000, 1],
    ['are as many as R$ 5,00 each leave', 6, every(6), 1_999, 3],
    ['of less than R$ 5,00 are one', 6, every(6), 499, 1],
    ['of nothing are one', 6, every(6), 0, 1],
  ])('%s', (_, first, terms, total, expected) => {
    expect(renewalInstallments(first, terms, cents(total))).toBe(expected);
  });

  test('are never more than the first charge had, nor than are allowed, nor less than one', () => {
    const counts = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(counts, counts, counts, fc.integer({ min: 0, max: 50_000 }), (first, months, most, total) => {
        const terms = every(months, { maxCardInstallments: most });
        const installments = renewalInstallments(first, terms, cents(total));
        expect(installments).toBe(Math.min(first, installmentsAllowed(terms, cents(total))));
        expect(installments).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
