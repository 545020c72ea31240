import { setTimeout as sleep } from 'node:timers/promises';
import { freeze } from '../../server/unit-of-work/facts.ts';
import { commitBacklog, commitFacts } from './backlog.ts';
import type { Bench } from './bench.ts';
import {
  checkRows,
  type DeliveryScene,
  forgetEvents,
  type Market,
  openMarket,
  setScene,
  untilWrittenBack,
} from './delivery-scene.ts';
import type { HttpCeiling } from './http-ceiling.ts';
import type { Summary } from './latencies.ts';
import { type Figure, figureOf, median, percent } from './table.ts';
import { runTask } from './task.ts';
import { measureCores, memoryOf } from './usage.ts';

const GOAL_SHARE = 0.2;
const GOAL_EVEN = 0.8;
const SIZES = {
  full: { warmUp: 5_000, live: 20_000, small: 3_000, large: 1_000_000, timed: 100_000, endpoints: [1, 20, 1_000] },
  quick: { warmUp: 1_000, live: 4_000, small: 1_000, large: 20_000, timed: 5_000, endpoints: [1, 20, 100] },
};
/** The small backlog is over in half a second: the median of so many. */
const SMALL_RUNS = 5;
/** A million deliveries take minutes. */
const LARGE_TIMEOUT_MS = 900_000;
/** Facts that are on their way at once while nothing is pending. */
const LIVE_WINDOW = 1_000;
const LIVE_COMMIT = 50;
const LIVE_POLL_MS = 5;

interface Run {
  readonly scene: DeliveryScene;
  readonly market: Market;
  readonly deliveries: number;
}

const endpointsOf = ({ shops, endpoints }: Market): number => shops.length * endpoints;

/** Measures from `begin` to the arrival of the last delivery; then every one of them is on record. */
async function measureArrival(
  { scene, market, deliveries }: Run,
  told: { what: string; make: (onBegin: () => void) => Promise<void> },
): Promise<Figure> {
  const { stage, merchant, watched } = scene;
  const reached = merchant.await({ secrets: market.secrets, until: deliveries, timeoutMs: LARGE_TIMEOUT_MS });
  reached.catch(() => {}); // awaited below
  let begun = { atMs: 0, finish: measureCores(watched) };
  await told.make(() => {
    begun = { atMs: Date.now(), finish: measureCores(watched) };
  });
  const lastMs = await reached;
  const cores = begun.finish();
  await untilWrittenBack(stage);
  const { valid, invalid, distinct } = await merchant.counts();
  if (valid !== deliveries || distinct !== deliveries || invalid !== 0) {
    throw new Error(`of ${deliveries} deliveries came ${valid} valid (${distinct} distinct) and ${invalid} invalid`);
  }
  const what = `${endpointsOf(market).toLocaleString('en')} endpoints, ${told.what}`;
  return { what, perSecond: deliveries / ((lastMs - begun.atMs) / 1_000), cores };
}

/** A backlog that becomes visible at one instant. */
function deliverBacklog(scene: DeliveryScene, market: Market, deliveries: number): Promise<Figure> {
  const facts = deliveries / endpointsOf(market);
  const make = (onCommit: () => void) => commitBacklog(scene.stage.pool, { shops: market.shops, facts, onCommit });
  return measureArrival({ scene, market, deliveries }, { what: `${deliveries.toLocaleString('en')} pending`, make });
}

/** The first so many of a backlog that stays about as long as it was; what is left of it then is forgotten. */
async function deliverSome(
  scene: DeliveryScene,
  market: Market,
  { pending, timed }: { pending: number; timed: number },
): Promise<Figure> {
  const { stage, merchant, watched } = scene;
  const reached = merchant.await({ secrets: market.secrets, until: timed, timeoutMs: LARGE_TIMEOUT_MS });
  reached.catch(() => {}); // awaited below
  let begun = { atMs: 0, finish: measureCores(watched) };
  const onCommit = () => {
    begun = { atMs: Date.now(), finish: measureCores(watched) };
  };
  await commitBacklog(stage.pool, { shops: market.shops, facts: pending / endpointsOf(market), onCommit });
  // One transaction made it all, as the service makes none: what autovacuum counted meanwhile was an empty table.
  await stage.pool.query('ANALYZE delivery');
  const perSecond = timed / (((await reached) - begun.atMs) / 1_000);
  const cores = begun.finish();
  await forgetEvents(stage);
  const { valid, invalid, distinct } = await merchant.counts();
  if (valid !== distinct || invalid !== 0) throw new Error(`${valid - distinct} came twice, ${invalid} are invalid`);
  return {
    what: `${endpointsOf(market).toLocaleString('en')} endpoints, ${pending.toLocaleString('en')} pending`,
    perSecond,
    cores,
  };
}

