import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { Fatura } from '../../sdk/src/index.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';

import { everyShard } from '../../server/kernel/shards.ts';
import { changeBehaviour } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import { scheduleId } from '../../workflows/run-shards.ts';
import { openClient } from '../../workflows/temporal.ts';
import { unreachedLimits } from '../support/limits.ts';
import { boxOf } from '../support/secret-box.ts';
import type { Bench, BenchContext, Figures } from './bench.ts';
import { LEFT, MOVE_CLOCK, multiply, plantTemplates, subscribeByCard } from './renewal-seeds.ts';
import { PERIOD_SECONDS, paidRenewals } from './renewals.ts';
import type { Stage } from './stage.ts';
import { type Figure, percent } from './table.ts';
import { Teardown } from './teardown.ts';
import { type Cores, measureCores } from './usage.ts';

const SHARDS = 4;
/** Of a worker: half of two cores are idle then, so that more workers bring more. */
const AT_ONCE = 64;
const RUNS = everyShard(SHARDS).map((runShard) => scheduleId('billing-run', 'sandbox', runShard));
const LATENCY_MS = 300;
const POLL_MS = 100;
/** Slower than any machine that is worth a figure. */
const LEAST_PER_SECOND = 10;
const SLACK_MS = 180_000;
const SIZES = {
  workers: { full: 20_000, quick: 1_000 },
  skew: { full: 100_000, quick: 2_000 },
  kill: { full: 20_000, quick: 2_000 },
};
const SMALL_ACCOUNTS = { full: 200, quick: 20 };
const GOALS = { workers: [1, 1.96, 3.77], skew: 0.1, smallSeconds: 5, killSeconds: 20 };

interface Scene {
  readonly context: BenchContext;
  readonly stage: Stage;
  readonly client: Client;
  readonly workers: readonly number[];
  readonly temporal: number;
}

const sizeOf = ({ isQuick }: BenchContext, sizes: { full: number; quick: number }): number =>
  isQuick ? sizes.quick : sizes.full;

/** So many workers that share the shards, each with as many charges at once as one had alone. */
async function startWorkers(context: BenchContext, stage: Stage, count: number): Promise<Scene> {
  const settings = { RUN_SHARDS: String(SHARDS), CHARGES_AT_ONCE: String(AT_ONCE) };
  const first = await stage.startWorker({ settings });
  const workers = [first.worker];
  while (workers.length < count) workers.push((await stage.startWorker({ settings, beside: first })).worker);
  const to = { address: first.address, namespace: 'default', apiKey: null, tls: null };
  const client = openClient(to, await boxOf(stage.pool, stage.keys));
  const scene = { context, stage, client, workers, temporal: first.temporal };
  await until(SLACK_MS, 'the workers', async () => {
    const up = 'SELECT count(*)::int AS count FROM worker_heartbeat WHERE temporal_ok';
    const { rows } = await stage.pool.query<{ count: number }>(up);
    return (rows[0]?.count ?? 0) >= count;
  });
  return scene;
}

async function until(timeoutMs: number, what: string, holds: () => Promise<boolean>): Promise<void> {
  const endsMs = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > endsMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(POLL_MS);
  }
}

interface Due {
  readonly accounts: readonly string[];
  readonly count: number;
  /** Looked at between two looks at what is left. */
  readonly meanwhile?: (seconds: number) => Promise<void>;
}

interface Renewed {
  readonly seconds: number;
  /** Charges that died with a worker, before the bank of the sandbox in it had begun: their collection charges them anew. */
  readonly neverCharged: number;
  readonly cores: Cores;
}

/** Makes everything of the accounts due at one instant, and waits until it is renewed and paid. */
async function renewAll(scene: Scene, { accounts, count, meanwhile }: Due): Promise<Renewed> {
  const { stage, client, workers, temporal } = scene;
  const paidBefore = await paidRenewals(stage);
  const named = Object.fromEntries(workers.map((pid, nth) => [`worker ${nth + 1}`, pid]));
  const finish = measureCores({ ...named, temporal, postgres: stage.pids.postgres });
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  await stage.pool.query(MOVE_CLOCK, [accounts, PERIOD_SECONDS]);
  // Counted by its schedule, which otherwise starts another beside it at the next minute.
  await Promise.all(RUNS.map((id) => client.schedule.getHandle(id).trigger(ScheduleOverlapPolicy.BUFFER_ONE)));
  await until((count / LEAST_PER_SECOND) * 1_000 + SLACK_MS, 'every renewal', async () => {
    await meanwhile?.(seconds());
    return (await stage.pool.query<{ left: boolean }>(LEFT)).rows[0]?.left === false;
  });
  const took = seconds();
  const cores = finish();
  const renewed = (await paidRenewals(stage)) - paidBefore;
  const neverCharged = await proveChargedOnce(stage);
  if (renewed + neverCharged !== count) throw new Error(`${count} fell due and ${renewed} were renewed and paid`);
  return { seconds: took, neverCharged, cores };
}

