import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { unwrap } from '@fatura/sdk/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryOf } from '../bench/usage.ts';
import type { Merchant } from '../support/api.ts';
import { type Program, type Stack, startStack, until } from '../support/stack.ts';
import { randomOf } from './seeds.ts';

const SOAK = process.env.SOAK === '1';
const EVENTS = SOAK ? 20_000 : 600;
const KILLS = SOAK ? 10 : 2;
const EVENTS_A_SECOND = 60;
const LANES = 12;
/** No number is one that a card has: the search for cards at the end would find it. */
const FIRST = 100_000;
const PRODUCTS_A_SHOP = 8;
const TEST_MS = SOAK ? 1_800_000 : 240_000;
/** What a killed worker held is free again after its lease. */
const ARRIVAL_MS = 120_000;
const LOOK_MS = 1_000;

type Manner = 'healthy' | 'closed' | 'error' | 'hangs' | 'resets' | 'drips';

/** Twenty receivers of four shops: five are dead, and two answer a letter each second. */
const manners: readonly (readonly Manner[])[] = [
  ['healthy', 'healthy', 'healthy', 'closed', 'drips'],
  ['healthy', 'healthy', 'healthy', 'error', 'drips'],
  ['healthy', 'healthy', 'healthy', 'healthy', 'hangs'],
  ['healthy', 'healthy', 'healthy', 'resets', 'closed'],
];

/** A receiver, and when each numbered event first came to it and how often. */
interface Target {
  readonly url: string;
  readonly manner: Manner;
  readonly arrivals: Map<number, { atMs: number; times: number }>;
  secret: string;
  stop(): void;
}

function drip(response: ServerResponse): void {
  const { socket } = response;
  const timer = setInterval(() => socket?.write('H'), 1_000);
  socket?.on('close', () => clearInterval(timer));
}

