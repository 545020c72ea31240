import { expect, test } from 'vitest';
import { stagesOf } from '../../server/invoices/stages.ts';

const spans = (days: Parameters<typeof stagesOf>[0]) =>
  stagesOf(days).map(({ id, fromDay, untilDay }) => [id, fromDay, untilDay]);

test('a stage begins with the due date, and one with each day of collection', () => {
  expect(spans({ overdueDays: 2, suspendDays: 10, cancelDays: 30, retryDays: [1, 3, 7], reminderDays: [] })).toEqual([
    ['day_0', 0, 1],
    ['day_1', 1, 2],
    ['day_2', 2, 3],
    ['day_3', 3, 7],
    ['day_7', 7, 30],
    ['day_30', 30, null],
  ]);
});

test('days that fall together begin one stage', () => {
  expect(spans({ overdueDays: 1, suspendDays: 5, cancelDays: 6, retryDays: [], reminderDays: [] })).toEqual([
    ['day_0', 0, 1],
    ['day_1', 1, 6],
    ['day_6', 6, null],
  ]);
});
