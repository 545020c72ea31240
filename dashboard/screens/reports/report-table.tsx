import { Button } from '../../parts/button.tsx';
import { type Column, type RowLink, Rows } from '../../parts/list.tsx';
import { Money } from '../../parts/money.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { type Cell, csvOf, download } from './csv.ts';
import { reportTexts } from './texts.ts';

/** A column of a report: what its cells are, on the screen and in the file. */
export interface ReportColumn<T> {
  readonly id: string;
  readonly name: string;
  readonly cell: (row: T) => Cell;
  /** Its amounts are drawn beside each other, as bars. */
  readonly hasBar?: boolean;
  readonly isCorner?: boolean;
}

interface ReportTableProps<T> {
  readonly label: string;
  readonly columns: readonly ReportColumn<T>[];
  readonly rows: readonly T[];
  /** All rows together: the last row, here and in the file. */
  readonly totals: T;
  readonly link?: (row: T) => RowLink;
  /** What the figures are. */
  readonly about: string;
  /** What the file is called, without its ending. */
  readonly file: string;
}

const FULL = 100;

/** How large an amount is beside the largest one. */
function Bar({ share }: { share: number }) {
  return (
    <svg className="bar" viewBox={`0 0 ${FULL} 6`} preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(0, share) * FULL} height="6" rx="1" />
    </svg>
  );
}

function Shown({ cell }: { cell: Cell }) {
  const { number, percent } = useFormat();
  if (cell.kind === 'text') return <>{cell.text}</>;
  if (cell.kind === 'count') return <>{number(cell.count)}</>;
  if (cell.kind === 'money') return <Money cents={cell.cents} />;
  return <>{cell.share === null ? '—' : percent(cell.share)}</>;
}

const sizeOf = (cell: Cell): number => (cell.kind === 'money' ? cell.cents : cell.kind === 'count' ? cell.count : 0);

type Line<T> = { readonly id: string; readonly row: T; readonly isTotal: boolean };

function columnOf<T>({ id, name, cell, hasBar, isCorner }: ReportColumn<T>, rows: readonly T[]): Column<Line<T>> {
  const most = hasBar === true ? Math.max(1, ...rows.map((row) => sizeOf(cell(row)))) : 1;
  const [first] = rows;
  const isNumber = first !== undefined && cell(first).kind !== 'text';
  return {
    id,
    name,
    ...(isNumber && { align: 'end' }),
    ...(isCorner === true && { isCorner }),
    show: ({ row, isTotal }) => {
      const shown = <Shown cell={cell(row)} />;
      if (isTotal) return <strong>{shown}</strong>;
      if (hasBar !== true) return shown;
      return (
        <span className="barred">
          <Bar share={sizeOf(cell(row)) / most} />
          {shown}
        </span>
      );
    },
  };
}

/** Rows of a report with their totals, and a file of exactly these. */
export function ReportTable<T>({ label, columns, rows, totals, link, about, file }: ReportTableProps<T>) {
  const texts = useTexts(reportTexts);
  const lines: readonly Line<T>[] = [
    ...rows.map((row, at) => ({ id: String(at), row, isTotal: false })),
    { id: 'total', row: totals, isTotal: true },
  ];
  const write = (): void => {
    const cells = lines.map(({ row }) => columns.map(({ cell }) => cell(row)));
    const headings = columns.map(({ name }) => name);
    download(`${file}.csv`, csvOf(headings, cells));
  };
  return (
    <div className="list">
      <div className="about">
        <p className="soft">{about}</p>
        <Button onPress={write}>{texts.file}</Button>
      </div>
      <Rows
        label={label}
        rows={lines}
        columns={columns.map((column) => columnOf(column, rows))}
        {...(link !== undefined && { link: ({ row }: Line<T>) => link(row) })}
      />
    </div>
  );
}
