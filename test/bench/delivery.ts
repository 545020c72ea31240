import { setTimeout as sleep } from 'node:timers/promises';
import { freeze, type ResourceView } from '../../server/db/facts.ts';
import { commitBacklog } from './backlog.ts';
import type { Bench, BenchContext } from './bench.ts';
import type { HttpCeiling } from './http-ceiling.ts';
import type { Summary } from './latencies.ts';
import { type Merchant, startMerchant } from './merchant.ts';
import type { Stage } from './stage.ts';
import { type Figure, figureOf, median, percent } from './table.ts';
import { runTask } from './task.ts';
import { measureCores, memoryOf } from './usage.ts';

const GOAL_SHARE = 0.06;
const PATH = '/webhooks';
/** As long as an `invoice.created` event, so that the figures speak of real bodies. */
const DESCRIPTION = 'Acesso completo ao curso, com certificado. '.repeat(18).trim();
const WRITTEN_BACK_WAIT_MS = 60_000;
const POLL_MS = 100;
const BACKLOGS = {
  full: { warmUp: 5_000, small: 3_000, large: 50_000 },
  quick: { warmUp: 1_000, small: 1_000, large: 5_000 },
};

interface Scene {
  readonly context: BenchContext;
  readonly stage: Stage;
  readonly merchant: Merchant;
  readonly product: ResourceView;
  readonly secret: string;
  readonly watched: {
    readonly worker: number;
    readonly temporal: number;
    readonly postgres: number;
    readonly receiver: number;
  };
}

async function setScene(context: BenchContext): Promise<Scene> {
  const stage = await context.setStage();
  const merchant = await startMerchant(context.teardown);
  const created = await stage.fatura.products.create({ name: 'Curso', description: DESCRIPTION });
  // Its own text, without what the client adds to an answer.
  const product: ResourceView = JSON.parse(JSON.stringify(created));
  const url = `http://127.0.0.1:${merchant.port}${PATH}`;
  const { secret } = await stage.fatura.webhookEndpoints.create({ url, event_types: ['product.updated'] });
  if (secret === undefined) throw new Error('the new endpoint shows no secret');
  const { worker, temporal } = await stage.startWorker();
  const watched = { worker, temporal, postgres: stage.pids.postgres, receiver: merchant.pid };
  return { context, stage, merchant, product, secret, watched };
}

/** Commits a backlog at one instant and waits until the receiver has had, and the database holds, every one of it. */
async function deliverBacklog(scene: Scene, facts: number): Promise<Figure> {
  const { context, stage, merchant, product, secret } = scene;
  const reached = merchant.await({ secret, until: facts, timeoutMs: context.timeoutMs });
  reached.catch(() => {}); // awaited below
  let begun = { atMs: 0, finish: measureCores(scene.watched) };
  const onCommit = () => {
    begun = { atMs: Date.now(), finish: measureCores(scene.watched) };
  };
  await commitBacklog(stage.pool, { accountId: stage.accountId, product, facts, onCommit });
  const lastMs = await reached;
  const cores = begun.finish();
  await untilWrittenBack(stage);
  const { valid, invalid, distinct } = await merchant.counts();
  if (valid !== facts || distinct !== facts || invalid !== 0) {
    throw new Error(`of ${facts} deliveries came ${valid} valid (${distinct} distinct) and ${invalid} invalid`);
  }
  const perSecond = facts / ((lastMs - begun.atMs) / 1_000);
  return { what: `first deliveries, ${facts.toLocaleString('en')} pending`, perSecond, cores };
}

const UNDELIVERED = `SELECT count(*)::int AS count FROM delivery WHERE status <> 'delivered' OR attempts <> 1`;

async function untilWrittenBack({ pool }: Stage): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(UNDELIVERED);
    if (rows[0]?.count === 0) return;
    if (performance.now() - startedMs > WRITTEN_BACK_WAIT_MS) {
      throw new Error(`${rows[0]?.count} deliveries are not "delivered" with one attempt`);
    }
    await sleep(POLL_MS);
  }
}

async function measureCeiling({ context, merchant, product, secret }: Scene, connections: number): Promise<Figure> {
  const { body } = freeze('product.updated', product, { created: Math.floor(Date.now() / 1_000), liveMode: false });
  const never = merchant.await({ secret, until: Number.MAX_SAFE_INTEGER, timeoutMs: 1 });
  never.catch(() => {}); // only its counting is wanted
  const input: HttpCeiling = { port: merchant.port, path: PATH, secret, body, connections, ...context.times };
  const run = { file: 'http-ceiling.ts', input, timeoutMs: context.timeoutMs, watched: { receiver: merchant.pid } };
  return figureOf(
    'ceiling: the same bodies, bare keep-alive client',
    connections,
    await runTask<HttpCeiling, Summary>(context.teardown, run),
  );
}

async function deliverAll(scene: Scene, size: { small: number; large: number }) {
  const small = [
    await deliverBacklog(scene, size.small),
    await deliverBacklog(scene, size.small),
    await deliverBacklog(scene, size.small),
  ];
  const large = await deliverBacklog(scene, size.large);
  small.push(await deliverBacklog(scene, size.small), await deliverBacklog(scene, size.small));
  return { small, large };
}

async function checkRows({ pool }: Stage): Promise<string> {
  const { rows } = await pool.query<{ deliveries: number; attempts: number }>(
    'SELECT (SELECT count(*)::int FROM delivery) AS deliveries, (SELECT count(*)::int FROM delivery_attempt) AS attempts',
  );
  const { deliveries = 0, attempts = -1 } = rows[0] ?? {};
  if (deliveries !== attempts) throw new Error(`${deliveries} deliveries have ${attempts} attempts`);
  return `${deliveries.toLocaleString('en')} deliveries, each delivered by one attempt`;
}

/** First deliveries by one worker process, against a bare client that posts the same to the same receiver. */
export const delivery: Bench = async (context) => {
  const size = context.isQuick ? BACKLOGS.quick : BACKLOGS.full;
  const scene = await setScene(context);
  context.say('warming up');
  await deliverBacklog(scene, size.warmUp);
  const connections = (await scene.merchant.counts()).connectionsMax;
  context.say('ceiling, before');
  const ceilingBefore = await measureCeiling(scene, connections);
  context.say('deliveries');
  const { small, large } = await deliverAll(scene, size);
  const { nowMiB, peakMiB } = memoryOf(scene.watched.worker);
  context.say('ceiling, after');
  const ceilingAfter = await measureCeiling(scene, connections);
  const rows = await checkRows(scene.stage);
  await scene.stage.proveInvariants();
  const ceilingMean = (ceilingBefore.perSecond + ceilingAfter.perSecond) / 2;
  const smallMedian = median(small.map(({ perSecond }) => perSecond));
  const noted = (figure: Figure): Figure => ({
    ...figure,
    note: `${percent(figure.perSecond / ceilingMean)} of the ceiling`,
  });
  return {
    figures: [ceilingBefore, ...small.slice(0, 3).map(noted), noted(large), ...small.slice(3).map(noted), ceilingAfter],
    notes: [
      `ratio: ${percent(smallMedian / ceilingMean)} of the ceiling's mean of ${Math.round(ceilingMean)}/s at ${size.small} pending (median of ${small.length}), ` +
        `${percent(large.perSecond / ceilingMean)} at ${size.large} (goal: at least ${percent(GOAL_SHARE)}, and no slower at the larger)`,
      `memory of the worker process: ${nowMiB} MiB resident at the end, ${peakMiB} MiB at most`,
      `rows: ${rows}; the audit found nothing`,
    ],
  };
};
