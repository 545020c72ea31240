import type { Write } from '../db/statement.ts';
import type { AccountClock } from '../kernel/time.ts';
import { openedRow, sealedRow } from '../sealing/sealed-rows.ts';
import type { SecretBox } from '../sealing/secret-box.ts';
import type { RowStatements, Scoped, Table, Told } from './table.ts';

/** What a transaction is to write of the rows that it keeps. */
interface RowWrites {
  /** Updates that have to be made before the rest, in a statement of their own. */
  readonly first: readonly Write[];
  readonly rest: readonly Write[];
}

/** A row that is to be written. */
interface RowWrite {
  readonly statements: Pick<RowStatements<never>, 'one' | 'many'>;
  /** Its forms, of which one is taken. */
  values(): readonly unknown[];
  json(): Readonly<Record<string, unknown>>;
}

interface Kept {
  readonly table: { readonly name: string; readonly updatesFirst?: true };
  readonly row: object;
  readonly isNew: boolean;
  /** The row, where something of it changed. */
  write(clock: AccountClock): RowWrite | null;
}

/** A column that was not read is one without a value. */
const differ = (one: unknown, other: unknown): boolean => (one ?? null) !== (other ?? null);

/** A row as the database holds it. */
function stored<Row extends { id: string }>({ seals }: Table<Row>, row: Row, box: SecretBox): Row {
  // Only rows of accounts are sealed.
  return seals === undefined ? row : sealedRow(seals, row as Row & Scoped, box);
}

const writeBy = <Row>(statements: RowStatements<Row>, row: Row): RowWrite => ({
  statements,
  values: () => statements.values(row),
  json: () => statements.json(row),
});

function keepNew<Row extends { id: string }>(table: Table<Row>, row: Row, box: SecretBox): Kept {
  return {
    table,
    row,
    isNew: true,
    write(clock) {
      table.derive?.(row, { clock, has: () => true });
      return writeBy(table.insert, stored(table, row, box));
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
      return writeBy(table.update, stored(table, row, box));
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
    const madeIn = new Set(kept.flatMap(({ table, isNew }) => (isNew ? [table.name] : [])));
    const first: RowWrite[] = [];
    const rest: RowWrite[] = [];
    for (const { table, isNew, write } of kept) {
      const own = write(clock);
      if (own === null) continue;
      (table.updatesFirst === true && !isNew && madeIn.has(table.name) ? first : rest).push(own);
    }
    return { first: together(first), rest: together(rest) };
  }
}

/** Each statement once, however many rows it writes. */
const together = (writes: readonly RowWrite[]): Write[] =>
  [...Map.groupBy(writes, ({ statements }) => statements)].map(([{ one, many }, rows]) => {
    const [first, ...more] = rows;
    if (first !== undefined && more.length === 0) return { statement: one, values: first.values() };
    const written = rows.map((row) => row.json());
    const given = { rows: JSON.stringify(written), ids: written.map(({ id }) => id) };
    return { statement: many, values: many.parameters.map((name) => (name === 'ids' ? given.ids : given.rows)) };
  });
