import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import type { ListQuery } from '../api/queries.ts';
import { useSharedTexts } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { useListKeys } from './list-keys.ts';
import { Pending } from './pending.tsx';
import { useIsNarrow } from './use-media.ts';

export interface Column<T> {
  readonly id: string;
  readonly name: string;
  readonly show: (row: T) => ReactNode;
  /** `end`: amounts stand below each other. */
  readonly align?: 'end';
  /** What the row is called: it leads to the row, and is the title of a card. The first column, where none is. */
  readonly isHead?: boolean;
  /** At the end of the title of a card. */
  readonly isCorner?: boolean;
  /** The name says nothing that the cells do not say. */
  readonly isNameHidden?: boolean;
}

/** The address of a row: of a route of the dashboard, with its id. */
export interface RowLink {
  readonly to: string;
  readonly params: { readonly id: string };
  readonly search?: Readonly<Record<string, string>>;
}

interface RowsProps<T extends { id: string }> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly link?: (row: T) => RowLink;
  /** False where the screen walks several lists as one. */
  readonly hasOwnKeys?: boolean;
}

const headOf = <T,>(columns: readonly Column<T>[]): Column<T> | undefined =>
  columns.find(({ isHead }) => isHead === true) ?? columns[0];

function RowHead<T extends { id: string }>({ row, column, link }: { row: T; column: Column<T>; link?: RowLink }) {
  if (link === undefined) return <>{column.show(row)}</>;
  return (
    // Its screen checked the address; here any may come.
    <Link
      to={link.to as '/'}
      params={link.params as object}
      search={(link.search ?? {}) as object}
      className="row-link"
    >
      {column.show(row)}
    </Link>
  );
}

const linkOf = <T extends { id: string }>({ link }: RowsProps<T>, row: T) =>
  link === undefined ? {} : { link: link(row) };

function Table<T extends { id: string }>(props: RowsProps<T>) {
  const { label, rows, columns } = props;
  const head = headOf(columns);
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ id, name, align, isNameHidden = false }) => (
            <th key={id} scope="col" className={align}>
              <span className={isNameHidden ? 'visually-hidden' : ''}>{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map((column) => (
              <td key={column.id} className={column.align}>
                {column === head ? <RowHead row={row} column={column} {...linkOf(props, row)} /> : column.show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards<T extends { id: string }>(props: RowsProps<T>) {
  const { label, rows, columns } = props;
  const head = headOf(columns);
  const corner = columns.find(({ isCorner }) => isCorner === true);
  const others = columns.filter((column) => column !== head && column !== corner);
  return (
    <ul className="cards" aria-label={label}>
      {rows.map((row) => (
        <li key={row.id}>
          <div className="card-head">
            {head !== undefined && <RowHead row={row} column={head} {...linkOf(props, row)} />}
            {corner?.show(row)}
          </div>
          <dl>
            {others.map(({ id, name, show, isNameHidden = false }) => (
              <div key={id}>
                <dt className={isNameHidden ? 'visually-hidden' : ''}>{name}</dt>
                <dd>{show(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** Rows that are all there: a table on a desk, cards on a phone; J, K and Enter walk them. */
export function Rows<T extends { id: string }>(props: RowsProps<T>) {
  const place = useRef<HTMLDivElement>(null);
  useListKeys(place, props.hasOwnKeys);
  return <div ref={place}>{useIsNarrow() ? <Cards {...props} /> : <Table {...props} />}</div>;
}

interface ListProps<T extends { id: string }> extends Omit<RowsProps<T>, 'rows'> {
  readonly query: ListQuery<T>;
  /** Shown where nothing was found: what was searched, and the way on. */
  readonly empty?: ReactNode;
  /** Below the rows: a sum, for instance. */
  readonly footer?: (rows: readonly T[]) => ReactNode;
}

/** A list of the API, page by page. */
export function List<T extends { id: string }>({ query, empty, footer, ...props }: ListProps<T>) {
  const { parts } = useSharedTexts();
  const { data, error, refetch, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <div className="empty">{empty ?? <p>{parts.nothing}</p>}</div>;
  return (
    <div className="list" aria-busy={isPlaceholderData}>
      <Rows {...props} rows={rows} />
      {footer?.(rows)}
      <div className="list-foot">
        <span className="soft">{parts.rows(rows.length)}</span>
        {hasNextPage && (
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {isFetchingNextPage ? parts.loading : parts.loadMore}
          </Button>
        )}
        {props.hasOwnKeys !== false && <span className="soft keys-hint">{parts.keys}</span>}
      </div>
    </div>
  );
}
