import type { RequestValidationError } from '@ts-rest/express';
import type { z } from 'zod';
import type { BillingError } from '../kernel/errors.ts';
import { refuseViolations, type Violations, violationsOf } from './validation.ts';

/** What the route library carries from a schema to the refusal: it makes a text of it, which nobody reads. */
interface PartIssue extends Violations {
  readonly message: string;
}

type Outcome = { readonly value: unknown } | { readonly issues: readonly [PartIssue] };

const issueOf = (violations: Violations): PartIssue => ({ message: 'invalid', ...violations });

const unreadable = (name: string): PartIssue => {
  const message = `${name} cannot be read`;
  return { count: 1, listed: [{ param: null, code: 'PARAMETER_INVALID', message }], message };
};

/** Of unknown keys zod would make one text of them all, however many came. */
const brief = { error: ({ code }: { code: string }) => (code === 'unrecognized_keys' ? '' : undefined) };

/**
 * The schema of a part of a request as the route library is given it: it answers at once, whatever comes.
 *
 * Where a rule throws, zod itself tries again and answers a promise. The library takes promises for a fault and drops
 * them, and the process ends with the first one that is rejected.
 */
export function requestSchema(schema: z.ZodType, name: string) {
  const validate = (value: unknown): Outcome => {
    try {
      const { success, data, error } = schema.safeParse(value, brief);
      return success ? { value: data } : { issues: [issueOf(violationsOf(error.issues, { value, name }))] };
    } catch {
      return { issues: [unreadable(name)] };
    }
  };
  return { of: schema, '~standard': { version: 1, vendor: 'fatura', validate } } as const;
}

/** The refusal of a request whose parts their schemas did not take. */
export function refuseInvalid({ pathParams, query, body }: RequestValidationError): BillingError {
  // ts-rest knows nothing of our issues; each part that failed has the one of its schema.
  const issues = [pathParams, query, body].flatMap((failure) => failure?.issues ?? []) as unknown as PartIssue[];
  return refuseViolations(issues);
}

/** The schema of the contract that a `requestSchema` stands for. */
export const zodOf = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null && 'of' in schema ? schema.of : undefined;
