import { run, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { Timestamp } from '../../kernel/time.ts';
import {
  type AttemptTools,
  attemptOnce,
  DELIVERY_COLUMNS,
  DELIVERY_JOINS,
  type DeliveryRow,
  type SendOnce,
  windowOf,
} from './attempt.ts';

/** What sends deliveries while an account's clock is held. */
export interface HeldTools extends AttemptTools {
  readonly deps: Pick<Deps, 'pool' | 'metrics' | 'posts'>;
}

/** Real time that a receiver gets for an attempt inside an advance (docs/product/test-clock.md#deliveries-during-an-advance). Milliseconds. */
const TIMEOUT_MS = 2_000;
/** What one gets that timed out too often in the same advance. */
const TIMEOUT_TIRED_MS = 50;
const TIMEOUTS_MAX = 3;
const BATCH_MAX = 200;

/** No pool claims what has no instant in real time. */
const findHeld = statement<DeliveryRow>(
  'find_held_deliveries',
  `SELECT ${DELIVERY_COLUMNS} FROM (
     SELECT f.* FROM webhook_endpoint o JOIN delivery f ON f.endpoint_id = o.id
     WHERE o.account_id = :accountId AND NOT o.live_mode AND NOT f.live_mode AND f.stage = 'fresh' AND f.claimable_at = 'infinity'
     UNION ALL
     SELECT l.* FROM delivery l
     WHERE l.account_id = :accountId AND NOT l.live_mode AND l.stage = 'ladder' AND l.next_attempt_at <= :at
   ) d ${DELIVERY_JOINS}
   ORDER BY d.event_id, d.endpoint_id LIMIT ${BATCH_MAX}`,
);

const findNext = statement<{ at: Timestamp | null }>(
  'find_next_held_attempt',
  `SELECT min(d.next_attempt_at) AS at FROM delivery d
   WHERE d.account_id = :accountId AND NOT d.live_mode AND d.stage = 'ladder'`,
);

const findInFlight = statement(
  'find_first_attempt_in_flight',
  `SELECT FROM webhook_endpoint e JOIN delivery d ON d.endpoint_id = e.id
   WHERE e.account_id = :accountId AND NOT e.live_mode AND NOT d.live_mode AND d.stage = 'fresh' AND d.claimable_at > now() AND d.claimable_at < 'infinity' LIMIT 1`,
);

/**
 * Whether first attempts that began before the clock was held are still in flight: their ladders begin with their results.
 * That of a process that died is awaited as long as its lease.
 */
export const hasAttemptsInFlight = async ({ deps: { pool } }: HeldTools, accountId: string): Promise<boolean> =>
  (await run(pool, findInFlight, { accountId })).length > 0;

/** Sends what falls due to webhooks while an account's clock is held; remembers who timed out during one advance. */
export class HeldDeliveries {
  readonly #tools: HeldTools;
  readonly #accountId: string;
  readonly #timeouts = new Map<string, number>();

  constructor(tools: HeldTools, accountId: string) {
    this.#tools = tools;
    this.#accountId = accountId;
  }

  /** When the next later attempt of a ladder is due; null: no ladder is in flight. */
  async nextAt(): Promise<Timestamp | null> {
    const { pool } = this.#tools.deps;
    const [row] = await run(pool, findNext, { accountId: this.#accountId });
    return row?.at ?? null;
  }

  /**
   * Makes every attempt that is due at an instant, as many at once as the window takes; answers how many, and after how many
   * seconds the rest may be made where the budget of posts is used up.
   */
  async send(at: Timestamp): Promise<{ sent: number; waits: number | null }> {
    let sent = 0;
    for (;;) {
      const { pool } = this.#tools.deps;
      const rows = await run(pool, findHeld, { accountId: this.#accountId, at });
      const waits = (await Promise.all(rows.map((row) => this.#attempt(row, at)))).filter((wait) => wait !== null);
      sent += rows.length - waits.length;
      if (waits.length > 0) return { sent, waits: Math.min(...waits) };
      if (rows.length < BATCH_MAX) return { sent, waits: null };
    }
  }

  async #attempt(row: DeliveryRow, at: Timestamp): Promise<number | null> {
    const tools = { ...this.#tools, sendOnce: this.#sendInTime };
    const waits = row.gone ? null : await tools.deps.posts.take(row);
    if (waits !== null) return waits;
    await this.#make(tools, row, at);
    return null;
  }

  async #make(tools: HeldTools, row: DeliveryRow, at: Timestamp): Promise<void> {
    if (row.gone) return attemptOnce(tools, row, { at });
    const ticket = await windowOf(tools, row).enter(row);
    return attemptOnce(tools, row, { at, ticket });
  }

  /** Sends with the time that the receiver gets by now; one that timed out meanwhile gets less. */
  readonly #sendInTime: SendOnce = async (delivery, at) => {
    const { endpointId } = delivery;
    const timeoutMs = this.#timeoutsOf(endpointId) >= TIMEOUTS_MAX ? TIMEOUT_TIRED_MS : TIMEOUT_MS;
    const result = await this.#tools.sendOnce(delivery, at, { timeoutMs });
    // Others of the instant may have timed out meanwhile.
    if (!result.ok && result.failure === 'timeout') this.#timeouts.set(endpointId, this.#timeoutsOf(endpointId) + 1);
    return result;
  };

  #timeoutsOf(endpointId: string): number {
    return this.#timeouts.get(endpointId) ?? 0;
  }
}
