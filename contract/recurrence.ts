import { z } from 'zod';
import { conditional, whenField, without } from './conditions.ts';
import { field, named } from './kernel.ts';

/** Longest recurrence of a price (docs/product/catalog.md#recurrence). */
const RECURRENCE_MONTHS_MAX = 36;

export const RecurrenceInterval = named('RecurrenceInterval', ['day', 'week', 'month'], 'Unit of a recurrence.');

const interval = field(RecurrenceInterval, 'Unit of the recurrence.', 'month');

export const Recurring = z
  .object({
    interval,
    interval_count: field(z.int(), 'Units between two charges.', 1),
  })
  .meta({ id: 'PriceRecurring', description: 'How often a recurring price is charged.' });

/** 36 months in each unit: of 366-day years where days are counted, so that no calendar makes it longer. */
const mostUnits = { day: 1_098, week: 156, month: RECURRENCE_MONTHS_MAX } as const;

const atMost = (unit: keyof typeof mostUnits) => ({ properties: { interval_count: { maximum: mostUnits[unit] } } });

const atMostUnits = conditional({
  when: whenField('interval', 'month'),
  so: atMost('month'),
  otherwise: conditional({ when: whenField('interval', 'week'), so: atMost('week'), otherwise: atMost('day') }),
});

export const RecurringCreate = z
  .strictObject({
    interval,
    interval_count: field(
      z.int().min(1).optional(),
      'Units between two charges: at least 1, at most 36 months in all; default 1.',
      1,
    ),
  })
  .meta({ id: 'PriceRecurringCreate', description: 'How often the price is charged.', ...atMostUnits });

/** A recurrence whose length can be told, whatever else is wrong with it. */
const Counted = z.object({ interval, interval_count: z.number().default(1) });

/**
 * `recurring` exactly when the price is, and 36 months at most (docs/product/catalog.md#recurrence).
 * The rule also runs when a field is wrong, so it takes the fields as they came.
 */
export function checkRecurrence(
  { type, recurring }: { type: unknown; recurring?: unknown },
  context: z.RefinementCtx,
): void {
  const refuse = (path: string[], message: string, params = {}) =>
    context.addIssue({ code: 'custom', path, message, params });
  if (type === 'recurring' && recurring === undefined)
    refuse(['recurring'], 'is required for type recurring', { missing: true });
  if (type === 'one_time' && recurring !== undefined) refuse(['recurring'], 'must be absent for type one_time');
  const { data: counted } = Counted.safeParse(recurring);
  if (counted === undefined) return;
  const most = mostUnits[counted.interval];
  if (counted.interval_count > most)
    refuse(['recurring', 'interval_count'], `must be at most ${most} for interval ${counted.interval} (36 months)`);
}

/** What of that rule the document can say of a price. */
export const recurringByType = conditional({
  when: whenField('type', 'recurring'),
  so: { required: ['recurring'] },
  otherwise: without('recurring'),
});
