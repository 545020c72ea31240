import { RequestValidationError } from '@ts-rest/express';
import type { ErrorRequestHandler, Request } from 'express';
import { type ErrorBody, errorCatalog } from '../../contract/errors.ts';
import { isDiskFull } from '../db/write-proof.ts';
import type { Deps } from '../deps.ts';
import { BillingError, codeOf } from '../kernel/errors.ts';
import { contended } from '../unit-of-work/repeats.ts';
import { refuseInvalid } from './request-schema.ts';

const NETWORK_FAULTS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT']);
/** SQLSTATE classes: connection exceptions, operator intervention, insufficient resources; and a statement that ran out of time. */
const DATABASE_AWAY = /^(08|53|57)/;
const POOL_FAULTS =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|pool after calling end/;

/** Whether the database cannot answer now: the request may be repeated, nothing is half done. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  if (NETWORK_FAULTS.has(code) || (/^[0-9A-Z]{5}$/.test(code) && DATABASE_AWAY.test(code))) return true;
  return POOL_FAULTS.test(error.message) || (error.cause !== undefined && isDatabaseAway(error.cause));
}

/** How often the log says that the database is away, however many requests it fails: once in this time for each reason. */
const AWAY_LINE_MS = 10_000;

/** Tells of a database that is away in words, and how many requests that failed since the last line. */
class AwayLines {
  readonly #said = new Map<string, { atMs: number; requests: number }>();

  say(logger: Deps['logger'], error: unknown, requestId: string): void {
    const reason = (error instanceof Error && codeOf(error)) || 'unknown';
    const said = this.#said.get(reason) ?? { atMs: Number.NEGATIVE_INFINITY, requests: 0 };
    said.requests += 1;
    this.#said.set(reason, said);
    if (performance.now() - said.atMs < AWAY_LINE_MS) return;
    const words = isDiskFull(error) ? 'the disk of PostgreSQL is full' : 'database away';
    logger.warn({ err: error, requestId, requests: said.requests }, words);
    this.#said.set(reason, { atMs: performance.now(), requests: 0 });
  }
}

/** SQLSTATE of what waited too long for a row that another request changes. */
const LOCK_NOT_AVAILABLE = '55P03';

const isLocked = (error: unknown): boolean =>
  error instanceof Error && (codeOf(error) === LOCK_NOT_AVAILABLE || isLocked(error.cause));

/** The refusal that an error comes to; null for a fault of ours. */
export function toRefusal(error: unknown): BillingError | null {
  if (error instanceof BillingError) return error;
  if (isLocked(error)) return contended();
  if (isDatabaseAway(error)) {
    return new BillingError('SERVICE_UNAVAILABLE', {
      message: 'The service cannot answer now; repeat with the same Idempotency-Key',
    });
  }
  return null;
}

/** The one body of every refusal (docs/product/requests.md#error-body). */
export function errorBody(error: BillingError, context: { requestId: string; publicUrl: string }): ErrorBody {
  return {
    error: {
      type: errorCatalog[error.code].type,
      code: error.code,
      message: error.message,
      param: error.param,
      decline_reason: error.declineReason,
      payment_intent: error.paymentIntent,
      request_id: context.requestId,
      doc_url: `${context.publicUrl}/docs/en/errors#${error.code}`,
      ...(error.violations.length === 0 ? {} : { errors: [...error.violations] }),
    },
  };
}

/**
 * Answers every refusal with the one error body, and an unknown fault with a 500 that names nothing but its request. Tests say which
 * refusals an operation may answer; another is a fault.
 */
export function handleErrors(
  deps: Pick<Deps, 'logger' | 'settings'>,
  isDocumented: (request: Request, refusal: BillingError) => boolean = () => true,
): ErrorRequestHandler {
  const away = new AwayLines();
  return (thrown: unknown, request, response, next) => {
    // The handler of an answer given up on ends into nothing.
    if (response.writableEnded) return;
    if (response.headersSent) return next(thrown);
    const error = thrown instanceof RequestValidationError ? refuseInvalid(thrown) : thrown;
    const found = toRefusal(error);
    const refusal = found !== null && isDocumented(request, found) ? found : null;
    if (refusal === null) deps.logger.error({ err: error, requestId: request.requestId }, 'unexpected fault');
    else if (!(error instanceof BillingError)) away.say(deps.logger, error, request.requestId);
    const answered =
      refusal ??
      new BillingError('INTERNAL_ERROR', { message: 'Something went wrong on our side; quote the request id' });
    request.refusedWith = answered.code;
    const body = errorBody(answered, { requestId: request.requestId, publicUrl: deps.settings.publicUrl });
    if (answered.retryAfterSeconds !== null) response.setHeader('Retry-After', String(answered.retryAfterSeconds));
    const { status, type } = errorCatalog[answered.code];
    const isUnchallenged = type === 'authentication_error' && !response.hasHeader('WWW-Authenticate');
    if (isUnchallenged) response.setHeader('WWW-Authenticate', 'ApiKey');
    response.status(status).json(body);
  };
}
