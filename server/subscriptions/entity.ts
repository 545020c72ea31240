import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { subscriptionStatuses } from '../../contract/subscriptions.ts';
import { scoped, scopeFilter, told } from '../db/scoped.ts';
import { dueKinds } from './rules.ts';

/** A discount as the subscription shows it. */
export interface SubscriptionDiscount {
  readonly type: 'percentage' | 'fixed';
  readonly amount: number | null;
  readonly percentage: number | null;
  readonly cycles: number | null;
}

export const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    customerId: p.string(),
    priceId: p.string(),
    itemId: p.string(),
    quantity: p.integer(),
    externalCode: p.string().nullable(),
    discounts: p.json<SubscriptionDiscount[]>(),
    status: p.enum(subscriptionStatuses),
    billingCycleAnchor: p.bigint('number'),
    /** The number of the cycle that begins at the anchor. */
    anchorCycle: p.integer(),
    /** The number of the cycle under way; 0 before the first payment. */
    cycle: p.integer(),
    /** The number of the newest cycle that was billed. */
    billedCycle: p.integer(),
    currentPeriodStart: p.bigint('number').nullable(),
    currentPeriodEnd: p.bigint('number').nullable(),
    latestInvoiceId: p.string().nullable(),
    paymentMethodType: p.enum(['pix', 'card'] as const).nullable(),
    /** The card that renewals charge. */
    paymentMethodId: p.string().nullable(),
    installments: p.integer(),
    /** A pending one that is not paid by then ends. */
    pendingUntil: p.bigint('number').nullable(),
    activatedAt: p.bigint('number').nullable(),
    suspendedAt: p.bigint('number').nullable(),
    reactivatedAt: p.bigint('number').nullable(),
    ended: p.bigint('number').nullable(),
    /** What the calendar brings next, and when. */
    due: p.enum(dueKinds).nullable(),
    dueAt: p.bigint('number').nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.bigint('number').nullable(),
  },
});

export type Subscription = InferEntity<typeof SubscriptionSchema>;
