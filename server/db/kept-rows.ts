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
  /** The write of what changed since it was last asked for; null: nothing did. */
  take(clock: AccountClock): { readonly isInsert: boolean; readonly write: Write } | null;
}

/** A column that was not read is one without a value. */
const differ = (one: unknown, other: unknown): boolean => (one ?? null) !== (other ?? null);

function keep<Row extends { id: string }>(table: Table<Row>, row: Row, isNew: boolean): Kept {
  let before: Row | null = isNew ? null : { ...row };
  return {
    table,
    row,
    take(clock) {
      const was = before;
      const has = (...columns: readonly (keyof Row)[]): boolean =>
        was === null || columns.some((column) => differ(was[column], row[column]));
      if (!has(...table.properties)) return null;
      table.derive?.(row, { clock, has });
      before = { ...row };
      if (was === null)
        return { isInsert: true, write: { statement: table.insert, values: table.values(row, table.properties) } };
      for (const column of table.fixed)
        if (has(column)) throw new Error(`${table.name}.${column} of ${row.id} never changes after the insert`);
      const values = [row.id, ...table.values(row, table.changing)];
      return { isInsert: false, write: { statement: table.update, values } };
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
    return this.find(table, row.id) ?? this.#add(table, row, false);
  }

  /** A row to be inserted as it stands when the writes are taken. */
  insert<Row extends { id: string }>(table: Table<Row>, row: Row): Row {
    return this.#add(table, row, true);
  }

  #add<Row extends { id: string }>(table: Table<Row>, row: Row, isNew: boolean): Row {
    this.#kept.set(`${table.name}/${row.id}`, keep(table, row, isNew));
    return row;
  }

  take(clock: AccountClock): RowWrites {
    const taken = [...this.#kept.values()].flatMap((kept) => {
      const own = kept.take(clock);
      return own === null ? [] : [{ ...own, table: kept.table }];
    });
    const inserted = new Set(taken.filter(({ isInsert }) => isInsert).map(({ table }) => table.name));
    const isFirst = ({ isInsert, table }: (typeof taken)[number]): boolean =>
      !isInsert && table.updatesFirst === true && inserted.has(table.name);
    const first = taken.filter(isFirst);
    const rest = taken.filter((one) => !isFirst(one));
    return { first: first.map(({ write }) => write), rest: rest.map(({ write }) => write) };
  }
}
