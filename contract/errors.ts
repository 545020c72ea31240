import { z } from 'zod';
import { exampleRequestId, field, named } from './kernel.ts';

type Retry = 'never' | 'later' | 'same_key' | 'with_other_method';

interface ErrorEntry {
  readonly status: number;
  readonly type: ErrorType;
  /** What a client may do with the same request. */
  readonly retry: Retry;
  /** What the code means, as the reference shows it. */
  readonly doc: string;
}

const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'card_error',
  'permission_error',
  'conflict_error',
  'rate_limit_error',
  'api_error',
] as const;

export type ErrorType = (typeof errorTypes)[number];

const request = (status: number, doc: string) =>
  ({ status, type: 'invalid_request_error', retry: 'never', doc }) as const;
const authentication = (doc: string) => ({ status: 401, type: 'authentication_error', retry: 'never', doc }) as const;
const permission = (doc: string) => ({ status: 403, type: 'permission_error', retry: 'never', doc }) as const;
const conflict = (retry: Retry, doc: string) => ({ status: 409, type: 'conflict_error', retry, doc }) as const;

/** Every error code of the API (docs/product/requests.md#error-codes): clients branch on these, messages may change. */
export const errorCatalog = {
  MALFORMED_JSON: request(400, 'The body is not JSON, or has more than 32 levels.'),
  PARAMETER_INVALID: request(
    400,
    'A parameter has a wrong form or is out of its limits; or the request is not well-formed HTTP.',
  ),
  PARAMETER_MISSING: request(400, 'A required parameter is absent.'),
  PARAMETER_UNKNOWN: request(400, 'The request has a parameter that the route does not take.'),
  CURSOR_INVALID: request(400, 'The cursor names no object of the list, or two cursors came at once.'),
  API_KEY_MISSING: authentication('The Authorization header is absent or not of the form `ApiKey <API_KEY>`.'),
  API_KEY_INVALID: authentication('No such API key.'),
  API_KEY_EXPIRED: authentication('The time of the API key has run out, or it was revoked.'),
  SESSION_MISSING: authentication('Of the dashboard alone: nobody is signed in, or the session has ended.'),
  LOGIN_FAILED: authentication(
    'Of the dashboard alone: the e-mail address, the password, the code or the passkey is wrong.',
  ),
  TOTP_REQUIRED: authentication(
    'Of the dashboard alone: the password is right, and the code of the authenticator app is missing.',
  ),
  CARD_DECLINED: {
    status: 402,
    type: 'card_error',
    retry: 'with_other_method',
    doc: 'The card was declined; see decline_reason.',
  },
  PERMISSION_DENIED: permission(
    'The API key may only read, may not be used from this address, would hand on more than it has, or is a live one that came over plain http; the message says which.',
  ),
  ENVIRONMENT_MISMATCH: permission('The route exists in the sandbox alone and the key is a live one.'),
  FRESH_LOGIN_REQUIRED: {
    ...permission('Of the dashboard alone: the last login is older than ten minutes. Log in again, and repeat.'),
    retry: 'same_key',
  },
  SETUP_LINK_INVALID: request(404, 'Of the dashboard alone: the link was used, has run out, or was never made.'),
  RESOURCE_MISSING: request(404, 'No such object in this account and mode.'),
  ROUTE_NOT_FOUND: request(404, 'No such route.'),
  METHOD_NOT_ALLOWED: request(405, 'The route exists with other methods; see the Allow header.'),
  REQUEST_TIMEOUT: {
    status: 408,
    type: 'invalid_request_error',
    retry: 'same_key',
    doc: 'The request did not come whole within its time; nothing happened.',
  },
  PAYLOAD_TOO_LARGE: request(
    413,
    'The body is larger than 256 KiB, or has more than 2,000 fields or 5,000 fields and list entries, or the URL and the headers are larger than 16 KiB.',
  ),
  UNSUPPORTED_MEDIA_TYPE: request(415, 'A body must be sent as application/json.'),
  PIX_PAYMENT_CONFIRMED: conflict('never', 'The PIX of this invoice is paid; wait for invoice.paid.'),
  PAYMENT_IN_PROGRESS: conflict('later', 'A payment of this invoice is on its way; repeat shortly.'),
  EXTERNAL_CODE_TAKEN: conflict(
    'never',
    'Another object of the account holds this external_code, or another active promotion code this code.',
  ),
  INVOICE_NOT_OPEN: conflict('never', 'The invoice does not accept payment in its status.'),
  SESSION_NOT_OPEN: conflict('never', 'The checkout session does not accept payment any more.'),
  CARD_ATTEMPTS_EXHAUSTED: conflict(
    'with_other_method',
    'Cards were declined ten times for this invoice, or too often within an hour; it can be paid by PIX.',
  ),
  SUBSCRIPTION_NOT_PENDING: conflict('never', 'The subscription is not waiting for a first payment.'),
  INVALID_STATE: conflict('never', 'The object does not allow this in its present state.'),
  REMAINING_CHANGED: conflict(
    'never',
    'What is left of the payment is not `refund.expected_remaining`: somebody else returned or took some of it.',
  ),
  PREVIEW_OUTDATED: conflict(
    'never',
    'The change, or the charge, comes to another total than `expected_total`; the message says to which. Nothing was done.',
  ),
  CHANGE_PENDING: conflict(
    'never',
    'A change of the subscription waits for its payment: take it back first, or let it be paid or lapse.',
  ),
  INVOICE_UNPAID: conflict(
    'never',
    'The bill of the current period is not paid: the change would credit what was not paid.',
  ),
  PAYMENT_METHOD_IN_USE: conflict('never', 'A subscription is charged to the card; the message names it.'),
  MANDATE_EXISTS: conflict('never', 'The subscription has a mandate already; the message names it.'),
  IDEMPOTENCY_KEY_IN_USE: conflict(
    'same_key',
    'The first request under this Idempotency-Key still runs; repeat shortly.',
  ),
  MODE_NOT_SERVED: request(
    421,
    'This service does not serve the mode of the API key, link or callback; the message names the modes that it serves.',
  ),
  TOO_MANY_LINE_ITEMS: request(422, 'More line items than the mode allows.'),
  DISCOUNT_EXCEEDS_SUBTOTAL: request(422, 'The discounts are larger than the subtotal.'),
  COUPON_NOT_APPLICABLE: request(
    422,
    'A rule of the coupon does not let it be redeemed here; the message names the rule.',
  ),
  COUPON_EXHAUSTED: request(422, 'The coupon, or the promotion code, was redeemed as often as it may be.'),
  PROMOTION_CODE_INVALID: request(
    422,
    'No active promotion code has this text, or it is over, or another customer’s alone.',
  ),
  INSTALLMENTS_NOT_ALLOWED: request(422, 'More installments than the price of the first item allows.'),
  INSTALLMENT_BELOW_MINIMUM: request(422, 'An installment would be below R$ 5,00.'),
  CARD_EXPIRED: request(422, 'The card is expired.'),
  CARD_BRAND_NOT_SUPPORTED: request(422, 'The brand of the card is not accepted.'),
  CARD_NUMBER_REFUSED: request(422, 'Cards go to the acquirer straight from the browser here: send `card_token`.'),
  CARD_TOKEN_EXPIRED: request(422, 'The token of the card is used, too old or not known here: make another.'),
  LATE_FEES_ABOVE_LIMIT: request(
    422,
    'A fine above 2 percent, or interest above 1 percent a month: more than Brazilian law lets a merchant ask.',
  ),
  PRICE_INACTIVE: request(422, 'The price or its product is not active for new purchases.'),
  PRICE_TYPE_MISMATCH: request(422, 'A one-time price is needed where a recurring one came, or the reverse.'),
  PAYMENT_METHOD_NEEDED: request(422, 'A card has to be stored first: nothing can be charged without it.'),
  MANDATE_INTERVAL_UNSUPPORTED: request(
    422,
    'Pix Automático debits every week, month, 3, 6 or 12 months, and nothing else.',
  ),
  MANDATE_UNSUPPORTED: request(
    422,
    'The acquirer of the account offers no Pix Automático, or the bill cannot bring it.',
  ),
  NOTHING_CHANGES: request(422, 'The items are already as the change asks for.'),
  INTERVALS_DIFFER: request(422, 'The prices of a subscription do not all have one recurrence.'),
  REFUND_EXCEEDS_BALANCE: request(422, 'The refund is larger than what is left of the payment.'),
  REFUND_WINDOW_CLOSED: request(422, 'A PIX payment can be refunded for 90 days.'),
  REFUND_REFUSED: request(422, 'The acquirer refused the refund.'),
  RESEND_LIMIT_REACHED: request(422, 'An event can be sent again three times.'),
  WEBHOOK_ENDPOINT_LIMIT: request(422, 'An account has at most five webhook endpoints in each mode.'),
  WEBHOOK_URL_REFUSED: request(422, 'The URL does not lead to an address on the public internet.'),
  LOGO_REFUSED: request(
    422,
    'Nothing came from account.logo_url, or no PNG, JPEG or WebP within its limits; the message says which.',
  ),
  EXPORT_TOO_LARGE: request(
    422,
    'What is stored of the customer is larger than 8 MiB as JSON; whoever runs the service exports it.',
  ),
  IDEMPOTENCY_KEY_REUSED: request(422, 'Another request came under this Idempotency-Key before.'),
  RATE_LIMITED: { status: 429, type: 'rate_limit_error', retry: 'later', doc: 'Too many requests; see Retry-After.' },
  INTERNAL_ERROR: {
    status: 500,
    type: 'api_error',
    retry: 'same_key',
    doc: 'A fault of the service; quote the request id.',
  },
  ACQUIRER_UNAVAILABLE: {
    status: 503,
    type: 'api_error',
    retry: 'same_key',
    doc: 'The acquirer cannot be reached, or none is configured for live mode, as the message says; nothing happened.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    type: 'api_error',
    retry: 'same_key',
    doc: 'The service cannot answer now; repeat with the same Idempotency-Key.',
  },
  ACQUIRER_TIMEOUT: {
    status: 504,
    type: 'api_error',
    retry: 'same_key',
    doc: 'The outcome at the acquirer is unknown; repeat with the same Idempotency-Key or read the payment intent.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalog;

// The keys of an object literal are exactly its declared keys; Object.keys forgets that.
export const errorCodes = Object.keys(errorCatalog) as [ErrorCode, ...ErrorCode[]];

/** Why an attempt to charge was declined, the same for every acquirer (docs/product/cards.md#declines). */
export const declineReasons = [
  'insufficient_funds',
  'expired_card',
  'invalid_card_data',
  'suspected_fraud',
  'issuer_declined',
  'processing_error',
] as const;

export type DeclineReason = (typeof declineReasons)[number];
export const DeclineReason = named(
  'DeclineReason',
  declineReasons,
  'Why a card was declined, the same for every acquirer.',
);

const ErrorCode = named('ErrorCode', errorCodes, 'What went wrong; an error of another version may have another code.');
const ErrorType = named('ErrorType', errorTypes, 'The family of an error.');

const code = field(ErrorCode, 'What went wrong; branch on this.', 'PARAMETER_INVALID');
const param = field(
  z.string().nullable(),
  'Dotted path of the parameter at fault, or null.',
  'invoice.line_items[0].quantity',
);
const message = field(
  z.string(),
  'What went wrong, in English: the field, the limit and what came.',
  'invoice.line_items[0].quantity must be at most 999, got 1000',
);

const errorDetail = z
  .object({
    type: field(ErrorType, 'The family of the error.', 'invalid_request_error'),
    code,
    message,
    param,
    decline_reason: field(DeclineReason.nullable(), 'Why the card was declined; null otherwise.', null),
    payment_intent: field(
      z.string().nullable(),
      'With `ACQUIRER_TIMEOUT` the payment intent to read, whose outcome is not known; null otherwise.',
      null,
    ),
    request_id: field(z.string(), 'Id of the request, also in the Request-Id header.', exampleRequestId),
    doc_url: field(
      z.string(),
      'Where the code is explained.',
      'http://127.0.0.1:3000/docs/en/errors#PARAMETER_INVALID',
    ),
    errors: field(
      z.array(
        z.object({ param, code, message }).meta({ id: 'ErrorViolation', description: 'One violation of a rule.' }),
      ),
      'The violations of the request, at most the first 20; the message says how many there are beyond that.',
      [{ param: 'invoice.customer_id', code: 'PARAMETER_MISSING', message: 'invoice.customer_id is required' }],
    ).optional(),
  })
  .meta({ id: 'ErrorDetail', description: 'What went wrong.' });

/** The body of every answer that is not 2xx (docs/product/requests.md#error-body). */
export const ErrorBody = z
  .object({ error: errorDetail.describe('What went wrong.') })
  .meta({ id: 'Error', description: 'The body of every answer that is not 2xx.' });

export type ErrorBody = z.output<typeof ErrorBody>;

type ErrorResponses<S extends number> = { [K in S]: typeof ErrorBody };

/** The error answers of a route by status. */
export function failures<const S extends number>(...statuses: S[]): ErrorResponses<S> {
  // Object.fromEntries widens the keys to string; each status is one of S.
  return Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as ErrorResponses<S>;
}
