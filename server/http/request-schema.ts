import type { z } from 'zod';

interface UnreadableIssue {
  readonly code: 'custom';
  readonly path: [];
  readonly message: string;
}

type Outcome = { readonly value: unknown } | { readonly issues: readonly (z.core.$ZodIssue | UnreadableIssue)[] };

const UNREADABLE: Outcome = { issues: [{ code: 'custom', path: [], message: 'cannot be read' }] };

/**
 * A schema as the route library is given it: it answers at once, whatever comes.
 *
 * Where a rule throws, zod itself tries again and answers a promise. The library takes promises for a fault and drops
 * them, and the process ends with the first one that is rejected.
 */
export function requestSchema(schema: z.ZodType) {
  const validate = (value: unknown): Outcome => {
    try {
      const { success, data, error } = schema.safeParse(value);
      return success ? { value: data } : { issues: error.issues };
    } catch {
      return UNREADABLE;
    }
  };
  return { of: schema, '~standard': { version: 1, vendor: 'fatura', validate } } as const;
}

/** The schema of the contract that a `requestSchema` stands for. */
export const zodOf = (schema: unknown): unknown =>
  typeof schema === 'object' && schema !== null && 'of' in schema ? schema.of : undefined;
