import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyShard } from '../../server/kernel/shards.ts';
import { changeBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { scheduleId } from '../../workflows/run-shards.ts';
import { openClient } from '../../workflows/temporal.ts';
import { LEFT, MOVE_CLOCK, multiply, plantTemplates } from '../bench/renewal-seeds.ts';
import type { Merchant } from '../support/api.ts';
import { type Program, type Stack, startStack, until } from '../support/stack.ts';

const TEST_MS = 240_000;
const DUE = 640;
const MONTH_SECONDS = 31 * 86_400;
/** Charges take long until a worker is killed among them. */
const LATENCY_MS = 8_000;
/** A missed heartbeat, and the pause before the next attempt. */
const TAKEN_OVER_MS = 20_000;
const OUTCOMES_MS = 90_000;
/** Temporal answers on the same two cores. */
const LOOK_AGAIN_MS = 500;
/** Of a busy machine. */
const SLACK_MS = 5_000;
const SHARDS = everyShard(4).map((runShard) => scheduleId('billing-run', 'sandbox', runShard));

let stack: Stack;
let client: Client;
let second: Program;
let merchant: Merchant;

beforeAll(async () => {
  stack = await startStack({ settings: { RUN_SHARDS: '4' } });
  second = stack.newWorker();
  await second.start();
  client = openClient(
    { address: stack.temporalAddress, namespace: 'default', apiKey: null, tls: null },
    await stack.secretBox(),
  );
  merchant = await stack.newMerchant();
  await stack.withDatabase(async ({ pool }) => {
    const templates = await plantTemplates(merchant);
    await multiply({ pool, keys: stack.keys }, templates, DUE);
  });
}, TEST_MS);

afterAll(async () => {
  await client.connection.close();
  await second.stop();
  await stack.stop();
}, TEST_MS);

const rowsOf = <Row extends object>(sql: string): Promise<Row[]> =>
  stack.withDatabase(async ({ pool }) => (await pool.query<Row>(sql)).rows);

const paid = async (): Promise<number> => {
  const rows = await rowsOf<{ count: number }>(
    `SELECT count(*)::int AS count FROM invoice WHERE billing_reason = 'subscription_cycle' AND status = 'paid'`,
  );
  return rows[0]?.count ?? 0;
};

/** Has a shard begin, and answers the workflow of its run. */
async function begin(id: string): Promise<string> {
  const handle = client.schedule.getHandle(id);
  await handle.trigger();
  let found: string | undefined;
  await until(`${id} to begin`, async () => {
    await sleep(LOOK_AGAIN_MS);
    found = (await handle.describe()).info.recentActions.at(-1)?.action.workflow.workflowId;
    return found !== undefined;
  });
  return found ?? '';
}

/** The runs that are at work, each with its try and the process that has it. */
async function atWork(runs: readonly string[]) {
  await sleep(LOOK_AGAIN_MS);
  const described = runs.map(async (run) => {
    const { raw } = await client.workflow.getHandle(run).describe();
    return (raw.pendingActivities ?? []).map(({ attempt, lastWorkerIdentity, state }) => ({
      run,
      attempt: attempt ?? 0,
      pid: Number.parseInt(lastWorkerIdentity ?? '', 10),
      // PENDING_ACTIVITY_STATE_STARTED
      isStarted: state === 2,
    }));
  });
  return (await Promise.all(described)).flat();
}

test('a worker that dies with its shards is followed by the other, and nothing is charged twice', {
  timeout: TEST_MS,
}, async () => {
  const { accountId } = merchant;
  const answerAfter = (latency_ms: number) =>
    stack.withDatabase(({ pool }) => changeBehaviour(pool, { accountId, call: 'chargeCard', changes: { latency_ms } }));
  await answerAfter(LATENCY_MS);
  await stack.withDatabase(({ pool }) => pool.query(MOVE_CLOCK, [[accountId], MONTH_SECONDS]));
  const runs = await Promise.all(SHARDS.map(begin));
  await until('both workers to have shards and to charge', async () => {
    const pids = new Set((await atWork(runs)).filter(({ isStarted }) => isStarted).map(({ pid }) => pid));
    return pids.size === 2 && (await paid()) > DUE / 8;
  });
  const held = (await atWork(runs)).filter(({ pid }) => pid === second.pid).map(({ run }) => run);
  expect(held.length).toBeGreaterThan(0);
  const killedAtMs = Date.now();
  await second.kill9();
  await answerAfter(0);
  await until(
    'the other worker to take over',
    async () => {
      const now = await atWork(runs);
      // A shard of which nothing was left is over.
      return held.every((run) => {
        const one = now.find((at) => at.run === run);
        return one === undefined || (one.isStarted && one.pid === stack.worker.pid && one.attempt > 1);
      });
    },
    TAKEN_OVER_MS + SLACK_MS,
  );
  const tookMs = Date.now() - killedAtMs;
  console.log(`taken over after ${tookMs} ms: ${held.join(', ')}`);
  // What became of charges that the dead worker waited for is found out by their cases, after the deadline of the acquirer.
  await until(
    'every charge to have an outcome',
    async () => {
      await sleep(LOOK_AGAIN_MS);
      const [left] = await rowsOf<{ left: boolean }>(LEFT);
      return left?.left === false;
    },
    OUTCOMES_MS,
  );
  const bills = await rowsOf<{ bills: number; outcome: string }>(
    `SELECT count(*)::int AS bills, outcome FROM (
       SELECT i.status || ', ' || count(b.reference) || ' at the bank, ' || string_agg(DISTINCT c.status, ' ') AS outcome
       FROM invoice i JOIN charge_attempt c ON c.invoice_id = i.id LEFT JOIN sandbox_bank.charge b ON b.reference = c.id
       WHERE i.billing_reason = 'subscription_cycle' GROUP BY i.id) each GROUP BY outcome ORDER BY outcome DESC`,
  );
  // The bank of the sandbox dies with its worker: what it had not begun was never charged, and is charged anew by its collection.
  const outcomes = ['paid, 1 at the bank, approved', 'open, 0 at the bank, never_charged'];
  expect(bills.filter(({ outcome }) => !outcomes.includes(outcome))).toEqual([]);
  expect(bills.reduce((sum, { bills: some }) => sum + some, 0)).toBe(DUE);
  const [{ subscriptions } = { subscriptions: 0 }] = await rowsOf<{ subscriptions: number }>(
    `SELECT count(DISTINCT subscription_id)::int AS subscriptions FROM invoice WHERE billing_reason = 'subscription_cycle'`,
  );
  expect(subscriptions).toBe(DUE);
  expect(await stack.audit()).toEqual([]);
});
