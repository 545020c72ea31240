import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { deliverFrom, eventOf } from '../support.ts';

/** An API whose first deliveries are sent when a test says so, without Temporal. */
export class DeliveryScene {
  #api: TestApi | null = null;

  constructor(options: () => Promise<Parameters<typeof startApi>[0]> = async () => ({})) {
    beforeAll(async () => {
      this.#api = await startApi(await options());
    });
    afterEach(() => this.#endLadders());
    afterAll(() => this.api.stop());
  }

  get api(): TestApi {
    if (this.#api === null) throw new Error('the API starts before the first test');
    return this.#api;
  }

  get pool() {
    return this.api.composition.deps.pool;
  }

  async receiver(answer: Receiver['answer'] = () => 200): Promise<Receiver> {
    const started = await startReceiver();
    started.answer = answer;
    onTestFinished(() => started.stop());
    return started;
  }

  /** Deliveries are sent from now until the test ends. */
  deliver(options?: Parameters<typeof deliverFrom>[1]): void {
    const running = deliverFrom(this.api, options);
    onTestFinished(() => running.stop());
  }

  async productEvent(shop: Merchant): Promise<string> {
    return eventOf(shop, (await newProduct(shop)).id, 'product.created');
  }

  async ladderOf(eventId: string) {
    const { rows } = await this.pool.query(
      'SELECT endpoint_id, status, stage, attempts, next_attempt_at FROM delivery WHERE event_id = $1',
      [eventId],
    );
    return rows[0];
  }

  async outboxKeys(): Promise<string[]> {
    const { rows } = await this.pool.query('SELECT kind, key FROM outbox ORDER BY id');
    return rows.map((row) => `${row.kind} ${row.key}`);
  }

  /** What failed is not tried again here; the audit takes unfinished ladders of endpoints that are gone. */
  async #endLadders(): Promise<void> {
    await this.pool.query('UPDATE webhook_endpoint SET deleted_at = $1', [this.api.clock.now()]);
    await this.pool.query(
      `UPDATE delivery SET status = 'failed', stage = 'done', next_attempt_at = NULL WHERE stage <> 'done'`,
    );
    await this.pool.query('DELETE FROM outbox');
  }
}
