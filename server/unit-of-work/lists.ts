import type { EntityName, EntitySchema, FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import type { EntityReader } from '../db/entity-reader.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { type Page, type PageQuery, pageLimit, toPage, written } from '../kernel/pages.ts';
import type { LateReads, ReadPlace } from './late-reads.ts';
import { type IdWindow, windowsOf } from './month-windows.ts';
import { type From, readForPage } from './page-rows.ts';
import type { Scope } from './tx.ts';
import type { Watermark } from './watermark.ts';

interface Listed {
  id: string;
  created: number;
}

export const refuseCursor = (message: string, param: string): BillingError =>
  new BillingError('CURSOR_INVALID', { message, param });

const ID_FORM = /^[a-z]+_[0-9a-z]{26}$/;

/** The id a page starts from, if any, and its direction; two at once are refused (docs/product/requests.md#lists). */
export function readCursor(query: PageQuery): { param: 'starting_after' | 'ending_before'; id: string } | null {
  if (query.starting_after !== undefined && query.ending_before !== undefined) {
    throw refuseCursor('starting_after and ending_before came together; send one of them', 'ending_before');
  }
  const param = query.starting_after === undefined ? 'ending_before' : 'starting_after';
  const id = query[param];
  if (id === undefined) return null;
  if (!ID_FORM.test(id)) throw cursorOfNothing(param, id);
  return { param, id };
}

export const cursorOfNothing = (param: string, id: string): BillingError =>
  refuseCursor(`${param} names no object of this list: ${id}`, param);

/** Whose rows are read, and by what. */
export interface Reading {
  readonly deps: { readonly read: (scope: Scope) => EntityReader; readonly watermark: Pick<Watermark, 'find'> };
  readonly scope: Scope;
}

/** The same of a list, which may be read where rows are some seconds old. */
interface ListReading extends Reading {
  readonly deps: ReadPlace & { readonly late: LateReads };
}

/** Does the reading of a list where whoever asks has it read. */
export const readList = <T>(
  deps: ReadPlace & { readonly late: LateReads },
  { reads }: Pick<Scope, 'reads'>,
  reading: (place: ReadPlace) => Promise<T>,
): Promise<T> => (reads === 'eventual' ? deps.late.run(reading) : reading(deps));

/** One object of an entity as it is shown; 404 where the account's mode has none. */
export async function readOne<Row extends { id: string }, View>(
  { deps, scope }: Reading,
  entity: EntitySchema<Row>,
  { id, view }: { id: string; view: (row: Row) => View },
): Promise<View> {
  // Every entity has an id; the generic filter type cannot see it.
  const row = await deps.read(scope).findOne(entity, { id } as FilterQuery<Row>);
  if (row === null) throw missing(entity.meta.tableName, id);
  return view(row as Row);
}

/** The objects of some ids of an entity as they are shown, in the order of the ids; what is not there any more is left out. */
export async function readEach<Row extends { id: string }, View extends object>(
  { deps, scope }: Reading,
  entity: EntitySchema<Row>,
  { ids, ...showing }: { ids: readonly string[] } & Showing<Row, View>,
): Promise<View[]> {
  if (ids.length === 0) return [];
  // As above.
  const sought: object = { id: { $in: ids } };
  const found = (await deps.read(scope).find(entity, sought as FilterQuery<Row>)) as Row[];
  const rows = ids.flatMap((id) => found.find((row) => row.id === id) ?? []);
  return (await viewsOf(rows, showing)).flatMap((view) => view ?? []);
}

/** The first id with the prefix of `id` that is not below the low watermark. */
export const belowWatermark = (id: string, watermark: string): string =>
  `${id.slice(0, id.lastIndexOf('_'))}_${watermark}`;

/** How the rows of a list are shown: each by itself, or many together, in their order; one without a view is left out. */
type Showing<Row, View> =
  | { readonly view: (row: Row) => View }
  | { readonly viewAll: (rows: readonly Row[]) => Promise<readonly (View | undefined)[]> };

const viewsOf = <Row, View>(rows: readonly Row[], showing: Showing<Row, View>) =>
  'view' in showing ? rows.map(showing.view) : showing.viewAll(rows);

/**
 * One page of an entity, newest first by id or by `place`, another id that gives a row its place, so that inserts shift nothing.
 * The filter of db/columns.ts adds account and mode. GET /events has SQL of its own, which also looks at deliveries.
 */
export const listPage = <Row extends Listed, View extends object>(
  { deps, scope }: ListReading,
  entity: EntityName<Row>,
  options: Paging<Row, View>,
): Promise<Page<View>> => readList(deps, scope, (place) => pageAt({ deps: place, scope }, entity, options));

type Paging<Row, View> = Showing<Row, View> & {
  readonly query: PageQuery;
  /** A filter that looks into another table of months is told which ids one look goes over. */
  readonly where: FilterQuery<Row> | ((window: IdWindow) => FilterQuery<Row>);
  readonly url: string;
  readonly place?: keyof Row & string;
};

async function pageAt<Row extends Listed, View extends object>(
  { deps, scope }: Reading,
  entity: EntityName<Row>,
  options: Paging<Row, View>,
): Promise<Page<View>> {
  const { query, url, where, place = 'id' } = options;
  const cursor = readCursor(query);
  // Every listed entity has these columns; the generic filter type cannot see them.
  const and = (condition: object): FilterQuery<Row> => condition as FilterQuery<Row>;
  const from = cursor === null ? null : await deps.read(scope).findOne(entity, and({ id: cursor.id }));
  if (cursor !== null && from === null) throw cursorOfNothing(cursor.param, cursor.id);
  // What gives a row its place is an id.
  const placeOf = (row: Row): string => String(row[place]);
  const at = from === null ? '' : placeOf(from as Row);
  const conditions: FilterQuery<Row>[] = [];
  if (cursor?.param === 'starting_after') conditions.push(and({ [place]: { $lt: at } }));
  if (cursor?.param === 'ending_before') {
    conditions.push(and({ [place]: { $gt: at, $lt: belowWatermark(at, await deps.watermark.find()) } }));
  }
  const created = between(query.created_gte, query.created_lte);
  if (created !== undefined) conditions.push(and({ created }));
  const isForward = cursor?.param === 'ending_before';
  // The clock of a sandbox may have been behind real time for long, and what was made then has an id of later.
  const madeBefore = scope.liveMode ? latestOf(query) : undefined;
  const windows = windowsOf(entity, { cursor: cursor === null ? null : at, isForward, madeBefore });
  const look = async (window: IdWindow, behind: string | undefined, limit: number): Promise<Row[]> => {
    const sought = typeof where === 'function' ? where(window) : where;
    const within = Object.keys(window).length === 0 ? [] : [and({ id: window })];
    const further = behind === undefined ? [] : [and({ [place]: { [isForward ? '$gt' : '$lt']: behind } })];
    // A reader keeps what it read: of large rows no more than these are to be there at once.
    const found = await deps.read(scope).find(entity, and({ $and: [sought, ...conditions, ...within, ...further] }), {
      // Only the order of an id is asked for; see above.
      orderBy: { [place]: isForward ? 'asc' : 'desc' } as QueryOrderMap<Row>,
      limit,
    });
    return found as Row[];
  };
  const read = async ({ behind, limit }: From) => {
    const rows: Row[] = [];
    for (let [window] = windows; window !== undefined; [window] = windows) {
      rows.push(...(await look(window, behind, limit - rows.length)));
      if (rows.length >= limit) break;
      // What is read later lies behind it.
      windows.shift();
    }
    const views = await viewsOf(rows, options);
    return rows.map((row, nth) => ({ at: placeOf(row), ...written(views[nth]) }));
  };
  return toPage(await readForPage({ scope, url, limit: pageLimit(query) + 1 }, read), { query, url });
}

/** Nothing is paid before it is made. */
function latestOf(query: PageQuery & { readonly paid_at_lte?: number | undefined }): number | undefined {
  const ends = [query.created_lte, query.paid_at_lte].flatMap((end) => end ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

interface MoneyQuery {
  readonly amount_gte?: number | undefined;
  readonly amount_lte?: number | undefined;
  readonly paid_at_gte?: number | undefined;
  readonly paid_at_lte?: number | undefined;
}

/** What a number is to lie between, both ends included; undefined: no end was sent. */
function between(from: number | undefined, to: number | undefined) {
  const range = withoutUndefined({ $gte: from, $lte: to });
  return Object.keys(range).length === 0 ? undefined : range;
}

/** The filters of a list by its amount, in cents, and by the instant of its payment. */
export const moneyRanges = (query: MoneyQuery) => ({
  amount: between(query.amount_gte, query.amount_lte),
  paidAt: between(query.paid_at_gte, query.paid_at_lte),
});

/** Leaves the filters out that were not sent. */
export function withoutUndefined<T extends object>(filters: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Dropping the undefined ones leaves exactly this.
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
