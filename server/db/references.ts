import { type EntitySchema, UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { Reference } from './columns.ts';

/** A column that names a row of another table. */
export interface ReferringColumn {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  /** Whether both rows are of one account and mode. */
  readonly isScoped: boolean;
}

const names = new UnderscoreNamingStrategy();

/** What entities declare by `idIn` and `idOf`. */
export const referencesOf = (entities: readonly EntitySchema[]): ReferringColumn[] =>
  entities.flatMap(({ meta: { tableName: table, properties } }) =>
    Object.entries(properties).flatMap(([name, property]) => {
      // The ORM keeps options that it does not know, and its type knows nothing of them.
      const { reference } = property as { readonly reference?: Reference };
      if (reference === undefined) return [];
      const column = names.propertyToColumnName(name);
      return [{ table, column, target: reference.table, isScoped: reference.scope === true }];
    }),
  );