/** The bank has one charge of each bill of a cycle that is paid; answers how many have none, and never reached it. */
async function proveChargedOnce({ pool }: Stage): Promise<number> {
  const { rows } = await pool.query<{ paid: number; charges: number; neverCharged: number }>(
    `SELECT count(DISTINCT i.id) FILTER (WHERE i.status = 'paid')::int AS paid, count(b.reference)::int AS charges,
       count(*) FILTER (WHERE c.status = 'never_charged')::int AS "neverCharged"
     FROM invoice i JOIN charge_attempt c ON c.invoice_id = i.id LEFT JOIN sandbox_bank.charge b ON b.reference = c.id
     WHERE i.billing_reason = 'subscription_cycle'`,
  );
  const { paid = 0, charges = 0, neverCharged = 0 } = rows[0] ?? {};
  if (paid !== charges) throw new Error(`${paid} bills were paid, with ${charges} charges at the bank`);
  return neverCharged;
}

const slowDown = ({ stage: { pool, accountId } }: Scene) =>
  changeBehaviour(pool, { accountId, call: 'chargeCard', changes: { latency_ms: LATENCY_MS } });

/** On a stage of its own, which is taken down behind it. */
async function onStage<T>(context: BenchContext, work: (stage: Stage) => Promise<T>): Promise<T> {
  const teardown = new Teardown();
  context.teardown.add(() => teardown.run());
  const done = await work(await context.setStage({ teardown }));
  await teardown.run();
  return done;
}

/** One, two and four workers that share four shards, where the acquirer is the bound. */
export const workers: Bench = async (context) => {
  const measured: (Renewed & { readonly workers: number; readonly due: number })[] = [];
  for (const count of [1, 2, 4]) {
    await onStage(context, async (stage) => {
      context.say(`${count} of 4 workers`);
      const due = await multiply(stage, await plantTemplates(stage), sizeOf(context, SIZES.workers));
      const scene = await startWorkers(context, stage, count);
      await slowDown(scene);
      measured.push({ ...(await renewAll(scene, { accounts: [stage.accountId], count: due })), workers: count, due });
      await scene.client.connection.close();
    });
  }
  const rate = ({ due, seconds }: { due: number; seconds: number }): number => due / seconds;
  const [alone] = measured;
  const figures = measured.map((one, nth): Figure => {
    const times = alone === undefined ? 1 : rate(one) / rate(alone);
    return {
      what: `${one.due.toLocaleString('en')} renewals, acquirer at ${LATENCY_MS} ms, workers: ${one.workers}`,
      perSecond: rate(one),
      cores: one.cores,
      note: `${times.toFixed(2)} × one worker (goal ${GOALS.workers[nth]}); ${AT_ONCE} charges at once a worker`,
    };
  });
  return { figures, notes: [`${SHARDS} shards; every bill has one charge at the bank`] };
};

/** Small accounts, each with a subscription of its own to be copied. */
async function plantSmall(stage: Stage, count: number): Promise<{ accounts: string[]; templates: string[] }> {
  const database = await openDatabase(stage.databaseUrl, { entities, size: 2 });
  const accounts: string[] = [];
  const templates: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const account = await createAccount(database, { name: `Loja ${nth}`, email: 'dono@loja.test' });
    await setLimits(database, account.id, unreachedLimits);
    const fatura = new Fatura({
      apiKey: account.sandbox_key,
      baseUrl: `http://127.0.0.1:${stage.port}`,
      retries: 0,
    });
    accounts.push(account.id);
    templates.push(await subscribeByCard(fatura, nth));
  }
  await database.close();
  return { accounts, templates };
}

interface Shares {
  readonly what: string;
  /** Of all rows those of one account; the rest is of the small ones. */
  readonly ofOne: number;
}