async function startTarget(manner: Manner): Promise<Target> {
  const server: Server = createServer({ requestTimeout: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const target: Target = {
    url: `http://127.0.0.1:${port}/`,
    manner,
    arrivals: new Map(),
    secret: '',
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  server.on('request', async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null || manner === 'hangs') return;
    if (manner === 'resets') response.socket?.resetAndDestroy();
    else if (manner === 'drips') drip(response);
    else if (manner === 'error') response.writeHead(500).end();
    else {
      const event = await unwrap(body, request.headers, { secrets: target.secret });
      if (event.type !== 'product.updated') throw new Error(`${event.type} was not asked for`);
      const nth = Number(event.data.object.description) - FIRST;
      const { atMs = performance.now(), times = 0 } = target.arrivals.get(nth) ?? {};
      target.arrivals.set(nth, { atMs, times: times + 1 });
      response.writeHead(200).end();
    }
  });
  if (manner === 'closed') target.stop();
  return target;
}

interface Shop {
  readonly merchant: Merchant;
  readonly products: readonly string[];
  readonly targets: readonly Target[];
  /** When the request of each event was sent. */
  readonly begunAtMs: Map<number, number>;
}

let stack: Stack;
let second: Program;
const shops: Shop[] = [];

async function openShop(ways: readonly Manner[]): Promise<Shop> {
  const merchant = await stack.newMerchant();
  const targets = await Promise.all(ways.map(startTarget));
  for (const target of targets) {
    const { secret = '' } = await merchant.fatura.webhookEndpoints.create({
      url: target.url,
      event_types: ['product.updated'],
    });
    target.secret = secret;
  }
  const made = Array.from({ length: PRODUCTS_A_SHOP }, () => merchant.fatura.products.create({ name: 'Curso' }));
  return { merchant, targets, products: (await Promise.all(made)).map(({ id }) => id), begunAtMs: new Map() };
}

beforeAll(async () => {
  stack = await startStack();
  second = stack.newWorker();
  await second.start();
  for (const ways of manners) shops.push(await openShop(ways));
}, TEST_MS);

afterAll(async () => {
  for (const { targets } of shops) for (const target of targets) target.stop();
  await second.stop();
  await stack.stop();
}, TEST_MS);

/** Makes the events at an even pace, on several connections. */
async function makeEvents(): Promise<void> {
  const startedMs = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let nth = next++; nth < EVENTS; nth = next++) {
      await sleep(Math.max(0, startedMs + (nth * 1_000) / EVENTS_A_SECOND - performance.now()));
      const shop = shops[nth % shops.length];
      const product = shop?.products[Math.floor(nth / shops.length) % PRODUCTS_A_SHOP];
      if (shop === undefined || product === undefined) throw new Error('there is a shop for each number');
      shop.begunAtMs.set(nth, performance.now());
      await shop.merchant.fatura.products.update(product, { description: String(FIRST + nth) });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Kills one of the workers now and then, and starts it again. */
async function killWorkers(random: (below: number) => number): Promise<void> {
  const pauseMs = (EVENTS / EVENTS_A_SECOND / (KILLS + 1)) * 1_000;
  for (let kills = 0; kills < KILLS; kills += 1) {
    await sleep(pauseMs / 2 + random(pauseMs));
    const worker = kills % 2 === 0 ? stack.worker : second;
    await worker.kill9();
    await worker.start();
  }
}

const residentMiB = ({ pid }: Program): number => (pid === null ? 0 : (memoryOf(pid).nowMiB ?? 0));

/** Looks at the memory of the API, which nobody kills, and of the workers. */
function watchMemory(): { end(): { first: number; last: number; workers: number } } {
  const api: number[] = [];
  let workers = 0;
  const timer = setInterval(() => {
    api.push(residentMiB(stack.api));
    for (const worker of [stack.worker, second]) workers = Math.max(workers, residentMiB(worker));
  }, LOOK_MS);
  return {
    end() {
      clearInterval(timer);
      return { first: api[Math.floor(api.length / 4)] ?? 0, last: api.at(-1) ?? 0, workers };
    },
  };
}

const healthy = (shop: Shop) => shop.targets.filter(({ manner }) => manner === 'healthy');

function isAllThere(shop: Shop): boolean {
  return healthy(shop).every(({ arrivals }) => arrivals.size === shop.begunAtMs.size);
}

function tell(memory: object): void {
  const arrived = shops.flatMap((shop) =>
    healthy(shop).flatMap(({ arrivals }) =>
      [...arrivals].map(([nth, { atMs, times }]) => ({ ms: atMs - (shop.begunAtMs.get(nth) ?? atMs), times })),
    ),
  );
  const ms = arrived.map((one) => one.ms).toSorted((one, other) => one - other);
  const at = (share: number): string => `${Math.round(ms[Math.ceil(ms.length * share) - 1] ?? 0)} ms`;
  const repeats = arrived.filter(({ times }) => times > 1).length;
  console.log(`${ms.length} arrivals at 13 healthy receivers, ${repeats} of them repeated, none missing`);
  console.log(`from the request to the arrival: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, at most ${at(1)}`);
  console.log(`MiB of the API at first and at last, and of a worker at most: ${JSON.stringify(memory)}`);
}

test(
  'of events to twenty receivers, some dead and some slow, none is missing though workers are killed',
  async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    console.log(`SEED=${seed}`);
    const memory = watchMemory();
    await Promise.all([makeEvents(), killWorkers(randomOf(seed))]);
    await until('all events at the healthy receivers', async () => shops.every(isAllThere), ARRIVAL_MS);
    tell(memory.end());
    for (const { merchant } of shops)
      for await (const { id } of merchant.fatura.webhookEndpoints.list())
        await merchant.fatura.webhookEndpoints.update(id, { status: 'disabled' });
    await until('nothing under way', async () => (await stack.audit()).length === 0, ARRIVAL_MS).catch(() => {});
    expect(await stack.audit()).toEqual([]);
  },
  TEST_MS,
);
