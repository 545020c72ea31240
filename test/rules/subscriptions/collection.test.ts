import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Collected,
  maxCharges,
  NO_REMINDERS,
  nextCharge,
  nextStep,
  remindersPast,
  type StepKind,
} from '../../../server/invoices/rules.ts';
import { civilDaysBetween } from '../../../server/kernel/brazil.ts';
import { type CollectionDays, remindsAt, suspendsAt } from '../../../server/kernel/collection-days.ts';
import { isLetterHour } from '../../../server/kernel/letter-hours.ts';
import { renewalQrExpiresAt } from '../../../server/payments/rules.ts';

const DAY = 86_400;
const HOUR = 3_600;
const DUE = Date.parse('2027-03-10T15:00:00Z') / 1_000;
const days: CollectionDays = {
  overdueDays: 1,
  suspendDays: 10,
  cancelDays: 30,
  retryDays: [1, 3, 7],
  reminderDays: [-3, 0, 1, 3, 7],
};
const on = (day: number): number => DUE + day * DAY;

const invoice = (overrides: Partial<Collected> = {}): Collected => ({
  collection: 'renewal',
  dueAt: DUE,
  overdueAt: null,
  nextChargeAt: null,
  reminders: NO_REMINDERS,
  ...overrides,
});

/** What is done next, and so many days after the invoice is due. */
const stepOf = (one: Collected, of = days, now = on(-10)): [StepKind, number] | null => {
  const next = nextStep(one, { days: of, now });
  return next === null ? null : [next.step, (next.at - DUE) / DAY];
};

