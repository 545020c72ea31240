import { z } from 'zod';
import { amount, field, named } from './kernel.ts';

export const penaltyTypes = ['remaining_percentage', 'declining_amount'] as const;
const PenaltyType = named('PenaltyType', penaltyTypes, 'How the penalty of a minimum term is computed.');

/** Cycles of a minimum term. */
const CYCLES_MAX = 36;
/** Basis points and cents of a penalty. */
const PERCENT_MAX = 100;
const AMOUNT_MAX = 999_999_999;
/** Above it a merchant says that it knows: courts commonly lower such penalties. */
export const UNUSUAL_PERCENTAGE = 30;

export const MinimumTermInput = z
  .strictObject({
    cycles: field(z.int().min(1).max(CYCLES_MAX), 'Cycles that it lasts from the first payment: 1 to 36.', 12),
    penalty_type: field(
      PenaltyType,
      '`remaining_percentage`: percent of the cycles that have not begun; `declining_amount`: an amount that declines by the day to nothing.',
      'remaining_percentage',
    ),
    penalty_value: field(
      z.number().gt(0).max(AMOUNT_MAX),
      'Of `remaining_percentage` a percentage of up to 100 with two decimals; of `declining_amount` integer cents.',
      20,
    ),
    acknowledged: field(
      z.boolean().optional(),
      'Required as `true` with more than 30 percent: courts commonly lower such penalties.',
      true,
    ),
  })
  .superRefine(checkPenalty)
  .meta({
    id: 'MinimumTermInput',
    description: 'How long a subscription lasts at least, and what an earlier end costs.',
  });

export type MinimumTermInput = z.output<typeof MinimumTermInput>;

interface Penalty {
  readonly penalty_type: (typeof penaltyTypes)[number];
  readonly penalty_value: number;
  readonly acknowledged?: boolean | undefined;
}

const PERCENT_STEPS = 100;

/** A number of hundredths, whatever a binary fraction makes of it. */
const isExact = (percentage: number): boolean =>
  Math.abs(percentage * PERCENT_STEPS - Math.round(percentage * PERCENT_STEPS)) < Number.EPSILON * AMOUNT_MAX;

function checkPenalty(
  { penalty_type: type, penalty_value: value, acknowledged }: Penalty,
  context: z.core.$RefinementCtx,
): void {
  const refuse = (message: string): void => {
    context.addIssue({ code: 'custom', path: ['penalty_value'], message });
  };
  if (type === 'declining_amount') {
    if (!Number.isInteger(value)) refuse('must be integer cents');
    return;
  }
  if (value > PERCENT_MAX || !isExact(value)) refuse('must be at most 100, with at most two decimals');
  else if (value > UNUSUAL_PERCENTAGE && acknowledged !== true)
    refuse(`above ${UNUSUAL_PERCENTAGE} percent wants acknowledged: true`);
}

export const MinimumTerm = z
  .object({
    ends_at: field(
      z.int().nullable(),
      'When it ends; null before the first payment. Unix time, seconds.',
      1_826_793_600,
    ),
    penalty_type: field(PenaltyType, 'How the penalty is computed.', 'remaining_percentage'),
    penalty_value: field(z.number(), 'A percentage, or integer cents.', 20),
    penalty_now: amount('What a cancellation at this instant would charge.', 14_384),
  })
  .meta({ id: 'MinimumTerm', description: 'The minimum term that a subscription is in.' });
