import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { LateFees } from '../../contract/late-fees.ts';
import { penaltyTypes } from '../../contract/minimum-term.ts';
import { changeMoments, changeProrations, changeStatuses } from '../../contract/subscription-changes.ts';
import { cancellationReasons, penaltyChoices, unusedPeriods } from '../../contract/subscription-inputs.ts';
import { canceledReasons, subscriptionStatuses } from '../../contract/subscriptions.ts';
import { trialEndBehaviors } from '../../contract/trials.ts';
import { check, codeKey, index, inScope, p, scoped, scopeKey, shardBy, told, waitingIndexes } from '../db/columns.ts';
import type { OwnDays } from '../kernel/own-days.ts';
import type { SubscriptionDiscount } from './discounts.ts';
import { dueKinds } from './rules.ts';

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    customerId: p.idIn('customer'),
    /** The term in force: the rows of `subscription_term` with this `seq` are what it bills each cycle. */
    termSeq: p.integer().default(1),
    externalCode: p.text().nullable(),
    discounts: p.jsonText<SubscriptionDiscount[]>().defaultRaw(`'[]'`),
    status: p.enum(subscriptionStatuses),
    billingCycleAnchor: p.whole(),
    /** The number of the cycle that begins at the anchor. */
    anchorCycle: p.integer().default(1).check('anchor_cycle >= 1'),
    /** The number of the current cycle; 0 before the first payment. */
    cycle: p.integer().default(0).check('cycle >= 0'),
    /** The number of the newest cycle that was billed. */
    billedCycle: p.integer().default(1),
    /** Bills that were made: cycles skip numbers after a suspension, and discounts count bills. */
    bills: p.integer().default(0).check('bills >= 0'),
    currentPeriodStart: p.whole().nullable(),
    currentPeriodEnd: p.whole().nullable(),
    /** What was charged for the current period, of which the rest is credited as it changes; null before the first. Cents. */
    periodNet: p.whole().nullable(),
    /** The same of the next period, where that was billed ahead. */
    aheadNet: p.whole().nullable(),
    /** What changes added to both that were paid by invoices of their own. */
    periodApart: p.whole().default(0),
    aheadApart: p.whole().default(0),
    latestInvoiceId: p.idIn('invoice', { deferred: true }).nullable(),
    paymentMethodType: p.enum(['pix', 'card', 'pix_automatico'] as const).nullable(),
    /** The mandate that is pending or active. */
    mandateId: p.idIn('mandate', { deferred: true }).nullable(),
    /** The card that renewals charge. */
    paymentMethodId: p.idIn('payment_method').nullable(),
    installments: p.integer().default(1).check('installments BETWEEN 1 AND 12'),
    /** A pending one that is not paid by then ends. */
    pendingUntil: p.whole().nullable(),
    /** When it was to begin, which was to come when it was created. */
    startsAt: p.whole().nullable(),
    /** How long the trial is, of one that is counted from its begin; null: it ends at `trialEndAt`, or there is none. */
    trialDays: p.integer().nullable().check('trial_days BETWEEN 1 AND 730'),
    /** Whether the trial begins with a card alone. */
    trialNeedsMethod: p.boolean().default(false),
    trialStartAt: p.whole().nullable(),
    trialEndAt: p.whole().nullable(),
    /** What comes after a trial for which no card is stored; null: it has none. */
    trialEndBehavior: p.enum(trialEndBehaviors).nullable(),
    /** Whether the end of the trial was told ahead. */
    trialTold: p.boolean().default(false),
    /** Whether its buyer is told ahead of its renewals. */
    tellsRenewal: p.boolean().default(false),
    /** The cycle whose end was told ahead. */
    renewalTold: p.integer().default(0),
    activatedAt: p.whole().nullable(),
    suspendedAt: p.whole().nullable(),
    reactivatedAt: p.whole().nullable(),
    /** When it ends by wish. */
    cancelAt: p.whole().nullable(),
    /** Whether that follows the period: a payment that begins another one puts it off. */
    cancelAtPeriodEnd: p.boolean().default(false),
    /** Since when it is paused; of an active one: when its pause begins. */
    pausedAt: p.whole().nullable(),
    /** When a pause ends by itself. */
    resumesAt: p.whole().nullable(),
    /** When the last pause ended. */
    resumedAt: p.whole().nullable(),
    /** The days of its period that a paused one has still to be served. */
    daysLeft: p.integer().nullable().check('days_left >= 0'),
    /** The days of a period that was paused, by the dates that it was billed for. */
    periodDays: p.integer().nullable().check('period_days >= 0'),
    /** Cycles of the minimum term; null: it is in none. */
    termCycles: p.integer().nullable().check('term_cycles BETWEEN 1 AND 36'),
    /** Of them have not begun. */
    termCyclesLeft: p.integer().nullable(),
    /** Civil days of the minimum term, by the calendar of its beginning; null before the first payment. */
    termDays: p.integer().nullable(),
    penaltyType: p.enum(penaltyTypes).nullable(),
    /** Basis points, or cents. */
    penaltyValue: p.whole().nullable().check('penalty_value > 0'),
    /** What it costs to pay its bills late; null: what its account asks. */
    lateFees: p.jsonText<LateFees>().nullable(),
    /** The days of collection that it has of its own; null: it has none. */
    ownDays: p.jsonText<OwnDays>().nullable(),
    /** Of an end to come: whether it charges no penalty, and what becomes of the rest of a paid period. */
    penaltyWaived: p.boolean().default(false),
    unused: p.enum(unusedPeriods).default('none'),
    /** What was said of an end when it was asked for. */
    cancelReason: p.enum(cancellationReasons).nullable(),
    cancelComment: p.text().nullable(),
    /** What its buyer was shown on the page that sells it, from where, and when it was agreed to; null: not there, or not yet. */
    consentText: p.text().nullable(),
    consentIp: p.text().nullable(),
    consentAt: p.whole().nullable(),
    ended: p.whole().nullable(),
    canceledReason: p.enum(canceledReasons).nullable(),
    /** When the change lapses that waits for its payment; null: none does. */
    changeLapsesAt: p.whole().nullable(),
    /** What the calendar brings next, and when. */
    due: p.enum(dueKinds).nullable(),
    dueAt: p.whole().nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.whole().nullable(),
    shard: shardBy('id'),
  },
  uniques: [scopeKey],
  indexes: [
    index('subscription_customer', ['customerId', 'id']),
    // A code need not be unique.
    { ...codeKey('subscription'), properties: ['accountId', 'liveMode', 'externalCode', 'id'] },
    index('subscription_of_payment_method_id', ['paymentMethodId'], 'payment_method_id IS NOT NULL'),
    index('subscription_of_mandate_id', ['mandateId'], 'mandate_id IS NOT NULL'),
    index('subscription_of_latest_invoice_id', ['latestInvoiceId'], 'latest_invoice_id IS NOT NULL'),
    ...waitingIndexes('subscription', 'dueAt'),
  ],
  checks: [
    check('subscription_in_term', 'term_seq >= 1'),
    check('subscription_period', '(current_period_start IS NULL) = (current_period_end IS NULL)'),
    check('subscription_period_forward', 'current_period_start < current_period_end'),
    check('subscription_ended', `(status = 'inactive') = (ended IS NOT NULL)`),
    check(
      'subscription_consent',
      '(consent_text IS NULL) = (consent_ip IS NULL) AND (consent_at IS NULL OR consent_text IS NOT NULL)',
    ),
    check('subscription_canceled', '(ended IS NULL) = (canceled_reason IS NULL)'),
    check('subscription_cancel_at', 'cancel_at IS NOT NULL OR NOT cancel_at_period_end'),
    check('subscription_paused', `(status = 'paused') = (days_left IS NOT NULL)`),
    check(
      'subscription_paused_at',
      `CASE status WHEN 'paused' THEN paused_at IS NOT NULL WHEN 'active' THEN true ELSE paused_at IS NULL END`,
    ),
    check('subscription_resumes_at', '(paused_at IS NOT NULL OR resumes_at IS NULL) AND resumes_at > paused_at'),
    check('subscription_days_left', 'days_left <= period_days'),
    check(
      'subscription_minimum_term',
      'num_nulls(term_cycles, term_cycles_left, penalty_type, penalty_value) IN (0, 4)',
    ),
    check('subscription_term_left', 'term_cycles_left BETWEEN 0 AND term_cycles'),
    check('subscription_term_days', 'term_days IS NULL OR term_cycles IS NOT NULL'),
    check('subscription_pending', `(status = 'pending') = (pending_until IS NOT NULL)`),
    check('subscription_scheduled', `status <> 'scheduled' OR starts_at IS NOT NULL`),
    check('subscription_trialing', `status <> 'trialing' OR trial_start_at IS NOT NULL`),
    check(
      'subscription_trial',
      '(trial_end_behavior IS NULL) = (trial_days IS NULL AND trial_end_at IS NULL) AND (trial_start_at IS NULL OR trial_end_at >= trial_start_at)',
    ),
    check(
      'subscription_trial_told',
      'trial_end_behavior IS NOT NULL OR (trial_start_at IS NULL AND NOT trial_told AND NOT trial_needs_method)',
    ),
    check('subscription_billed', 'billed_cycle >= cycle'),
    check('subscription_change_lapses', `change_lapses_at IS NULL OR status = 'active'`),
    check('subscription_mandate', `payment_method_type <> 'pix_automatico' OR mandate_id IS NOT NULL`),
    check('subscription_due_at', '(due IS NULL) = (due_at IS NULL)'),
    check('subscription_wake', 'due_at IS NOT NULL OR wake_at IS NULL'),
  ],
});

