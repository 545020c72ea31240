import type pg from 'pg';
import { clockOf } from '../../accounts/scope.ts';
import { run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { Loop } from '../../jobs/loop.ts';
import { RoundRobin } from '../../jobs/round-robin.ts';
import type { Mode } from '../../kernel/mode.ts';
import { realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { type AttemptTools, attemptOnce, type DeliveryRow } from './attempt.ts';
import { claimAll, claimDays, claimNamed, putOff } from './claim.ts';
import { deliveryKey } from './results.ts';
import type { Allowances, SendingWindow } from './window.ts';

const BATCH_MAX = 100;
/** A claim of a few rows costs as much as one of many: as long as the window is busy, it is not asked for less. */
const BATCH_LEAST = 25;
/** With less room nothing is claimed. */
const CLAIM_LEAST = 10;
/** Results that may wait for the database before more is sent. */
const UNRECORDED_MAX = 2_000;
const CLAIM_SPACING_MS = 8;
/** Between two looks at all. */
const SWEEP_MS = 500;
/** The same while some may have more waiting than the window had room for. */
const SWEEP_SOON_MS = 100;
/** A look at very many rests so many times as long as it took, but no longer than this: a slow moment is soon over. */
const SWEEP_REST = 50;
const SWEEP_REST_MAX_MS = 5_000;
/** Room that is given back in this time is filled in one claim, unless it is much. */
const ROOM_MS = 40;
const RETRY_MS = 500;
/** Between two looks at all days: now and then, and often for a minute after one that found something. */
const EVERY_DAY_MS = 30_000;
const EVERY_DAY_SOON_MS = 500;
const SOON_FOR_MS = 60_000;

interface FirstDeliveriesOptions extends AttemptTools {
  readonly mode: Mode;
  readonly deps: Pick<Deps, 'clock' | 'logger' | 'metrics' | 'posts'>;
  /** Connections of its own: deliveries go on whatever else the process does. */
  readonly pool: pg.Pool;
}

/** Sends the first attempt of every delivery of a mode as soon as it is committed (docs/design/deliveries.md#first-deliveries). */
export class FirstDeliveries {
  readonly #options: FirstDeliveriesOptions;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #window: SendingWindow;
  /** Claims of whoever has something new or room again: it waits for no look at all the others. */
  readonly #loop: Loop;
  readonly #sweeps: Loop;
  readonly #roundRobin = new RoundRobin();
  /** Who has something new, or room again. */
  #named = new Set<string>();
  /** Receivers whose budget is used up, and until when. */
  readonly #spent = new Map<string, number>();
  #everyDayAtMs = 0;
  #soonUntilMs = 0;
  /** Whether room in the window lets more be claimed, and how much was given back since the last claim. */
  #wantsRoom = false;
  #givenBack = 0;

  constructor(options: FirstDeliveriesOptions) {
    this.#options = options;
    const { mode, deps } = options;
    const common = {
      logger: deps.logger,
      what: `deliveries to claim (${mode})`,
      retryMs: RETRY_MS,
      spacingMs: CLAIM_SPACING_MS,
    };
    this.#loop = new Loop({ ...common, turn: (reached) => this.#claimOfNamed(reached) });
    this.#sweeps = new Loop({ ...common, turn: (reached) => this.#claimOfAll(reached) });
    this.#window = options.windows[options.mode];
    this.#window.onRoom((accountId) => {
      if (!this.#wantsRoom) return;
      this.#named.add(accountId);
      this.#givenBack += 1;
      if (this.#givenBack >= BATCH_LEAST) this.#loop.wake();
    });
  }

  /** New deliveries of accounts were committed; null: of any. */
  wake(accounts: readonly string[] | null): void {
    if (accounts === null) this.#sweeps.wake();
    else for (const id of accounts) this.#named.add(id);
    this.#loop.wake();
  }

  /** Claims no more, and resolves when what is in flight is recorded. */
  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#sweeps.stop()]);
    await Promise.all(this.#inFlight.values());
  }

  /** How many rows a claim may take; so few that it is not worth its while: none. */
  #most({ total }: Allowances): number {
    const max = Math.min(BATCH_MAX, total, UNRECORDED_MAX - this.#options.recorder.waiting);
    return max < CLAIM_LEAST ? 0 : max;
  }

  /** Claims once, of those that were notified, and answers how long nothing more is to be expected unless a notification comes. */
  async #claimOfNamed(reached: () => void): Promise<number> {
    const accounts = this.#named;
    const allowances = this.#allowances(accounts);
    const max = this.#most(allowances);
    this.#wantsRoom ||= max === 0;
    if (accounts.size === 0 || max === 0) return this.#wantsRoom ? ROOM_MS : SWEEP_MS;
    const { mode, pool } = this.#options;
    this.#named = new Set();
    this.#givenBack = 0;
    const rows = await claimNamed(pool, { mode, max, allowances, accounts });
    reached();
    for (const row of rows) this.#begin(row);
    // That nobody lacks room, only a look at all tells.
    this.#wantsRoom ||= isLimited(allowances, rows);
    if (rows.length < max) return this.#wantsRoom ? ROOM_MS : SWEEP_MS;
    // Those whose turn did not come are the first of the next claim.
    const served = new Set(rows.map(({ accountId }) => accountId));
    this.#named = new Set([...accounts.difference(served), ...this.#named, ...served]);
    return 0;
  }

  /** The same of all: nobody tells of a lease that ran out, of what is sent again, or of a notification that was lost. */
  async #claimOfAll(reached: () => void): Promise<number> {
    const allowances = this.#allowances(null);
    const max = this.#most(allowances);
    this.#wantsRoom = true;
    if (max === 0) return SWEEP_SOON_MS;
    const { mode, pool } = this.#options;
    const begunMs = realTimeMs();
    const everyDay = begunMs >= this.#everyDayAtMs;
    const rows = await claimAll(pool, { mode, max, allowances, after: this.#roundRobin.after, everyDay });
    reached();
    if (everyDay) this.#lookedAtEveryDay(rows);
    for (const row of rows) this.#begin(row);
    // Those without room let it be known when they answer.
    this.#wantsRoom = isLimited(allowances, rows);
    const endpoints = rows.map((row) => row.endpointId);
    // Nothing is sent to those that are gone: no room that is given back would tell of more.
    if (this.#roundRobin.took(endpoints, max) || rows.some(({ gone }) => gone)) return 0;
    const tookMs = realTimeMs() - begunMs;
    const restMs = Math.min(tookMs * SWEEP_REST, SWEEP_REST_MAX_MS);
    return Math.max(this.#wantsRoom ? SWEEP_SOON_MS : SWEEP_MS, restMs);
  }

  /** What is sent again is of any day, and comes in turns. */
  #lookedAtEveryDay(rows: readonly DeliveryRow[]): void {
    const { from } = claimDays(false);
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
  #allowances(accounts: ReadonlySet<string> | null): Allowances {
    const allowances = this.#window.allowances(accounts);
    const spent: Record<string, number> = {};
    for (const [id, untilMs] of this.#spent) {
      if (realTimeMs() >= untilMs) this.#spent.delete(id);
      else spent[id] = 0;
    }
    return { ...allowances, byEndpoint: { ...allowances.byEndpoint, ...spent } };
  }

  #begin(row: DeliveryRow): void {
    const key = deliveryKey(row);
    // Its lease ran out while its result waits for the database.
    if (this.#inFlight.has(key)) return;
    const { logger } = this.#options.deps;
    const done = this.#attempt(row)
      .catch((error) => logger.error({ err: error, delivery: key }, 'a delivery was not recorded'))
      .finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, done);
  }
}

/** Whether a receiver may have more waiting than it was allowed. */
function isLimited({ byEndpoint, byDefault }: Allowances, rows: readonly DeliveryRow[]): boolean {
  if (Object.values(byEndpoint).includes(0)) return true;
  const claimed = Map.groupBy(rows, (row) => row.endpointId);
  return [...claimed].some(([id, taken]) => taken.length >= (byEndpoint[id] ?? byDefault));
}