describe('the next step of an open invoice', () => {
  const overdue = { overdueAt: on(1) };

  test.each<[string, Partial<Collected>, [StepKind, number] | null]>([
    ['of a single sale is that it is overdue', { collection: 'once' }, ['mark_overdue', 1]],
    ['of a single sale that is overdue is none', { collection: 'once', ...overdue }, null],
    ['of a sale has no charge', { collection: 'once', nextChargeAt: on(0) }, ['mark_overdue', 1]],
    ['of a sale is its first reminder', { collection: 'once', reminders: 0 }, ['remind', -3]],
    [
      'of a sale is that it is overdue before the reminder of that day',
      { collection: 'once', reminders: 2 },
      ['mark_overdue', 1],
    ],
    ['of an overdue sale is its next reminder', { collection: 'once', reminders: 3, ...overdue }, ['remind', 3]],
    [
      'of an overdue sale that was reminded of for the last time is none',
      { collection: 'once', reminders: 5, ...overdue },
      null,
    ],
    ['that a subscription waits for is none', { collection: 'awaited', reminders: 0 }, null],
    [
      'that a reactivated subscription waits for is the charge of its new card',
      { collection: 'awaited', nextChargeAt: on(12), ...overdue },
      ['charge', 12],
    ],
    ['of a renewal is its charge', { nextChargeAt: on(0) }, ['charge', 0]],
    ['of a renewal whose charges are over is that it is overdue', {}, ['mark_overdue', 1]],
    ['of an overdue renewal is its next charge', { ...overdue, nextChargeAt: on(3) }, ['charge', 3]],
    ['of an overdue renewal without one is the suspension', overdue, ['suspend', 10]],
    [
      'of a renewal whose charge is after the suspension is the suspension',
      { ...overdue, nextChargeAt: on(12) },
      ['suspend', 10],
    ],
    ['of one that suspended is the end', { collection: 'suspended', ...overdue }, ['cancel', 30]],
    [
      'of one that suspended is not a charge',
      { collection: 'suspended', nextChargeAt: on(3), reminders: 0 },
      ['cancel', 30],
    ],
    ['of a bill by PIX is its first reminder', { reminders: 0 }, ['remind', -3]],
    ['of a bill by PIX is the reminder of its day', { reminders: 1 }, ['remind', 0]],
    ['of an overdue bill by PIX is its fourth reminder', { ...overdue, reminders: 3 }, ['remind', 3]],
    [
      'of a bill by PIX that was reminded of for the last time is the suspension',
      { ...overdue, reminders: 5 },
      ['suspend', 10],
    ],
  ])('%s', (_, overrides, expected) => {
    expect(stepOf(invoice(overrides))).toEqual(expected);
  });

  test.each<[string, Partial<Collected>, CollectionDays, StepKind]>([
    ['a charge comes before all', { nextChargeAt: on(1), reminders: 2 }, { ...days, suspendDays: 1 }, 'charge'],
    ['overdue comes before the suspension', { reminders: 2 }, { ...days, suspendDays: 1 }, 'mark_overdue'],
    [
      'the suspension comes before a reminder',
      { overdueAt: on(1), reminders: 2 },
      { ...days, suspendDays: 1 },
      'suspend',
    ],
  ])('at one instant: %s', (_, overrides, of, expected) => {
    expect(stepOf(invoice(overrides), of)).toEqual([expected, 1]);
  });

  test('follows the days of the account', () => {
    const own: CollectionDays = { ...days, overdueDays: 2.5, suspendDays: 4, cancelDays: 5.25, retryDays: [] };
    expect(stepOf(invoice(), own)).toEqual(['mark_overdue', 2.5]);
    expect(stepOf(invoice({ overdueAt: on(2.5) }), own)).toEqual(['suspend', 4]);
    expect(stepOf(invoice({ collection: 'suspended' }), own)).toEqual(['cancel', 5.25]);
    expect(suspendsAt(DUE, own)).toBe(on(4));
  });

  test('comes to the end of each collection, whatever the days, and never goes back', () => {
    const someDays = fc
      .tuple(
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 20, noNaN: true }),
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.array(fc.double({ min: 0.01, max: 40, noNaN: true }), { maxLength: 6 }),
      )
      .map(
        ([overdueDays, toSuspend, toCancel, retryDays]): CollectionDays => ({
          overdueDays,
          suspendDays: overdueDays + toSuspend,
          cancelDays: overdueDays + toSuspend + toCancel,
          retryDays,
          reminderDays: [-3, 0, 1, 3, 7],
        }),
      );
    fc.assert(
      fc.property(someDays, fc.integer({ min: 0, max: NO_REMINDERS }), (of, reminders) => {
        const done = collect({ of, reminders });
        expect(done.filter(({ step }) => step === 'mark_overdue')).toHaveLength(1);
        expect(done.slice(-2).map(({ step }) => step)).toEqual(['suspend', 'cancel']);
        expect(done.filter(({ step }) => step === 'charge').length).toBeLessThanOrEqual(maxCharges(of));
        const instants = done.map(({ at }) => at);
        expect(instants).toEqual(instants.toSorted((one, other) => one - other));
      }),
    );
  });

  /** All steps of a renewal that is never paid, by a card that is declined each time. */
  function collect({ of, reminders }: { of: CollectionDays; reminders: number }) {
    let one = { ...invoice({ reminders, nextChargeAt: DUE }), charges: 0 };
    const done: { step: StepKind; at: number }[] = [];
    const seen = { days: of, now: on(-10) };
    for (let next = nextStep(one, seen); next !== null; next = nextStep(one, seen)) {
      const { step, at } = next;
      done.push(next);
      if (step === 'cancel') break;
      const charges = one.charges + Number(step === 'charge');
      one = {
        ...one,
        charges,
        ...(step === 'charge' ? { nextChargeAt: nextCharge({ dueAt: DUE, charges }, of, at) } : {}),
        ...(step === 'mark_overdue' ? { overdueAt: at } : {}),
        ...(step === 'remind' ? { reminders: one.reminders + 1 } : {}),
        ...(step === 'suspend' ? { collection: 'suspended' as const } : {}),
      };
    }
    return done;
  }
});

describe('the next charge of a renewal', () => {
  const chargedAfter = (day: number, of = days, charges = 0) => {
    const at = nextCharge({ dueAt: DUE, charges }, of, on(day));
    return at === null ? null : (at - DUE) / DAY;
  };

  test.each([
    ['before the period is its first instant', -1, 0],
    ['at the first instant is a day later', 0, 1],
    ['a second before the second is that', 1 - 1 / DAY, 1],
    ['at the second is three days after the first', 1, 3],
    ['after an outage is the one still ahead', 5, 7],
    ['after the last is none', 7, null],
  ])('%s', (_, now, expected) => {
    expect(chargedAfter(now)).toBe(expected);
  });

  test('follows the days of the account, in whichever order they stand', () => {
    const own = { ...days, retryDays: [4, 0.5, 2] };
    expect([-1, 0, 0.5, 2, 4].map((now) => chargedAfter(now, own))).toEqual([0, 0.5, 2, 4, null]);
    expect(chargedAfter(0, { ...days, retryDays: [] })).toBeNull();
  });

  test('is none once there were as many as the schedule has', () => {
    expect([3, 4, 5].map((charges) => chargedAfter(1, days, charges))).toEqual([3, null, null]);
    expect([maxCharges(days), maxCharges({ ...days, retryDays: [] })]).toEqual([4, 1]);
  });
});

