import { randomBytes } from 'node:crypto';
import type { Invoice, Subscription } from '@fatura/sdk';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll } from 'vitest';
import type { Counts } from '../../../workflows/activities.ts';
import { faturaAccount, faturaNextDue, faturaObject, faturaStatus } from '../../../workflows/cases/attributes.ts';
import { queueOf } from '../../../workflows/cases/queues.ts';
import type { RunName } from '../../../workflows/runs.ts';
import type { RunningWorker } from '../../../workflows/worker.ts';
import { type Merchant, nextHour, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { subscribe, subscribeByCard } from '../../support/subscriptions.ts';
import { clientOf, eventually, workerFor } from '../support.ts';

const DAY = 86_400;

/** Seconds after a renewal is due, in place of an account's days. */
export interface Pace {
  readonly charges: readonly number[];
  readonly overdue: number;
  readonly suspend: number;
  readonly cancel: number;
}

/** What an operator sees of a case. */
export interface Shown {
  readonly type: string;
  readonly account: string | undefined;
  readonly object: string | undefined;
  readonly status: string | undefined;
  readonly nextDue: Date | undefined;
  /** The current details. */
  readonly note: string;
}

/** A subscription with the newest of its bills. */
export interface Renewed {
  readonly subscription: Subscription;
  readonly invoice: Invoice;
}

/** Collection in real time: an API on its own clock and a worker whose timers are Temporal's. */
export class CollectionScene {
  #api: RealTimeApi | null = null;
  #client: Client | null = null;
  #worker: RunningWorker | null = null;
  readonly taskQueue = `test-${randomBytes(6).toString('hex')}`;

  constructor(options: Parameters<typeof startRealTimeApi>[0] = {}) {
    beforeAll(async () => {
      this.#api = await startRealTimeApi(options);
      this.#client = clientOf(this.#api);
      this.#worker = workerFor(this.#api, { taskQueue: this.taskQueue });
      await eventually('the worker', async () => this.#worker?.isTemporalUp);
    });
    afterAll(async () => {
      await this.#worker?.stop();
      await this.#client?.connection.close();
      await this.#api?.stop();
    });
  }

  get api(): RealTimeApi {
    if (this.#api === null) throw new Error('the API starts before the first test');
    return this.#api;
  }

  get client(): Client {
    if (this.#client === null) throw new Error('the client is opened before the first test');
    return this.#client;
  }

  get pool() {
    return this.api.composition.deps.pool;
  }

  /** An account that collects in seconds, and at noon: its reminders are written at once, whatever hour it is. */
  async merchant({ charges, overdue, suspend, cancel }: Pace): Promise<Merchant> {
    const merchant = await this.api.newMerchant({ clock: nextHour(Math.floor(Date.now() / 1_000), 12) });
    const inDays = [charges.map((after) => after / DAY), overdue / DAY, suspend / DAY, cancel / DAY];
    await this.pool.query(
      'UPDATE collection_settings SET retry_days = $2, overdue_days = $3, suspend_days = $4, cancel_days = $5 WHERE account_id = $1',
      [merchant.accountId, ...inDays],
    );
    return merchant;
  }

  async advance({ accountId, fatura }: Merchant, to: number): Promise<void> {
    await fatura.testClock.advance({ to });
    const waiting = () => this.pool.query('SELECT FROM outbox WHERE account_id = $1', [accountId]);
    await eventually('its cases to be told', async () => (await waiting()).rowCount === 0);
  }

  /** An active one that is paid by card. */
  subscribed(merchant: Merchant, number?: string): Promise<Subscription> {
    return subscribeByCard(merchant, number);
  }

  /** The subscription whose next bill is due at this moment of its account's clock, with that bill. */
  async renewed(merchant: Merchant, { id, at }: { id: string; at: number }): Promise<Renewed> {
    await this.advance(merchant, at);
    const subscription = await merchant.fatura.subscriptions.retrieve(id);
    return { subscription, invoice: await merchant.fatura.invoices.retrieve(subscription.latest_invoice ?? '') };
  }

  /** One by card whose first renewal is charged at this moment. */
  async renewedByCard(merchant: Merchant, number: string): Promise<Renewed> {
    const { id, current_period_end: end } = await this.subscribed(merchant, number);
    return this.renewed(merchant, { id, at: end ?? 0 });
  }

  /** One by PIX whose second bill is due at this moment. */
  async dueByPix(merchant: Merchant): Promise<Renewed> {
    const { id } = await subscribe(merchant);
    const { latest_invoice: first } = await merchant.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
    const { payment_intent: intent } = await merchant.fatura.invoices.retrieve(first ?? '');
    await merchant.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    const { current_period_end: end } = await merchant.fatura.subscriptions.retrieve(id);
    return this.renewed(merchant, { id, at: end ?? 0 });
  }

  /** Begins a run as its schedule does, and answers what it counted. */
  run(run: RunName): Promise<Counts> {
    const workflowId = `${run}-${randomBytes(6).toString('hex')}`;
    return this.client.workflow.execute(run, {
      workflowId,
      taskQueue: queueOf(this.taskQueue, 'sandbox'),
      args: ['sandbox'],
    });
  }

  async shown(id: string): Promise<Shown> {
    const handle = this.client.workflow.getHandle(id);
    const [{ type, typedSearchAttributes: found }, metadata] = await Promise.all([
      handle.describe(),
      handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata'),
    ]);
    return {
      type,
      account: found.get(defineSearchAttributeKey(faturaAccount.name, faturaAccount.type)),
      object: found.get(defineSearchAttributeKey(faturaObject.name, faturaObject.type)),
      status: found.get(defineSearchAttributeKey(faturaStatus.name, faturaStatus.type)),
      nextDue: found.get(defineSearchAttributeKey(faturaNextDue.name, faturaNextDue.type)),
      note: metadata.currentDetails ?? '',
    };
  }

  /** What an operator sees once a case has come to a status. */
  untilShown(id: string, status: string): Promise<Shown> {
    return eventually(`${id} to be ${status}`, async () => {
      const shown = await this.shown(id).catch(() => null);
      return shown?.status === status && shown;
    });
  }

  /** What a case did, as its history tells it. */
  async activitiesOf(id: string): Promise<string[]> {
    const { events } = await this.client.workflow.getHandle(id).fetchHistory();
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name == null ? [] : [scheduled.activityType.name],
    );
  }

  /** How often a case began: once, unless somebody ended it or it was over before. */
  async runsOf(id: string): Promise<number> {
    let runs = 0;
    for await (const _ of this.client.workflow.list({ query: `WorkflowId = "${id}"` })) runs += 1;
    return runs;
  }

  /** How a case ended, in its own words. */
  result(id: string): Promise<string> {
    return this.client.workflow.getHandle(id).result();
  }

  /** Types of the events of a subscription and of all that hangs on it, from its newest bill on. */
  async eventsSince({ id }: Subscription, { id: billId }: Invoice): Promise<string[]> {
    const { rows } = await this.pool.query<{ type: string }>(
      `SELECT type FROM event WHERE related @> ARRAY[$1] AND id > (SELECT min(id) FROM event WHERE object_id = $2) ORDER BY id`,
      [id, billId],
    );
    return rows.map(({ type }) => type);
  }
}
