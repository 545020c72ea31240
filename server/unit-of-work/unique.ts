import type { EntityName, FilterQuery } from '@mikro-orm/core';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, codeOf, UNIQUE_VIOLATION } from '../kernel/errors.ts';
import type { Scope, Tx } from './tx.ts';

/** The unique constraint an error of the database speaks of; null for every other error. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Error) || codeOf(error) !== UNIQUE_VIOLATION) return null;
  return 'constraint' in error ? String(error.constraint) : null;
}

/** The refusal of an external_code in use; `holderId` is unknown when it changes hands faster than one can look. */
export function externalCodeTaken(taken: {
  param: string;
  code: string | null | undefined;
  holderId?: string | undefined;
}): BillingError {
  const message = `${taken.param} ${JSON.stringify(taken.code)} is taken by ${taken.holderId ?? 'another object'}`;
  return new BillingError('EXTERNAL_CODE_TAKEN', { message, param: taken.param });
}

/**
 * Refuses a code of a table that another row than `ownId` holds, before the rules of a body are judged
 * (docs/product/requests.md#order-of-refusals); what comes between this look and the insert, the index refuses.
 */
export function takenCodes({ table, param }: { table: string; param: string }) {
  const findHolder = statement<{ id: string }>(
    `find_${table}_code_holder`,
    `SELECT t.id FROM ${table} t WHERE ${mine('t')} AND t.external_code = :code AND t.id <> :ownId`,
  );
  return async (tx: Tx, code: string | null | undefined, ownId = ''): Promise<void> => {
    if (code === undefined || code === null) return;
    const [holder] = await tx.query(findHolder, { code, ownId });
    if (holder !== undefined) throw externalCodeTaken({ param, code, holderId: holder.id });
  };
}

/** An index of the table holds its codes; those of invoices a table of their own (server/invoices/entity.ts). */
const isOfCode = (table: string, constraint: string | null): boolean =>
  constraint === `${table}_external_code` || constraint === `${table}_external_code_pkey`;

export const CODE_TRIES_MAX = 3;

/** Runs a use case that sets an external_code: one in use is refused with the id of its holder (docs/product/requests.md#external-codes). */
export async function withExternalCode<Row extends { id: string }, T>(
  deps: Pick<Deps, 'read'>,
  options: { scope: Scope; entity: EntityName<Row>; table: string; param: string; code: string | null | undefined },
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isOfCode(options.table, violatedConstraint(error))) throw error;
      // Every entity with an external_code has this column; the generic filter type cannot see it.
      const filter = { externalCode: options.code } as unknown as FilterQuery<Row>;
      const holder = await deps.read(options.scope).findOne(options.entity, filter);
      // Its holder let go of it between the two looks: the code is free again.
      if (holder === null && tries < CODE_TRIES_MAX) continue;
      throw externalCodeTaken({ param: options.param, code: options.code, holderId: holder?.id });
    }
  }
}
