import { MINUTE } from './kernel/time.ts';
import { dueRank, stepRank } from './subscriptions/order.ts';

/** When something is due: what its row says, the same in real time, and SQL for being late by so many seconds. */
interface Due {
  readonly at: string;
  readonly since: string;
  readonly isLate: (seconds: number) => string;
}

const inRealTime = (instant: string): Due => ({
  at: instant,
  since: instant,
  isLate: (seconds) => `${instant} < now() - interval '${seconds} seconds'`,
});

/** Compared as the seconds that the index holds. */
const inRealSeconds = (column: string): Due => ({
  at: column,
  since: `to_timestamp(${column})`,
  isLate: (seconds) => `${column} < extract(epoch FROM now())::bigint - ${seconds}`,
});

/** Seconds of the account's clock; in real time accounts compare. */
const onClock = (instant: string): Due => ({
  ...inRealTime(`to_timestamp(${instant} - CASE WHEN w.live_mode THEN 0 ELSE a.sandbox_offset_seconds END)`),
  at: instant,
});

/** A column with the real instant at which a run or a case takes the row, and what holding the clock does with it. */
export interface Wake {
  readonly column: string;
  /** Its value once the clock of the account `a` ticks again. */
  readonly awake: string;
  /** Rows that get that value then; none: all that wait. */
  readonly woken?: string;
  /** Nothing but the advance takes these while the clock is held; none: their case takes them and sees the clock held. */
  readonly asleep?: { readonly value: string; readonly from: string; readonly is: string; readonly counted: string };
}

/** What waits, each place in SQL over its rows `w` and their account `a`. */
export interface Waiting {
  readonly table: string;
  /** What it is called: the key of its case, or its own id. */
  readonly key: string;
  /** Several rows may be of one key. */
  readonly several?: true;
  /** Which rows still wait. */
  readonly waits: string;
  readonly due: Due;
  /** The clock that brings it: cases of the account's are told when that was advanced. */
  readonly clock: 'account' | 'real';
  /** The kind of the case that sees to it; none: a run does. */
  readonly case?: string;
  /** The table of the object that its key names first, by which an operator finds the case. */
  readonly object?: string;
  /** A case that is late by less may simply be at work, and is not asked for anew; none: it is asked for whenever a run comes. */
  readonly lateSeconds?: number;
  /** Its place among what an advance of the test clock does at one instant (docs/product/collection.md#order-at-one-instant); none: no advance does it. */
  readonly rank?: string;
  /** Seconds from its instant until an advance does it. */
  readonly doneAfter?: number;
  readonly wake?: Wake;
  /** The rows of the account `$1`'s sandbox, where no index finds them by the account. */
  readonly ofSandbox?: string;
}

/** Three minutes: a case is not asked for anew more often either. */
export const LATE_SECONDS = 3 * MINUTE;
/** A clock that is advanced moves all the time: one that stands still for so long is asked for anew. */
const STANDING_SECONDS = 15;

/** Sessions come behind the cycles and the reminders of an instant. */
const SESSION_RANK = '6';

const asleep = { value: 'NULL', from: 'w.wake_at IS NOT NULL', is: 'w.wake_at IS NULL' };

