// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.

import type * as types from './types.ts';

/** What `data.object` of an event holds, by its `object` field. */
export interface EventObjects {
  customer: types.Customer;
  product: types.Product;
  price: types.Price;
  coupon: types.Coupon;
  promotion_code: types.PromotionCode;
  discount: types.RedeemedDiscount;
  invoice_item: types.InvoiceItem;
  invoice: types.Invoice;
  payment_intent: types.PaymentIntent;
  refund: types.Refund;
  subscription: types.Subscription;
  checkout_session: types.CheckoutSession;
  payment_link: types.PaymentLink;
  dispute: types.Dispute;
  payment_method: types.StoredPaymentMethod;
  mandate: types.Mandate;
  account: types.Account;
  export: types.Export;
}

/** What happens to a resource, by that field: "paid" of an invoice is the type "invoice.paid". */
export const eventTypes = {
  customer: [
    'created',
    'updated',
    'anonymized',
  ],
  product: [
    'created',
    'updated',
  ],
  price: [
    'created',
    'updated',
  ],
  coupon: [
    'created',
    'updated',
  ],
  promotion_code: [
    'created',
    'updated',
  ],
  discount: [
    'redeemed',
    'released',
  ],
  invoice_item: [
    'created',
    'deleted',
  ],
  invoice: [
    'created',
    'updated',
    'finalized',
    'paid',
    'payment_failed',
    'overdue',
    'refunded',
    'voided',
    'marked_uncollectible',
  ],
  payment_intent: [
    'created',
    'scheduled',
    'processing',
    'paid',
    'failed',
    'refunding',
    'refunded',
    'refund_failed',
    'discarded',
  ],
  refund: [
    'created',
    'updated',
  ],
  subscription: [
    'created',
    'trial_started',
    'trial_will_end',
    'activated',
    'period_started',
    'updated',
    'change_scheduled',
    'changed',
    'change_lapsed',
    'overdue',
    'suspended',
    'reactivated',
    'paused',
    'resumed',
    'cancel_scheduled',
    'cancel_unscheduled',
    'canceled',
  ],
  checkout_session: [
    'created',
    'customer_attached',
    'completed',
    'expired',
  ],
  payment_link: [
    'created',
    'updated',
  ],
  dispute: [
    'created',
    'updated',
    'closed',
    'funds_withdrawn',
    'funds_reinstated',
  ],
  payment_method: [
    'attached',
    'updated',
    'detached',
  ],
  mandate: [
    'created',
    'activated',
    'failed',
    'ended',
  ],
  account: [
    'updated',
  ],
  export: [
    'completed',
  ],
} as const;
