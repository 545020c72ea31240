import { z } from 'zod';
import { field, named } from './kernel.ts';
import { isTwoDecimals } from './lines.ts';

export const lateCollects = ['next_invoice', 'at_payment'] as const;
const LateCollect = named('LateCollect', lateCollects, 'When late fees are asked for.');

const GRACE_DAYS_MAX = 30;

const percentage = z
  .number()
  .min(0)
  .max(100)
  .refine(isTwoDecimals, { message: 'must have at most two decimals' })
  .meta({ multipleOf: 0.01 });

const lateFees = {
  fine_percentage: field(
    percentage,
    'Fine (multa) on the first day that costs something, in percent of the bill: 0 to 2, at most two decimals.',
    2,
  ),
  interest_percentage: field(
    percentage,
    'Simple interest (juros de mora) in percent a month, a thirtieth of it a day: 0 to 1, at most two decimals.',
    1,
  ),
  grace_days: field(
    z.int().min(0).max(GRACE_DAYS_MAX),
    'Days late that cost nothing: 0 to 30. Behind them both count from the due date.',
    0,
  ),
  collect: field(
    LateCollect,
    '`next_invoice`: the next bill of the subscription that its buyer pays by hand asks for them; `at_payment`: they are paid with the late bill.',
    'at_payment',
  ),
};

/** The most that the law allows, at once. */
export const lateFeesExample = {
  fine_percentage: 2,
  interest_percentage: 1,
  grace_days: 0,
  collect: 'at_payment',
} as const;

export const LateFees = z.object(lateFees).meta({ id: 'LateFees', description: 'What it costs to pay late.' });

export type LateFees = z.output<typeof LateFees>;

export const LateFeesInput = z
  .strictObject(lateFees)
  .meta({ id: 'LateFeesInput', description: 'What it costs to pay late. Both percentages 0: nothing.' });
