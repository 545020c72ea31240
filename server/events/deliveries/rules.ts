import type { DeliveryStatus } from '../../../contract/events.ts';
import { DAY, HOUR, MINUTE, type Timestamp } from '../../kernel/time.ts';

/** When each attempt of a ladder is due, in seconds from the first one, rising. */
export type Ladder = readonly number[];

/** The ten attempts of the service (docs/product/webhooks.md#ladder). */
export const LADDER: Ladder = [
  0,
  MINUTE,
  10 * MINUTE,
  HOUR,
  3 * HOUR,
  9 * HOUR,
  21 * HOUR,
  45 * HOUR,
  69 * HOUR,
  93 * HOUR,
];

/** Spreads what failed together; a hundredth of the interval is enough, and never reorders steps. */
const JITTER_SHARE = 0.01;
const JITTER_MAX = MINUTE;

export interface FailedAttempt {
  readonly firstAttemptAt: Timestamp;
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly now: Timestamp;
  /** What a 429 or 503 asked for. */
  readonly retryAfterSeconds: number | null;
  /** From 0 up to 1. */
  readonly random: number;
}

/** When the attempt after a failed one is due; null after the last of the ladder (docs/product/webhooks.md#ladder). */
export function nextAttemptAt(ladder: Ladder, failed: FailedAttempt): Timestamp | null {
  const { firstAttemptAt, attempts, now } = failed;
  const step = ladder[attempts];
  if (step === undefined) return null;
  const jitter = Math.floor(failed.random * Math.min(JITTER_MAX, (step - (ladder[attempts - 1] ?? 0)) * JITTER_SHARE));
  const asked = Math.min(now + (failed.retryAfterSeconds ?? 0), firstAttemptAt + (ladder[attempts + 1] ?? step));
  // After an outage several steps may be past: they are not made up for all at once.
  const soonest = now + (ladder[1] ?? 0);
  const end = firstAttemptAt + (ladder.at(-1) ?? 0);
  return Math.max(now, Math.min(end, Math.max(firstAttemptAt + step + jitter, asked, soonest)));
}

/** Where one ladder of an event stands. */
export interface LadderState {
  readonly endpointId: string;
  readonly ladder: number;
  readonly status: 'pending' | 'delivered' | 'failed';
}

/** The delivery result of an event: the newest ladder at each endpoint counts (docs/product/events.md#delivery-result). */
export function deliveryStatus(ladders: readonly LadderState[]): DeliveryStatus {
  const newest = new Map<string, LadderState>();
  for (const state of ladders) {
    const known = newest.get(state.endpointId);
    if (known === undefined || known.ladder < state.ladder) newest.set(state.endpointId, state);
  }
  const statuses = new Set([...newest.values()].map((state) => state.status));
  return (['failed', 'pending', 'delivered'] as const).find((status) => statuses.has(status)) ?? 'not_sent';
}

/**
 * Ladders, newest first, in the order in which an event shows them: the newest at each endpoint, then those before them. However
 * many there are at one endpoint, those that the result of the event follows from come first.
 */
export function newestInTurn<State extends LadderState>(newestFirst: readonly State[]): State[] {
  const taken = new Map<string, number>();
  const placed = newestFirst.map((state) => {
    const turn = taken.get(state.endpointId) ?? 0;
    taken.set(state.endpointId, turn + 1);
    return { state, turn };
  });
  return placed.toSorted((one, other) => one.turn - other.turn).map(({ state }) => state);
}

/** What became of an endpoint's attempts, oldest first. */
export interface DeliveryOutcome {
  readonly accepted: boolean;
  readonly at: Timestamp;
}

/** How the attempts of one endpoint change its health: an accepted one ends the failures before it (docs/product/webhooks.md#endpoint-health). */
export interface HealthChange {
  readonly accepted: boolean;
  /** Failures since the last accepted one among these attempts, or since their first. */
  readonly failures: number;
  /** Instant of the first of those failures. */
  readonly failingSince: Timestamp | null;
}

export function healthChange(outcomes: readonly DeliveryOutcome[]): HealthChange {
  const lastAccepted = outcomes.findLastIndex((outcome) => outcome.accepted);
  const failures = outcomes.slice(lastAccepted + 1);
  return { accepted: lastAccepted >= 0, failures: failures.length, failingSince: failures[0]?.at ?? null };
}

/** Deliveries that a URL accepted, after which a sandbox may post more to it (docs/product/webhooks.md#posts-of-a-sandbox). */
export const PROVEN_AFTER = 10;

/** Failures in a row after which an endpoint is told to be unstable. */
export const UNSTABLE_AFTER = 5;

/** What comes of an endpoint that accepts nothing, by the seconds since its first failure (docs/product/webhooks.md#endpoint-health). */
const HEALTH = { warnAfter: 3 * DAY, warnAgainAfter: 6 * DAY, disableAfter: 7 * DAY } as const;

/** When an endpoint that accepts nothing is switched off. */
export const switchedOffAt = (failingSince: Timestamp): Timestamp => failingSince + HEALTH.disableAfter;

export type HealthStep = 'warn' | 'warn_again' | 'disable';

/** When something comes of it next, in SQL over the endpoint `w`; a warning that comes late takes the place of the one before it. */
export const HEALTH_DUE_AT = `(w.failing_since + CASE WHEN w.warned_at IS NULL THEN ${HEALTH.warnAfter}
  WHEN w.warned_at < w.failing_since + ${HEALTH.warnAgainAfter} THEN ${HEALTH.warnAgainAfter} ELSE ${HEALTH.disableAfter} END)`;

/** The condition that `w` accepts nothing and is not switched off. */
export const IS_FAILING = `w.failing_since IS NOT NULL AND w.status <> 'disabled' AND w.deleted_at IS NULL`;

/** What is due of an endpoint at an instant; null: nothing. */
export function healthStep(
  { failingSince, warnedAt }: { failingSince: Timestamp; warnedAt: Timestamp | null },
  now: Timestamp,
): HealthStep | null {
  if (now >= switchedOffAt(failingSince)) return 'disable';
  const againAt = failingSince + HEALTH.warnAgainAfter;
  if (now >= againAt) return warnedAt === null || warnedAt < againAt ? 'warn_again' : null;
  return now >= failingSince + HEALTH.warnAfter && warnedAt === null ? 'warn' : null;
}