/** At a civil time of a day after the due date's, in hours. */
const at = (day: number, hour: number): number => Date.parse('2027-03-10T03:00:00Z') / 1_000 + day * DAY + hour * HOUR;

describe('reminders of a bill that its buyer pays', () => {
  test.each([
    ['ahead of the first are none', -3 - 1 / DAY, 0],
    ['at the first is one', -3, 1],
    ['between two are those behind', 2, 3],
    ['at the last are all', 7, 5],
    ['weeks later are all', 90, 5],
  ])('that are behind: %s', (_, now, expected) => {
    expect(remindersPast(DUE, { days, now: on(now) })).toBe(expected);
  });

  test('that are behind only become more', () => {
    const instants = fc.integer({ min: on(-10), max: on(20) });
    fc.assert(
      fc.property(instants, instants, (one, other) => {
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        expect(remindersPast(DUE, { days, now: earlier })).toBeLessThanOrEqual(
          remindersPast(DUE, { days, now: later }),
        );
      }),
    );
  });

  test.each([
    ['at noon are written then', 12, 12],
    ['at the first hour of letters are written then', 8, 8],
    ['at the last second of letters are written then', 20 - 1 / HOUR, 20 - 1 / HOUR],
    ['at midnight are written in the morning', 0, 8],
    ['a second before the first hour are written in the morning', 8 - 1 / HOUR, 8],
    ['at the end of the hours are written in the morning of that day', 20, 8],
    ['in the last second of the day are written in the morning of that day', 24 - 1 / HOUR, 8],
  ])('of what is due %s', (_, due, expected) => {
    for (const day of [-7, -1, 0, 1, 30]) expect(remindsAt(at(0, due), day)).toBe(at(day, expected));
  });

  test.each([
    ['at night waits for the morning', at(0, 22), at(1, 8)],
    ['before the morning waits for that', at(1, 3), at(1, 8)],
    ['by day is due since its instant', at(1, 11), on(0)],
    ['that is still ahead at night keeps its instant', at(0, 3), on(0)],
  ])('one that is late %s', (_, now, expected) => {
    expect(nextStep(invoice({ reminders: 1 }), { days, now })).toEqual({ step: 'remind', at: expected });
  });

  test('what falls due before the morning comes before a reminder that waits for it', () => {
    const due = at(0, 3);
    const one = invoice({ dueAt: due, reminders: 1 });
    expect(nextStep(one, { days, now: at(0, 23) })).toEqual({ step: 'mark_overdue', at: at(1, 3) });
  });

  test('come once each, in their order and in the hours of letters, whatever the days and the hour', () => {
    const someDays = fc
      .uniqueArray(fc.integer({ min: -7, max: 30 }), { maxLength: 8 })
      .map((list) => list.toSorted((one, other) => one - other));
    const hours = fc.integer({ min: 0, max: DAY - 1 });
    fc.assert(
      fc.property(someDays, hours, fc.constantFrom('once', 'renewal', 'final'), (reminderDays, second, collection) => {
        const of = { ...days, reminderDays, suspendDays: 100, cancelDays: 101 };
        let one = invoice({ collection, dueAt: at(0, 0) + second, reminders: 0 });
        const sent: number[] = [];
        let now = at(-10, 12);
        for (let next = nextStep(one, { days: of, now }); next !== null; next = nextStep(one, { days: of, now })) {
          if (next.step !== 'remind' && next.step !== 'mark_overdue') break;
          now = next.at;
          if (next.step === 'mark_overdue') one = { ...one, overdueAt: now };
          else {
            sent.push(civilDaysBetween(one.dueAt, now));
            expect(isLetterHour(now)).toBe(true);
            one = { ...one, reminders: one.reminders + 1 };
            expect(remindersPast(one.dueAt, { days: of, now })).toBe(one.reminders);
          }
        }
        expect(sent).toEqual(reminderDays);
      }),
    );
  });
});

describe('the QR code of a renewal', () => {
  test.each([
    ['lasts until the suspension', -3, 10],
    ['lasts a day at least, on the eve of the suspension', 9.5, 10.5],
    ['lasts a day at least, after the suspension', 20, 21],
  ])('%s', (_, now, expected) => {
    expect(renewalQrExpiresAt(on(now), suspendsAt(DUE, days))).toBe(on(expected));
  });
});
