import type pg from 'pg';
import { clockOf } from '../../accounts/scope.ts';
import { Loop } from '../../db/loop.ts';
import { Paces } from '../../db/paces.ts';
import { askingInTurn, Rotation } from '../../db/rotation.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { amountOf } from '../../kernel/budgets.ts';
import type { Lane } from '../../kernel/lane.ts';
import { DAY, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { type AttemptTools, attemptOnce, DELIVERY_COLUMNS, DELIVERY_JOINS, type DeliveryRow } from './attempt.ts';
import { deliveryKey } from './results.ts';
import type { Allowances, SendingWindow } from './window.ts';

const BATCH_MAX = 100;
/** A claim of a few rows costs as much as one of many: as long as the window is busy, it is not asked for less. */
const BATCH_LEAST = 25;
/** Results that may wait for the database before more is sent. */
const UNRECORDED_MAX = 2_000;
const CLAIM_SPACING_MS = 8;
const POLL_MS = 500;
const RETRY_MS = 500;
/** Between two looks at all days: now and then, and often for a minute after one that found something. */
const EVERY_DAY_MS = 30_000;
const EVERY_DAY_SOON_MS = 500;
const SOON_FOR_MS = 60_000;

interface FirstDeliveriesOptions extends AttemptTools {
  readonly lane: Lane;
  readonly deps: Pick<Deps, 'clock' | 'logger' | 'metrics' | 'posts'>;
  /** Connections of its own: deliveries go on whatever else the process does. */
  readonly pool: pg.Pool;
}

/** Sends the first attempt of every delivery of a lane as soon as it is committed (docs/design/deliveries.md#first-deliveries). */
export class FirstDeliveries {
  readonly #options: FirstDeliveriesOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #window: SendingWindow;
  readonly #loop: Loop;
  readonly #rotation = new Rotation();
  /** How fast the unstable receivers of an account are tried: what fails becomes a case, of which it has so many a second. */
  readonly #paces: Paces;
  readonly #casesPerSecond: number;
  /** Receivers whose budget is used up, and until when. */
  readonly #spent = new Map<string, number>();
  #everyDayAtMs = 0;
  #soonUntilMs = 0;
  /** Whether room in the window lets more be claimed. */
  #wantsRoom = false;

  constructor(options: FirstDeliveriesOptions) {
    this.#options = options;
    this.#casesPerSecond = amountOf('cases', { liveMode: options.lane === 'live' });
    this.#paces = new Paces(this.#casesPerSecond);
    this.#loop = new Loop({
      logger: options.deps.logger,
      what: 'deliveries to claim',
      turn: (reached) => this.#claim(reached),
      retryMs: RETRY_MS,
      spacingMs: CLAIM_SPACING_MS,
    });
    this.#window = options.windows[options.lane];
    this.#window.onRoom(() => {
      if (this.#wantsRoom) this.#loop.wake();
    });
  }

  /** New deliveries were committed. */
  wake(): void {
    this.#loop.wake();
  }

  /** Claims no more, and resolves when what is under way is recorded. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#underWay.values());
  }

  /** Claims once, and answers how long nothing more is to be expected unless the bell rings. */
  async #claim(reached: () => void): Promise<number> {
    const { lane, pool, recorder } = this.#options;
    const allowances = this.#allowances();
    const max = Math.min(BATCH_MAX, allowances.total, UNRECORDED_MAX - recorder.waiting);
    this.#wantsRoom = true;
    if (max < BATCH_LEAST) return POLL_MS;
    const everyDay = realTimeMs() >= this.#everyDayAtMs;
    const rows = await claimDeliveries(pool, { lane, max, allowances, after: this.#rotation.after, everyDay });
    reached();
    if (everyDay) this.#lookedAtEveryDay(rows);
    for (const row of rows) this.#begin(row);
    const endpoints = rows.map((row) => row.endpointId);
    // Nothing is sent to those that are gone: no room that is given back would tell of more.
    if (this.#rotation.took(endpoints, max) || rows.some(({ gone }) => gone)) return 0;
    // Nothing more is due at receivers with room; those without let it be known when they answer.
    this.#wantsRoom = isLimited(allowances, rows);
    return POLL_MS;
  }

  /** What is sent again is of any day, and comes in turns. */
  #lookedAtEveryDay(rows: readonly DeliveryRow[]): void {
    const { from } = daysOf(false);
    if (rows.some(({ day }) => day < from)) this.#soonUntilMs = realTimeMs() + SOON_FOR_MS;
    this.#everyDayAtMs = realTimeMs() + (realTimeMs() < this.#soonUntilMs ? EVERY_DAY_SOON_MS : EVERY_DAY_MS);
  }

  async #attempt(row: DeliveryRow): Promise<void> {
    const { clock, posts } = this.#options.deps;
    const at = () => clock.now(clockOf(row));
    if (row.gone || row.liveMode) return attemptOnce(this.#options, row, { at: at() });
    // Its place is taken at once, so that the next claim knows of it.
    const ticket = this.#window.begin(row);
    const waits = await posts.take(row).catch((error: unknown) => {
      this.#window.leave(row.endpointId, ticket);
      throw error;
    });
    if (waits === null) return attemptOnce(this.#options, row, { at: at(), ticket });
    this.#window.leave(row.endpointId, ticket);
    this.#spent.set(row.endpointId, realTimeMs() + waits * SECOND_MS);
    const { day, eventId, endpointId, ladder } = row;
    await run(this.#options.pool, putOff, { day, eventId, endpointId, ladder, seconds: waits });
  }

  /** What the window allows, and nothing of receivers that have had what they may have for now. */
  #allowances(): Allowances {
    const allowances = this.#window.allowances();
    const spent: Record<string, number> = {};
    for (const [id, untilMs] of this.#spent) {
      if (realTimeMs() >= untilMs) this.#spent.delete(id);
      else spent[id] = 0;
    }
    return { ...allowances, byEndpoint: { ...allowances.byEndpoint, ...spent } };
  }

  /** An attempt that will fail takes one of the cases that its account may have in a second. */
  #pace({ accountId, endpointId, unstable }: DeliveryRow): void {
    const waitMs = unstable ? this.#paces.spend(accountId, this.#casesPerSecond) : 0;
    if (waitMs > 0) this.#spent.set(endpointId, realTimeMs() + waitMs);
  }

  #begin(row: DeliveryRow): void {
    const key = deliveryKey(row);
    // Its lease ran out while its result waits for the database.
    if (this.#underWay.has(key)) return;
    this.#pace(row);
    const { logger } = this.#options.deps;
    const done = this.#attempt(row)
      .catch((error) => logger.error({ err: error, delivery: key }, 'a delivery was not recorded'))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, done);
  }
}

