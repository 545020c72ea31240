import { type EntitySchema, JsonType, type Opt } from '@mikro-orm/core';
import { mine, type Statement, statement, type Write } from '../db/statement.ts';
import { snakeCase } from '../kernel/text.ts';
import type { AccountClock } from '../kernel/time.ts';
import { openedRow, type SealedPart, sealedRow } from '../sealing/sealed-rows.ts';
import type { SecretBox } from '../sealing/secret-box.ts';

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
  /** What `update` takes: the key, then what it changes. */
  readonly updating: readonly Property<Row>[];
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

export function table<Row extends { id: string }>(schema: EntitySchema<Row>, options: TableOptions<Row>): Table<Row> {
  const { tableName, properties: declared } = schema.meta;
  const name = [tableName, options.variant].filter((part) => part !== undefined).join('_');
  const kinds: Readonly<
    Record<string, { readonly type?: unknown; readonly persist?: boolean; readonly default?: unknown }>
  > = declared;
  // An entity schema declares exactly the properties of its rows; what is sealed has no column of its own.
  const all = (Object.keys(declared) as Property<Row>[]).filter((property) => kinds[property]?.persist !== false);
  // Every table has the scoped columns.
  const fixed = [...(scoped as Property<Row>[]), ...options.fixed];
  const isJson = new Set<string>(all.filter((property) => kinds[property]?.type === JsonType));
  const changing = all.filter((property) => !fixed.includes(property));
  const properties = [...fixed, ...changing];
  const columns = (alias: string): string =>
    properties.map((property) => `${alias}.${snakeCase(property)} AS "${property}"`).join(', ');
  const places = properties.map((_, index) => `$${index + 1}`).join(', ');
  const updating = [...(key as Property<Row>[]), ...changing];
  const sets = changing.map((property, index) => `${snakeCase(property)} = $${index + key.length + 1}`).join(', ');
  return {
    noun: tableName,
    ...options,
    fixed,
    name,
    properties,
    changing,
    // What a column has for a default is a value of it.
    blank: Object.fromEntries(all.map((property) => [property, kinds[property]?.default ?? null])) as Partial<Row>,
    updating,
    columns,
    lock: statement<Row>(
      `lock_row_${name}`,
      `SELECT ${columns('r')} FROM ${tableName} r WHERE r.id = :id AND ${mine('r')} FOR UPDATE`,
    ),
    insert: statement(
      `insert_row_${name}`,
      `INSERT INTO ${tableName} (${properties.map(snakeCase).join(', ')}) VALUES (${places})`,
    ),
    update: statement(`update_row_${name}`, `UPDATE ${tableName} SET ${sets} WHERE id = $1 AND live_mode = $2`),
    // The driver would write an array as one of PostgreSQL's.
    values: (row, wanted) =>
      wanted.map((property) => {
        const value = row[property] ?? null;
        return value !== null && isJson.has(property) ? JSON.stringify(value) : value;
      }),
  };
}

/** What a transaction is to write of the rows that it keeps. */
interface RowWrites {
  /** Updates that have to be made before the rest, in a statement of their own. */
  readonly first: readonly Write[];
  readonly rest: readonly Write[];
}

interface Kept {
  readonly table: { readonly name: string; readonly updatesFirst?: true };
  readonly row: object;
  readonly isNew: boolean;
  /** The write of what changed; null: nothing did. */
  write(clock: AccountClock): Write | null;
}

/** A column that was not read is one without a value. */
const differ = (one: unknown, other: unknown): boolean => (one ?? null) !== (other ?? null);

/** A row as the database holds it. */
function stored<Row extends { id: string }>({ seals }: Table<Row>, row: Row, box: SecretBox): Row {
  // Only rows of accounts are sealed.
  return seals === undefined ? row : sealedRow(seals, row as Row & Scoped, box);
}

function keepNew<Row extends { id: string }>(table: Table<Row>, row: Row, box: SecretBox): Kept {
  return {
    table,
    row,
    isNew: true,
    write(clock) {
      table.derive?.(row, { clock, has: () => true });
      return { statement: table.insert, values: table.values(stored(table, row, box), table.properties) };
    },
  };
}

function keepRead<Row extends { id: string }>(table: Table<Row>, row: Row, box: SecretBox): Kept {
  const before = { ...row };
  const has = (...columns: readonly (keyof Row)[]): boolean =>
    columns.some((column) => differ(before[column], row[column]));
  return {
    table,
    row,
    isNew: false,
    write(clock) {
      if (!has(...table.properties, ...(table.seals?.of ?? []))) return null;
      table.derive?.(row, { clock, has });
      for (const column of table.fixed)
        if (has(column)) throw new Error(`${table.name}.${column} of ${row.id} never changes after the insert`);
      return { statement: table.update, values: table.values(stored(table, row, box), table.updating) };
    },
  };
}

/** The rows that a transaction has locked or made: one object each, written once with what changed of it. */
export class KeptRows {
  readonly #kept = new Map<string, Kept>();
  readonly #byId = new Map<string, object>();
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  find<Row extends { id: string }>(table: Table<Row>, id: string): Row | null {
    // What is kept under the name of a table is a row of it.
    return (this.#kept.get(`${table.name}/${id}`)?.row as Row | undefined) ?? null;
  }

  /** The row of an id, whatever its table; ids of different objects differ. */
  ofId(id: string): Told | null {
    // A row that does not say which event was its last has none of these.
    return (this.#byId.get(id) as Told | undefined) ?? null;
  }

  /** The one object of a row: the object that is kept already, or else `row`, which was read behind a lock. */
  keep<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    const known = this.find(table, row.id);
    if (known !== null) return known;
    // Only rows of accounts are sealed.
    const { seals } = table;
    const open = seals === undefined ? row : openedRow(seals, row as Row & Scoped, this.#box);
    return this.#add(table, open, keepRead(table, open, this.#box));
  }

  /** A row to be inserted as it stands when the transaction commits. */
  insert<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    return this.#add(table, row, keepNew(table, row, this.#box));
  }

  #add<Row extends { id: string }>(table: Table<Row>, row: Row, kept: Kept): Row {
    this.#kept.set(`${table.name}/${row.id}`, kept);
    this.#byId.set(row.id, row);
    return row;
  }

  writes(clock: AccountClock): RowWrites {
    const kept = [...this.#kept.values()];
    const first: Write[] = [];
    const rest: Write[] = [];
    for (const { table, isNew, write } of kept) {
      const own = write(clock);
      if (own === null) continue;
      const isFirst = table.updatesFirst === true && !isNew && kept.some((one) => one.isNew && one.table === table);
      (isFirst ? first : rest).push(own);
    }
    return { first, rest };
  }
}
