import { REPORT_DAYS_MAX, type ReportQuery } from '../../contract/reports.ts';
import { civilDay } from '../kernel/brazil.ts';
import { invalidParameter } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The days of a row, both of them within. */
interface RowDays {
  readonly from: string;
  readonly until: string;
}

/** A period cut into rows. */
export interface ReportPeriod {
  readonly by: 'day' | 'month';
  readonly rows: readonly RowDays[];
  /** Where each row begins, and where the last one ends: instants are counted into rows by them. */
  readonly edges: readonly Timestamp[];
}

/** The last day of the row that begins with a day, not beyond the period. */
function lastOf(
  day: Temporal.PlainDate,
  { by, end }: { by: ReportPeriod['by']; end: Temporal.PlainDate },
): Temporal.PlainDate {
  if (by === 'day') return day;
  const last = day.with({ day: day.daysInMonth });
  return Temporal.PlainDate.compare(last, end) < 0 ? last : end;
}

/** Cuts a period into days or calendar months; the first and the last month may be parts of one (docs/product/reports.md). */
export function periodOf({ from, until, by = 'day' }: ReportQuery): ReportPeriod {
  const [first, end] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(until)];
  const days = first.until(end, { largestUnit: 'days' }).days + 1;
  if (days < 1) throw invalidParameter('until', `until must not be before from, ${from}; got ${until}`);
  if (days > REPORT_DAYS_MAX) {
    const message = `until must end a period of at most ${REPORT_DAYS_MAX} days; ${from} until ${until} has ${days}`;
    throw invalidParameter('until', message);
  }
  const rows: RowDays[] = [];
  for (let day = first; Temporal.PlainDate.compare(day, end) <= 0; ) {
    const last = lastOf(day, { by, end });
    rows.push({ from: day.toString(), until: last.toString() });
    day = last.add({ days: 1 });
  }
  const edges = [...rows.map((row) => civilDay(row.from).from), civilDay(until).to];
  return { by, rows, edges };
}

/** The number of the row that an instant of a statement is in: 1 and up; 0 is before the period. */
export const rowOf = (instant: string): string => `width_bucket(${instant}, :edges::bigint[])`;

/** Instants of the period. */
export const within = (instant: string): string => `${instant} >= :from AND ${instant} < :to`;

/** What a statement of a period is called with. */
export const valuesOf = ({ edges }: ReportPeriod) => ({ edges, from: edges[0], to: edges.at(-1) });
