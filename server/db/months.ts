/** Tables whose rows lie by the month of their id, with the prefixes of the ids; they live for years, and no month is dropped (docs/design/sql.md#months). */
const ID_PREFIXES = { invoice: 'in_', payment_intent: 'pi_', charge_attempt: 'ca_', pix_charge: '' } as const;

export type MonthTable = keyof typeof ID_PREFIXES;

export const PARTITIONED_BY_MONTH = Object.keys(ID_PREFIXES) as readonly MonthTable[];

export const isByMonth = (table: string): table is MonthTable => Object.hasOwn(ID_PREFIXES, table);

export const idPrefixOf = (table: MonthTable): string => ID_PREFIXES[table];

/** The first instant of the month of another instant, or of one so many later. Milliseconds. */
export function monthStartMs(timeMs: number, later: number): number {
  const date = new Date(timeMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

/** SQL: what of an id says when it was made. */
export const madeAt = (id: string): string => `right(${id}, 26)`;

/** Prefixes of the ids in tables of months that hang on other rows; those of QR codes have none. */
type Prefix = 'pi_' | 'ca_' | '';

/**
 * SQL: rows that hang on another one by a column, `p.invoice_id`. Nothing that hangs on a row is made before it, which its table holds
 * it to, so the months before that one are not looked at (docs/design/sql.md#months).
 */
export function hangsOn(prefix: Prefix, column: string, parent: string): string {
  const [alias] = column.split('.', 1);
  return `${column} = ${parent} AND ${alias}.id >= ${prefix === '' ? '' : `'${prefix}' || `}${madeAt(parent)}`;
}