export type Subscription = InferEntity<typeof SubscriptionSchema>;

/**
 * What a subscription bills each cycle from an instant on: a term is the rows of one `seq`, an item each. Terms are added and never
 * changed, so that each bill can be computed anew (docs/design/subscriptions.md#terms).
 */
export const SubscriptionTermSchema = defineEntity({
  name: 'SubscriptionTerm',
  tableName: 'subscription_term',
  ...inScope,
  properties: {
    subscriptionId: p.idIn('subscription').primary(),
    seq: p.integer().primary().check('seq >= 1'),
    position: p.integer().primary().check('position BETWEEN 0 AND 19'),
    accountId: scoped.accountId,
    liveMode: scoped.liveMode,
    created: scoped.created,
    effectiveAt: p.whole(),
    itemId: p.id(),
    /** When the item was added; it keeps that as its price and quantity change. */
    itemCreated: p.whole(),
    priceId: p.idIn('price'),
    quantity: p.integer().check('quantity BETWEEN 1 AND 999'),
  },
  indexes: [
    index('subscription_term_item', ['itemId']),
    index('subscription_term_price', ['priceId', 'subscriptionId']),
  ],
});

/** What becomes of an item, as it was asked for. */
export interface AskedItem {
  /** The item that it names; null: it is a new one. */
  readonly item: string | null;
  /** The id of a new one, once the change is made. */
  readonly newItem: string | null;
  readonly priceId: string | null;
  readonly quantity: number | null;
  readonly isRemoved: boolean;
}

