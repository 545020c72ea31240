import { UsageFailure } from './failure.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `90s`, `15m`, `2h`, `30d`, `2w` in seconds; null: it is none. */
export function durationOf(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNIT_SECONDS[unit] ?? 0);
}

/** Brazil has one offset all year; a date alone is its first instant there. */
const DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Unix seconds, a date, or an instant with its zone, in Unix seconds. */
export function instantOf(text: string, option: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const ms = DATE_ALONE.test(text)
    ? Date.parse(`${text}T00:00:00-03:00`)
    : WITH_ZONE.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new UsageFailure(
      `${option} must be Unix seconds, a date (2027-01-31) or an instant (2027-01-31T12:00:00-03:00), got ${text}`,
    );
  }
  return Math.floor(ms / 1_000);
}

export const instantText = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');

/** The time of day of this machine, as lines of `listen` begin. */
export const clockText = (now: Date = new Date()): string => now.toTimeString().slice(0, 8);
