import { type EntitySchema, JsonType, type Opt } from '@mikro-orm/core';
import { isByMonth } from '../db/months.ts';
import { type Keyed, keyed, mine, type Statement, statement } from '../db/statement.ts';
import { snakeCase } from '../kernel/text.ts';
import type { AccountClock } from '../kernel/time.ts';
import type { SealedPart } from '../sealing/sealed-rows.ts';

/** What of a row follows from the rest of it is computed when the row is written. */
export interface Change<Row> {
  /** The clock of the account whose row it is. */
  readonly clock: AccountClock;
  /** Whether one of these columns differs from what was read; true of every column of a new row. */
  has(...columns: readonly Property<Row>[]): boolean;
}

export type Property<Row> = keyof Row & string;

export interface TableOptions<Row> {
  /** How a missing row is told of, `No such QR code: …`; absent: by the name of the table. */
  readonly noun?: string;
  /** Columns that never change after the insert, beside those that every object of an account has. */
  readonly fixed: readonly Property<Row>[];
  readonly derive?: (row: Row, change: Change<Row>) => void;
  /** A unique index lets a new row in only beside the other rows as they are changed: their updates are made before its insert. */
  readonly updatesFirst?: true;
  /** What the database holds sealed; rows that are kept are open. */
  readonly seals?: SealedPart<Row>;
  /** Tells the statements of a second table over the same entity from those of the first. */
  readonly variant?: string;
}

/** A table whose rows a transaction keeps: its entity is the one list of columns. */
export interface Table<Row extends { id: string }> extends TableOptions<Row> {
  readonly noun: string;
  readonly name: string;
  /** Every column, those that never change first. */
  readonly properties: readonly Property<Row>[];
  readonly changing: readonly Property<Row>[];
  /** A row of the entity's defaults; null where it has none. */
  readonly blank: Partial<Row>;
  /** The select list that yields rows of this form. */
  columns(alias: string): string;
  /** Rows of an account and mode by their ids, until the transaction ends. */
  readonly lock: Keyed<Row>;
  readonly insert: RowStatements<Row>;
  readonly update: RowStatements<Row>;
}

/** Both forms of a statement that writes rows: one row goes as parameters, many as JSON; each form is the cheaper one of its number. */
export interface RowStatements<Row> {
  readonly one: Statement;
  /** Takes the rows as JSON, and their ids where its text asks for them. */
  readonly many: Statement;
  /** A row as the driver takes it. */
  values(row: Row): unknown[];
  /** A row as PostgreSQL reads it from JSON, by its columns. */
  json(row: Row): Readonly<Record<string, unknown>>;
}

/** What every object of an account carries and never changes. */
export interface Scoped {
  id: string;
  accountId: string;
  liveMode: boolean;
  created: number;
}

/** What an object that events tell of says of the last one. */
export interface Told {
  lastEventId?: string | null | undefined;
  lastEventAt?: number | null | undefined;
}

/** Columns that may be null, or whose default is a plain value. */
type Blank<Row> = {
  [Key in keyof Row]-?: undefined extends Row[Key]
    ? Key
    : Row[Key] extends Date | object[]
      ? never
      : Row[Key] extends Opt
        ? Key
        : never;
}[keyof Row];

/** What of a new row neither its transaction nor its entity says. */
export type NewRow<Row> = Omit<Row, 'accountId' | 'liveMode' | 'created' | keyof Told | Blank<Row>> &
  Partial<Pick<Row, Exclude<Blank<Row>, keyof Told>>>;

const scoped: readonly (keyof Scoped)[] = ['id', 'accountId', 'liveMode', 'created'];

/** What tells a row from all others: an account has a look of the same id in each mode. */
const key: readonly (keyof Scoped)[] = ['id', 'liveMode'];

/** What JSON has no form of its own for, as PostgreSQL reads it. */
const jsonOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : (value ?? null);