/** An item before a change, or after it. */
export interface ChangedItem {
  readonly item: string | null;
  readonly price: string;
  readonly quantity: number;
}

/** A change of what a subscription bills, at once, once it is paid or with a cycle to come (docs/product/subscriptions.md#changes). */
export const SubscriptionChangeSchema = defineEntity({
  name: 'SubscriptionChange',
  tableName: 'subscription_change',
  ...inScope,
  properties: {
    ...scoped,
    subscriptionId: p.idIn('subscription'),
    status: p.enum(changeStatuses),
    effective: p.enum(changeMoments),
    effectiveAt: p.whole(),
    /** The cycle with which it begins to hold; null: it held at once. */
    cycle: p.integer().nullable(),
    proration: p.enum(changeProrations),
    asked: p.jsonText<AskedItem[]>(),
    itemsBefore: p.jsonText<ChangedItem[]>(),
    itemsAfter: p.jsonText<ChangedItem[]>(),
    /** Cents. */
    charge: p.whole().default(0).check('charge >= 0'),
    credit: p.whole().default(0).check('credit >= 0'),
    /** The invoice that it waits for, or waited for. */
    invoiceId: p.idIn('invoice', { deferred: true }).nullable(),
    lapsesAt: p.whole().nullable(),
    /** Of one that brings less within a minimum term: whether it charges the penalty of that. */
    penalty: p.enum(penaltyChoices).nullable(),
    /** What will have been charged for the current period, and the next one, once it is paid; null: as before. Cents. */
    periodNet: p.whole().nullable(),
    aheadNet: p.whole().nullable(),
  },
  uniques: [
    scopeKey,
    index('subscription_change_scheduled', ['subscriptionId'], `status = 'scheduled' AND effective = 'period_end'`),
    index('subscription_change_later', ['subscriptionId', 'cycle'], `status = 'scheduled' AND effective = 'cycle'`),
    index('subscription_change_awaiting', ['subscriptionId'], `status = 'awaiting_payment'`),
    index('subscription_change_of_invoice_id', ['invoiceId'], 'invoice_id IS NOT NULL'),
  ],
  indexes: [
    index('subscription_change_subscription', ['subscriptionId', 'id']),
    index('subscription_change_waiting', ['subscriptionId'], `status IN ('scheduled', 'awaiting_payment')`),
  ],
  checks: [
    check('subscription_change_cycle', `(effective = 'now') = (cycle IS NULL)`),
    check('subscription_change_now', `effective <> 'now' OR status = 'applied' OR lapses_at IS NOT NULL`),
    check('subscription_change_invoice', 'invoice_id IS NOT NULL OR lapses_at IS NULL'),
    check('subscription_change_awaits', `status <> 'awaiting_payment' OR lapses_at IS NOT NULL`),
  ],
});

export type SubscriptionChange = InferEntity<typeof SubscriptionChangeSchema>;
