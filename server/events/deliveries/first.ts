import type pg from 'pg';
import { clockOf } from '../../accounts/scope.ts';
import { Loop } from '../../db/loop.ts';
import type { Deps } from '../../deps.ts';
import { realTimeMs } from '../../kernel/time.ts';
import { type AttemptTools, attemptOnce } from './attempt.ts';
import { claimDeliveries } from './claim.ts';
import { deliveryKey } from './results.ts';
import type { DeliveryRow } from './row.ts';
import type { Allowances } from './window.ts';

const BATCH_MAX = 100;
/** A claim of a few rows costs as much as one of many: as long as the window is busy, it is not asked for less. */
const BATCH_LEAST = 25;
/** Results that may wait for the database before more is sent. */
const UNRECORDED_MAX = 2_000;
const CLAIM_SPACING_MS = 8;
const POLL_MS = 500;
const RETRY_MS = 500;
const EVERY_DAY_MS = 30_000;

export interface DelivererOptions extends AttemptTools {
  readonly deps: Pick<Deps, 'clock' | 'logger' | 'metrics'>;
  /** Connections of its own: deliveries go on whatever else the process does. */
  readonly pool: pg.Pool;
}

export interface Deliverer {
  /** New deliveries were committed. */
  wake(): void;
  /** Claims no more, and resolves when what is under way is recorded. */
  stop(): Promise<void>;
}

/** Sends the first attempt of every delivery as soon as it is committed (docs/design/deliveries.md#first-deliveries). */
class FirstDeliveries implements Deliverer {
  readonly #options: DelivererOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #loop: Loop;
  #after = '';
  #everyDayAtMs = 0;
  /** Whether room in the window lets more be claimed. */
  #wantsRoom = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#loop = new Loop({
      logger: options.deps.logger,
      what: 'deliveries to claim',
      turn: (reached) => this.#claim(reached),
      retryMs: RETRY_MS,
      spacingMs: CLAIM_SPACING_MS,
    });
    options.window.onRoom(() => {
      if (this.#wantsRoom) this.#loop.wake();
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#underWay.values());
  }

  /** Claims once, and answers how long nothing more is to be expected unless the bell rings. */
  async #claim(reached: () => void): Promise<number> {
    const { pool, recorder, window } = this.#options;
    const allowances = window.allowances();
    const max = Math.min(BATCH_MAX, allowances.total, UNRECORDED_MAX - recorder.waiting);
    this.#wantsRoom = true;
    if (max < BATCH_LEAST) return POLL_MS;
    const everyDay = realTimeMs() >= this.#everyDayAtMs;
    const rows = await claimDeliveries(pool, { max, allowances, after: this.#after, everyDay });
    reached();
    if (everyDay) this.#everyDayAtMs = realTimeMs() + EVERY_DAY_MS;
    for (const row of rows) this.#begin(row);
    const wrapped = this.#after !== '' && rows.length < max;
    this.#after =
      rows.length < max
        ? ''
        : (rows
            .map((row) => row.endpointId)
            .sort()
            .at(-1) ?? '');
    if (rows.length === max || wrapped) return 0;
    // Nothing more is due at receivers with room; those without let it be known when they answer.
    this.#wantsRoom = isLimited(allowances, rows);
    return POLL_MS;
  }

  #begin(row: DeliveryRow): void {
    const key = deliveryKey(row);
    // Its lease ran out while its result waits for the database.
    if (this.#underWay.has(key)) return;
    const { clock, logger } = this.#options.deps;
    const done = attemptOnce(this.#options, row, { at: clock.now(clockOf(row)) })
      .catch((error) => logger.error({ err: error, delivery: key }, 'a delivery was not recorded'))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, done);
  }
}

/** Whether a receiver may have more waiting than it was allowed. */
function isLimited({ byEndpoint, byDefault }: Allowances, rows: readonly DeliveryRow[]): boolean {
  if (Object.values(byEndpoint).includes(0)) return true;
  const claimed = Map.groupBy(rows, (row) => row.endpointId);
  return [...claimed].some(([id, taken]) => taken.length >= (byEndpoint[id] ?? byDefault));
}

export const startDeliverer = (options: DelivererOptions): Deliverer => new FirstDeliveries(options);
