import { ANY, periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch } from '../../parts/search-params.ts';

export const reportNames = ['sales', 'receipts', 'refunds', 'aging', 'subscriptions', 'pix'] as const;
export type ReportName = (typeof reportNames)[number];

/** What a row is of; a day where nothing else is said. */
export const intervals = ['day', 'month'] as const;
export type Interval = (typeof intervals)[number];

export interface ReportFilters {
  readonly report?: ReportName | undefined;
  readonly period?: string | undefined;
  readonly by?: Interval | undefined;
}

/** A report is always of a period. */
const boundedOf = (value: unknown): string => {
  const period = periodOf(value);
  return period === undefined || period === ANY ? 'thisMonth' : period;
};

export const reportSearch = ({ report, period, by }: RawSearch): ReportFilters =>
  known({ report: choiceOf(report, reportNames), period: boundedOf(period), by: choiceOf(by, intervals) });
