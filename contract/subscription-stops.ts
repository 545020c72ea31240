import { z } from 'zod';
import { SubscriptionCollection } from './collection-days.ts';
import { field, timestamp } from './kernel.ts';
import { LateFees } from './late-fees.ts';
import { MinimumTerm } from './minimum-term.ts';
import { CancellationReason } from './subscription-inputs.ts';

const Cancellation = z
  .object({
    reason: field(CancellationReason.nullable(), 'Why the buyer leaves; null: nobody said.', 'too_expensive'),
    comment: field(z.string().nullable(), 'What the buyer says of it; null: nothing.', 'Vou mudar de cidade.'),
  })
  .meta({ id: 'Cancellation', description: 'Why a subscription was cancelled, in the words of whoever asked.' });

const SubscriptionPauseView = z
  .object({
    since: timestamp('When it began, or begins.'),
    resumes_at: field(
      z.int().nullable(),
      'When it ends by itself; null: when it is resumed. Unix time, seconds.',
      1_797_849_600,
    ),
    days_left: field(z.int(), 'Days of the period under way that are kept for afterwards.', 16),
  })
  .meta({ id: 'SubscriptionPauseView', description: 'A pause of a subscription.' });

const ACCOUNT_DAYS = {
  overdue_days: null,
  suspend_days: null,
  cancel_days: null,
  retry_days: null,
  reminder_days: null,
};

/** What of a subscription tells of its pause, of what was said of its end, and of what an end and late payment cost. */
export const stops = {
  pause: field(
    SubscriptionPauseView.nullable(),
    'The pause under way, or the one that was asked for the end of a period; null without one.',
    null,
  ),
  cancellation: field(
    Cancellation.nullable(),
    'What was said of its end when that was asked for; null: nothing.',
    null,
  ),
  collection: field(SubscriptionCollection, 'The days of its own by which its bills are collected.', ACCOUNT_DAYS),
  late_fees: field(
    LateFees.nullable(),
    'What it costs to pay its bills late; null: what the account asks as a bill is opened.',
    null,
  ),
  minimum_term: field(
    MinimumTerm.nullable(),
    'The minimum term that it is in; null without one, and once that is over.',
    null,
  ),
};