async function renewShares(context: BenchContext, { what, ofOne }: Shares) {
  return onStage(context, async (stage) => {
    context.say(what);
    const size = sizeOf(context, SIZES.skew);
    const small = await plantSmall(stage, sizeOf(context, SMALL_ACCOUNTS));
    const ofSmall = await multiply(stage, small.templates, size * (1 - ofOne));
    const ofLarge = ofOne === 0 ? 0 : await multiply(stage, await plantTemplates(stage), size * ofOne);
    const scene = await startWorkers(context, stage, 2);
    let smallSeconds: number | null = null;
    const meanwhile = async (seconds: number): Promise<void> => {
      if (smallSeconds !== null) return;
      const { rows } = await stage.pool.query<{ paid: number }>(
        `SELECT count(*)::int AS paid FROM invoice WHERE billing_reason = 'subscription_cycle' AND status = 'paid' AND account_id = ANY ($1)`,
        [small.accounts],
      );
      if (rows[0]?.paid === ofSmall) smallSeconds = seconds;
    };
    const count = ofSmall + ofLarge;
    const renewed = await renewAll(scene, { accounts: [stage.accountId, ...small.accounts], count, meanwhile });
    await scene.client.connection.close();
    return { what, count, ofSmall, smallSeconds: smallSeconds ?? renewed.seconds, ...renewed };
  });
}

/** One account has nine tenths of what falls due, and many have the rest; beside it the same rows spread evenly. */
export const skew: Bench = async (context) => {
  const even = await renewShares(context, { what: 'rows of all accounts alike', ofOne: 0 });
  const skewed = await renewShares(context, { what: 'nine tenths of one account', ofOne: 0.9 });
  const rate = ({ count, seconds }: typeof even): number => count / seconds;
  const figures = [even, skewed].map((one): Figure => {
    const last = `the last of ${one.ofSmall.toLocaleString('en')} rows of small accounts after ${one.smallSeconds.toFixed(1)} s`;
    return {
      what: `${one.count.toLocaleString('en')} renewals, ${one.what}`,
      perSecond: rate(one),
      cores: one.cores,
      note: last,
    };
  });
  return {
    figures,
    notes: [
      `2 workers, ${SHARDS} shards, acquirer at 0 ms: the rate with one large account is ${percent(rate(skewed) / rate(even))} of the even one (goal: within ${percent(GOALS.skew)})`,
      `small accounts beside the large one were done after ${skewed.smallSeconds.toFixed(1)} s (goal: ${GOALS.smallSeconds} s); at this rate their rows alone take ${(skewed.ofSmall / rate(skewed)).toFixed(1)} s`,
    ],
  };
};

/** The worker process that has a shard at work. */
async function busyWorker({ client, workers }: Scene): Promise<number> {
  for (const id of RUNS) {
    const { info } = await client.schedule.getHandle(id).describe();
    const last = info.recentActions.at(-1)?.action.workflow;
    if (last === undefined) continue;
    const { raw } = await client.workflow.getHandle(last.workflowId).describe();
    for (const { lastWorkerIdentity } of raw.pendingActivities ?? []) {
      const pid = Number.parseInt(lastWorkerIdentity ?? '', 10);
      if (workers.includes(pid)) return pid;
    }
  }
  throw new Error('no worker has a shard: everything was done already');
}

/** Four workers, of which one is killed when half of everything is done. */
export const kill: Bench = (context) =>
  onStage(context, async (stage): Promise<Figures> => {
    const count = await multiply(stage, await plantTemplates(stage), sizeOf(context, SIZES.kill));
    const scene = await startWorkers(context, stage, 4);
    await slowDown(scene);
    const accounts = [stage.accountId];
    context.say('undisturbed');
    const even = await renewAll(scene, { accounts, count });
    context.say('one of four is killed at half');
    const before = await paidRenewals(stage);
    let killedAt: number | null = null;
    const meanwhile = async (seconds: number): Promise<void> => {
      if (killedAt !== null || (await paidRenewals(stage)) - before < count / 2) return;
      process.kill(await busyWorker(scene), 'SIGKILL');
      killedAt = seconds;
    };
    const killed = await renewAll(scene, { accounts, count, meanwhile });
    await scene.client.connection.close();
    const later = killed.seconds - even.seconds;
    const figureOf = (what: string, { seconds, cores }: Renewed, note: string): Figure => ({
      what: `${count.toLocaleString('en')} renewals by 4 workers, ${what}`,
      perSecond: count / seconds,
      cores,
      note,
    });
    return {
      figures: [
        figureOf('undisturbed', even, `${even.seconds.toFixed(1)} s`),
        figureOf(
          'one killed',
          killed,
          `${killed.seconds.toFixed(1)} s, killed after ${(killedAt ?? Number.NaN).toFixed(1)} s`,
        ),
      ],
      notes: [
        `all were billed once and none charged twice, ${killed.neverCharged} charges died with the worker; ${later.toFixed(1)} s later than undisturbed (goal: ${GOALS.killSeconds} s)`,
        'charges that the dead worker waited for are found out by their cases, after the deadline of the acquirer',
      ],
    };
  });
