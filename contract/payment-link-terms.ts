import { z } from 'zod';
import { field } from './kernel.ts';
import { LateFees, LateFeesInput, lateFeesExample } from './late-fees.ts';
import { MinimumTerm, MinimumTermInput } from './minimum-term.ts';
import { TRIAL_DAYS_MAX, TrialEndBehavior, trialBehavior, trialNeedsMethod } from './trials.ts';

const days = (description: string) => field(z.int().min(1).max(TRIAL_DAYS_MAX), description, 14);

/** A link sells for long, so its trial is counted in days and never ends at an instant. */
const PaymentLinkTrialInput = z
  .strictObject({
    days: days('1 to 730 days, counted for each buyer from the beginning of their subscription.'),
    requires_payment_method: trialNeedsMethod,
    end_behavior: trialBehavior,
  })
  .meta({ id: 'PaymentLinkTrialInput', description: 'Time for which nothing is billed before the first cycle.' });

export const PaymentLinkTermsInput = z
  .strictObject({
    trial: field(PaymentLinkTrialInput.optional(), 'Nothing is billed for so long before the first cycle.', {
      days: 14,
    }),
    minimum_term: field(MinimumTermInput.optional(), 'How long it lasts at least, and what an earlier end costs.', {
      cycles: 12,
      penalty_type: 'remaining_percentage',
      penalty_value: 20,
    }),
    late_fees: field(
      LateFeesInput.optional(),
      'What it costs to pay its bills late; absent: what the account asks at each bill.',
      lateFeesExample,
    ),
  })
  .meta({
    id: 'PaymentLinkTermsInput',
    description:
      'How each subscription that a payment link sells begins, how long it lasts at least, and what late payment costs.',
    examples: [{ trial: { days: 14 } }],
  });

export type PaymentLinkTermsInput = z.output<typeof PaymentLinkTermsInput>;

const PaymentLinkTrial = z
  .object({
    days: days('Days from the beginning of each subscription.'),
    requires_payment_method: field(z.boolean(), 'Whether the trial begins with a card, which is not charged.', true),
    end_behavior: field(TrialEndBehavior, 'What comes after it where no card is stored.', 'invoice'),
  })
  .meta({ id: 'PaymentLinkTrial', description: 'Time for which nothing is billed before the first cycle.' });

const PaymentLinkMinimumTerm = z
  .object({
    cycles: field(z.int(), 'Cycles that it lasts from the first payment.', 12),
    penalty_type: MinimumTerm.shape.penalty_type,
    penalty_value: MinimumTerm.shape.penalty_value,
  })
  .meta({ id: 'PaymentLinkMinimumTerm', description: 'How long a subscription lasts at least.' });

const sampleTerms = {
  trial: { days: 14, requires_payment_method: true, end_behavior: 'invoice' },
  minimum_term: null,
  late_fees: null,
};

export const PaymentLinkTerms = z
  .object({
    trial: field(PaymentLinkTrial.nullable(), 'Null: there is none.', sampleTerms.trial),
    minimum_term: field(PaymentLinkMinimumTerm.nullable(), 'Null: there is none.', null),
    late_fees: field(LateFees.nullable(), 'What late payment costs; null: what the account asks at each bill.', null),
  })
  .meta({
    id: 'PaymentLinkTerms',
    description:
      'How each subscription of a payment link begins, how long it lasts at least, and what late payment costs.',
    examples: [sampleTerms],
  });

export type PaymentLinkTerms = z.output<typeof PaymentLinkTerms>;
