/** Periods that move on with the day. */
export const movingPeriods = ['today', 'yesterday', 'last7', 'last30', 'thisMonth', 'lastMonth'] as const;
export type MovingPeriod = (typeof movingPeriods)[number];

/** Any date, where a screen would show another period by itself. */
export const ANY = 'any';

/** Two days as an address has them. */
export const CHOSEN_DAYS = /^(\d{4}-\d\d-\d\d)_(\d{4}-\d\d-\d\d)$/;

export const movingPeriod = (text: string | undefined): MovingPeriod | undefined =>
  movingPeriods.find((one) => one === text);

/** What stands in an address for a period: its name, or `2026-11-01_2026-11-24`. */
export const periodOf = (value: unknown): string | undefined =>
  typeof value === 'string' && (value === ANY || movingPeriod(value) !== undefined || CHOSEN_DAYS.test(value))
    ? value
    : undefined;
