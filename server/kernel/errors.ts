import type { DeclineReason, ErrorCode } from '../../contract/errors.ts';

/** One violation of a request's rules. */
export interface Violation {
  readonly param: string | null;
  readonly code: ErrorCode;
  readonly message: string;
}

interface Details {
  readonly message: string;
  readonly param?: string;
  readonly declineReason?: DeclineReason;
  readonly paymentIntent?: string;
  readonly retryAfterSeconds?: number;
  readonly violations?: readonly Violation[];
}

/** What cannot be answered now comes back soon, unless a refusal says otherwise. */
const UNAVAILABLE_SECONDS = 1;

/** A refusal with a code of the catalogue: the request is answered with it and nothing else happens. */
export class BillingError extends Error {
  override readonly name = 'BillingError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly declineReason: DeclineReason | null;
  /** The payment intent whose outcome is not known. */
  readonly paymentIntent: string | null;
  /** When the same may be asked again, where that is known. */
  readonly retryAfterSeconds: number | null;
  readonly violations: readonly Violation[];

  constructor(code: ErrorCode, details: Details) {
    super(details.message);
    this.code = code;
    this.param = details.param ?? null;
    this.declineReason = details.declineReason ?? null;
    this.paymentIntent = details.paymentIntent ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? (code === 'SERVICE_UNAVAILABLE' ? UNAVAILABLE_SECONDS : null);
    this.violations = details.violations ?? [];
  }
}

/** An id of nothing in this account and mode; a resource is called as its table. */
export function missing(resource: string, id: string, param?: string): BillingError {
  return new BillingError('RESOURCE_MISSING', {
    message: `No such ${resource.replaceAll('_', ' ')}: ${id}`,
    ...(param === undefined ? {} : { param }),
  });
}

/** A parameter that a use case refuses, as the validation refuses one. */
export const invalidParameter = (param: string, message: string): BillingError =>
  new BillingError('PARAMETER_INVALID', {
    message,
    param,
    violations: [{ param, code: 'PARAMETER_INVALID', message }],
  });

/** The code that the system, a driver or the database gave an error; null: it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** The code of PostgreSQL where a unique index has such a row already. */
export const UNIQUE_VIOLATION = '23505';

const SQLSTATE = /^[0-9A-Z]{5}$/;
const DATABASE_FACTS = ['code', 'constraint', 'table', 'column', 'routine'] as const;

/** Where an error was thrown, without the words before it. */
export const framesOf = (error: Error): string[] =>
  (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));

/**
 * What may be told of an error of the database; null: it is none. Its words tell the whole row that was refused, and the
 * ORM repeats it with the statement's values: customers' data.
 */
export function factsOfDatabaseError(error: Error): Record<string, string | null> | null {
  if (!SQLSTATE.test(codeOf(error) ?? '') || !('severity' in error)) return null;
  return Object.fromEntries(
    DATABASE_FACTS.map((name) => {
      const value: unknown = Reflect.get(error, name);
      return [name, typeof value === 'string' ? value : null];
    }),
  );
}
