import type { SampleOccasion } from '../../contract/sample-letters.ts';
import type { AccountLook } from '../kernel/account.ts';
import { oneLine } from '../kernel/text.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import {
  type PaymentWords,
  type SubscriptionWords,
  wordsOfPayment,
  wordsOfRenewal,
  wordsOfSubscription,
} from './fact-words.ts';
import { type Letter, layOutToBuyer, type Words } from './letter.ts';
import { portalName } from './queue.ts';
import { wordsOfDispute, wordsOfRefund, wordsOfSurplus } from './return-words.ts';
import { type LetterFacts, type Occasion, wordsOfBill, wordsOfConfirmation } from './wording.ts';

const AMOUNT = 9_990;
const PURPOSE = 'Plano Ouro';
const CARD = 'Visa final 4242';
const LAST4 = '4242';
const BUYER = 'Maria da Silva';
/** Of the form of a BR Code, and with a sum that no bank takes. */
const CODE =
  '00020101021226580014br.gov.bcb.pix2536exemplo.example/nao-pague-este-codigo520400005303986540599.905802BR5907EXEMPLO6009SAO PAULO62070503***63040000';

/** Who writes a made-up letter, how and when, and where it leads. */
interface Sample {
  readonly merchant: string;
  readonly liveMode: boolean;
  readonly attachesReceipt: boolean;
  readonly now: Timestamp;
  /** Where its button leads: to nothing. */
  readonly link: string;
}

const paymentOf = ({ now, link, attachesReceipt: isAttached }: Sample, isOfSubscription: boolean): PaymentWords => ({
  amount: AMOUNT,
  purpose: PURPOSE,
  method: CARD,
  paidAt: now,
  nextCharge: isOfSubscription ? now + 30 * DAY : null,
  receipt: link,
  isAttached,
});

function subscriptionOf(
  { merchant, now, link }: Sample,
  more: Partial<SubscriptionWords['subscription']> = {},
): SubscriptionWords {
  const subscription: SubscriptionWords['subscription'] = {
    trial_end: now + 3 * DAY,
    trial_end_behavior: 'invoice',
    payment_method_type: 'card',
    pending_change: null,
    current_period_end: now + 30 * DAY,
    cancel_at: null,
    cancel_at_period_end: true,
    ended: null,
    canceled_reason: null,
    discounts: { object: 'list', data: [] },
    minimum_term: null,
    ...more,
  };
  const plan = { name: PURPOSE, price: 'R$ 99,90 por mês' };
  return { merchant, subscription, plan, payment: null, link, isByBuyer: true, lastBill: null };
}

const withPayment = (sample: Sample): SubscriptionWords => ({
  ...subscriptionOf(sample),
  payment: paymentOf(sample, true),
});

const returned = ({ merchant }: Sample, isPix: boolean) => ({
  merchant,
  amount: AMOUNT,
  purpose: PURPOSE,
  method: CARD,
  isPix,
});

function billOf({ merchant, liveMode, now, link }: Sample, occasion: Occasion, isByCode = true): Words {
  const facts: LetterFacts = {
    ...{ occasion, liveMode, merchant, link, purpose: PURPOSE, amount: AMOUNT, suspends: true },
    dueAt: now + 3 * DAY,
    code: isByCode ? { copyPaste: CODE, expiresAt: now + 4 * DAY } : null,
  };
  return wordsOfBill(facts);
}

/** What a letter of each occasion says of made-up facts. */
const samples: Readonly<Record<SampleOccasion, (sample: Sample) => Words>> = {
  paid: (sample) => wordsOfPayment({ merchant: sample.merchant, payment: paymentOf(sample, false) }),
  refunded: (sample) => wordsOfRefund(returned(sample, false)),
  subscription_begun: (sample) => wordsOfSubscription.subscription_begun(withPayment(sample)),
  trial_begun: (sample) => wordsOfSubscription.trial_begun(subscriptionOf(sample)),
  trial_ending: (sample) => wordsOfSubscription.trial_ending(subscriptionOf(sample)),
  plan_changed: (sample) => wordsOfSubscription.plan_changed(subscriptionOf(sample)),
  renewal_ahead: (sample) =>
    wordsOfRenewal({ ...subscriptionOf(sample), amount: AMOUNT, on: sample.now + 7 * DAY, firstReminder: -3 }),
  suspended: (sample) => wordsOfSubscription.suspended(subscriptionOf(sample)),
  reactivated: (sample) => wordsOfSubscription.reactivated(withPayment(sample)),
  canceled: (sample) => wordsOfSubscription.canceled(subscriptionOf(sample, { cancel_at: sample.now + 30 * DAY })),
  reminder: (sample) => billOf(sample, { kind: 'reminder', step: -3, daysLate: -3, isLast: false }),
  dispute_decided: ({ merchant }) =>
    wordsOfDispute({ merchant, purpose: PURPOSE, dispute: { amount: AMOUNT, status: 'lost' } }),
  pix_returned: (sample) => wordsOfSurplus(returned(sample, true)),
  declined: (sample) =>
    billOf(sample, { kind: 'declined', last4: LAST4, reason: 'insufficient_funds', againAt: sample.now + DAY }, false),
  sent: (sample) => billOf(sample, { kind: 'sent' }),
  debit_scheduled: (sample) => billOf(sample, { kind: 'debit_scheduled' }, false),
  debit_failed: (sample) =>
    billOf(sample, { kind: 'debit_failed', reason: 'insufficient_funds', againAt: sample.now + DAY }, false),
  mandate_ended: (sample) => billOf(sample, { kind: 'mandate_ended' }, false),
  confirmation: ({ merchant, now, link }) =>
    wordsOfConfirmation({ merchant, purpose: PURPOSE, amount: AMOUNT, link, until: now + 7 * DAY }),
};

/** Those of which a buyer may want no more. */
const ENDABLE: ReadonlySet<SampleOccasion> = new Set(['trial_begun', 'plan_changed', 'canceled']);

/** Those of no subscription. */
const SINGLE: ReadonlySet<SampleOccasion> = new Set(['paid', 'refunded', 'sent', 'pix_returned', 'dispute_decided']);

export interface SampleSender extends Omit<Sample, 'merchant'> {
  readonly look: AccountLook;
  readonly logo: string | null;
  readonly sentence: string | null;
}

/** A link of a letter that is only looked at leads nowhere; no text of a letter has a quotation mark of its own. */
const withoutLinks = (html: string): string => html.replace(/ href="[^"]*"/g, '');

/** A letter of an occasion about made-up facts, as its buyer would have it, and what a list of mails shows of it. */
export function sampleLetter(
  { look, logo, sentence, ...sample }: SampleSender,
  occasion: SampleOccasion,
): Letter & { readonly preheader: string } {
  const { liveMode, link } = sample;
  const words = samples[occasion]({ ...sample, merchant: look.name });
  const unsubscribe = ENDABLE.has(occasion) ? link : null;
  const portal = occasion === 'confirmation' ? null : { name: portalName({ mayCancel: !SINGLE.has(occasion) }), link };
  const frame = { look, logo, sentence, liveMode, portal, unsubscribe, buyer: BUYER, inBrowser: link };
  const letter = layOutToBuyer(frame, words);
  return { ...letter, html: withoutLinks(letter.html), preheader: oneLine(words.lead) };
}
