import Holidays from 'date-holidays';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LateFees } from '../../contract/late-fees.ts';
import {
  amountLate,
  type Lateable,
  lateAmounts,
  lateAtPayment,
  lateHoldsUntil,
  lateLines,
  leftToPay,
} from '../../server/invoices/late-fees.ts';
import { daysLate, isBankDay } from '../../server/kernel/bank-days.ts';
import { civilDay } from '../../server/kernel/brazil.ts';
import type { BillingError } from '../../server/kernel/errors.ts';
import { checkLateFees } from '../../server/kernel/late-fee-limits.ts';

const HOUR = 3_600;

/** An instant of a civil day in São Paulo. */
const at = (date: string, hour = 10): number => civilDay(date).from + hour * HOUR;

const daysOn = (date: string, days: number): string => Temporal.PlainDate.from(date).add({ days }).toString();

const USUAL: LateFees = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' };
/** A Wednesday. */
const DUE = '2026-03-11';

const bill = (over: Partial<Lateable> = {}): Lateable & { amountPaid: number } => ({
  total: 9990,
  lineItems: [{ kind: 'recurring', quantity: 1, unitAmount: 9990 }],
  dueAt: at(DUE),
  lateFees: USUAL,
  amountPaid: 0,
  ...over,
});

describe('a bill of R$ 99,90 at 2 % and 1 % a month', () => {
  test.each([
    [0, 0, 0],
    [1, 200, 3],
    [2, 200, 7],
    [10, 200, 33],
    [15, 200, 50],
    [30, 200, 100],
    [45, 200, 150],
    [90, 200, 300],
    [365, 200, 1215],
  ])('%i days late costs a fine of %i and interest of %i', (days, fine, interest) => {
    expect(lateAmounts(bill(), at(daysOn(DUE, days)))).toEqual({ fine, interest });
  });

  test.each([
    ['by its first second', 0],
    ['by its last second', 24 - 1 / HOUR],
  ])('costs what the civil day costs %s', (_, hour) => {
    expect(lateAmounts(bill(), at(daysOn(DUE, 10), hour))).toEqual({ fine: 200, interest: 33 });
  });
});

/** What lateness costs in exact fractions: half a cent rounds up. */
function exactly(total: number, { fine, interest }: { fine: number; interest: number }, days: number) {
  const halfUp = (numerator: bigint, denominator: bigint): number =>
    Number((2n * numerator + denominator) / (2n * denominator));
  return {
    fine: halfUp(BigInt(total) * BigInt(fine), 10_000n),
    interest: halfUp(BigInt(total) * BigInt(interest) * BigInt(days), 300_000n),
  };
}

test('any bill costs what exact arithmetic gives, on any day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99_999_999_900 }),
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 1, max: 3_650 }),
      (total, fine, interest, days) => {
        const lateFees = { ...USUAL, fine_percentage: fine / 100, interest_percentage: interest / 100 };
        const late = lateAmounts(bill({ total, lateFees }), at(daysOn(DUE, days)));
        expect(late).toEqual(exactly(total, { fine, interest }, days));
      },
    ),
    { numRuns: 2_000 },
  );
});

describe('grace', () => {
  test.each([
    [5, 0],
    [6, 200],
    [7, 200],
  ])('of 5 days: %i days late costs a fine of %i', (days, fine) => {
    expect(lateAmounts(bill({ lateFees: { ...USUAL, grace_days: 5 } }), at(daysOn(DUE, days))).fine).toBe(fine);
  });

  test('is over as if it had never been: interest is of every day since the due date', () => {
    const lateFees = { ...USUAL, grace_days: 9 };
    expect(lateAmounts(bill({ lateFees }), at(daysOn(DUE, 9)))).toEqual({ fine: 0, interest: 0 });
    expect(lateAmounts(bill({ lateFees }), at(daysOn(DUE, 10)))).toEqual({ fine: 200, interest: 33 });
  });
});

