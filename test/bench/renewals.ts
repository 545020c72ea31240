import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { AT_ONCE_DEFAULT } from '../../server/jobs/due-run.ts';
import { changeBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { openClient } from '../../workflows/temporal.ts';
import { boxOf } from '../support/secret-box.ts';
import type { Bench, BenchContext } from './bench.ts';
import { type CeilingRun, createCeilingRun } from './ceiling.ts';
import { multiply, plantTemplates } from './renewal-seeds.ts';
import type { Stage } from './stage.ts';
import { type Figure, percent } from './table.ts';
import { Teardown } from './teardown.ts';
import { familyMemoryMiB, measureCores, memoryOf } from './usage.ts';

const SIZES = { full: [1_000, 10_000, 100_000], quick: [2_000] };
const LATENCIES_MS = [0, 300];
const RUN = 'billing-run-sandbox';
const POLL_MS = 100;
const GOALS = { perSecond: 300, share: 0.9, linear: 0.8, events: 0.2 };
/** Longer than any month. */
const PERIOD_SECONDS = 31 * 86_400;
/** Slower than any machine that is worth a figure. */
const LEAST_PER_SECOND = 10;
const SLACK_MS = 180_000;

interface Scene {
  readonly context: BenchContext;
  readonly stage: Stage;
  /** Subscriptions that fall due at once. */
  readonly count: number;
  readonly client: Client;
  readonly ceiling: CeilingRun;
  readonly watched: { readonly worker: number; readonly temporal: number; readonly postgres: number };
}

interface Renewed {
  readonly latencyMs: number;
  readonly figure: Figure;
  readonly eventsACycle: number;
  readonly statementsACycle: number;
  readonly workerMiB: number | null;
  readonly databaseMiB: number | null;
}

async function setScene(
  context: BenchContext,
  { teardown, size }: { teardown: Teardown; size: number },
): Promise<Scene> {
  const postgresSettings = { shared_preload_libraries: 'pg_stat_statements' };
  const stage = await context.setStage({ teardown, postgresSettings });
  await stage.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const templates = await plantTemplates(stage);
  const { rows } = await stage.pool.query<{ id: string }>('SELECT id FROM customer');
  const customers = rows.map(({ id }) => id);
  const ceiling = await createCeilingRun(context, stage, customers);
  const count = await multiply(stage, templates, size);
  const { address, worker, temporal } = await stage.startWorker();
  const client = openClient(
    { address, namespace: 'default', apiKey: null, tls: null },
    await boxOf(stage.pool, stage.keys),
  );
  teardown.add(() => client.connection.close());
  await untilScheduled(client);
  return { context, stage, count, client, ceiling, watched: { worker, temporal, postgres: stage.pids.postgres } };
}

async function untilScheduled(client: Client): Promise<void> {
  for (;;) {
    const found = await client.schedule
      .getHandle(RUN)
      .describe()
      .catch(() => null);
    if (found !== null) return;
    await sleep(POLL_MS);
  }
}

/** Makes every subscription due at one instant, as its account's clock is moved, and waits until each is renewed and paid. */
async function renewAll(scene: Scene, latencyMs: number): Promise<Renewed> {
  const { stage, count, client, watched, context } = scene;
  const { accountId, pool } = stage;
  await changeBehaviour(pool, { accountId, call: 'chargeCard', changes: { latency_ms: latencyMs } });
  const paidBefore = await paidRenewals(stage);
  const eventsBefore = await historyEvents(client);
  await pool.query('SELECT pg_stat_statements_reset()');
  const finish = measureCores(watched);
  const startedMs = performance.now();
  await pool.query(MOVE_CLOCK, [accountId, PERIOD_SECONDS]);
  // Counted by its schedule, which otherwise starts another beside it at the next minute.
  await client.schedule.getHandle(RUN).trigger(ScheduleOverlapPolicy.BUFFER_ONE);
  await untilRenewed(scene, (count / LEAST_PER_SECOND) * 1_000 + SLACK_MS);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cores = finish();
  const statements = await statementsRun(stage);
  const renewed = (await paidRenewals(stage)) - paidBefore;
  if (renewed !== count) throw new Error(`${count} fell due and ${renewed} were renewed and paid`);
  const perSecond = count / seconds;
  const eventsACycle = ((await historyEvents(client)) - eventsBefore) / count;
  context.say(`${count} at ${latencyMs} ms: ${Math.round(perSecond)} a second`);
  return {
    latencyMs,
    figure: {
      what: `renewals, ${count.toLocaleString('en')} due, acquirer at ${latencyMs} ms`,
      perSecond,
      cores,
    },
    eventsACycle,
    statementsACycle: statements / count,
    workerMiB: memoryOf(watched.worker).peakMiB,
    databaseMiB: familyMemoryMiB(watched.postgres),
  };
}

/** The clock and what wakes by it, in one transaction. */
const MOVE_CLOCK = `WITH moved AS (
    UPDATE account SET sandbox_offset_seconds = sandbox_offset_seconds + $2 WHERE id = $1 RETURNING sandbox_offset_seconds AS ahead
  ) UPDATE subscription s SET wake_at = s.due_at - moved.ahead FROM moved WHERE s.due_at IS NOT NULL`;

const LEFT = `SELECT EXISTS(SELECT FROM subscription WHERE wake_at <= extract(epoch FROM now()))
  OR EXISTS(SELECT FROM charge_attempt WHERE status = 'sent') AS left`;

async function untilRenewed({ stage }: Scene, timeoutMs: number): Promise<void> {
  const endsMs = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await stage.pool.query<{ left: boolean }>(LEFT);
    if (rows[0]?.left === false) return;
    if (performance.now() > endsMs) throw new Error(`not everything was renewed within ${timeoutMs} ms`);
    await sleep(POLL_MS);
  }
}

