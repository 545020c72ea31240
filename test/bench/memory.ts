import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext } from './bench.ts';
import { openShop } from './delivery-scene.ts';
import { startMerchant } from './merchant.ts';
import { LEFT, MOVE_CLOCK, multiply, plantTemplates } from './renewal-seeds.ts';
import { PERIOD_SECONDS, paidRenewals } from './renewals.ts';
import { plantSeeds } from './seeds.ts';
import type { ServiceLoad, ServiceLoadResult } from './service-load.ts';
import type { Stage } from './stage.ts';
import { tableOf } from './table.ts';
import { runTask } from './task.ts';
import { heapsOf, memoryOf } from './usage.ts';

const MINUTE_MS = 60_000;
const CONNECTIONS = 8;
/** That fall due each minute. */
const SUBSCRIPTIONS = 640;
const SETTLE_MS = 20_000;
const SAMPLES_A_MINUTE = 6;
const GOALS_MIB = { api: 220, worker: 320 };
/** A flat line has less than this in an hour. */
const GOAL_SLOPE = 5;
const EVENTS = [
  'invoice.created',
  'invoice.paid',
  'checkout_session.completed',
  'subscription.period_started',
] as const;

type Pids = Readonly<Record<keyof typeof GOALS_MIB, number>>;

interface Sample {
  readonly atMs: number;
  readonly api: number;
  readonly worker: number;
}

const sample = ({ api, worker }: Pids): Sample => ({
  atMs: performance.now(),
  api: memoryOf(api).nowMiB ?? Number.NaN,
  worker: memoryOf(worker).nowMiB ?? Number.NaN,
});

/** MiB an hour, by least squares. */
function slopeOf(points: readonly { readonly atMs: number; readonly mib: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hours = points.map(({ atMs }) => atMs / (60 * MINUTE_MS));
  const [middle, level] = [mean(hours), mean(points.map(({ mib }) => mib))];
  const covariance = points.reduce((sum, { mib }, nth) => sum + ((hours[nth] ?? 0) - middle) * (mib - level), 0);
  return covariance / hours.reduce((sum, hour) => sum + (hour - middle) ** 2, 0);
}

/** A shop that sells, whose receiver takes all, and one whose subscriptions are due each minute and whose receiver refuses all: each refusal begins a case. */
async function setScene(context: BenchContext) {
  const stage = await context.setStage();
  const seeds = await plantSeeds(stage.fatura);
  const merchant = await startMerchant(context.teardown);
  const url = (path: string) => `http://127.0.0.1:${merchant.port}${path}`;
  const { secret = '' } = await stage.fatura.webhookEndpoints.create({ url: url('/takes'), event_types: [...EVENTS] });
  const { shop, fatura } = await openShop({ stage }, { urls: [] });
  await multiply(stage, await plantTemplates({ fatura }), SUBSCRIPTIONS);
  // Copies have no deliveries: this one subscribes behind them.
  await fatura.webhookEndpoints.create({ url: url('/refuses'), event_types: ['subscription.period_started'] });
  const { worker } = await stage.startWorker();
  const received = merchant.await({
    secrets: { '/takes': secret },
    until: 1,
    timeoutMs: context.minutes * MINUTE_MS + SETTLE_MS,
  });
  return { stage, seeds, merchant, received, subscribed: shop.accountId, pids: { api: stage.pids.api, worker } };
}

/** Lets a month go by where the former is billed, which the schedule does each minute. A charge that is being written may lock the same rows the other way round: then later. */
async function moveClock({ pool }: Stage, accountId: string): Promise<void> {
  const { rows } = await pool.query<{ left: boolean }>(LEFT);
  if (rows[0]?.left === false) await pool.query(MOVE_CLOCK, [[accountId], PERIOD_SECONDS]).catch(() => {});
}

/** Samples while the load lasts and months go by. */
async function watch(
  context: BenchContext,
  { stage, pids, subscribed, isOver }: { stage: Stage; pids: Pids; subscribed: string; isOver: () => boolean },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!isOver()) {
    if (samples.length % SAMPLES_A_MINUTE === 0) {
      const { api, worker } = sample(pids);
      context.say(`minute ${samples.length / SAMPLES_A_MINUTE}: API ${api} MiB, worker ${worker} MiB`);
    }
    await moveClock(stage, subscribed);
    await sleep(MINUTE_MS / SAMPLES_A_MINUTE);
    samples.push(sample(pids));
  }
  return samples;
}

async function heapParts(stage: Stage, pid: number): Promise<string> {
  const heaps = await heapsOf(stage.folder, pid);
  return heaps
    .map(
      ({ thread, usedMiB, totalMiB, externalMiB }) =>
        `${thread} ${usedMiB} of ${totalMiB}, ${externalMiB} outside of it`,
    )
    .join('; ');
}

/** What one API process and one worker process take while everything is asked of them, and whether that grows. */
export const memory: Bench = async (context) => {
  const { stage, seeds, merchant, received, subscribed, pids } = await setScene(context);
  await sleep(SETTLE_MS);
  const rest = sample(pids);
  const { port, apiKey } = stage;
  const load = { kind: 'mixed', port, apiKey, connections: CONNECTIONS, ...seeds } as const;
  let isOver = false;
  const running = runTask<ServiceLoad, ServiceLoadResult>(context.teardown, {
    file: 'service-load.ts',
    input: { ...load, warmupSeconds: 0, seconds: context.minutes * 60 },
    timeoutMs: context.minutes * MINUTE_MS + context.timeoutMs,
    watched: { ...stage.pids, worker: pids.worker },
  }).finally(() => {
    isOver = true;
  });
  const [{ result, cores }, samples] = await Promise.all([
    running,
    watch(context, { stage, pids, subscribed, isOver: () => isOver }),
  ]);
  await received;
  const after = sample(pids);
  const half = samples.slice(Math.floor(samples.length / 2));
  const rows = (['api', 'worker'] as const).map(async (process) => [
    process,
    ...[rest[process], after[process], Math.max(...samples.map((of) => of[process]))].map(String),
    String(GOALS_MIB[process]),
    slopeOf(half.map((of) => ({ atMs: of.atMs, mib: of[process] }))).toFixed(1),
    await heapParts(stage, pids[process]),
  ]);
  const { distinct, invalid } = await merchant.counts();
  await stage.proveInvariants();
  return {
    table: tableOf(
      ['process', 'at rest', `after ${context.minutes} min`, 'at most', 'goal', 'MiB an hour', 'heaps at the end'],
      await Promise.all(rows),
    ),
    notes: [
      `${result.perSecond.toFixed(1)} rounds a second, ${await paidRenewals(stage)} renewals; ${distinct} deliveries taken and ${invalid} refused`,
      `cores busy: ${Object.entries(cores)
        .map(([name, share]) => `${name} ${share.toFixed(2)}`)
        .join(', ')}`,
      `MiB resident; the slope is of the second half (goal: less than ${GOAL_SLOPE}); the audit found nothing`,
      ...Object.entries(result.refused).map(([what, count]) => `refused: ${count} times ${what}`),
    ],
  };
};
