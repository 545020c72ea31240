import { randomBytes } from 'node:crypto';
import type { Subscription } from '@fatura/sdk';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODES } from '../../../server/kernel/mode.ts';
import { scheduleId } from '../../../workflows/run-shards.ts';
import { runsOf } from '../../../workflows/schedules.ts';
import type { RunningWorker } from '../../../workflows/worker.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { clientOf, eventually, workerFor } from '../support.ts';

const TEST_MS = 90_000;
const DAY = 86_400;

let api: RealTimeApi;
let client: Client;
let worker: RunningWorker;
let merchant: Merchant;
const prefix = `test-${randomBytes(6).toString('hex')}-`;

beforeAll(async () => {
  // No contract knows prices by the second: answers that show one would be refused.
  api = await startRealTimeApi({ validateResponses: false });
  await api.composition.deps.pool.query('ALTER TABLE price DROP CONSTRAINT price_recurring_interval_check');
  client = clientOf(api);
  worker = workerFor(api, { schedulePrefix: prefix, runEvery: { 'billing-run': '1 second' } });
  await eventually('the worker', async () => worker.isTemporalUp);
  merchant = await api.newMerchant();
  // No letter has a word for seconds.
  const occasions = { subscription_begun: false, suspended: false, reactivated: false, canceled: false };
  await merchant.fatura.account.update({ mail_settings: { occasions } });
});

afterAll(async () => {
  await worker.stop(); // it makes those anew that are deleted
  for (const { run, mode } of runsOf(MODES)) await client.schedule.getHandle(prefix + scheduleId(run, mode)).delete();
  await client.connection.close();
  await api.stop();
});

const pool = () => api.composition.deps.pool;

/** An active subscription that renews every so many seconds. */
async function subscribeBySeconds(seconds: number, card: string): Promise<Subscription> {
  const [customer, monthly] = [await newCustomer(merchant), await newMonthly(merchant)];
  await pool().query(`UPDATE price SET recurring_interval = 'second', recurring_interval_count = $2 WHERE id = $1`, [
    monthly.id,
    seconds,
  ]);
  const { id } = await merchant.fatura.subscriptions.create({ customer_id: customer.id, price_id: monthly.id });
  return merchant.fatura.subscriptions.checkout(id, byCard(card));
}

/** The account's days, in seconds. */
const collectWithin = (after: { charges: number[]; overdue: number; suspend: number; cancel: number }) =>
  pool().query(
    'UPDATE collection_settings SET retry_days = $2, overdue_days = $3, suspend_days = $4, cancel_days = $5 WHERE account_id = $1',
    [
      merchant.accountId,
      after.charges.map((seconds) => seconds / DAY),
      after.overdue / DAY,
      after.suspend / DAY,
      after.cancel / DAY,
    ],
  );

/** Types of all events of a subscription, in their order, each with its seconds after the first period began. */
async function eventsOf({ id, current_period_start: start }: Subscription): Promise<[type: string, after: number][]> {
  const { rows } = await pool().query<{ type: string; created: number }>(
    'SELECT type, created FROM event WHERE related @> ARRAY[$1] ORDER BY id',
    [id],
  );
  return rows.map(({ type, created }) => [type, Number(created) - (start ?? 0)]);
}

const typesOf = async (subscription: Subscription): Promise<string[]> =>
  (await eventsOf(subscription)).map(([type]) => type);

const paid = ['payment_intent.created', 'payment_intent.processing', 'payment_intent.paid', 'invoice.paid'];
const failed = ['payment_intent.processing', 'payment_intent.failed', 'invoice.payment_failed'];
const first = [
  'subscription.created',
  'invoice.created',
  ...paid,
  'subscription.activated',
  'subscription.period_started',
];
const renewed = ['subscription.period_started', 'invoice.created', ...paid];

test(
  'a card is charged for one cycle after the other by the schedule',
  async () => {
    const subscription = await subscribeBySeconds(4, cards.approved);
    const whole = [...first, ...renewed, ...renewed, ...renewed];
    await eventually('three renewals', async () => (await typesOf(subscription)).length >= whole.length);
    await merchant.fatura.subscriptions.cancel(subscription.id);
    const events = await eventsOf(subscription);
    expect(events.map(([type]) => type)).toEqual([...whole, 'subscription.canceled']);
    const started = events.filter(([type]) => type === 'subscription.period_started').map(([, after]) => after);
    for (const [cycle, after] of started.entries()) {
      expect(after).toBeGreaterThanOrEqual(cycle * 4);
      expect(after).toBeLessThan((cycle + 1) * 4);
    }
  },
  TEST_MS,
);

test(
  'a card that is declined leads to overdue, suspended and cancelled by the timers of its case alone',
  async () => {
    await collectWithin({ charges: [2, 4], overdue: 3, suspend: 6, cancel: 9 });
    const subscription = await subscribeBySeconds(8, cards.renewals_declined);
    await eventually('the end', async () => {
      const { status } = await merchant.fatura.subscriptions.retrieve(subscription.id);
      // From the first decline on nothing but the case does what is due.
      if (status !== 'inactive' && (await typesOf(subscription)).includes('invoice.payment_failed'))
        await client.schedule.getHandle(`${prefix}billing-run-sandbox`).pause();
      return status === 'inactive';
    });
    const events = await eventsOf(subscription);
    expect(events.map(([type]) => type)).toEqual([
      ...first,
      'subscription.period_started',
      'invoice.created',
      'payment_intent.created',
      ...failed,
      ...failed,
      'invoice.overdue',
      'subscription.overdue',
      ...failed,
      'subscription.suspended',
      'payment_intent.discarded',
      'invoice.marked_uncollectible',
      'subscription.canceled',
    ]);
    const at = (type: string) => events.find(([told]) => told === type)?.[1] ?? 0;
    for (const [type, due] of [
      ['invoice.overdue', 8 + 3],
      ['subscription.suspended', 8 + 6],
      ['subscription.canceled', 8 + 9],
    ] as const) {
      expect(at(type)).toBeGreaterThanOrEqual(due);
      expect(at(type)).toBeLessThanOrEqual(due + 3);
    }
    expect(await client.workflow.getHandle(`collection/${subscription.id}`).result()).toBe('The subscription ended.');
  },
  TEST_MS,
);
