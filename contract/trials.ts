import { z } from 'zod';
import { conditional, without } from './conditions.ts';
import { field, named, TIMESTAMP_MAX } from './kernel.ts';

export const trialEndBehaviors = ['invoice', 'cancel', 'pause'] as const;
export type TrialEndBehavior = (typeof trialEndBehaviors)[number];
export const TrialEndBehavior = named(
  'TrialEndBehavior',
  trialEndBehaviors,
  'What comes after a trial for which no card is stored.',
);

export const TRIAL_DAYS_MAX = 730;

export const trialBehavior = field(
  TrialEndBehavior.optional(),
  '`invoice`, by default: the first invoice waits 7 days for its payment; `cancel`: the subscription ends; `pause`: it is paused until a checkout stores a card.',
  'invoice',
);
export const trialNeedsMethod = field(
  z.boolean().optional(),
  'Whether the trial begins with a card, which a checkout stores and does not charge; `true` by default.',
  true,
);

export const TrialInput = z
  .strictObject({
    days: field(z.int().min(1).max(TRIAL_DAYS_MAX).optional(), '1 to 730 days, counted from its begin.', 14),
    end: field(
      z.int().min(0).max(TIMESTAMP_MAX).optional(),
      'When it ends, at most 730 days after the subscription begins; in place of `days`. Unix time, seconds.',
      1_796_467_200,
    ),
    requires_payment_method: trialNeedsMethod,
    end_behavior: trialBehavior,
  })
  .superRefine((trial, context) => {
    if (trial.days === undefined && trial.end === undefined) {
      const message = 'or end is required';
      context.addIssue({ code: 'custom', path: ['days'], message, params: { missing: true } });
    }
    if (trial.days !== undefined && trial.end !== undefined)
      context.addIssue({ code: 'custom', path: ['end'], message: 'must be absent when days is sent' });
  })
  .meta({
    id: 'TrialInput',
    description: 'Time for which nothing is billed before the first cycle.',
    examples: [{ days: 14 }],
    allOf: [conditional({ when: { required: ['days'] }, so: without('end'), otherwise: { required: ['end'] } })],
  });

export type TrialInput = z.output<typeof TrialInput>;
