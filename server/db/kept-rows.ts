import type { AccountClock } from '../kernel/time.ts';
import type { Write } from './statement.ts';
import type { Table } from './table.ts';

/** What a transaction is to write of the rows that it keeps. */
export interface RowWrites {
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

function keepNew<Row extends { id: string }>(table: Table<Row>, row: Row): Kept {
  return {
    table,
    row,
    isNew: true,
    write(clock) {
      table.derive?.(row, { clock, has: () => true });
      return { statement: table.insert, values: table.values(row, table.properties) };
    },
  };
}

function keepRead<Row extends { id: string }>(table: Table<Row>, row: Row): Kept {
  const before = { ...row };
  const has = (...columns: readonly (keyof Row)[]): boolean =>
    columns.some((column) => differ(before[column], row[column]));
  return {
    table,
    row,
    isNew: false,
    write(clock) {
      if (!has(...table.properties)) return null;
      table.derive?.(row, { clock, has });
      for (const column of table.fixed)
        if (has(column)) throw new Error(`${table.name}.${column} of ${row.id} never changes after the insert`);
      return { statement: table.update, values: [row.id, ...table.values(row, table.changing)] };
    },
  };
}

/** The rows that a transaction has locked or made: one object each, written once with what changed of it. */
export class KeptRows {
  readonly #kept = new Map<string, Kept>();

  find<Row extends { id: string }>(table: Table<Row>, id: string): Row | null {
    // What is kept under the name of a table is a row of it.
    return (this.#kept.get(`${table.name}/${id}`)?.row as Row | undefined) ?? null;
  }

  /** The one object of a row: the object that is kept already, or else `row`, which was read behind a lock. */
  keep<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    return this.find(table, row.id) ?? this.#add(table, row, keepRead(table, row));
  }

  /** A row to be inserted as it stands when the transaction commits. */
  insert<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    return this.#add(table, row, keepNew(table, row));
  }

  #add<Row extends { id: string }>(table: Table<Row>, row: Row, kept: Kept): Row {
    this.#kept.set(`${table.name}/${row.id}`, kept);
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
