import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import { type ErrorCode, errorCatalog, errorCodes } from './errors.ts';
import type { RouteMetadata } from './kernel.ts';

/** What of a route decides which codes it can answer. */
export interface AnsweringRoute {
  /** Its name in the contract: `invoices.checkout`. */
  readonly id: string;
  readonly method: string;
  /** Whether it answers pages, which cursors lead on from. */
  readonly isList: boolean;
  /** Whether it takes an Idempotency-Key. */
  readonly takesKey: boolean;
  readonly metadata: RouteMetadata;
}

/** What of a route of the contract, named by its place there, decides which codes it can answer. */
export const answeringRoute = (id: string, route: AppRoute): AnsweringRoute => ({
  id,
  method: route.method,
  isList: route.query instanceof z.ZodObject && 'starting_after' in route.query.shape,
  takesKey: route.method === 'POST' || route.method === 'PATCH',
  // Every route of the contract is declared with meta().
  metadata: route.metadata as RouteMetadata,
});

type Rule = (route: AnsweringRoute) => boolean;

const checkouts = ['invoices.checkout', 'subscriptions.checkout'];
const cardTakers = [...checkouts, 'subscriptions.updatePaymentMethod'];
const closers = [
  'invoices.void',
  'invoices.markUncollectible',
  'subscriptions.cancel',
  'subscriptions.cancelAt',
  'subscriptions.pause',
  'checkoutSessions.expire',
  'subscriptionChanges.create',
  'subscriptionChanges.cancel',
  'mandates.cancel',
];
const subscribers = ['subscriptions.create', 'subscriptions.preview'];
const sellers = ['invoices.create', 'invoices.update', ...subscribers, 'checkoutSessions.create'];
/** What they bill may be a price that is not on sale. */
const changers = ['subscriptionChanges.create', 'subscriptionChanges.preview'];
const pricers = [...sellers, 'paymentLinks.create', 'invoiceItems.create', ...changers];
/** Without an id in their path they name other objects in their body. */
const referrers = [
  'prices.create',
  'coupons.create',
  'promotionCodes.create',
  'invoiceItems.create',
  'invoices.create',
  'checkoutSessions.create',
  'paymentLinks.create',
  ...subscribers,
  'refunds.create',
  'collectionSettings.update',
];

const named =
  (...ids: string[]): Rule =>
  ({ id }) =>
    ids.includes(id);
const never: Rule = () => false;
const hasBody: Rule = ({ method }) => method !== 'GET';
const keyed: Rule = ({ takesKey }) => takesKey;

