import { HEALTH_DUE_AT, IS_FAILING } from './events/deliveries/rules.ts';
import { MINUTE } from './kernel/time.ts';
import { dueRank, stepRank } from './subscriptions/rules.ts';

/** When something is due, in SQL. */
interface Due {
  /** The instant as the row has it. What an advance of the test clock does is due in seconds of the account's clock. */
  readonly at: string;
  /** The same instant in real time, by which rows of several accounts compare. */
  readonly since: string;
  /** The condition that the row is late by so many seconds. */
  readonly isLate: (seconds: number) => string;
}

/** The row has an instant in real time. */
const inRealTime = (instant: string): Due => ({
  at: instant,
  since: instant,
  isLate: (seconds) => `${instant} < now() - interval '${seconds} seconds'`,
});

/** The row has seconds of real time. The condition compares seconds, so the index of the column serves. */
const inRealSeconds = (column: string): Due => ({
  at: column,
  since: `to_timestamp(${column})`,
  isLate: (seconds) => `${column} < extract(epoch FROM now())::bigint - ${seconds}`,
});

/** The row has seconds of the account's clock. */
const onClock = (instant: string): Due => ({
  ...inRealTime(`to_timestamp(${instant} - CASE WHEN w.live_mode THEN 0 ELSE a.sandbox_offset_seconds END)`),
  at: instant,
});

/** The column with the real instant at which a run or a case takes the row, and what an advance of the test clock does with the column. */
export interface Wake {
  readonly column: string;
  /** The column gets this value when the clock of the account `a` ticks again. */
  readonly awake: string;
  /** The condition of the rows that get the value; without a condition all rows that wait get the value. */
  readonly woken?: string;
  /** An advance puts these rows asleep, so that it alone takes them. Without it a case takes the row and sees that the clock is held. */
  readonly asleep?: { readonly value: string; readonly from: string; readonly is: string; readonly counted: string };
}

/** What waits in one place: SQL over the rows `w` of its table and their account `a`. */
export interface Waiting {
  readonly table: string;
  /** The key of the case that sees to the row; without a case the row's own id. */
  readonly key: string;
  /** Several rows may have one key. */
  readonly several?: true;
  /** The condition that the row still waits. */
  readonly waits: string;
  readonly due: Due;
  /** The kind of the case that sees to the row; without a kind a run does. */
  readonly case?: string;
  /** An advance of the test clock tells the case to look when the advance ends. */
  readonly looksAfterAdvance?: true;
  /** The table of the object that the key names first. An operator finds the case by that object. */
  readonly object?: string;
  /** A case that is late by fewer seconds may be at work, and recovery leaves it alone. Without a number recovery asks in every run. */
  readonly lateSeconds?: number;
  /** The order among what an advance does at one instant (docs/product/collection.md#order-at-one-instant). Without a rank no advance does it. */
  readonly rank?: string;
  /** An advance does it so many seconds after its instant. */
  readonly doneAfter?: number;
  readonly wake?: Wake;
  /** The condition of the rows of the account `$1`'s sandbox, where no index finds the rows by their account. */
  readonly ofSandbox?: string;
}

/** Recovery leaves a case alone for three minutes after its instant, and asks for it no more often. */
export const LATE_SECONDS = 3 * MINUTE;
/** An advance moves its clock all the time, so recovery asks for the case of a clock that stands still for so long. */
const STUCK_SECONDS = 15;

/** Sessions come behind the cycles and the reminders of an instant, and the health of endpoints comes behind sessions. */
const SESSION_RANK = '6';
const HEALTH_RANK = '7';

const asleep = { value: 'NULL', from: 'w.wake_at IS NOT NULL', is: 'w.wake_at IS NULL' };

/** Rows with their instants in real seconds. */
const wakeAt = (at: string, counted: string) => ({
  column: 'wake_at',
  awake: `w.${at} - a.sandbox_offset_seconds`,
  asleep: { ...asleep, counted },
});

const MANDATE = {
  table: 'mandate',
  key: 'w.id',
  case: 'pix-mandate',
  object: 'mandate',
  lateSeconds: LATE_SECONDS,
} as const;