/** Everything that waits for an instant or for somebody else, and whose case it is (docs/design/outbox-and-cases.md#what-waits). */
export const waiting = {
  ladder: {
    case: 'webhook-delivery',
    table: 'delivery',
    key: `w.event_id || '/' || w.endpoint_id || '/' || w.ladder`,
    waits: `w.stage = 'ladder'`,
    due: inRealTime('w.claimable_at'),
    clock: 'account',
    lateSeconds: LATE_SECONDS,
    wake: {
      column: 'claimable_at',
      awake: 'to_timestamp(w.next_attempt_at - a.sandbox_offset_seconds)',
      woken: 'w.next_attempt_at IS NOT NULL',
    },
  },
  collection: {
    case: 'collection',
    object: 'subscription',
    table: 'invoice',
    key: 'w.subscription_id',
    several: true,
    waits: `w.in_case AND w.status = 'open'`,
    due: inRealSeconds('w.wake_at'),
    clock: 'account',
    lateSeconds: LATE_SECONDS,
  },
  clock: {
    case: 'test-clock',
    table: '(SELECT id, id AS account_id, clock_target, clock_moved_at FROM account)',
    key: 'w.id',
    waits: 'w.clock_target IS NOT NULL',
    // It is asked for as often as a run comes, however long it stands.
    due: { ...inRealTime('w.clock_moved_at'), since: 'now()' },
    clock: 'real',
    lateSeconds: STANDING_SECONDS,
  },
  charge: {
    case: 'charge-reconciliation',
    object: 'payment_intent',
    table: 'charge_attempt',
    key: 'w.intent_id',
    waits: `w.status = 'sent'`,
    due: inRealTime('w.deadline_at'),
    clock: 'real',
    lateSeconds: LATE_SECONDS,
  },
  return: {
    case: 'refund-settlement',
    object: 'payment_intent',
    table: 'refund_part',
    key: 'w.intent_id',
    several: true,
    waits: `w.status = 'refunding'`,
    due: onClock('coalesce(w.retry_at, w.created)'),
    clock: 'account',
    lateSeconds: LATE_SECONDS,
    rank: '0',
  },
  confirmed: {
    case: 'pix-settlement',
    object: 'pix_charge',
    table: 'pix_charge',
    key: 'w.id',
    waits: 'w.confirmed_at IS NOT NULL',
    due: onClock('w.confirmed_at'),
    clock: 'account',
    lateSeconds: LATE_SECONDS,
    rank: '0',
    // The bank settles it about so long after it confirmed it.
    doneAfter: MINUTE,
  },
  receipt: {
    case: 'pix-settlement',
    object: 'pix_charge',
    table: 'pix_receipt',
    key: 'w.txid',
    several: true,
    waits: 'w.intent_id IS NULL',
    due: onClock('w.paid_at'),
    clock: 'real',
  },
  retired: {
    case: 'pix-expiry',
    object: 'pix_charge',
    table: 'pix_charge',
    key: 'w.id',
    waits: `w.state = 'retiring'`,
    due: onClock('w.created'),
    clock: 'real',
  },
  step: {
    table: 'invoice',
    key: 'w.id',
    waits: 'w.step_at IS NOT NULL',
    due: onClock('w.step_at'),
    clock: 'account',
    rank: stepRank('w.step'),
    wake: {
      column: 'wake_at',
      awake: 'w.step_at - a.sandbox_offset_seconds',
      asleep: { ...asleep, counted: 'invoicesWoken' },
    },
  },
  cycle: {
    table: 'subscription',
    key: 'w.id',
    waits: 'w.due_at IS NOT NULL',
    due: onClock('w.due_at'),
    clock: 'account',
    rank: dueRank('w.due'),
    wake: {
      column: 'wake_at',
      awake: 'w.due_at - a.sandbox_offset_seconds',
      asleep: { ...asleep, counted: 'subscriptionsWoken' },
    },
  },
  session: {
    table: 'checkout_session',
    key: 'w.id',
    waits: 'w.due_at IS NOT NULL',
    due: onClock('w.due_at'),
    clock: 'account',
    rank: SESSION_RANK,
    wake: {
      column: 'wake_at',
      awake: 'w.due_at - a.sandbox_offset_seconds',
      asleep: { ...asleep, counted: 'sessionsWoken' },
    },
  },
  // The first attempt of a delivery: while the clock is held, it is made at the instant at which that stands.
  fresh: {
    table: 'delivery',
    key: `w.event_id || '/' || w.endpoint_id || '/' || w.ladder`,
    waits: `w.stage = 'fresh'`,
    due: inRealTime('w.claimable_at'),
    clock: 'real',
    wake: {
      column: 'claimable_at',
      awake: 'now()',
      woken: `w.claimable_at = 'infinity'`,
      asleep: {
        value: `'infinity'`,
        from: 'w.claimable_at <= now()',
        is: `w.claimable_at = 'infinity'`,
        counted: 'deliveriesWoken',
      },
    },
    ofSandbox: 'w.endpoint_id IN (SELECT e.id FROM webhook_endpoint e WHERE e.account_id = $1 AND NOT e.live_mode)',
  },
} as const satisfies Readonly<Record<string, Waiting>>;

type Waits = typeof waiting;

/** What an advance of the test clock does at its instant. */
export type Source = { [Name in keyof Waits]: Waits[Name] extends { rank: string } ? Name : never }[keyof Waits];

/** Cases that the outbox asks for and the relay reaches. */
export type OutboxKind = Extract<Waits[keyof Waits], { case: string }>['case'];

// The names of a literal are those of its type.
export const places = Object.entries(waiting) as readonly (readonly [keyof Waits, Waiting & { case?: OutboxKind }])[];

export const outboxKinds: readonly OutboxKind[] = [...new Set(places.flatMap(([, { case: kind }]) => kind ?? []))];

/** The places in which something waits for the case of a kind. */
export const placesOf = (kind: OutboxKind): readonly Waiting[] =>
  places.flatMap(([, place]) => (place.case === kind ? [place] : []));

/** The id of the object that a case is about. */
export const objectOf = (key: string): string => key.split('/')[0] ?? key;

/** SQL for the rows of the account `$1`'s sandbox. */
export const ofSandbox = (place: Waiting): string => place.ofSandbox ?? 'w.account_id = $1 AND NOT w.live_mode';
