import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { memoryOf } from '../bench/usage.ts';
import { type RealTimeApi, sdkFor, startRealTimeApi } from '../support/api.ts';
import { newCustomer, newPrice } from '../support/factories.ts';
import { inLanes, type OpenPage, openPages, payAndWatch } from '../support/open-pages.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const WAITING = 500;
const PAYING = 50;
const LANES = 8;
const WAIT_SECONDS = 10;
/** The goal is a second. */
const TOLD_MAX_MS = 3_000;
const DRAIN_MAX_MS = 5_000;
/** What a heap that is swept now and then may differ by. */
const GROWTH_MAX_MIB = 48;

let api: RealTimeApi;
let server: ServerProcess;
beforeAll(async () => {
  api = await startRealTimeApi();
  // Buyers come from many addresses.
  server = await startServer({ ...api, settings: { TRUST_PROXY: '1' } });
});
afterAll(async () => {
  server.kill9();
  await api.stop();
});

/** Addresses of sessions that somebody is about to pay. */
async function sell(count: number): Promise<string[]> {
  const merchant = await api.newMerchant();
  const fatura = sdkFor(server.baseUrl, merchant.sandboxKey);
  const { id: customer } = await newCustomer(merchant);
  const { id: price } = await newPrice(merchant);
  return inLanes(Array.from({ length: count }), LANES, async () => {
    const { url } = await fatura.checkoutSessions.create({
      mode: 'payment',
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      customer_id: customer,
      line_items: [{ price_id: price, quantity: 1 }],
    });
    return server.baseUrl + new URL(url).pathname;
  });
}

interface Sample {
  readonly connections: number;
  readonly memoryMiB: number;
}

/** What the waiting costs, once a second: connections of requests alone, since workers and autovacuum open theirs anyway. */
async function watchCost(seconds: number): Promise<Sample[]> {
  const { username } = new URL(loginUrls(api.databaseUrl).api);
  const samples: Sample[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const { rows } = await api.composition.deps.pool.query<{ connections: number }>(
      'SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database() AND usename = $1',
      [username],
    );
    samples.push({ connections: rows[0]?.connections ?? 0, memoryMiB: memoryOf(server.pid).nowMiB ?? 0 });
    await sleep(1_000);
  }
  return samples;
}

const growthOf = (values: readonly number[]): number => Math.max(...values) - (values[0] ?? 0);

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

test(`${WAITING} buyers wait on open pages: the ${PAYING} who pay are told, and the others cost nothing`, async () => {
  const addresses = await sell(WAITING);
  const pages: OpenPage[] = await openPages(addresses, 'payable');
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));

  const samples = await watchCost(WAIT_SECONDS);
  expect(growthOf(samples.map(({ connections }) => connections))).toBeLessThanOrEqual(1);
  expect(growthOf(samples.map(({ memoryMiB }) => memoryMiB))).toBeLessThanOrEqual(GROWTH_MAX_MIB);

  const [paying, waiting] = [pages.slice(0, PAYING), pages.slice(PAYING)];
  const toldMs = await inLanes(paying, LANES, payAndWatch);
  const told = [0.5, 0.9, 1].map((share) => Math.round(percentile(toldMs, share)));
  console.log(`told of their payments: p50 ${told[0]} ms, p90 ${told[1]} ms, at most ${told[2]} ms`);
  console.log(
    `while ${WAITING} waited: ${JSON.stringify(samples.at(0))} at first, ${JSON.stringify(samples.at(-1))} at last`,
  );
  expect(Math.max(...toldMs)).toBeLessThanOrEqual(TOLD_MAX_MS);
  await Promise.all(paying.map(({ ended }) => ended));
  expect(new Set(waiting.map(({ standing }) => standing))).toEqual(new Set(['payable']));

  const { code, ms } = await server.stop();
  await Promise.all(waiting.map(({ ended }) => ended));
  console.log(`ended ${waiting.length} streams and itself in ${Math.round(ms)} ms`);
  expect([code, ms < DRAIN_MAX_MS]).toEqual([0, true]);
}, 120_000);
