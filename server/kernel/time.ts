/** Unix time in whole seconds. */
export type Timestamp = number;

export const SECOND_MS = 1_000;
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Whose time is asked for: a sandbox account has a clock of its own, live accounts share the real one. */
export interface ClockScope {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** The one source of business time. */
export interface Clock {
  now(scope: ClockScope): Timestamp;
}

/** Real milliseconds, for ids, leases, limits and logs. */
export const realTimeMs = (): number => Date.now();

/** Real seconds: what a receiver compares with its own clock. */
export const realTime = (): Timestamp => Math.floor(realTimeMs() / SECOND_MS);

/** The clock of every account that has not been given another. */
export const systemClock: Clock = { now: realTime };