/** It is claimed again once the budget that it waits for may have room. */
const putOff = acrossAccounts(
  'put_off_delivery',
  `UPDATE delivery d SET claimable_at = now() + make_interval(secs => :seconds)
   WHERE d.day = :day AND d.event_id = :eventId AND d.endpoint_id = :endpointId AND d.ladder = :ladder AND d.stage = 'fresh'`,
);

/** Whether a receiver may have more waiting than it was allowed. */
function isLimited({ byEndpoint, byDefault }: Allowances, rows: readonly DeliveryRow[]): boolean {
  if (Object.values(byEndpoint).includes(0)) return true;
  const claimed = Map.groupBy(rows, (row) => row.endpointId);
  return [...claimed].some(([id, taken]) => taken.length >= (byEndpoint[id] ?? byDefault));
}

/** Longer than an attempt can take; a worker that died holds its rows no longer. */
const LEASE_SECONDS = 60;

/**
 * Takes fresh deliveries endpoint by endpoint, each up to its allowance, going on after the endpoint that came last.
 *
 * The index is stepped through from endpoint to endpoint, so neither a receiver with a long backlog nor the number of rows
 * pending makes a claim slower. The commit does not wait for the disk: a lease that a crash of the database forgets costs a
 * repetition, as one that runs out does.
 */
const claimFresh = acrossAccounts<DeliveryRow>(
  'claim_fresh_deliveries',
  `WITH RECURSIVE ${askingInTurn({
    table: 'delivery',
    column: 'endpoint_id',
    which: `n.live_mode = :liveMode AND n.stage = 'fresh' AND n.day BETWEEN :from AND :to`,
  })}, picked AS (
    SELECT p.* FROM (SELECT id, coalesce((:byEndpoint::jsonb ->> id)::int,
        (SELECT CASE WHEN e.deleted_at IS NOT NULL OR e.status = 'disabled' THEN :max::int
          WHEN e.consecutive_failures > 0 THEN :byDefaultUnwell::int ELSE :byDefault::int END FROM webhook_endpoint e WHERE e.id = asking.id)) AS allowance
      FROM asking WHERE id IS NOT NULL) w,
      LATERAL (SELECT d.day, d.event_id, d.endpoint_id, d.ladder FROM delivery d
        WHERE d.live_mode = :liveMode AND d.stage = 'fresh' AND d.day BETWEEN :from AND :to AND d.endpoint_id = w.id AND d.claimable_at <= now()
        ORDER BY d.claimable_at LIMIT w.allowance FOR UPDATE SKIP LOCKED) p
    LIMIT :max
  ), leased AS (
    UPDATE delivery d SET claimable_at = now() + interval '${LEASE_SECONDS} seconds' FROM picked p
    WHERE d.day = p.day AND d.event_id = p.event_id AND d.endpoint_id = p.endpoint_id AND d.ladder = p.ladder
    RETURNING d.day, d.event_id, d.endpoint_id, d.ladder, d.account_id, d.live_mode, d.attempts, d.first_attempt_at
  )
  SELECT ${DELIVERY_COLUMNS} FROM (SELECT set_config('synchronous_commit', 'off', true)) AS hasty CROSS JOIN leased d ${DELIVERY_JOINS}`,
);

const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Partitions to look into: those of these days nearly always, and now and then every one, for what an outage left. */
function daysOf(every: boolean): { from: string; to: string } {
  if (every) return { from: '-infinity', to: 'infinity' };
  return { from: dayText(realTimeMs() - DAY * SECOND_MS), to: dayText(realTimeMs() + DAY * SECOND_MS) };
}

interface Claim {
  readonly lane: Lane;
  readonly max: number;
  readonly allowances: Allowances;
  /** The endpoint to go on after. */
  readonly after: string;
  readonly everyDay: boolean;
}

function claimDeliveries(pool: pg.Pool, claim: Claim): Promise<DeliveryRow[]> {
  const { byEndpoint, byDefault, byDefaultUnwell } = claim.allowances;
  const allowances = { byEndpoint: JSON.stringify(byEndpoint), byDefault, byDefaultUnwell };
  const liveMode = claim.lane === 'live';
  return run(pool, claimFresh, {
    ...daysOf(claim.everyDay),
    liveMode,
    after: claim.after,
    max: claim.max,
    ...allowances,
  });
}