async function paidRenewals({ pool }: Stage): Promise<number> {
  const paid = `SELECT count(*)::int AS count FROM invoice WHERE billing_reason = 'subscription_cycle' AND status = 'paid'`;
  return (await pool.query<{ count: number }>(paid)).rows[0]?.count ?? 0;
}

/** Statements that the service ran, transaction control among them; not what this bench asks. */
async function statementsRun({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `SELECT sum(calls)::float8 AS calls FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database() AND toplevel`,
  );
  return rows[0]?.calls ?? 0;
}

/** Events in the histories of all runs and of every case of this service. */
async function historyEvents(client: Client): Promise<number> {
  let events = 0;
  for await (const { historyLength } of client.workflow.list()) events += historyLength ?? 0;
  return events;
}

interface Measured {
  readonly measured: readonly Renewed[];
  readonly ceilings: readonly [Figure, Figure];
}

/** Each size on a stage of its own, between two measurements of what its PostgreSQL commits with nothing in front of it. */
async function measure(context: BenchContext, size: number): Promise<Measured> {
  const teardown = new Teardown();
  context.teardown.add(() => teardown.run());
  context.say(`${size.toLocaleString('en')} subscriptions`);
  const scene = await setScene(context, { teardown, size });
  const measured: Renewed[] = [];
  context.say('ceiling, before');
  const before = await scene.ceiling();
  for (const latencyMs of LATENCIES_MS) measured.push(await renewAll(scene, latencyMs));
  context.say('ceiling, after');
  const after = await scene.ceiling();
  await teardown.run();
  return { measured, ceilings: [before.figure, after.figure] };
}

/** Subscriptions renewed by card when many fall due at once, by one worker process and its schedule. */
export const renewals: Bench = async (context) => {
  const sizes: Measured[] = [];
  for (const size of context.isQuick ? SIZES.quick : SIZES.full) sizes.push(await measure(context, size));
  return {
    figures: sizes.flatMap(({ measured, ceilings: [before, after] }) => [
      before,
      ...measured.map((renewed) => noted(renewed, (before.perSecond + after.perSecond) / 2)),
      after,
    ]),
    notes: notesOf(sizes.flatMap(({ measured }) => measured)),
  };
};

const noted = (renewed: Renewed, ceiling: number): Figure => {
  const { figure, latencyMs, eventsACycle, statementsACycle, workerMiB, databaseMiB } = renewed;
  const ideal = latencyMs === 0 ? null : AT_ONCE_DEFAULT / (latencyMs / 1_000);
  const share = ideal === null ? '' : `${percent(figure.perSecond / ideal)} of ${AT_ONCE_DEFAULT} at once; `;
  const perCycle = `${statementsACycle.toFixed(1)} statements and ${eventsACycle.toFixed(3)} history events a cycle`;
  return {
    ...figure,
    note: `${percent(figure.perSecond / ceiling)} of the ceiling; ${share}${perCycle}; worker ${workerMiB} MiB, database ${databaseMiB} MiB`,
  };
};

function notesOf(measured: readonly Renewed[]): string[] {
  return LATENCIES_MS.map((latencyMs) => {
    const rates = measured.filter((of) => of.latencyMs === latencyMs).map(({ figure }) => figure.perSecond);
    const [first = Number.NaN] = rates;
    const last = rates.at(-1) ?? Number.NaN;
    return `at ${latencyMs} ms: the rate at the largest is ${(last / first).toFixed(2)} of that at the smallest (goal: at least ${GOALS.linear})`;
  }).concat(
    `goals: ${GOALS.perSecond} a second at 0 ms, ${percent(GOALS.share)} of what the charges at once allow at 300 ms, fewer than ${GOALS.events} history events a cycle`,
  );
}
