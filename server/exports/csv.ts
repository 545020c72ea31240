import { stringify } from 'csv-stringify/sync';
import { columnsOf } from './columns.ts';
import type { Export } from './entity.ts';

/** What spreadsheets in Portuguese take; a cell that begins as a formula does is shown, and computes nothing. */
const DIALECT = { delimiter: ';', record_delimiter: 'windows', escape_formulas: true } as const;

/** Excel takes a file for UTF-8 that begins so. */
const BYTE_ORDER_MARK = '\uFEFF';

type Described = Pick<Export, 'type' | 'columns'>;

const described = ({ type, columns }: Described) => {
  const known: Readonly<Record<string, (typeof columnsOf.refunds)['id'] | undefined>> = columnsOf[type];
  return columns.map((name) => {
    const column = known[name];
    if (column === undefined) throw new Error(`an export of ${type} has no column ${name}`);
    return { steps: name.split('.'), column };
  });
};

function valueAt(object: object, steps: readonly string[]): unknown {
  let value: unknown = object;
  for (const step of steps) value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

/** The beginning of a file: its one header row. */
export const headerOf = (of: Described): string =>
  BYTE_ORDER_MARK + stringify([described(of).map(({ column: [title] }) => title)], DIALECT);

/** A row for each object of a list. */
export function rowsOf(of: Described, objects: readonly object[]): string {
  const columns = described(of);
  const cells = (object: object) => columns.map(({ steps, column: [, cell] }) => cell(valueAt(object, steps)));
  return stringify(objects.map(cells), DIALECT);
}
