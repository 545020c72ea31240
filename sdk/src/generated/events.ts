// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.

import type * as types from './types.ts';

/** What `data.object` of an event holds, by its `object` field. */
export interface EventObjects {
  customer: types.Customer;
  product: types.Product;
  price: types.Price;
  invoice: types.Invoice;
  payment_intent: types.PaymentIntent;
  refund: types.Refund;
  subscription: types.Subscription;
  checkout_session: types.CheckoutSession;
  dispute: types.Dispute;
  account: types.Account;
}

/** Event types by that field. */
export const eventTypes = {
  customer: [
    'customer.created',
    'customer.updated',
    'customer.anonymized',
  ],
  product: [
    'product.created',
    'product.updated',
  ],
  price: [
    'price.created',
    'price.updated',
  ],
  invoice: [
    'invoice.created',
    'invoice.finalized',
    'invoice.paid',
    'invoice.payment_failed',
    'invoice.overdue',
    'invoice.refunded',
    'invoice.voided',
    'invoice.marked_uncollectible',
  ],
  payment_intent: [
    'payment_intent.created',
    'payment_intent.processing',
    'payment_intent.paid',
    'payment_intent.failed',
    'payment_intent.refunding',
    'payment_intent.refunded',
    'payment_intent.refund_failed',
    'payment_intent.discarded',
  ],
  refund: [
    'refund.created',
    'refund.updated',
  ],
  subscription: [
    'subscription.created',
    'subscription.activated',
    'subscription.period_started',
    'subscription.updated',
    'subscription.overdue',
    'subscription.suspended',
    'subscription.reactivated',
    'subscription.canceled',
  ],
  checkout_session: [
    'checkout_session.created',
    'checkout_session.customer_attached',
    'checkout_session.completed',
    'checkout_session.expired',
  ],
  dispute: [
    'dispute.created',
    'dispute.updated',
    'dispute.closed',
    'dispute.funds_withdrawn',
    'dispute.funds_reinstated',
  ],
  account: [
    'account.updated',
  ],
} as const;
