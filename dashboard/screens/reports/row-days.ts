import { endOfMonth, parseDate, startOfMonth } from '@internationalized/date';
import { localeOf } from '../../texts/catalogue.ts';
import { TIME_ZONE } from '../../texts/format.ts';
import { useLanguage } from '../../texts/language.tsx';
import type { Cell } from './csv.ts';

/** The days that a row is of, both of them within. */
export interface RowDays {
  readonly from: string;
  readonly until: string;
}

const isWholeMonth = ({ from, until }: RowDays): boolean => {
  const day = parseDate(from);
  return startOfMonth(day).toString() === from && endOfMonth(day).toString() === until;
};

/** `24/11/2026`, as files have it in any language. */
const writtenDay = (day: string): string => day.split('-').toReversed().join('/');

const writtenDays = (days: RowDays): string => {
  if (days.from === days.until) return writtenDay(days.from);
  return isWholeMonth(days)
    ? writtenDay(days.from.slice(0, 'yyyy-mm'.length))
    : `${writtenDay(days.from)} – ${writtenDay(days.until)}`;
};

/** The days of a row: a day, a month, or the part of a month that the period has. */
export function useRowDays(): (days: RowDays) => Cell {
  const locale = localeOf[useLanguage().language];
  const day = new Intl.DateTimeFormat(locale, {
    timeZone: TIME_ZONE,
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
  });
  const month = new Intl.DateTimeFormat(locale, { timeZone: TIME_ZONE, month: 'long', year: 'numeric' });
  const shown = (format: Intl.DateTimeFormat, text: string) => format.format(parseDate(text).toDate(TIME_ZONE));
  return (days) => {
    const written = writtenDays(days);
    if (days.from === days.until) return { kind: 'text', text: shown(day, days.from), written };
    const text = isWholeMonth(days) ? shown(month, days.from) : `${shown(day, days.from)} – ${shown(day, days.until)}`;
    return { kind: 'text', text, written };
  };
}
