import { referencesOf } from '../db/references.ts';
import { entities } from '../entities.ts';

/** A table whose rows say of which account and mode they are. */
export interface ScopedTable {
  readonly name: string;
  readonly properties: ReadonlySet<string>;
}

const metas = entities.map(({ meta }) => meta).filter(({ view, schema }) => view !== true && schema === undefined);
const references = referencesOf(metas).filter(({ table, target, isDeferred }) => table !== target && !isDeferred);

/** The table behind those that refer to it. */
const behindItsReferrers = (table: string): string[] => [
  ...references.filter(({ target }) => target === table).flatMap((other) => behindItsReferrers(other.table)),
  table,
];

/** Every such table, in an order in which they can be emptied: each stands before those that it refers to. */
export const scopedTables: readonly ScopedTable[] = [
  ...new Set(metas.flatMap(({ tableName }) => behindItsReferrers(tableName))),
].flatMap((name) => {
  const { properties } = metas.find(({ tableName }) => tableName === name) ?? {};
  return properties !== undefined && 'accountId' in properties && 'liveMode' in properties
    ? [{ name, properties: new Set(Object.keys(properties)) }]
    : [];
});
