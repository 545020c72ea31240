import { DAY } from './time.ts';

const MOST = 7 * DAY;

/** For how many seconds an answer asks not to come again; null: it does not ask for that. */
export function retryAfterSeconds(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const value = single(headers['retry-after'])?.trim() ?? '';
  // A date is counted from the answer's own Date header, so no clock of ours can differ from its.
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((httpDate(value) - httpDate(single(headers.date) ?? '')) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), MOST);
}

function httpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