describe('a due date on which banks are closed', () => {
  test.each([
    ['a Saturday', '2026-03-14', '2026-03-16'],
    ['a Sunday', '2026-03-15', '2026-03-16'],
    ['Carnival Monday', '2026-02-16', '2026-02-18'],
    ['the Saturday before Carnival', '2026-02-14', '2026-02-18'],
    ['Good Friday', '2026-04-03', '2026-04-06'],
    ['Corpus Christi', '2026-06-04', '2026-06-05'],
    ['a Tuesday that is a holiday', '2026-04-21', '2026-04-22'],
    ['Christmas on a Friday', '2026-12-25', '2026-12-28'],
    ['New Year’s Day', '2027-01-01', '2027-01-04'],
  ])('%s: it costs nothing until the end of the next bank day, and then as from the due date', (_, due, last) => {
    expect(daysLate(at(due), civilDay(last).to - 1)).toBe(0);
    const { days } = Temporal.PlainDate.from(due).until(daysOn(last, 1), { largestUnit: 'day' });
    expect(daysLate(at(due), civilDay(last).to)).toBe(days);
  });

  test('a bank day: the next day is late, on a Saturday too', () => {
    expect(daysLate(at('2026-03-13'), at('2026-03-14'))).toBe(1);
  });
});

test('banks work on what a calendar of others says, in every year to come', () => {
  const calendar = new Holidays('BR');
  const CLOSED = ['public', 'bank'];
  for (let year = 2026; year <= 2080; year += 1) {
    const closed = calendar
      .getHolidays(year)
      .filter(({ type, name }) => CLOSED.includes(type) && name !== 'Dia de Eleição');
    const holidays = new Set(closed.map(({ date }) => date.slice(0, 'yyyy-mm-dd'.length)));
    let day = Temporal.PlainDate.from({ year, month: 1, day: 1 });
    for (; day.year === year; day = day.add({ days: 1 }))
      expect([day.toString(), isBankDay(day)]).toEqual([
        day.toString(),
        day.dayOfWeek < 6 && !holidays.has(day.toString()),
      ]);
  }
});

describe('nothing is asked', () => {
  test.each<[string, Partial<Lateable>]>([
    ['of a bill without late fees', { lateFees: null }],
    ['of one with neither fine nor interest', { lateFees: { ...USUAL, fine_percentage: 0, interest_percentage: 0 } }],
    ['of one that is not due yet', { dueAt: at(daysOn(DUE, 20)) }],
  ])('%s', (_, over) => {
    expect(lateAmounts(bill(over), at(daysOn(DUE, 10)))).toEqual({ fine: 0, interest: 0 });
  });

  test('for late fees themselves, which an earlier bill brought', () => {
    const lineItems = [
      { kind: 'recurring', quantity: 1, unitAmount: 9990 },
      { kind: 'late_fine', quantity: 1, unitAmount: 200 },
      { kind: 'late_interest', quantity: 1, unitAmount: 33 },
    ] as const;
    expect(lateAmounts(bill({ total: 10_223, lineItems }), at(daysOn(DUE, 10)))).toEqual({ fine: 200, interest: 33 });
  });

  test('by a payment, where the next bill asks for it', () => {
    const invoice = bill({ lateFees: { ...USUAL, collect: 'next_invoice' } });
    expect(lateAtPayment(invoice, at(daysOn(DUE, 10)))).toEqual({ fine: 0, interest: 0 });
    expect(leftToPay(invoice, at(daysOn(DUE, 10)))).toBe(9990);
  });
});

