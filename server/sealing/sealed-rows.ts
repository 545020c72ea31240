import type { SealContext, SecretBox } from './secret-box.ts';

/** What of the rows of a table is sealed together, in a column of its own, bound to account and row. */
export interface SealedPart<Row> {
  readonly place: (accountId: string, id: string) => SealContext;
  /** Holds the sealed text; null: all of it is null. */
  readonly column: keyof Row & string;
  /** Properties that no column holds in clear. */
  readonly of: readonly (keyof Row & string)[];
  /** Columns of keyed hashes by which rows are found, and what each hashes; null hashes nothing. */
  readonly indexes: Readonly<Partial<Record<keyof Row & string, (row: Row) => readonly string[] | null>>>;
}

interface Opening extends Pick<SealedPart<object>, 'place'> {
  readonly column: string;
  readonly of: readonly string[];
}

/** Whose a row is. */
interface Owned {
  readonly id: string;
  readonly accountId: string;
}

/** A row as the database is to hold it. */
export function sealedRow<Row extends object>(part: SealedPart<Row>, row: Row & Owned, box: SecretBox): Row {
  const hashes = Object.entries(part.indexes) as [string, ((row: Row) => readonly string[] | null) | undefined][];
  const values = Object.fromEntries(part.of.map((property) => [property, row[property] ?? null]));
  const isEmpty = Object.values(values).every((value) => value === null);
  const place = part.place(row.accountId, row.id);
  const made = hashes.map(([column, hashed]) => {
    const parts = hashed?.(row) ?? null;
    return [column, parts && box.fingerprint(parts)];
  });
  return {
    ...row,
    ...Object.fromEntries(made),
    [part.column]: isEmpty ? null : box.seal(JSON.stringify(values), place),
  };
}

/** A row, or some of its columns, with what is sealed of it. */
export function openedRow<Read extends Owned, Opened>(
  { column, of, place }: Opening,
  row: Read,
  box: SecretBox,
): Read & Opened {
  const sealed: unknown = Reflect.get(row, column);
  const values =
    sealed instanceof Uint8Array
      ? JSON.parse(box.open(sealed, place(row.accountId, row.id)))
      : Object.fromEntries(of.map((property) => [property, null]));
  return { ...row, ...values };
}
