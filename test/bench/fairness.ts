import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/ports.ts';
import { commitBacklog, commitFacts, type Shop } from './backlog.ts';
import type { Bench, BenchContext } from './bench.ts';
import { type DeliveryScene, ENDPOINTS_OF_A_SHOP, openShop, setScene } from './delivery-scene.ts';
import { tableOf } from './table.ts';
import { familyMemoryMiB, memoryOf } from './usage.ts';

const GOAL_MS = 2_000;
/** Facts of the healthy shop in a second. */
const PACE = 50;
const SETTLE_MS = 3_000;
const SIZES = { full: { seconds: 30, flood: 1_000_000, crowd: 200 }, quick: { seconds: 6, flood: 10_000, crowd: 10 } };

/** What receivers do with a delivery. */
const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'never answers': () => {},
  'answers after 800 ms': (response) => setTimeout(() => response.writeHead(204).end(), 800),
  'answers after 4 s': (response) => setTimeout(() => response.writeHead(204).end(), 4_000),
  'answers 500 at once': (response) => response.writeHead(500).end(),
};

async function listen(context: BenchContext, answer: RequestListener): Promise<number> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  context.teardown.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** The shop whose deliveries are timed, from the answer to COMMIT until they arrive. */
class Healthy {
  readonly #scene: DeliveryScene;
  readonly #shop: Shop;
  readonly #committedMs = new Map<string, number>();
  readonly #arrivedMs: ReadonlyMap<string, number>;

  constructor(scene: DeliveryScene, { shop, arrivedMs }: { shop: Shop; arrivedMs: ReadonlyMap<string, number> }) {
    this.#scene = scene;
    this.#shop = shop;
    this.#arrivedMs = arrivedMs;
  }

  static async open(scene: DeliveryScene): Promise<Healthy> {
    const arrivedMs = new Map<string, number>();
    const port = await listen(scene.context, (request, response) => {
      const id = String(request.headers['webhook-id']);
      if (!arrivedMs.has(id)) arrivedMs.set(id, performance.now());
      response.writeHead(204).end();
    });
    const { shop } = await openShop(scene, { urls: [`http://127.0.0.1:${port}/healthy`] });
    return new Healthy(scene, { shop, arrivedMs });
  }

  /** Sells at a steady pace; answers the times from commit to arrival, the missing ones last. */
  async sell(seconds: number): Promise<number[]> {
    const ids: string[] = [];
    const startedMs = performance.now();
    for (let nth = 0; nth < seconds * PACE; nth += 1) {
      const wait = startedMs + (nth * 1_000) / PACE - performance.now();
      if (wait > 0) await sleep(wait);
      for (const id of await commitFacts(this.#scene.stage.pool, this.#shop, 1)) {
        this.#committedMs.set(id, performance.now());
        ids.push(id);
      }
    }
    await sleep(GOAL_MS);
    const took = (id: string) =>
      (this.#arrivedMs.get(id) ?? Number.POSITIVE_INFINITY) - (this.#committedMs.get(id) ?? 0);
    return ids.map(took).toSorted((one, other) => one - other);
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

interface Trouble {
  readonly what: string;
  readonly shops: number;
  readonly url: (nth: number) => string;
  readonly pending: number;
}

async function makeTrouble(scene: DeliveryScene, { shops, url, pending }: Trouble): Promise<void> {
  const opened: Shop[] = [];
  for (let nth = 0; nth < shops; nth += 1) {
    const urls = Array.from({ length: ENDPOINTS_OF_A_SHOP }, (_, own) => `${url(nth)}/${nth}/${own}`);
    opened.push((await openShop(scene, { urls })).shop);
  }
  const facts = Math.max(1, Math.round(pending / shops / ENDPOINTS_OF_A_SHOP));
  await commitBacklog(scene.stage.pool, { shops: opened, facts, onCommit: () => {} });
}

async function measure(
  scene: DeliveryScene,
  healthy: Healthy,
  { what, seconds }: { what: string; seconds: number },
): Promise<string[]> {
  const times = await healthy.sell(seconds);
  const { rows } = await scene.stage.pool.query<{ pending: number }>(
    `SELECT count(*)::int AS pending FROM delivery WHERE stage = 'fresh'`,
  );
  const lost = times.filter((ms) => !Number.isFinite(ms)).length;
  return [
    what,
    (rows[0]?.pending ?? 0).toLocaleString('en'),
    ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(0)),
    String(lost),
    `${memoryOf(scene.watched.worker).nowMiB}`,
    `${familyMemoryMiB(scene.stage.pids.postgres)}`,
  ];
}

/** Deliveries of a healthy shop while others flood, keep us waiting or are dead. */
export const fairness: Bench = async (context) => {
  const size = context.isQuick ? SIZES.quick : SIZES.full;
  const scene = await setScene(context);
  const healthy = await Healthy.open(scene);
  await healthy.sell(2);
  const ports = new Map<string, number>();
  for (const [what, answer] of Object.entries(behaviours))
    ports.set(what, await listen(context, (_, response) => answer(response)));
  const closed = await freePort();
  const at = (what: string) => () => `http://127.0.0.1:${ports.get(what) ?? closed}`;
  const troubles: Trouble[] = [
    {
      what: 'a flood to 5 endpoints, each answers after 800 ms',
      shops: 1,
      url: at('answers after 800 ms'),
      pending: size.flood / 10,
    },
    { what: 'and one to 5 that never answer', shops: 1, url: at('never answers'), pending: size.flood },
    {
      what: `and ${size.crowd} shops whose endpoints never answer`,
      shops: size.crowd,
      url: at('never answers'),
      pending: size.crowd * 100,
    },
    {
      what: `and ${size.crowd} whose endpoints answer after 4 s`,
      shops: size.crowd,
      url: at('answers after 4 s'),
      pending: size.crowd * 100,
    },
    {
      what: `and ${size.crowd} whose endpoints are closed`,
      shops: size.crowd,
      url: () => `http://127.0.0.1:${closed}`,
      pending: size.crowd * 50,
    },
    {
      what: `and ${size.crowd} whose endpoints answer 500`,
      shops: size.crowd,
      url: at('answers 500 at once'),
      pending: size.crowd * 50,
    },
  ];
  const rows = [await measure(scene, healthy, { what: 'alone', seconds: size.seconds })];
  for (const trouble of troubles) {
    context.say(trouble.what);
    await makeTrouble(scene, trouble);
    rows.push(await measure(scene, healthy, { what: `${trouble.what}, at once`, seconds: size.seconds }));
    await sleep(SETTLE_MS);
    rows.push(await measure(scene, healthy, { what: '  later', seconds: size.seconds }));
  }
  const { nowMiB, peakMiB } = memoryOf(scene.watched.worker);
  return {
    table: tableOf(
      ['beside', 'pending', 'p50 ms', 'p99 ms', 'most ms', 'not in time', 'worker MiB', 'database MiB'],
      rows,
    ),
    notes: [
      `${PACE} deliveries a second of one shop, from the answer to COMMIT until they arrive (goal: p99 within ${GOAL_MS} ms)`,
      `memory of the worker process: ${nowMiB} MiB at the end, ${peakMiB} MiB at most`,
    ],
  };
};