/** Codes that only some routes can answer; every other code may come from any route that answers its status. */
const rules: Partial<Record<ErrorCode, Rule>> = {
  MALFORMED_JSON: hasBody,
  CURSOR_INVALID: ({ id, isList }) => isList || id === 'events.feed',
  ENVIRONMENT_MISMATCH: ({ metadata }) => metadata.sandboxOnly === true,
  RESOURCE_MISSING: ({ id, metadata }) => metadata.idPrefix !== undefined || referrers.includes(id),
  ROUTE_NOT_FOUND: never,
  SESSION_MISSING: never,
  LOGIN_FAILED: never,
  TOTP_REQUIRED: never,
  FRESH_LOGIN_REQUIRED: never,
  SETUP_LINK_INVALID: never,
  CARD_DECLINED: named(...cardTakers),
  CARD_ATTEMPTS_EXHAUSTED: named(...cardTakers),
  PIX_PAYMENT_CONFIRMED: named(
    ...checkouts,
    'subscriptionChanges.create',
    'subscriptionChanges.cancel',
    'subscriptions.cancelAt',
    'subscriptions.pause',
  ),
  PAYMENT_IN_PROGRESS: named(...cardTakers, ...closers),
  EXTERNAL_CODE_TAKEN: ({ id }) =>
    /^(customers|products|prices|coupons|promotionCodes|invoices|checkoutSessions|paymentLinks)\.(create|update)$|^subscriptions\.(create|preview)$/.test(
      id,
    ),
  INVOICE_NOT_OPEN: named(...checkouts, 'invoices.send', 'invoices.extend'),
  SESSION_NOT_OPEN: named(...checkouts, 'checkoutSessions.expire'),
  SUBSCRIPTION_NOT_PENDING: named('subscriptions.checkout'),
  MANDATE_EXISTS: named('mandates.create', ...checkouts),
  MANDATE_INTERVAL_UNSUPPORTED: named('mandates.create', ...checkouts),
  MANDATE_UNSUPPORTED: named('mandates.create', ...checkouts),
  IDEMPOTENCY_KEY_IN_USE: keyed,
  IDEMPOTENCY_KEY_REUSED: keyed,
  TOO_MANY_LINE_ITEMS: named('checkoutSessions.create', 'paymentLinks.create'),
  DISCOUNT_EXCEEDS_SUBTOTAL: named(...sellers),
  COUPON_NOT_APPLICABLE: named(...sellers),
  COUPON_EXHAUSTED: named(...sellers),
  PROMOTION_CODE_INVALID: named(...sellers),
  INSTALLMENTS_NOT_ALLOWED: named(...checkouts),
  INSTALLMENT_BELOW_MINIMUM: named(...checkouts),
  CARD_EXPIRED: named(...cardTakers),
  CARD_BRAND_NOT_SUPPORTED: named(...cardTakers),
  CARD_NUMBER_REFUSED: named(...cardTakers),
  CARD_TOKEN_EXPIRED: named(...cardTakers),
  PRICE_INACTIVE: named(...pricers),
  PRICE_TYPE_MISMATCH: named(...pricers, 'collectionSettings.update'),
  PAYMENT_METHOD_NEEDED: named(
    'subscriptions.checkout',
    'subscriptions.endTrial',
    'subscriptions.updatePaymentMethod',
    ...subscribers,
  ),
  PAYMENT_METHOD_IN_USE: named('paymentMethods.delete'),
  INTERVALS_DIFFER: named(...subscribers, 'checkoutSessions.create', 'paymentLinks.create', ...changers),
  NOTHING_CHANGES: named(...changers),
  CHANGE_PENDING: named(...changers, 'subscriptions.update', 'subscriptions.pause'),
  INVOICE_UNPAID: named(...changers),
  PREVIEW_OUTDATED: named('subscriptionChanges.create', ...checkouts),
  LATE_FEES_ABOVE_LIMIT: named(
    'collectionSettings.update',
    'subscriptions.create',
    'subscriptions.preview',
    'subscriptions.update',
    'checkoutSessions.create',
    'paymentLinks.create',
  ),
  REMAINING_CHANGED: named('refunds.create'),
  REFUND_EXCEEDS_BALANCE: named('refunds.create'),
  REFUND_WINDOW_CLOSED: named('refunds.create'),
  REFUND_REFUSED: named('refunds.create'),
  RESEND_LIMIT_REACHED: named('events.resend'),
  WEBHOOK_ENDPOINT_LIMIT: named('webhookEndpoints.create'),
  WEBHOOK_URL_REFUSED: named('webhookEndpoints.create', 'webhookEndpoints.update'),
  LOGO_REFUSED: named('account.update'),
  EXPORT_TOO_LARGE: named('customers.export'),
  ACQUIRER_UNAVAILABLE: named(...cardTakers, 'refunds.create', 'mandates.create'),
};

/** The codes that a route can answer with a status. */
export const codesOf = (route: AnsweringRoute, status: number): ErrorCode[] =>
  errorCodes.filter((code) => errorCatalog[code].status === status && (rules[code]?.(route) ?? true));

/**
 * Codes that speak of the request itself: who sends it, how often, in which form and under which key. Any route may answer
 * them, so they are told once and not of each route.
 */
export const generalCodes: readonly ErrorCode[] = [
  'MALFORMED_JSON',
  'PARAMETER_INVALID',
  'PARAMETER_MISSING',
  'PARAMETER_UNKNOWN',
  'API_KEY_MISSING',
  'API_KEY_INVALID',
  'API_KEY_EXPIRED',
  'MODE_NOT_SERVED',
  'PERMISSION_DENIED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