describe('what payment now would cost', () => {
  const now = at(daysOn(DUE, 10));
  const next = { ...USUAL, collect: 'next_invoice' } as const;
  test.each([
    ['an open bill', { status: 'open', lateFees: USUAL }, 233],
    ['one that was given up', { status: 'uncollectible', lateFees: USUAL }, 233],
    ['a bill whose fees the next one asks for', { status: 'open', lateFees: next, subscriptionId: 'sub_1' }, 233],
    ['a standalone bill, which has no next one', { status: 'open', lateFees: next, subscriptionId: null }, 0],
    ['a draft', { status: 'draft', lateFees: USUAL }, 0],
    ['a paid one', { status: 'paid', lateFees: USUAL }, 0],
    ['a void one', { status: 'void', lateFees: USUAL }, 0],
  ] as const)('of %s', (_, over, amount) => {
    expect(amountLate({ ...bill(), ...over }, now)).toBe(amount);
  });
});

describe('an amount holds', () => {
  const lasts = 400 * 24 * HOUR;
  test('until the day is over that is the last in which nothing is asked', () => {
    expect(lateHoldsUntil(bill(), at(daysOn(DUE, -3)), at(DUE) + lasts)).toBe(civilDay(DUE).to);
    expect(lateHoldsUntil(bill({ dueAt: at('2026-02-14') }), at('2026-02-10'), at(DUE) + lasts)).toBe(
      civilDay('2026-02-18').to,
    );
  });

  test('until midnight once it grows by the day', () => {
    expect(lateHoldsUntil(bill(), at(daysOn(DUE, 4)), at(DUE) + lasts)).toBe(civilDay(daysOn(DUE, 4)).to);
  });

  test('as long as its code, where that ends before or no fee is paid with it', () => {
    const soon = at(daysOn(DUE, 4)) + HOUR;
    expect(lateHoldsUntil(bill(), at(daysOn(DUE, 4)), soon)).toBe(soon);
    expect(lateHoldsUntil(bill({ lateFees: null }), at(daysOn(DUE, 4)), at(DUE) + lasts)).toBe(at(DUE) + lasts);
    const noInterest = bill({ lateFees: { ...USUAL, interest_percentage: 0 } });
    expect(lateHoldsUntil(noInterest, at(daysOn(DUE, 4)), at(DUE) + lasts)).toBe(at(DUE) + lasts);
  });

  test('as what is asked says, whatever is asked when', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 60 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 100 }),
        (day, grace, interest) => {
          const lateFees = { ...USUAL, grace_days: grace, interest_percentage: interest / 100 };
          const invoice = bill({ lateFees });
          const now = at(daysOn(DUE, day));
          const until = lateHoldsUntil(invoice, now, now + lasts);
          const asked = leftToPay(invoice, now);
          expect(leftToPay(invoice, until - 1)).toBe(asked);
          if (until < now + lasts) expect(leftToPay(invoice, until)).toBeGreaterThan(asked);
        },
      ),
    );
  });
});

test('the lines say what was asked for, by which terms, and of which bill', () => {
  const { fine, interest } = lateAmounts(bill(), at(daysOn(DUE, 10)));
  const terms = { ...USUAL, fine_percentage: 1.5 };
  expect(lateLines({ fine, interest }, terms, ' da fatura in_1')).toEqual([
    { kind: 'late_fine', unitAmount: 200, description: 'Multa por atraso da fatura in_1 (1,5%)' },
    { kind: 'late_interest', unitAmount: 33, description: 'Juros por atraso da fatura in_1 (1% ao mês)' },
  ]);
});

test.each([
  ['a fine', { fine_percentage: 2.01 }, 'subscription.late_fees.fine_percentage'],
  ['interest', { interest_percentage: 1.01 }, 'subscription.late_fees.interest_percentage'],
])('%s above the legal limit is refused, whoever asks for it', (_, over, param) => {
  expect(() => checkLateFees(USUAL, 'subscription.late_fees')).not.toThrow();
  expect(() => checkLateFees({ ...USUAL, ...over }, 'subscription.late_fees')).toThrow(
    expect.objectContaining({ code: 'LATE_FEES_ABOVE_LIMIT', param } satisfies Partial<BillingError>),
  );
});
