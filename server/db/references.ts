import type { EntityMetadata } from '@mikro-orm/core';
import { snakeCase } from '../kernel/text.ts';
import type { Reference } from './columns.ts';

/** A column that names a row of another table. */
export interface ReferringColumn {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  /** Whether both rows are of one account and mode. */
  readonly isScoped: boolean;
  readonly isDeferred: boolean;
}

/** What entities declare by `idIn` and `idOf`. */
export const referencesOf = (metas: readonly EntityMetadata[]): ReferringColumn[] =>
  metas.flatMap(({ tableName: table, properties }) =>
    Object.entries(properties).flatMap(([name, property]) => {
      // The ORM keeps options that it does not know, and its type knows nothing of them.
      const { reference } = property as { readonly reference?: Reference };
      if (reference === undefined) return [];
      const { table: target, scope: isScoped = false, deferred: isDeferred = false } = reference;
      return [{ table, column: snakeCase(name), target, isScoped, isDeferred }];
    }),
  );
