import type { GeneralErrorCode, RouteErrorCodes } from './generated/error-codes.ts';
import type { DeclineReason, ErrorCode, ErrorDetail, ErrorType, ErrorViolation } from './generated/types.ts';

/**
 * What goes wrong between this client and the service:
 * - `CONNECTION_FAILED`: no answer came; whether the request was carried out is unknown.
 * - `TIMEOUT`: no answer within `timeoutMs`; the same is unknown.
 * - `ABORTED`: your `signal` ended the request; the same is unknown.
 * - `RESPONSE_INVALID`: the answer is not one of the API, for example a proxy's error page; whatever its status, a proxy may have
 *   passed the request on, so the same is unknown.
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'ABORTED' | 'RESPONSE_INVALID';

export type FaturaErrorCode = ErrorCode | ClientErrorCode;

/** Every code that a method may reject with, by its name: `ErrorCodeOf<'invoices.checkout'>`. */
export type ErrorCodeOf<R extends keyof RouteErrorCodes> = RouteErrorCodes[R] | GeneralErrorCode | ClientErrorCode;

/** What a code promises beyond the fields that any error has. */
interface CodeFields {
  CARD_DECLINED: { readonly declineReason: DeclineReason };
  ACQUIRER_TIMEOUT: { readonly paymentIntent: string; readonly idempotencyKey: string };
}

/** What an answer of the API tells, and what a failure on the way to it cannot. */
type OriginFields<C> = C extends ErrorCode
  ? { readonly status: number; readonly type: ErrorType; readonly requestId: string; readonly docUrl: string }
  : { readonly type: 'client_error' };

/** A {@link FaturaError} of one code or of several, which tells them apart: `FaturaErrorOf<'CARD_DECLINED'>`. */
export type FaturaErrorOf<C extends FaturaErrorCode> = C extends FaturaErrorCode
  ? FaturaError & { readonly code: C } & OriginFields<C> & (C extends keyof CodeFields ? CodeFields[C] : unknown)
  : never;

/** One violation of a rule, named as `param` and `wireParam` of the error are. */
export interface FaturaViolation extends ErrorViolation {
  wireParam: string | null;
}

export interface FaturaErrorFields {
  message: string;
  code: FaturaErrorCode;
  type: ErrorType | 'client_error';
  status?: number | null;
  requestId?: string | null;
  param?: string | null;
  wireParam?: string | null;
  declineReason?: DeclineReason | null;
  paymentIntent?: string | null;
  errors?: readonly FaturaViolation[];
  docUrl?: string | null;
  idempotencyKey?: string | null;
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** The same symbol in every copy of the package. */
const BRAND: symbol = Symbol.for('@fatura/sdk/FaturaError');

/**
 * Every request that does not succeed rejects with this: a refusal of the API, or a failure on the way to it.
 * Branch on `code`; a service newer than this client may answer codes that the type does not list.
 */
export class FaturaError extends Error {
  override readonly name = 'FaturaError';
  /** HTTP status, or null when no answer came. */
  readonly status: number | null;
  readonly code: FaturaErrorCode;
  /** The family of the code; `client_error` for failures without an answer of the API. */
  readonly type: ErrorType | 'client_error';
  /** Quote it when you ask for help. */
  readonly requestId: string | null;
  /** Dotted path of the parameter at fault in what you gave, for example `line_items[0].quantity`. */
  readonly param: string | null;
  /** The same as the service names it, within the body that was sent: `invoice.line_items[0].quantity`. */
  readonly wireParam: string | null;
  /** Why a card was declined, with code `CARD_DECLINED`. */
  readonly declineReason: DeclineReason | null;
  /** With `ACQUIRER_TIMEOUT`, the payment intent whose outcome is not known: `paymentIntents.retrieve` tells it. */
  readonly paymentIntent: string | null;
  /** All violations of the request; `param` and `code` are the first one's. */
  readonly errors: readonly FaturaViolation[];
  /** Where the code is explained. */
  readonly docUrl: string | null;
  /** The key the request was sent under. With an unknown outcome, repeat under the same key: it never acts twice. */
  readonly idempotencyKey: string | null;
  /** How long the service asks to wait before a repeat. Seconds. */
  readonly retryAfterSeconds: number | null;

  constructor(fields: FaturaErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.status = fields.status ?? null;
    this.code = fields.code;
    this.type = fields.type;
    this.requestId = fields.requestId ?? null;
    this.param = fields.param ?? null;
    this.wireParam = fields.wireParam ?? null;
    this.declineReason = fields.declineReason ?? null;
    this.paymentIntent = fields.paymentIntent ?? null;
    this.errors = fields.errors ?? [];
    this.docUrl = fields.docUrl ?? null;
    this.idempotencyKey = fields.idempotencyKey ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
  }
}

// On the prototype, out of sight of whoever prints an error or compares two.
Object.defineProperty(FaturaError.prototype, BRAND, { value: true });

/**
 * Whether something that was thrown is a {@link FaturaError} and, where codes are given, has one of them. Its `code` is
 * narrowed to those, and so are the fields that a code promises: `declineReason` of `CARD_DECLINED`, `paymentIntent` and
 * `idempotencyKey` of `ACQUIRER_TIMEOUT`. Unlike `instanceof` it knows the errors of every copy of the package in a
 * process: of ESM beside CommonJS, of another version.
 */
export function isFaturaError<C extends FaturaErrorCode = FaturaErrorCode>(
  error: unknown,
  ...codes: C[]
): error is FaturaErrorOf<C> {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  const { code } = error as FaturaError; // the brand says so
  return codes.length === 0 || codes.some((one) => one === code);
}

const isDetail = (detail: Partial<ErrorDetail> | null | undefined): detail is ErrorDetail =>
  typeof detail?.code === 'string' && typeof detail.message === 'string';

/** The envelope of a body is put on by this client, so its caller does not know it. */
function params(wireParam: string | null, envelope: string | undefined): Pick<FaturaViolation, 'param' | 'wireParam'> {
  const prefix = `${envelope}.`;
  return { param: wireParam?.startsWith(prefix) ? wireParam.slice(prefix.length) : wireParam, wireParam };
}

/** What an answer that is not a success means. `body` is the parsed JSON, or undefined when it was none. */
export function answerError(
  response: Response,
  body: unknown,
  { idempotencyKey, envelope }: { idempotencyKey: string | null; envelope: string | undefined },
): FaturaError {
  const common = {
    status: response.status,
    requestId: response.headers.get('Request-Id'),
    idempotencyKey,
    retryAfterSeconds: readRetryAfter(response.headers.get('Retry-After'), Date.now()),
  };
  // The body is unknown: its error, if any, is checked field by field below.
  const detail = (body as { error?: Partial<ErrorDetail> | null } | null | undefined)?.error;
  if (!isDetail(detail)) {
    const message = `the answer, of status ${response.status}, is not one of the API; check baseUrl and proxies before it`;
    return new FaturaError({ ...common, message, code: 'RESPONSE_INVALID', type: 'client_error' });
  }
  return new FaturaError({
    ...common,
    message: detail.message,
    code: detail.code,
    type: detail.type,
    requestId: detail.request_id ?? common.requestId,
    ...params(detail.param, envelope),
    declineReason: detail.decline_reason,
    paymentIntent: detail.payment_intent,
    errors: (detail.errors ?? []).map((violation) => ({ ...violation, ...params(violation.param, envelope) })),
    docUrl: detail.doc_url,
  });
}

/** Seconds to wait by a `Retry-After` header, which holds seconds or a date. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
