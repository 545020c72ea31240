import { defineEntity, type InferEntity } from '@mikro-orm/core';
import {
  type CheckoutSession as SessionView,
  sessionModes,
  sessionStatuses,
} from '../../contract/checkout-sessions.ts';
import type { PaymentLinkTermsInput } from '../../contract/payment-link-terms.ts';
import type { SessionSubscriptionInput } from '../../contract/subscription-inputs.ts';
import {
  check,
  codeKey,
  index,
  inScope,
  p,
  scoped,
  scopedAtTop,
  scopeKey,
  shardBy,
  told,
  waitingIndexes,
} from '../db/columns.ts';

/** A line as it was sent. */
export interface SessionLine {
  readonly price: string;
  readonly quantity: number;
}

type ShownDiscount = NonNullable<SessionView['discounts']>['data'][number];
type OfCoupon = 'redemption' | 'coupon' | 'promotion_code';

/** A discount as it is stored: what it says of a coupon is there where one gives it. */
export interface SessionDiscount extends Omit<ShownDiscount, OfCoupon>, Partial<Pick<ShownDiscount, OfCoupon>> {
  /** The prices of the lines that the coupon takes something off; null: of all but setup fees. */
  readonly prices?: readonly string[] | null;
}

/** A page that sells the same to whoever opens it: each buyer gets a checkout session of it. */
export const PaymentLinkSchema = defineEntity({
  name: 'PaymentLink',
  tableName: 'payment_link',
  ...inScope,
  properties: {
    ...scopedAtTop,
    ...told,
    mode: p.enum(sessionModes),
    active: p.boolean(),
    /** Of an amount one line, whose price was made for it. */
    lineItems: p.jsonText<SessionLine[]>(),
    /** Null, like the description: it sells prices. */
    amount: p.whole().check('amount >= 1').nullable(),
    description: p.text().nullable(),
    maxSales: p.integer().check('max_sales BETWEEN 1 AND 1000000').nullable(),
    /** Sessions of it that are paid, and those that are open. */
    sales: p.integer().default(0).check('sales >= 0'),
    reserved: p.integer().default(0).check('reserved >= 0'),
    expiresAt: p.whole().nullable(),
    successUrl: p.text().nullable(),
    returnUrl: p.text().nullable(),
    externalCode: p.text().nullable(),
    /** How each subscription of it begins, as it was sent; null: with its first payment, and without a minimum term. */
    terms: p.jsonText<PaymentLinkTermsInput>().nullable(),
    /** Of the sessions that it opens. */
    allowPromotionCodes: p.boolean().default(false),
    metadata: p.jsonText<Record<string, unknown>[]>(),
  },
  uniques: [scopeKey, codeKey('payment_link')],
  checks: [
    check('payment_link_amount', '(amount IS NULL) = (description IS NULL)'),
    check('payment_link_terms', `terms IS NULL OR mode = 'subscription'`),
    check('payment_link_stock', 'sales + reserved <= max_sales'),
  ],
});

export type PaymentLink = InferEntity<typeof PaymentLinkSchema>;

export const CheckoutSessionSchema = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_session',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    mode: p.enum(sessionModes),
    status: p.enum(sessionStatuses),
    /** Null, like the invoice, until the buyer is known. */
    customerId: p.idIn('customer').nullable(),
    invoiceId: p.idIn('invoice').nullable(),
    subscriptionId: p.idIn('subscription').nullable(),
    amount: p.whole().check('amount >= 0').nullable(),
    externalCode: p.text().nullable(),
    lineItems: p.jsonText<SessionLine[]>(),
    discounts: p.jsonText<SessionDiscount[]>(),
    /** How its subscription begins, as it was sent; null: with its first payment, and without a minimum term. */
    terms: p.jsonText<SessionSubscriptionInput>().nullable(),
    /** Whether its buyer may type a promotion code. */
    allowPromotionCodes: p.boolean(),
    metadata: p.jsonText<Record<string, unknown>[]>(),
    /** Null: the payment link that opened it says none. */
    successUrl: p.text().nullable(),
    returnUrl: p.text().nullable(),
    /** The payment link that opened it, of whose sales it holds one while it is open. */
    paymentLinkId: p.idIn('payment_link').nullable(),
    /** A keyed hash of the address that opened it by a link of limited sales, while it is open; null: of no such link. */
    openedFrom: p.text().nullable(),
    expiresAt: p.whole(),
    attachedAt: p.whole().nullable(),
    completedAt: p.whole().nullable(),
    expiredAt: p.whole().nullable(),
    /** When it is decided whether it expires; null: it is closed, or a charge at the acquirer decides. */
    dueAt: p.whole().nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.whole().nullable(),
    shard: shardBy('id'),
  },
  uniques: [
    scopeKey,
    codeKey('checkout_session'),
    index('checkout_session_invoice', ['invoiceId'], 'invoice_id IS NOT NULL'),
    index('checkout_session_subscription', ['subscriptionId'], 'subscription_id IS NOT NULL'),
  ],
  indexes: [
    index('checkout_session_customer', ['customerId', 'id'], 'customer_id IS NOT NULL'),
    index('checkout_session_payment_link', ['paymentLinkId', 'id'], 'payment_link_id IS NOT NULL'),
    index('checkout_session_opened_from', ['paymentLinkId', 'openedFrom'], 'opened_from IS NOT NULL'),
    index('checkout_session_of_nobody', ['id'], 'customer_id IS NULL AND NOT live_mode'),
    ...waitingIndexes('checkout_session', 'dueAt'),
  ],
  checks: [
    check('checkout_session_complete', `(status = 'complete') = (completed_at IS NOT NULL)`),
    check('checkout_session_expired', `(status = 'expired') = (expired_at IS NOT NULL)`),
    check(
      'checkout_session_buyer',
      '((customer_id IS NULL) = (amount IS NULL)) AND (customer_id IS NOT NULL OR invoice_id IS NULL) AND (customer_id IS NULL OR invoice_id IS NOT NULL OR terms IS NOT NULL)',
    ),
    check(
      'checkout_session_subscribed',
      `(mode = 'subscription' AND customer_id IS NOT NULL) = (subscription_id IS NOT NULL)`,
    ),
    check('checkout_session_due', `due_at IS NULL OR status = 'open'`),
    check('checkout_session_opened_from', `opened_from IS NULL OR (status = 'open' AND payment_link_id IS NOT NULL)`),
  ],
});

export type CheckoutSession = InferEntity<typeof CheckoutSessionSchema>;
