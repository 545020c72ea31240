import type pg from 'pg';
import { scopeOf } from '../../accounts/clock.ts';
import { Bell } from '../../db/bell.ts';
import { Outage } from '../../db/outage.ts';
import type { Deps } from '../../deps.ts';
import { realTimeMs } from '../../kernel/time.ts';
import { NOT_SENT, outgoingOf, type SendOnce, toRecord, wasAnswered } from './attempt.ts';
import { claimDeliveries } from './claim.ts';
import type { SendResult } from './http/sender.ts';
import { deliveryKey, type Recorder } from './results.ts';
import type { DeliveryRow } from './row.ts';
import type { Ladder } from './rules.ts';
import type { Allowances, SendingWindow } from './window.ts';

const BATCH_MAX = 100;
/** A claim of a few rows costs as much as one of many: as long as the window is busy, it is not asked for less. */
const BATCH_LEAST = 25;
/** Results that may wait for the database before more is sent. */
const UNRECORDED_MAX = 2_000;
const CLAIM_SPACING_MS = 8;
const POLL_MS = 500;
const RETRY_MS = 500;
const EVERY_DAY_MS = 30_000;

export interface DelivererOptions {
  readonly deps: Pick<Deps, 'clock' | 'logger' | 'metrics'>;
  /** Connections of its own: deliveries go on whatever else the process does. */
  readonly pool: pg.Pool;
  readonly sendOnce: SendOnce;
  readonly recorder: Recorder;
  readonly window: SendingWindow;
  readonly ladder: Ladder;
}

export interface Deliverer {
  /** New deliveries were committed. */
  wake(): void;
  /** Claims no more, and resolves when what is under way is recorded. */
  stop(): Promise<void>;
}

/** Sends the first attempt of every delivery as soon as it is committed (design, rule 10). */
class FirstDeliveries implements Deliverer {
  readonly #options: DelivererOptions;
  readonly #bell = new Bell();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #outage: Outage;
  readonly #running: Promise<void>;
  #stopping = false;
  #after = '';
  #everyDayAtMs = 0;
  /** Whether room in the window lets more be claimed. */
  #wantsRoom = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#outage = new Outage(options.deps.logger, 'deliveries to claim');
    this.#running = this.#run();
  }

  wake(): void {
    this.#bell.ring();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#bell.ring();
    await this.#running;
    await Promise.all(this.#underWay.values());
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const startedMs = performance.now();
      try {
        const waitMs = await this.#claim();
        this.#outage.end();
        if (waitMs > 0 && !this.#stopping) await this.#bell.wait(waitMs);
      } catch (error) {
        this.#outage.begin(error);
        await this.#bell.wait(RETRY_MS);
      }
      const restMs = CLAIM_SPACING_MS - (performance.now() - startedMs);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  /** Claims once, and answers how long nothing more is to be expected unless the bell rings. */
  async #claim(): Promise<number> {
    const { pool, recorder, window } = this.#options;
    const allowances = window.allowances();
    const max = Math.min(BATCH_MAX, allowances.total, UNRECORDED_MAX - recorder.waiting);
    this.#wantsRoom = true;
    if (max < BATCH_LEAST) return POLL_MS;
    const everyDay = realTimeMs() >= this.#everyDayAtMs;
    const rows = await claimDeliveries(pool, { max, allowances, after: this.#after, everyDay });
    if (everyDay) this.#everyDayAtMs = realTimeMs() + EVERY_DAY_MS;
    for (const row of rows) this.#begin(row);
    const wrapped = this.#after !== '' && rows.length < max;
    this.#after =
      rows.length < max
        ? ''
        : (rows
            .map((row) => row.endpoint_id)
            .sort()
            .at(-1) ?? '');
    if (rows.length === max || wrapped) return 0;
    // Nothing more is due at receivers with room; those without let it be known when they answer.
    this.#wantsRoom = isLimited(allowances, rows);
    return POLL_MS;
  }

  #begin(row: DeliveryRow): void {
    const key = deliveryKey({ eventId: row.event_id, endpointId: row.endpoint_id, ladder: row.ladder });
    // Its lease ran out while its result waits for the database.
    if (this.#underWay.has(key)) return;
    const { logger } = this.#options.deps;
    const done = this.#deliver(row)
      .catch((error) => logger.error({ err: error, delivery: key }, 'a delivery was not recorded'))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, done);
  }

  async #deliver(row: DeliveryRow): Promise<void> {
    const { deps, recorder } = this.#options;
    const ref = { day: row.day, eventId: row.event_id, endpointId: row.endpoint_id, ladder: row.ladder };
    const at = deps.clock.now(scopeOf(row));
    if (row.gone) {
      await recorder.record({ ...ref, ...NOT_SENT, attempt: 0, at });
      return;
    }
    const result = await this.#send(row, at);
    deps.metrics.deliveries.inc({ outcome: result.ok ? 'delivered' : result.failure });
    const options = { ladder: this.#options.ladder, firstAttemptAt: at };
    await recorder.record(toRecord({ ...ref, attempt: 1, at }, result, options));
  }

  async #send(row: DeliveryRow, now: number): Promise<SendResult> {
    const { sendOnce, window } = this.#options;
    const ticket = window.begin(row.endpoint_id, row.unwell);
    let end = { durationMs: 0, answered: false };
    try {
      const result = await sendOnce(outgoingOf(row), now);
      end = { durationMs: result.durationMs, answered: wasAnswered(result) };
      return result;
    } finally {
      window.end(row.endpoint_id, ticket, end);
      if (this.#wantsRoom) this.#bell.ring();
    }
  }
}

/** Whether a receiver may have more waiting than it was allowed. */
function isLimited({ byEndpoint, byDefault }: Allowances, rows: readonly DeliveryRow[]): boolean {
  if (Object.values(byEndpoint).includes(0)) return true;
  const claimed = Map.groupBy(rows, (row) => row.endpoint_id);
  return [...claimed].some(([id, taken]) => taken.length >= (byEndpoint[id] ?? byDefault));
}

export const startDeliverer = (options: DelivererOptions): Deliverer => new FirstDeliveries(options);
