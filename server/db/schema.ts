import { DeferMode, UnderscoreNamingStrategy } from '@mikro-orm/core';
import { type DatabaseSchema, type MikroORM, SchemaGenerator } from '@mikro-orm/postgresql';
import { type ReferringColumn, referencesOf } from './references.ts';

/** Names constraints as PostgreSQL names what is written without a name. */
export class PostgresNames extends UnderscoreNamingStrategy {
  override indexName(table: string, columns: string[], type: string): string {
    const kinds: Readonly<Record<string, string>> = { primary: 'pkey', unique: 'key', foreign: 'fkey' };
    return [table, ...(type === 'primary' ? [] : columns), kinds[type] ?? type].join('_');
  }
}

/** The ORM's schema generator, with the foreign keys that entities declare by `idIn` and `idOf`. */
export class EntitySchemaGenerator extends SchemaGenerator {
  constructor({ em }: MikroORM) {
    super(em);
  }

  override getTargetSchema(...args: Parameters<SchemaGenerator['getTargetSchema']>): DatabaseSchema {
    const target = super.getTargetSchema(...args);
    for (const reference of referencesOf([...this.metadata.getAll().values()])) this.#refer(target, reference);
    return target;
  }

  #refer(schema: DatabaseSchema, { table, column, target, isScoped, isDeferred }: ReferringColumn): void {
    const [from, to] = [schema.getTable(table), schema.getTable(target)];
    if (from === undefined || to === undefined)
      throw new Error(`no table ${table}, or none ${target} that it refers to`);
    const scoped = isScoped ? ['account_id', 'live_mode'] : [];
    const columnNames = [...scoped, column];
    const constraintName = this.platform.getIndexName(table, columnNames, 'foreign');
    from.getForeignKeys()[constraintName] = {
      constraintName,
      columnNames,
      localTableName: from.getShortestName(false),
      referencedTableName: to.getShortestName(false),
      referencedColumnNames: [...scoped, ...(to.getPrimaryKey()?.columnNames ?? [])],
      ...(isDeferred && { deferMode: DeferMode.INITIALLY_DEFERRED }),
    };
  }
}
