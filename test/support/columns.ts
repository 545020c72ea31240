import { entities } from '../../server/entities.ts';
import { snakeCase } from '../../server/kernel/text.ts';

/** The columns of a table that are written, as a list in SQL: the database generates the others. */
export function writtenColumns(table: string): string {
  const found = entities.find(({ meta }) => [meta.schema, meta.tableName].filter(Boolean).join('.') === table);
  if (found === undefined) throw new Error(`no entity of the table ${table}`);
  const declared: Readonly<Record<string, { readonly persist?: boolean; readonly generated?: unknown }>> =
    found.meta.properties;
  return Object.entries(declared)
    .filter(([, { persist, generated }]) => persist !== false && generated === undefined)
    .map(([property]) => snakeCase(property))
    .join(', ');
}
