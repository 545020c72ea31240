import { type Statement, statement } from './statement.ts';

const snake = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A table whose rows are read and written as plain objects by prepared statements: the money path does without the ORM's unit of work. */
export interface RowTable<Row> {
  /** The select list that yields rows of this form. */
  columns(alias: string): string;
  readonly insert: Statement;
  insertValues(row: Row): unknown[];
  /** Writes what may change after the insert, by id. */
  readonly update: Statement;
  updateValues(row: Row): unknown[];
}

export function rowTable<Row extends { id: string }>(
  name: string,
  properties: { fixed: readonly (keyof Row & string)[]; changing: readonly (keyof Row & string)[] },
): RowTable<Row> {
  const { fixed, changing } = properties;
  const all = [...fixed, ...changing];
  const places = all.map((_, index) => `$${index + 1}`);
  const sets = changing.map((property, index) => `${snake(property)} = $${index + 2}`);
  return {
    columns: (alias) => all.map((property) => `${alias}.${snake(property)} AS "${property}"`).join(', '),
    insert: statement(
      `insert_row_${name}`,
      `INSERT INTO ${name} (${all.map(snake).join(', ')}) VALUES (${places.join(', ')})`,
    ),
    insertValues: (row) => all.map((property) => row[property]),
    update: statement(`update_row_${name}`, `UPDATE ${name} SET ${sets.join(', ')} WHERE id = $1`),
    updateValues: (row) => [row.id, ...changing.map((property) => row[property])],
  };
}

/** What every object of an account carries and never changes. */
export const scopedColumns = ['id', 'accountId', 'liveMode', 'created'] as const;
