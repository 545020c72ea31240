import { expect, test } from 'vitest';
import { nextOf, type Stage, stageOf } from '../../../dashboard/screens/collection/stages.ts';

const days = {
  object: 'collection',
  as_of: 0,
  charge_days: [1, 3, 7],
  overdue_day: 1,
  suspend_day: 10,
  cancel_day: 30,
  live_mode: false,
} as const;

const stage = (id: string, from_day: number | null, count = 0): Stage => ({
  id,
  from_day,
  until_day: null,
  count,
  amount: 0,
});

test.each([
  ['day_0', 0, { day: 1, what: ['charge', 'overdue'] }],
  ['day_1', 1, { day: 3, what: ['charge'] }],
  ['day_7', 7, { day: 10, what: ['suspend'] }],
  ['suspended', null, { day: 30, what: ['cancel'] }],
  ['day_30', 30, null],
])('what comes after %s', (id, from, next) => {
  expect(nextOf(stage(id, from), { ...days, charge_days: [...days.charge_days] })).toEqual(next);
});

test('the stage of the address is shown, else the first where something is, else the first', () => {
  const [first, second, third] = [stage('day_0', 0), stage('day_1', 1, 2), stage('suspended', null, 1)];
  const all = [first, second, third] as const;
  expect(stageOf(all, 'suspended')).toBe(third);
  expect(stageOf(all, undefined)).toBe(second);
  expect(stageOf(all, 'day_99')).toBe(second);
  expect(stageOf([first], undefined)).toBe(first);
});
