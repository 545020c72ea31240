import { z } from 'zod';
import { failures } from './errors.ts';
import { InvoicePreview } from './invoice-preview.ts';
import {
  actingLink,
  amount,
  exampleId,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  innerList,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  PaymentMethodType,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { mandateOfSubscription } from './mandates.ts';
import { CardReplacement, CheckoutInput, PaymentMethod } from './payment-methods.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { SubscriptionChange } from './subscription-changes.ts';
import { consentOfSubscription } from './subscription-consent.ts';
import { SubscriptionDiscount } from './subscription-discounts.ts';
import {
  SubscriptionCancel,
  SubscriptionCreateBody,
  SubscriptionPause,
  SubscriptionUpdateBody,
} from './subscription-inputs.ts';
import { itemExample, SubscriptionItem } from './subscription-items.ts';
import { stops } from './subscription-stops.ts';
import { TrialEndBehavior } from './trials.ts';

const statuses = ['pending', 'active', 'inactive', 'suspended', 'paused', 'scheduled', 'trialing'] as const;
export const subscriptionStatuses = [...statuses] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const canceledReasons = ['requested', 'unpaid', 'withdrawal', 'trial_ended'] as const;
export type CanceledReason = (typeof canceledReasons)[number];
const CanceledReason = named('CanceledReason', canceledReasons, 'Why a subscription ended.');
const SubscriptionStatus = named('SubscriptionStatus', subscriptionStatuses, 'Where a subscription stands.');

export const Subscription = z
  .object({
    id: typeId('sub', 'Identifier of the subscription.'),
    object: objectName('subscription'),
    live_mode: liveMode,
    external_code: externalCodeOrNull,
    status: field(
      SubscriptionStatus,
      '`scheduled`: begins later; `pending`: awaits its first payment, or the card of its trial; `trialing`; `active`; `paused`: it neither serves nor bills; `suspended` for lack of payment; `inactive`: cancelled.',
      'active',
    ),
    start_date: timestamp('When the subscription began, or begins.'),
    trial_start: timestampOrNull('When its trial began.'),
    trial_end: timestampOrNull('When its trial ends, or ended; null until a trial that is counted in days begins.'),
    trial_end_behavior: field(
      TrialEndBehavior.nullable(),
      'What comes where no card is stored when the trial ends; null: there is no trial.',
      null,
    ),
    cancel_at: field(
      z.int().nullable(),
      'When it ends by wish; null: nobody asked for that. Unix time, seconds.',
      null,
    ),
    cancel_at_period_end: field(
      z.boolean(),
      'Whether `cancel_at` is the end of the period that is paid for, or of the trial, and follows it.',
      false,
    ),
    ended: timestampOrNull('When the subscription ended.'),
    canceled_reason: field(
      CanceledReason.nullable(),
      'Why it ended: `requested` by you or the buyer, `unpaid`, `trial_ended` without a card, or `withdrawal` of the buyer; null until then.',
      null,
    ),
    ...stops,
    pending_change: field(
      SubscriptionChange.nullable(),
      'The change that waits for its payment, or for its cycle; null without one.',
      null,
    ),
    billing_cycle_anchor: timestamp(
      'What the cycles are computed from: `created` until the first payment, then its instant, the end of the trial or the start that a stored card is charged at, the payment that ended a suspension, the end of the period that a pause interrupted, or the instant at which another interval began.',
    ),
    current_period_start: timestampOrNull('When the cycle under way began.'),
    current_period_end: timestampOrNull('When the cycle under way ends.'),
    created: timestamp('When the subscription was created.'),
    consent: consentOfSubscription,
    credit_balance: amount('Credits that wait for bills of this subscription alone.', 0),
    customer: typeId('cus', 'Who pays.'),
    mandate: mandateOfSubscription,
    payment_method_type: field(
      PaymentMethodType.nullable(),
      'How renewals are paid; null until the first payment is confirmed.',
      'card',
    ),
    default_payment_method: field(
      typeId('txn', 'The stored card.').nullable(),
      "The stored card that its bills are charged to; null: none, or with `payment_method_type` `card` whichever is the customer's default.",
      exampleId('txn'),
    ),
    installments: field(z.int(), 'Installments of each charge: 1 to 12.', 1),
    latest_invoice: field(typeId('in', 'The newest invoice.').nullable(), 'The newest invoice.', exampleId('in')),
    update_payment_url: actingLink(
      'The page on which the buyer gives another card or turns to PIX, for you to share; null once inactive.',
      `https://fatura.example/subscription/${exampleId('sub')}/Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG`,
    ),
    discounts: field(
      innerList(SubscriptionDiscount, { id: 'SubscriptionDiscounts', description: 'Discounts in the order applied.' }),
      'Discounts in the order applied.',
      { object: 'list', data: [] },
    ),
    item: field(SubscriptionItem, 'The first of `items`.', itemExample),
    items: field(
      innerList(SubscriptionItem, { id: 'SubscriptionItems', description: 'What is billed each cycle.' }),
      'What is billed each cycle, 1 to 20 items.',
      { object: 'list', data: [itemExample] },
    ),
    payment_method: field(PaymentMethod.optional(), 'Only in the answer of a checkout: how to pay.'),
  })
  .meta({ id: 'Subscription', description: 'Bills a customer for prices, cycle by cycle.' });

export type Subscription = z.output<typeof Subscription>;

export const SubscriptionListQuery = z.strictObject({
  ...pageQuery('sub'),
  customer_id: typeId('cus', 'Only subscriptions of this customer.').optional(),
  price_id: typeId('price', 'Only subscriptions of this price.').optional(),
  status: field(SubscriptionStatus.optional(), 'Only subscriptions in this status.', 'active'),
  external_code: externalCodeFilter('Only subscriptions with this external_code.', 'assinatura-7'),
});

const subscriptionPath = pathId('subscription', 'sub');
const onSubscription = meta({ scope: 'write', idPrefix: 'sub' });

export const subscriptions = c.router(
  {
    create: {
      method: 'POST',
      path: '/subscriptions',
      summary: 'Create a subscription',
      description:
        'Opens the first invoice with it; it waits for payment 7 days. With a trial, or a start that is to come, no invoice is made yet.',
      body: SubscriptionCreateBody,
      responses: { 201: Subscription, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    preview: {
      method: 'POST',
      path: '/subscriptions/preview',
      summary: 'Preview the first invoice of a subscription',
      description:
        'What its creation would bill first, and when: decided as the creation itself, and refused as it would be. Nothing is created.',
      body: SubscriptionCreateBody,
      responses: { 200: InvoicePreview, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/subscriptions/:subscription_id',
      pathParams: subscriptionPath,
      summary: 'Retrieve a subscription',
      responses: { 200: Subscription, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'sub' }),
    },
    list: {
      method: 'GET',
      path: '/subscriptions',
      summary: 'List subscriptions',
      query: SubscriptionListQuery,
      responses: { 200: listOf(Subscription, { id: 'SubscriptionList', url: '/api/v1/subscriptions' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    upcomingInvoice: {
      method: 'GET',
      path: '/subscriptions/:subscription_id/upcoming_invoice',
      pathParams: subscriptionPath,
      summary: 'Preview the next invoice of a subscription',
      description:
        'What the next bill would be if nothing changed until then. It takes no lock and stores nothing. Of a trial, and of a subscription that begins later, it is the first bill. 409 of a subscription that bills nothing by itself: pending, paused, suspended or inactive, or one that ends or is paused before then.',
      responses: { 200: InvoicePreview, ...readErrors, ...failures(409) },
      metadata: meta({ scope: 'read', idPrefix: 'sub' }),
    },
    update: {
      method: 'PATCH',
      path: '/subscriptions/:subscription_id',
      pathParams: subscriptionPath,
      summary: 'Update a subscription',
      body: SubscriptionUpdateBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    checkout: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/checkout',
      pathParams: subscriptionPath,
      summary: 'Pay the open invoice of a subscription',
      description:
        'Activates a pending subscription with its first payment, and a suspended one with that of its open invoice. By card it is charged at once; by PIX the answer holds the QR code and the subscription changes with the payment. Of a trial it stores a card and charges nothing; one that needs a card begins with it.',
      body: CheckoutInput,
      responses: { 201: Subscription, ...writeErrors, ...failures(402, 504) },
      metadata: onSubscription,
    },
    updatePaymentMethod: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/payment_method',
      pathParams: subscriptionPath,
      summary: 'Store another card of a subscription',
      description:
        'The card is verified at the acquirer and nothing is charged; renewals are charged to it at once. For a subscription that was paid before; the first payment is a checkout.',
      body: CardReplacement,
      responses: { 200: Subscription, ...writeErrors, ...failures(402) },
      metadata: onSubscription,
    },
    endTrial: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/end_trial',
      pathParams: subscriptionPath,
      summary: 'End the trial of a subscription now',
      description:
        'What comes is what comes at its end: its card is charged for the first cycle, or without a card what `trial_end_behavior` says.',
      body: emptyBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    cancelAt: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/cancel',
      pathParams: subscriptionPath,
      summary: 'Cancel a subscription now or later',
      description:
        'Later it stays active until then and renews nothing beyond; a bill that was made ahead and is open is voided. `uncancel` takes it back. Refused while a payment of that bill is on its way.',
      body: SubscriptionCancel,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    uncancel: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/uncancel',
      pathParams: subscriptionPath,
      summary: 'Take back a cancellation to come',
      description: 'The subscription renews again. Without one to come it answers the subscription as it is.',
      body: emptyBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    pause: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/pause',
      pathParams: subscriptionPath,
      summary: 'Pause a subscription',
      description:
        'It neither serves nor bills until it is resumed, and keeps the days left of its period; a bill that was made ahead and is open is voided. Refused while an invoice is overdue, or a payment of that bill is on its way.',
      body: SubscriptionPause,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    resume: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/resume',
      pathParams: subscriptionPath,
      summary: 'Resume a paused subscription',
      description:
        'Its period goes on for the days left; without any the next one begins and is billed at once. A pause to come is taken back. An active subscription without one is answered as it is.',
      body: emptyBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    cancel: {
      method: 'DELETE',
      path: '/subscriptions/:subscription_id',
      pathParams: subscriptionPath,
      summary: 'Cancel a subscription at once',
      description: 'Its open invoices are voided. Refused while a payment is on its way; repeat shortly.',
      body: emptyBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
    reactivate: {
      method: 'POST',
      path: '/subscriptions/:subscription_id/reactivate',
      pathParams: subscriptionPath,
      summary: 'Let a suspended subscription wait for payment again',
      description:
        'It has 7 days to be paid: its next payment activates it. A card that was stored after the last decline is charged at once, after this answer; approved, it activates the subscription.',
      body: emptyBody,
      responses: { 200: Subscription, ...writeErrors },
      metadata: onSubscription,
    },
  },
  routerOptions,
);
