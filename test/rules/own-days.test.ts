import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CollectionDays, checkCollectionDays } from '../../server/kernel/collection-days.ts';
import { mergedDays, type OwnDays } from '../../server/kernel/own-days.ts';

const account: CollectionDays = {
  overdueDays: 1,
  suspendDays: 10,
  cancelDays: 30,
  retryDays: [1, 3, 7],
  reminderDays: [-3, 0, 1, 3, 7],
};

test.each<[string, OwnDays, Partial<CollectionDays>, CollectionDays]>([
  ['none of its own has those of its account', {}, {}, account],
  [
    'none of its own is given up when its account says, not a whole day behind',
    {},
    { cancelDays: 10.5 },
    { ...account, cancelDays: 10.5 },
  ],
  [
    'all of its own has these',
    { overdueDays: 2, suspendDays: 3, cancelDays: 4, retryDays: [], reminderDays: [30] },
    {},
    { overdueDays: 2, suspendDays: 3, cancelDays: 4, retryDays: [], reminderDays: [30] },
  ],
  ['an own suspension has it', { suspendDays: 20 }, {}, { ...account, suspendDays: 20 }],
  [
    'an own suspension that its account ends before is ended a day later',
    { suspendDays: 20 },
    { cancelDays: 15 },
    { ...account, suspendDays: 20, cancelDays: 21 },
  ],
  [
    'an own end that its account suspends behind is suspended a day before',
    { cancelDays: 12 },
    { suspendDays: 25 },
    { ...account, suspendDays: 11, cancelDays: 12 },
  ],
  [
    'an own suspension has no charge of its account behind it',
    { suspendDays: 7 },
    { retryDays: [5, 9] },
    { ...account, suspendDays: 7, retryDays: [5] },
  ],
  [
    'own charges has no suspension of its account before them',
    { retryDays: [4, 8] },
    { suspendDays: 5 },
    { ...account, retryDays: [4, 8], suspendDays: 8 },
  ],
  [
    'an own suspension is overdue by then',
    { suspendDays: 3 },
    { overdueDays: 5 },
    { ...account, overdueDays: 3, suspendDays: 3, retryDays: [1, 3] },
  ],
])('a subscription with %s', (_, own, changed, expected) => {
  expect(mergedDays({ ...account, ...changed }, own)).toEqual(expected);
});

const rising = (limits: { min: number; max: number }, maxLength: number) =>
  fc.uniqueArray(fc.integer(limits), { maxLength }).map((days) => days.toSorted((one, other) => one - other));

const someDays: fc.Arbitrary<CollectionDays> = fc
  .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 100 }))
  .chain(([overdueDays, toSuspend, toCancel]) =>
    fc.record({
      overdueDays: fc.constant(overdueDays),
      suspendDays: fc.constant(overdueDays + toSuspend),
      cancelDays: fc.constant(overdueDays + toSuspend + toCancel),
      retryDays: rising({ min: 1, max: overdueDays + toSuspend }, 10),
      reminderDays: rising({ min: -7, max: 30 }, 8),
    }),
  );

test('own days hold and come to an order, whatever the account changes to', () => {
  const names = ['overdueDays', 'suspendDays', 'cancelDays', 'retryDays', 'reminderDays'] as const;
  fc.assert(
    fc.property(someDays, someDays, fc.subarray([...names]), (then, now, chosen) => {
      // What was accepted as it was set came to an order with what the account had then.
      const own: OwnDays = Object.fromEntries(chosen.map((name) => [name, then[name]]));
      const merged = mergedDays(now, own);
      expect(() => checkCollectionDays(merged)).not.toThrow();
      for (const name of chosen) expect(merged[name]).toEqual(then[name]);
    }),
  );
});