/** Everything that waits for an instant or for somebody else, and whose case it is (docs/design/outbox-and-cases.md#what-waits). */
export const waiting = {
  ladder: {
    case: 'webhook-delivery',
    table: 'delivery',
    key: `w.event_id || '/' || w.endpoint_id || '/' || w.ladder`,
    waits: `w.stage = 'ladder'`,
    due: inRealTime('w.claimable_at'),
    looksAfterAdvance: true,
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
    looksAfterAdvance: true,
    lateSeconds: LATE_SECONDS,
  },
  clock: {
    case: 'test-clock',
    table: '(SELECT id, id AS account_id, false AS live_mode, clock_target, clock_moved_at FROM account)',
    key: 'w.id',
    waits: 'w.clock_target IS NOT NULL',
    // Recovery goes on after the instant where it stopped. By the present instant it asks for the clock in every run.
    due: { ...inRealTime('w.clock_moved_at'), since: 'now()' },
    lateSeconds: STUCK_SECONDS,
  },
  charge: {
    case: 'charge-reconciliation',
    object: 'payment_intent',
    table: 'charge_attempt',
    key: 'w.intent_id',
    waits: `w.status = 'sent'`,
    due: inRealTime('w.deadline_at'),
    lateSeconds: LATE_SECONDS,
  },
  card: {
    case: 'stored-card',
    object: 'payment_method',
    table: 'payment_method',
    key: 'w.id',
    waits: 'w.asked_at IS NOT NULL',
    due: inRealTime('w.asked_at'),
    lateSeconds: LATE_SECONDS,
  },
  mandate: {
    ...MANDATE,
    waits: `w.status = 'pending'`,
    due: onClock('w.expires_at'),
    looksAfterAdvance: true,
    rank: '3',
  },
  mandateAsked: { ...MANDATE, waits: 'w.asked_at IS NOT NULL', due: inRealTime('w.asked_at') },
  return: {
    case: 'refund-settlement',
    object: 'payment_intent',
    table: 'refund_part',
    key: 'w.intent_id',
    several: true,
    waits: `w.status = 'refunding'`,
    due: onClock('coalesce(w.retry_at, w.created)'),
    looksAfterAdvance: true,
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
    looksAfterAdvance: true,
    lateSeconds: LATE_SECONDS,
    rank: '0',
    // The acquirer settles it about so long after it confirmed it.
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
  },
  retired: {
    case: 'pix-expiry',
    object: 'pix_charge',
    table: 'pix_charge',
    key: 'w.id',
    waits: `w.state = 'retiring'`,
    due: onClock('w.created'),
  },
  step: {
    table: 'invoice',
    key: 'w.id',
    waits: 'w.step_at IS NOT NULL',
    due: onClock('w.step_at'),
    rank: stepRank('w.step'),
    wake: wakeAt('step_at', 'invoicesWoken'),
  },
  cycle: {
    table: 'subscription',
    key: 'w.id',
    waits: 'w.due_at IS NOT NULL',
    due: onClock('w.due_at'),
    rank: dueRank('w.due'),
    wake: wakeAt('due_at', 'subscriptionsWoken'),
  },
  session: {
    table: 'checkout_session',
    key: 'w.id',
    waits: 'w.due_at IS NOT NULL',
    due: onClock('w.due_at'),
    rank: SESSION_RANK,
    wake: wakeAt('due_at', 'sessionsWoken'),
  },
  recovery: {
    case: 'webhook-recovery',
    object: 'webhook_endpoint',
    table: 'webhook_recovery',
    key: 'w.endpoint_id',
    waits: `w.status = 'running'`,
    due: inRealTime('w.due_at'),
    looksAfterAdvance: true,
    lateSeconds: LATE_SECONDS,
  },
  export: {
    case: 'export-file',
    object: 'export',
    table: 'export',
    key: 'w.id',
    waits: `w.status = 'pending'`,
    due: inRealTime('w.due_at'),
    looksAfterAdvance: true,
    lateSeconds: LATE_SECONDS,
  },
  health: {
    table: 'webhook_endpoint',
    key: 'w.id',
    waits: IS_FAILING,
    due: onClock(HEALTH_DUE_AT),
    rank: HEALTH_RANK,
  },
  // The first attempt of a delivery. While the clock is held, an advance makes the attempt at the instant of the clock.
  fresh: {
    table: 'delivery',
    key: `w.event_id || '/' || w.endpoint_id || '/' || w.ladder`,
    waits: `w.stage = 'fresh'`,
    due: inRealTime('w.claimable_at'),
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
    ofSandbox:
      'NOT w.live_mode AND w.endpoint_id IN (SELECT e.id FROM webhook_endpoint e WHERE e.account_id = $1 AND NOT e.live_mode)',
  },
} as const satisfies Readonly<Record<string, Waiting>>;

type Waits = typeof waiting;

/** What an advance of the test clock does at its instant. */
export type Source = { [Name in keyof Waits]: Waits[Name] extends { rank: string } ? Name : never }[keyof Waits];

/** Cases that the outbox asks for and the relay reaches. */
export type OutboxKind = Extract<Waits[keyof Waits], { case: string }>['case'];

// The names of a literal are those of its type.
export const waitingPlaces = Object.entries(waiting) as readonly (readonly [
  keyof Waits,
  Waiting & { case?: OutboxKind },
])[];

export const outboxKinds: readonly OutboxKind[] = [
  ...new Set(waitingPlaces.flatMap(([, { case: kind }]) => kind ?? [])),
];

/** The places in which something waits for the case of a kind. */
export const placesOf = (kind: OutboxKind): readonly Waiting[] =>
  waitingPlaces.flatMap(([, place]) => (place.case === kind ? [place] : []));

/** SQL for the rows of the account `$1`'s sandbox. */
export const ofSandbox = (place: Waiting): string => place.ofSandbox ?? 'w.account_id = $1 AND NOT w.live_mode';
