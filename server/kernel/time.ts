/** Unix time in whole seconds. */
export type Timestamp = number;

export const SECOND_MS = 1_000;
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** How the clock of an account stands to the real one: so far ahead of it, or held at an instant while it is advanced. */
export interface AccountClock {
  /** Negative: behind. */
  readonly aheadSeconds: number;
  /** Null unless the clock is being advanced. */
  readonly heldAt: Timestamp | null;
  /** When it was read, in real time; absent on the clock of live accounts, which never moves. */
  readonly readAtMs?: number;
}

/** The clock of live accounts, and of a sandbox that was never moved. */
export const REAL_CLOCK: AccountClock = { aheadSeconds: 0, heldAt: null };

/** Whose time is asked for: a sandbox account has a clock of its own, live accounts share the real one. */
export interface ClockScope {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly clock: AccountClock;
}

/** The one source of business time. */
export interface Clock {
  now(scope: Pick<ClockScope, 'clock'>): Timestamp;
  /** The instant that accounts' clocks are ahead of. */
  real(): Timestamp;
}

/** Accounts' clocks over a real one. */
const clockOver = (real: () => Timestamp): Clock => ({
  real,
  now: ({ clock }) => clock.heldAt ?? real() + clock.aheadSeconds,
});

/** When in real time an account's clock will show an instant; null while it is held: what moves it does what falls due. */
export const realInstant = ({ aheadSeconds, heldAt }: AccountClock, at: Timestamp): Timestamp | null =>
  heldAt === null ? at - aheadSeconds : null;

/** An instant as an operator reads it. */
export const instantText = (at: Timestamp): string =>
  new Date(at * SECOND_MS).toISOString().replace('T', ' ').replace('.000Z', ' UTC');

/**
 * An instant in real time, when that was on the process's stopwatch, which nobody sets, and how far it may be off; null before
 * another clock was read.
 */
let known: { readonly realMs: number; readonly stopwatchMs: number; readonly offMs: number } | null = null;

/**
 * Real milliseconds, for ids, leases, limits and logs: the database's, once its clock was read. Instants that are compared come
 * from that one clock, however wrong the machine's is (docs/design/time.md#one-clock).
 */
export const realTimeMs = (): number =>
  known === null ? machineTimeMs() : Math.floor(known.realMs + performance.now() - known.stopwatchMs);

/** The clock of this machine in milliseconds, for libraries that compare with it. */
export const machineTimeMs = (): number => Date.now();

/** By how much the clock of this machine is ahead of real time, in milliseconds; negative: behind. */
export const clockSkewMs = (): number => machineTimeMs() - realTimeMs();

/** What a clock showed, and when on our stopwatch it was asked and had answered. */
export interface ClockReading {
  readonly shownMs: number;
  readonly askedMs: number;
  readonly answeredMs: number;
}

/**
 * Goes by what another clock showed. A reading may be off by half its way there and back: it counts where it differs by more, or
 * is nearer than the one before.
 */
export function goBy({ shownMs, askedMs, answeredMs }: ClockReading): void {
  const stopwatchMs = (askedMs + answeredMs) / 2;
  const offMs = (answeredMs - askedMs) / 2;
  const oursMs = realTimeMs() - (performance.now() - stopwatchMs);
  if (known === null || offMs < known.offMs || Math.abs(shownMs - oursMs) > offMs)
    known = { realMs: shownMs, stopwatchMs, offMs };
}

/** Real seconds: what a receiver compares with its own clock. */
export const realTime = (): Timestamp => Math.floor(realTimeMs() / SECOND_MS);

/** Over real time. */
export const systemClock: Clock = clockOver(realTime);
