import { fromAbsolute, parseDateTime, toCalendarDateTime } from '@internationalized/date';
import { TIME_ZONE } from '../texts/format.ts';

const MS_IN_SECOND = 1_000;
const MINUTES = 16;

/** Unix seconds of what a field for date and time has, `2026-11-24T09:05`, as people in Brasília mean it; null where it is none. */
export function instantOfText(text: string): number | null {
  try {
    return Math.floor(parseDateTime(text).toDate(TIME_ZONE).getTime() / MS_IN_SECOND);
  } catch {
    return null;
  }
}

/** An instant in Brasília, as a field for date and time takes it. */
export const textOfInstant = (at: number): string =>
  toCalendarDateTime(fromAbsolute(at * MS_IN_SECOND, TIME_ZONE))
    .toString()
    .slice(0, MINUTES);