/** Nothing waits: facts are committed as fast as those before them arrive, by the same database that delivers them. */
function deliverLive(scene: DeliveryScene, market: Market, deliveries: number): Promise<Figure> {
  const facts = deliveries / market.endpoints;
  const make = async (onBegin: () => void) => {
    onBegin();
    for (let made = 0, turn = 0; made < facts; ) {
      const { distinct } = await scene.merchant.counts();
      for (let under = made - distinct / market.endpoints; under < LIVE_WINDOW && made < facts; under += LIVE_COMMIT) {
        const shop = market.shops[turn % market.shops.length];
        const count = Math.min(LIVE_COMMIT, facts - made);
        if (shop !== undefined) await commitFacts(scene.stage.pool, shop, count);
        turn += 1;
        made += count;
      }
      await sleep(LIVE_POLL_MS);
    }
  };
  return measureArrival({ scene, market, deliveries }, { what: 'as they are recorded (0 pending)', make });
}

async function measureCeiling(
  { context, merchant }: DeliveryScene,
  market: Market,
  connections: number,
): Promise<Figure> {
  const [shop] = market.shops;
  const [path = '', secret = ''] = Object.entries(market.secrets)[0] ?? [];
  if (shop === undefined) throw new Error('a market has shops');
  const { body } = freeze('product.updated', shop.product, {
    created: Math.floor(Date.now() / 1_000),
    liveMode: false,
  });
  const never = merchant.await({ secrets: market.secrets, until: Number.MAX_SAFE_INTEGER, timeoutMs: 1 });
  never.catch(() => {}); // only its counting is wanted
  const input: HttpCeiling = { port: merchant.port, path, secret, body, connections, ...context.times };
  const run = { file: 'http-ceiling.ts', input, timeoutMs: context.timeoutMs, watched: { receiver: merchant.pid } };
  const what = 'ceiling: the same bodies, bare keep-alive client';
  return figureOf(what, connections, await runTask<HttpCeiling, Summary>(context.teardown, run));
}

/** As the rate may differ from run to run by more than it does from market to market. */
async function deliverSmall(scene: DeliveryScene, market: Market, deliveries: number): Promise<Figure> {
  const runs: Figure[] = [];
  for (let run = 0; run < SMALL_RUNS; run += 1) runs.push(await deliverBacklog(scene, market, deliveries));
  const middle = median(runs.map(({ perSecond }) => perSecond));
  return runs.find(({ perSecond }) => perSecond === middle) ?? runs[0] ?? { what: '', perSecond: 0 };
}

/** First deliveries by one worker process, against a bare client that posts the same to the same receiver. */
export const delivery: Bench = async (context) => {
  const size = context.isQuick ? SIZES.quick : SIZES.full;
  const scene = await setScene(context);
  const markets: Market[] = [];
  for (const endpoints of size.endpoints) markets.push(await openMarket(scene, endpoints));
  const [single] = markets;
  if (single === undefined) throw new Error('there are markets');
  context.say('warming up');
  await deliverBacklog(scene, single, size.warmUp);
  const connections = (await scene.merchant.counts()).connectionsMax;
  context.say('ceiling, before');
  const before = await measureCeiling(scene, single, connections);
  const figures: Figure[] = [];
  for (const market of markets) {
    context.say(`${endpointsOf(market)} endpoints`);
    figures.push(await deliverLive(scene, market, size.live), await deliverSmall(scene, market, size.small));
  }
  await checkRows(scene.stage);
  await scene.stage.proveInvariants();
  const memory = [memoryOf(scene.watched.worker).nowMiB];
  for (const market of markets) {
    context.say(`${endpointsOf(market)} endpoints, ${size.large.toLocaleString('en')} pending`);
    await forgetEvents(scene.stage);
    figures.push(await deliverSome(scene, market, { pending: size.large, timed: size.timed }));
    memory.push(memoryOf(scene.watched.worker).nowMiB);
  }
  context.say('ceiling, after');
  const after = await measureCeiling(scene, single, connections);
  const ceiling = (before.perSecond + after.perSecond) / 2;
  const rates = figures.map(({ perSecond }) => perSecond);
  const noted = (figure: Figure): Figure => ({
    ...figure,
    note: `${percent(figure.perSecond / ceiling)} of the ceiling`,
  });
  return {
    figures: [before, ...figures.map(noted), after],
    notes: [
      `least ${percent(Math.min(...rates) / ceiling)} of the ceiling's mean of ${Math.round(ceiling)}/s (goal: at least ${percent(GOAL_SHARE)})`,
      `${(rates.at(-1) ?? 0).toFixed(0)}/s with the most endpoints and the most pending are ${((rates.at(-1) ?? 0) / (rates[1] ?? 1)).toFixed(2)} of ${(rates[1] ?? 0).toFixed(0)}/s with the fewest (goal: at least ${GOAL_EVEN})`,
      `memory of the worker process: ${memory.join(', ')} MiB resident, before the large backlogs and after each; ${memoryOf(scene.watched.worker).peakMiB} MiB at most`,
      `of the large backlogs the first ${size.timed.toLocaleString('en')} are timed; of the others every delivery was made by one attempt`,
      'every signature was valid, nothing came twice; the audit found nothing',
    ],
  };
};