export function table<Row extends { id: string }>(schema: EntitySchema<Row>, options: TableOptions<Row>): Table<Row> {
  const { tableName, properties: declared } = schema.meta;
  const name = [tableName, options.variant].filter((part) => part !== undefined).join('_');
  const kinds: Readonly<
    Record<
      string,
      { readonly type?: unknown; readonly persist?: boolean; readonly default?: unknown; readonly generated?: unknown }
    >
  > = declared;
  // An entity schema declares exactly the properties of its rows; what is sealed has no column of its own, and what is generated is the database's.
  const all = (Object.keys(declared) as Property<Row>[]).filter(
    (property) => kinds[property]?.persist !== false && kinds[property]?.generated === undefined,
  );
  // Every table has the scoped columns.
  const fixed = [...(scoped as Property<Row>[]), ...options.fixed];
  const changing = all.filter((property) => !fixed.includes(property));
  const properties = [...fixed, ...changing];
  const columns = (alias: string): string =>
    properties.map((property) => `${alias}.${snakeCase(property)} AS "${property}"`).join(', ');
  const isJson = new Set<string>(all.filter((property) => kinds[property]?.type === JsonType));
  const updating = [...(key as Property<Row>[]), ...changing];
  const taking = (taken: readonly Property<Row>[]): Pick<RowStatements<Row>, 'values' | 'json'> => ({
    values: (row) =>
      taken.map((property) => {
        const value = row[property] ?? null;
        // The driver would write an array as one of PostgreSQL's.
        return value !== null && isJson.has(property) ? JSON.stringify(value) : value;
      }),
    json: (row) => Object.fromEntries(taken.map((property) => [snakeCase(property), jsonOf(row[property])])),
  });
  return {
    noun: tableName,
    ...options,
    fixed,
    name,
    properties,
    changing,
    // What a column has for a default is a value of it.
    blank: Object.fromEntries(all.map((property) => [property, kinds[property]?.default ?? null])) as Partial<Row>,
    columns,
    lock: keyed<Row>(
      `lock_row_${name}`,
      (isAsked) =>
        `SELECT ${columns('r')} FROM ${tableName} r WHERE ${isAsked('r.id')} AND ${mine('r')} ORDER BY r.id FOR UPDATE`,
    ),
    insert: { ...insertStatements({ name, tableName }, properties.map(snakeCase)), ...taking(properties) },
    update: { ...updateStatements({ name, tableName }, changing.map(snakeCase)), ...taking(updating) },
  };
}

/** Names of a table: of its statements, and in the database. */
interface TableNames {
  readonly name: string;
  readonly tableName: string;
}

const rowsOf = (tableName: string): string => `json_populate_recordset(NULL::${tableName}, :rows::json)`;

function insertStatements({ name, tableName }: TableNames, columns: readonly string[]) {
  const list = columns.join(', ');
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  return {
    one: statement(`insert_row_${name}`, `INSERT INTO ${tableName} (${list}) VALUES (${places})`),
    many: statement(
      `insert_rows_${name}`,
      `INSERT INTO ${tableName} (${list}) SELECT ${list} FROM ${rowsOf(tableName)}`,
    ),
  };
}

function updateStatements({ name, tableName }: TableNames, changing: readonly string[]) {
  const places = changing.map((column, index) => `${column} = $${index + key.length + 1}`).join(', ');
  const named = changing.map((column) => `${column} = n.${column}`).join(', ');
  return {
    one: statement(`update_row_${name}`, `UPDATE ${tableName} SET ${places} WHERE id = $1 AND live_mode = $2`),
    many: statement(
      `update_rows_${name}`,
      isByMonth(tableName)
        ? // No month is chosen by a row of another table, nor by a subselect (docs/design/sql.md#partitions).
          `WITH n AS MATERIALIZED (SELECT * FROM ${rowsOf(tableName)})
           UPDATE ${tableName} r SET (${changing.join(', ')}) = (SELECT ${changing.map((column) => `n.${column}`).join(', ')} FROM n WHERE n.id = r.id)
           WHERE r.id = ANY (:ids::text[])`
        : `UPDATE ${tableName} r SET ${named} FROM ${rowsOf(tableName)} n WHERE r.id = n.id AND r.live_mode = n.live_mode`,
    ),
  };
}
