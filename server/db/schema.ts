import { DeferMode, UnderscoreNamingStrategy } from '@mikro-orm/core';
import { type DatabaseSchema, type MikroORM, SchemaGenerator } from '@mikro-orm/postgresql';
import type { Reference } from './columns.ts';

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
    for (const meta of this.metadata.getAll().values()) {
      const columns: readonly { readonly fieldNames: string[]; readonly reference?: Reference }[] = meta.props;
      for (const { fieldNames, reference } of columns)
        if (reference !== undefined) this.#refer(target, meta.tableName, fieldNames, reference);
    }
    return target;
  }

  #refer(target: DatabaseSchema, name: string, own: readonly string[], { table, scope, deferred }: Reference): void {
    const [from, to] = [target.getTable(name), target.getTable(table)];
    if (from === undefined || to === undefined) throw new Error(`no table ${name}, or none ${table} that it refers to`);
    const scoped = scope === true ? ['account_id', 'live_mode'] : [];
    const columnNames = [...scoped, ...own];
    const constraintName = this.platform.getIndexName(name, columnNames, 'foreign');
    from.getForeignKeys()[constraintName] = {
      constraintName,
      columnNames,
      localTableName: from.getShortestName(false),
      referencedTableName: to.getShortestName(false),
      referencedColumnNames: [...scoped, ...(to.getPrimaryKey()?.columnNames ?? [])],
      ...(deferred === true && { deferMode: DeferMode.INITIALLY_DEFERRED }),
    };
  }
}
