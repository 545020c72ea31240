import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODES } from '../../../server/kernel/mode.ts';
import { scheduleId } from '../../../workflows/run-shards.ts';
import { runsOf } from '../../../workflows/schedules.ts';
import type { RunningWorker } from '../../../workflows/worker.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards } from '../../support/cards.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { subscribe, subscribeByCard } from '../../support/subscriptions.ts';
import { clientOf, eventually, keepHistory, workerFor } from '../support.ts';

const TEST_MS = 60_000;
const DAY = 86_400;

/** After the last instant that JavaScript can tell a civil date of. */
const BEYOND_THE_CALENDAR = 9e12;

const failpoints = new Failpoints();
let api: TestApi;
let client: Client;
let worker: RunningWorker;
const prefix = `test-${randomBytes(6).toString('hex')}-`;

beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  api.clock.advanceToHour(12); // reminders are due on their days at this hour, and not on others at the first of letters
  client = clientOf(api);
  // The runs come when they are triggered, and not by themselves in between.
  const runEvery = { 'billing-run': '1 day', 'case-recovery-run': '1 day', 'mail-run': '1 day' } as const;
  worker = workerFor(api, { schedulePrefix: prefix, runEvery });
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop(); // it makes those anew that are deleted
  for (const { run, mode } of runsOf(MODES)) await client.schedule.getHandle(prefix + scheduleId(run, mode)).delete();
  await client.connection.close();
  await api.stop();
});

const schedule = () => client.schedule.getHandle(`${prefix}billing-run-sandbox`);

const every = (interval: '1 second' | '1 day') =>
  schedule().update((described) => ({ ...described, spec: { intervals: [{ every: interval }] } }));

/** The run that the schedule began last. */
const newest = async () => (await schedule().describe()).info.recentActions.at(-1)?.action.workflow;

/** Triggers the run as an operator does, and answers the workflow that it began. */
async function triggered(): Promise<string> {
  const before = await newest();
  await schedule().trigger();
  const began = await eventually('the run to begin', async () => {
    const last = await newest();
    return last?.firstExecutionRunId !== before?.firstExecutionRunId && last;
  });
  return began.workflowId;
}

const countsOf = async (workflowId: string): Promise<Record<string, number>> =>
  client.workflow.getHandle(workflowId).result();

const counted = async () => countsOf(await triggered());

async function subscribeByPix(merchant: Merchant): Promise<void> {
  const { id } = await subscribe(merchant);
  const { latest_invoice: first } = await merchant.fatura.subscriptions.checkout(id, { payment_method_type: 'pix' });
  const { payment_intent: intent } = await merchant.fatura.invoices.retrieve(first ?? '');
  await merchant.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
}

/** Subscriptions are cancelled at the end of a test, so that the next one has its own alone. */
async function cancelAll(merchant: Merchant): Promise<void> {
  for (const { id } of await merchant.fatura.subscriptions.list({ status: 'active' }).all({ max: 100 }))
    await merchant.fatura.subscriptions.cancel(id);
}

test(
  'a run tells an operator what was due and what it came to',
  async () => {
    const merchant = await api.newMerchant();
    const { current_period_end: end } = await subscribeByCard(merchant);
    await subscribeByCard(merchant, cards.mastercard);
    await subscribeByCard(merchant, cards.renewals_declined);
    await subscribeByPix(merchant);
    const to = (instant: number) => api.clock.advance(instant - api.clock.now());

    to((end ?? 0) - 3 * DAY);
    expect(await counted()).toEqual({ due: 2, billed: 1, remind: 1 });
    to(end ?? 0);
    const began = await triggered();
    expect(await countsOf(began)).toEqual({ due: 5, approved: 2, declined: 1, period_started: 1, remind: 1 });
    await keepHistory(client, began, 'billing-run');
    to((end ?? 0) + DAY);
    expect(await counted()).toEqual({ due: 1, mark_overdue: 1 });
    // From here on the invoice is its case's.
    expect(await counted()).toEqual({ due: 0 });
    await cancelAll(merchant);
  },
  TEST_MS,
);

test(
  'while a run is at work it tells so, and the next one is left out',
  async () => {
    const merchant = await api.newMerchant();
    const { current_period_end: end } = await subscribeByCard(merchant);
    api.clock.advance((end ?? 0) - api.clock.now());
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    failpoints.meanwhile('card.after-attempt', () => {
      reached.resolve();
      return gate.promise;
    });
    await every('1 second');
    await reached.promise;
    const skips = async () => (await schedule().describe()).info.numActionsSkippedOverlap;
    await eventually('the next to be left out', async () => (await skips()) > 0);
    await every('1 day');
    const began = (await newest())?.workflowId ?? '';
    await eventually('a heartbeat', async () => {
      const { raw } = await client.workflow.getHandle(began).describe();
      return raw.pendingActivities?.[0]?.lastHeartbeatTime;
    });
    gate.resolve();
    expect(await countsOf(began)).toEqual({ due: 1, approved: 1 });
    await cancelAll(merchant);
  },
  TEST_MS,
);

test(
  'one that cannot be billed is told to the operator and holds up no other',
  async () => {
    const merchant = await api.newMerchant();
    const { current_period_end: end } = await subscribeByCard(merchant);
    const broken = await subscribeByCard(merchant);
    await subscribeByCard(merchant);
    const { pool, metrics } = api.composition.deps;
    const anchorAt = (anchor: number) =>
      pool.query('UPDATE subscription SET billing_cycle_anchor = $2 WHERE id = $1', [broken.id, anchor]);
    await anchorAt(BEYOND_THE_CALENDAR);
    api.clock.advance((end ?? 0) - api.clock.now());
    expect(await counted()).toEqual({ due: 3, approved: 2, failed: 1 });
    expect(await metrics.registry.metrics()).toContain('fatura_alarms_total{kind="billing_failed"} 1');
    await anchorAt(broken.billing_cycle_anchor);
    expect(await counted()).toEqual({ due: 1, approved: 1 });
    await cancelAll(merchant);
  },
  TEST_MS,
);
