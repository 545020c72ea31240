import type { Place, SecretBox } from './secret-box.ts';

/** What of the rows of a table is sealed together, in a column of its own, bound to account and row. */
export interface SealedPart<Row> {
  readonly place: (accountId: string, id: string) => Place;
  /** Holds the sealed text; null in a row that is still in clear. */
  readonly column: keyof Row & string;
  /** Null in a row that is sealed. */
  readonly of: readonly (keyof Row & string)[];
  /** Columns of keyed hashes by which sealed rows are found, and what each hashes; null hashes nothing. */
  readonly indexes: Readonly<Partial<Record<keyof Row & string, (row: Row) => readonly string[] | null>>>;
  /** SQL of whether a row `r` holds something in clear; an index finds those rows. */
  readonly isInClear: string;
}

/** Whose a row is. */
interface Owned {
  readonly id: string;
  readonly accountId: string;
}

/**
 * A row as the database is to hold it. Until sealing has begun that is in clear, without hashes: the version before would
 * change the one and not the other.
 */
export function sealedRow<Row extends object>(part: SealedPart<Row>, row: Row & Owned, box: SecretBox): Row {
  const hashes = Object.entries(part.indexes) as [string, ((row: Row) => readonly string[] | null) | undefined][];
  const none = Object.fromEntries(hashes.map(([column]) => [column, null]));
  if (!box.isSealing) return { ...row, ...none, [part.column]: null };
  const values = Object.fromEntries(part.of.map((property) => [property, row[property] ?? null]));
  const isEmpty = Object.values(values).every((value) => value === null);
  const place = part.place(row.accountId, row.id);
  const made = hashes.map(([column, hashed]) => {
    const parts = hashed?.(row) ?? null;
    return [column, parts && box.fingerprint(parts)];
  });
  return {
    ...row,
    ...Object.fromEntries(part.of.map((property) => [property, null])),
    ...Object.fromEntries(made),
    [part.column]: isEmpty ? null : box.seal(JSON.stringify(values), place),
  };
}

/** A row, or some of its columns, with what is sealed of it; one that is in clear is as it was read. */
export function openedRow<Read extends Owned>(
  { column, place }: { readonly column: string; readonly place: (accountId: string, id: string) => Place },
  row: Read,
  box: SecretBox,
): Read {
  const sealed: unknown = Reflect.get(row, column);
  if (!(sealed instanceof Uint8Array)) return row;
  return { ...row, ...JSON.parse(box.open(sealed, place(row.accountId, row.id))) };
}
