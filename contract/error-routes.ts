import { type ErrorCode, errorCatalog, errorCodes } from './errors.ts';
import type { RouteMetadata } from './kernel.ts';

/** What of a route decides which codes it can answer. */
export interface AnsweringRoute {
  /** Its name in the contract: `invoices.checkout`. */
  readonly id: string;
  readonly method: string;
  readonly isList: boolean;
  readonly metadata: RouteMetadata;
}

type Rule = (route: AnsweringRoute) => boolean;

const checkouts = ['invoices.checkout', 'subscriptions.checkout'];
const cardTakers = [...checkouts, 'subscriptions.updatePaymentMethod'];
const closers = ['invoices.void', 'invoices.markUncollectible', 'subscriptions.cancel', 'checkoutSessions.expire'];
const sellers = ['invoices.create', 'invoices.update', 'subscriptions.create', 'checkoutSessions.create'];
/** Routes whose body or query names other objects. */
const referrers = [...sellers, 'prices.create', 'refunds.create'];

const named =
  (...ids: string[]): Rule =>
  ({ id }) =>
    ids.includes(id);
const never: Rule = () => false;
const hasBody: Rule = ({ method }) => method === 'POST' || method === 'PATCH';

/** Codes that only some routes can answer; every other code may come from any route that answers its status. */
const rules: Partial<Record<ErrorCode, Rule>> = {
  MALFORMED_JSON: hasBody,
  CURSOR_INVALID: ({ id, isList }) => isList || ['events.feed', 'webhookEndpoints.deliveries'].includes(id),
  PERMISSION_DENIED: ({ metadata }) => metadata.scope === 'write',
  ENVIRONMENT_MISMATCH: ({ metadata }) => metadata.sandboxOnly === true,
  RESOURCE_MISSING: ({ id, metadata }) => metadata.idPrefix !== undefined || referrers.includes(id),
  ROUTE_NOT_FOUND: never,
  CARD_DECLINED: named(...cardTakers),
  PIX_PAYMENT_CONFIRMED: named(...checkouts),
  PAYMENT_IN_PROGRESS: named(...checkouts, ...closers),
  EXTERNAL_CODE_TAKEN: ({ id }) => /^(customers|products|prices|invoices|checkoutSessions)\.(create|update)$/.test(id),
  INVOICE_NOT_OPEN: named(...checkouts, 'invoices.send'),
  SESSION_NOT_OPEN: named(...checkouts, 'checkoutSessions.expire'),
  SUBSCRIPTION_NOT_PENDING: named('subscriptions.checkout'),
  IDEMPOTENCY_KEY_IN_USE: hasBody,
  IDEMPOTENCY_KEY_REUSED: hasBody,
  TOO_MANY_LINE_ITEMS: named('checkoutSessions.create'),
  DISCOUNT_EXCEEDS_SUBTOTAL: named(...sellers),
  INSTALLMENTS_NOT_ALLOWED: named(...checkouts),
  INSTALLMENT_BELOW_MINIMUM: named(...checkouts),
  CARD_EXPIRED: named(...cardTakers),
  CARD_BRAND_NOT_SUPPORTED: named(...cardTakers),
  PRICE_INACTIVE: named(...sellers),
  PRICE_TYPE_MISMATCH: named(...sellers),
  REFUND_EXCEEDS_BALANCE: named('refunds.create'),
  REFUND_WINDOW_CLOSED: named('refunds.create'),
  REFUND_REFUSED: named('refunds.create'),
  RESEND_LIMIT_REACHED: named('events.resend'),
  WEBHOOK_ENDPOINT_LIMIT: named('webhookEndpoints.create'),
  WEBHOOK_URL_REFUSED: named('webhookEndpoints.create', 'webhookEndpoints.update'),
  LOGO_REFUSED: named('account.update'),
  ACQUIRER_UNAVAILABLE: named(...cardTakers, 'refunds.create'),
};

/** Whether a route, which answers the status of the code, can answer the code. */
export const canAnswer = (route: AnsweringRoute, code: ErrorCode): boolean => rules[code]?.(route) ?? true;

/** A route as the contract declares it. */
interface DeclaredRoute {
  readonly method: string;
  readonly responses: object;
  /** What `meta()` made: the library that declares routes promises nothing of it. */
  readonly metadata?: unknown;
}

/** Every code that a route can answer, by the statuses that it declares and the rules above. */
export function codesOf(id: string, { method, responses, metadata }: DeclaredRoute): ErrorCode[] {
  const route = { id, method, isList: id.endsWith('.list'), metadata: metadata as RouteMetadata };
  return errorCodes.filter((code) => String(errorCatalog[code].status) in responses && canAnswer(route, code));
}

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
  'PERMISSION_DENIED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];
