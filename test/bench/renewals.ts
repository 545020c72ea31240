import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { CHARGES_AT_ONCE } from '../../server/jobs/due-run.ts';
import { changeBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { openClient } from '../../workflows/temporal.ts';
import { boxOf } from '../support/secret-box.ts';
import type { Bench, BenchContext } from './bench.ts';
import { type CeilingRun, createCeilingRun } from './ceiling.ts';
import { LEFT, MOVE_CLOCK, multiply, plantTemplates } from './renewal-seeds.ts';
import type { Stage } from './stage.ts';
import { type Figure, percent } from './table.ts';
import { Teardown } from './teardown.ts';
import { familyMemoryMiB, measureCores, memoryOf } from './usage.ts';

const SIZES = { full: [1_000, 10_000, 100_000], quick: [2_000] };
const LATENCIES_MS = [0, 300];
const RUN = 'billing-run-sandbox';
/** What is charged: the bank of the sandbox, which commits each charge, or an acquirer that writes nothing, as live mode has. */
const ACQUIRERS = { bank: 'workflows/main.ts', silent: 'test/bench/silent-worker.ts' } as const;
type AcquirerName = keyof typeof ACQUIRERS;
const POLL_MS = 100;
const STATISTICS_MS = 1_500;
const GOALS = {
  perSecond: { bank: 600, silent: 1_000 },
  slow: 800,
  share: 0.25,
  linear: 0.8,
  statements: 1,
  commits: 0.2,
  events: 0.2,
};
/** Longer than any month. */
export const PERIOD_SECONDS = 31 * 86_400;
/** Slower than any machine that is worth a figure. */
const LEAST_PER_SECOND = 10;
const SLACK_MS = 180_000;

export interface RenewalScene {
  readonly context: BenchContext;
  readonly stage: Stage;
  /** Subscriptions that fall due at once. */
  readonly count: number;
  readonly client: Client;
  readonly acquirer: AcquirerName;
  readonly watched: { readonly worker: number; readonly temporal: number; readonly postgres: number };
}

interface Scene extends RenewalScene {
  readonly ceiling: CeilingRun;
}

interface Renewed {
  readonly acquirer: AcquirerName;
  readonly latencyMs: number;
  readonly figure: Figure;
  readonly eventsACycle: number;
  readonly statementsACycle: number;
  readonly commitsACycle: number;
  readonly workerMiB: number | null;
  readonly databaseMiB: number | null;
}

/** What counts the statements of a cycle. */
export const COUNTING = { shared_preload_libraries: 'pg_stat_statements' };

async function setScene(
  context: BenchContext,
  { teardown, size, acquirer }: { teardown: Teardown; size: number; acquirer: AcquirerName },
): Promise<Scene> {
  const stage = await context.setStage({ teardown, postgresSettings: COUNTING });
  const templates = await plantTemplates(stage);
  const { rows } = await stage.pool.query<{ id: string }>('SELECT id FROM customer');
  const customers = rows.map(({ id }) => id);
  const ceiling = await createCeilingRun(context, stage, customers);
  const count = await multiply(stage, templates, size);
  return { ...(await standReady(context, { teardown, stage, count, acquirer })), ceiling };
}

/** Starts what renews the subscriptions of a stage. */
export async function standReady(
  context: BenchContext,
  { teardown, stage, count, acquirer }: { teardown: Teardown; stage: Stage; count: number; acquirer: AcquirerName },
): Promise<RenewalScene> {
  await stage.pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const { address, worker, temporal } = await stage.startWorker({ file: ACQUIRERS[acquirer] });
  const client = openClient(
    { address, namespace: 'default', apiKey: null, tls: null },
    await boxOf(stage.pool, stage.keys),
  );
  teardown.add(() => client.connection.close());
  await untilScheduled(client);
  return { context, stage, count, client, acquirer, watched: { worker, temporal, postgres: stage.pids.postgres } };
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
export async function renewAll(scene: RenewalScene, latencyMs: number): Promise<Renewed> {
  const { stage, count, client, watched, context } = scene;
  const { accountId, pool } = stage;
  await changeBehaviour(pool, { accountId, call: 'chargeCard', changes: { latency_ms: latencyMs } });
  const paidBefore = await paidRenewals(stage);
  const eventsBefore = await historyEvents(client);
  await pool.query('SELECT pg_stat_statements_reset()');
  const commitsBefore = await commitsOf(stage);
  const finish = measureCores(watched);
  const startedMs = performance.now();
  await pool.query(MOVE_CLOCK, [[accountId], PERIOD_SECONDS]);
  // Counted by its schedule, which otherwise starts another beside it at the next minute.
  await client.schedule.getHandle(RUN).trigger(ScheduleOverlapPolicy.BUFFER_ONE);
  const looks = await untilRenewed(scene, (count / LEAST_PER_SECOND) * 1_000 + SLACK_MS);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cores = finish();
  const statements = (await statementsRun(stage)) - looks;
  const commits = (await commitsOf(stage)) - commitsBefore - looks;
  const renewed = (await paidRenewals(stage)) - paidBefore;
  if (renewed !== count) throw new Error(`${count} fell due and ${renewed} were renewed and paid`);
  const perSecond = count / seconds;
  const eventsACycle = ((await historyEvents(client)) - eventsBefore) / count;
  context.say(`${count} at ${latencyMs} ms: ${Math.round(perSecond)} a second`);
  return {
    ...{ latencyMs, acquirer: scene.acquirer, commitsACycle: commits / count },
    figure: {
      what: `renewals, ${count.toLocaleString('en')} due, ${scene.acquirer} acquirer at ${latencyMs} ms`,
      perSecond,
      cores,
    },
    eventsACycle,
    statementsACycle: statements / count,
    workerMiB: memoryOf(watched.worker).peakMiB,
    databaseMiB: familyMemoryMiB(watched.postgres),
  };
}

/** Answers how often it looked, each time by a statement and a commit of its own. */
async function untilRenewed({ stage }: RenewalScene, timeoutMs: number): Promise<number> {
  const endsMs = performance.now() + timeoutMs;
  for (let looks = 1; ; looks += 1) {
    const { rows } = await stage.pool.query<{ left: boolean }>(LEFT);
    if (rows[0]?.left === false) return looks;
    if (performance.now() > endsMs) throw new Error(`not everything was renewed within ${timeoutMs} ms`);
    await sleep(POLL_MS);
  }
}

export async function paidRenewals({ pool }: Pick<Stage, 'pool'>): Promise<number> {
  const paid = `SELECT count(*)::int AS count FROM invoice WHERE billing_reason = 'subscription_cycle' AND status = 'paid'`;
  return (await pool.query<{ count: number }>(paid)).rows[0]?.count ?? 0;
}

/** Statements that the service ran, transaction control among them; not what PostgreSQL asks itself of foreign keys at a commit. */
async function statementsRun({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `SELECT sum(calls)::float8 AS calls FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database() AND toplevel AND s.query !~ '^SELECT (1|\\$[0-9]+) FROM (ONLY )?"'`,
  );
  return rows[0]?.calls ?? 0;
}

/** What was committed in the database so far; each process tells of its own with a delay of up to a second. */
async function commitsOf({ pool }: Stage): Promise<number> {
  await sleep(STATISTICS_MS);
  const { rows } = await pool.query<{ commits: number }>(
    'SELECT xact_commit::float8 AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.commits ?? 0;
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
async function measure(context: BenchContext, size: number, acquirer: AcquirerName): Promise<Measured> {
  const teardown = new Teardown();
  context.teardown.add(() => teardown.run());
  context.say(`${size.toLocaleString('en')} subscriptions, ${acquirer} acquirer`);
  const scene = await setScene(context, { teardown, size, acquirer });
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
  const acquirers = (Object.keys(ACQUIRERS) as AcquirerName[]).filter(context.wants); // the keys of a literal are those of its type
  for (const acquirer of acquirers)
    for (const size of context.isQuick ? SIZES.quick : SIZES.full) sizes.push(await measure(context, size, acquirer));
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
  const { figure, latencyMs, eventsACycle, statementsACycle, commitsACycle, workerMiB, databaseMiB } = renewed;
  const ideal = latencyMs === 0 ? null : CHARGES_AT_ONCE / (latencyMs / 1_000);
  const share = ideal === null ? '' : `${percent(figure.perSecond / ideal)} of ${CHARGES_AT_ONCE} at once; `;
  const perCycle = `${statementsACycle.toFixed(2)} statements, ${commitsACycle.toFixed(2)} commits and ${eventsACycle.toFixed(3)} history events a cycle`;
  return {
    ...figure,
    note: `${percent(figure.perSecond / ceiling)} of the ceiling; ${share}${perCycle}; worker ${workerMiB} MiB, database ${databaseMiB} MiB`,
  };
};

function notesOf(measured: readonly Renewed[]): string[] {
  const kinds = Map.groupBy(measured, ({ acquirer, latencyMs }) => `${acquirer} acquirer at ${latencyMs} ms`);
  const { perSecond, slow, share, linear, statements, commits, events } = GOALS;
  return [...kinds]
    .map(([kind, of]) => {
      const rates = of.map(({ figure }) => figure.perSecond);
      const [first = Number.NaN] = rates;
      const last = rates.at(-1) ?? Number.NaN;
      return `${kind}: the rate at the largest is ${(last / first).toFixed(2)} of that at the smallest (goal: at least ${linear})`;
    })
    .concat(
      `goals: ${perSecond.silent} a second and ${percent(share)} of the ceiling with the silent acquirer at 0 ms and ${slow} at 300 ms, ${perSecond.bank} with the bank; ${statements} statement and ${commits} commits a cycle but those of the acquirer, fewer than ${events} history events`,
    );
}
