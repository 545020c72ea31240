import { type EntitySchema, JsonType } from '@mikro-orm/core';
import type { AccountClock } from '../kernel/time.ts';
import { mine, type Statement, statement } from './statement.ts';

/** What of a row follows from the rest of it is computed when the row is written. */
export interface Change<Row> {
  /** The clock of the account whose row it is. */
  readonly clock: AccountClock;
  /** Whether one of these columns differs from what was read; true of every column of a new row. */
  has(...columns: readonly Property<Row>[]): boolean;
}

export type Property<Row> = keyof Row & string;

export interface TableOptions<Row> {
  /** How a missing row is told of: `No such invoice: in_…`. */
  readonly noun: string;
  /** Columns that never change after the insert, beside those that every object of an account has. */
  readonly fixed: readonly Property<Row>[];
  readonly derive?: (row: Row, change: Change<Row>) => void;
  /** A unique index lets a new row in only beside the other rows as they are changed: their updates are made before its insert. */
  readonly updatesFirst?: true;
  /** Tells the statements of a second table over the same entity from those of the first. */
  readonly variant?: string;
}

/** A table whose rows a transaction keeps: its entity is the one list of columns. */
export interface Table<Row extends { id: string }> extends TableOptions<Row> {
  readonly name: string;
  /** Every column, those that never change first. */
  readonly properties: readonly Property<Row>[];
  readonly changing: readonly Property<Row>[];
  /** The select list that yields rows of this form. */
  columns(alias: string): string;
  /** The row of an id in an account and mode, until the transaction ends. */
  readonly lock: Statement<Row>;
  readonly insert: Statement;
  readonly update: Statement;
  /** The values of columns as the driver takes them. */
  values(row: Row, properties: readonly Property<Row>[]): unknown[];
}

/** What every object of an account carries and never changes. */
export interface Scoped {
  id: string;
  accountId: string;
  liveMode: boolean;
  created: number;
}

/** What of a new row its transaction does not know itself. */
export type NewRow<Row> = Omit<Row, 'accountId' | 'liveMode' | 'created'>;

const snake = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const scoped: readonly (keyof Scoped)[] = ['id', 'accountId', 'liveMode', 'created'];

export function table<Row extends { id: string }>(schema: EntitySchema<Row>, options: TableOptions<Row>): Table<Row> {
  const { tableName, properties: declared } = schema.meta;
  const name = [tableName, options.variant].filter((part) => part !== undefined).join('_');
  // An entity schema declares exactly the properties of its rows.
  const all = Object.keys(declared) as Property<Row>[];
  // Every table has the scoped columns.
  const fixed = [...(scoped as Property<Row>[]), ...options.fixed];
  const kinds: Readonly<Record<string, { readonly type?: unknown }>> = declared;
  const isJson = new Set<string>(all.filter((property) => kinds[property]?.type === JsonType));
  const changing = all.filter((property) => !fixed.includes(property));
  const properties = [...fixed, ...changing];
  const columns = (alias: string): string =>
    properties.map((property) => `${alias}.${snake(property)} AS "${property}"`).join(', ');
  const places = properties.map((_, index) => `$${index + 1}`).join(', ');
  const sets = changing.map((property, index) => `${snake(property)} = $${index + 2}`).join(', ');
  return {
    ...options,
    fixed,
    name,
    properties,
    changing,
    columns,
    lock: statement<Row>(
      `lock_row_${name}`,
      `SELECT ${columns('r')} FROM ${tableName} r WHERE r.id = :id AND ${mine('r')} FOR UPDATE`,
    ),
    insert: statement(
      `insert_row_${name}`,
      `INSERT INTO ${tableName} (${properties.map(snake).join(', ')}) VALUES (${places})`,
    ),
    update: statement(`update_row_${name}`, `UPDATE ${tableName} SET ${sets} WHERE id = $1`),
    // The driver would write an array as one of PostgreSQL's.
    values: (row, wanted) =>
      wanted.map((property) => {
        const value = row[property] ?? null;
        return value !== null && isJson.has(property) ? JSON.stringify(value) : value;
      }),
  };
}
