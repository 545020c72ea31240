import { setTimeout as sleep } from 'node:timers/promises';
import { inLanes, openPages, payAndWatch } from '../support/open-pages.ts';
import type { Bench } from './bench.ts';
import { Latencies } from './latencies.ts';
import { plantSeeds } from './seeds.ts';
import { measureCores, memoryOf } from './usage.ts';

const WAITING = 500;
const WAITING_QUICK = 100;
/** One of so many pays. */
const PAYING_SHARE = 10;
const LANES = 4;
/** Two looks at the watched purchases: payments come at any moment between them. */
const SPREAD_MS = 1_000;

/** Buyers who wait on open pages: what they cost, and when those who pay are told. */
export const waiting: Bench = async (context) => {
  const stage = await context.setStage();
  const { customers, prices } = await plantSeeds(stage.fatura);
  const buyers = Array.from({ length: context.isQuick ? WAITING_QUICK : WAITING }, (_, nth) => nth);
  context.say(`${buyers.length} sessions`);
  const addresses = await inLanes(buyers, LANES, async (nth) => {
    const { url } = await stage.fatura.checkoutSessions.create({
      mode: 'payment',
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      customer_id: customers[nth % customers.length] ?? '',
      line_items: [{ price_id: prices[nth % prices.length] ?? '', quantity: 1 }],
    });
    return url;
  });
  const before = memoryOf(stage.pids.api);
  const pages = await openPages(addresses, 'payable');
  context.teardown.add(async () => {
    for (const page of pages) page.leave();
  });

  context.say('waiting');
  const opened = memoryOf(stage.pids.api);
  const endWaiting = measureCores(stage.pids);
  await sleep(context.times.seconds * 1_000);
  const idle = endWaiting();
  const waited = memoryOf(stage.pids.api);

  context.say('payments');
  const paying = pages.slice(0, buyers.length / PAYING_SHARE);
  const told = new Latencies();
  const endPaying = measureCores(stage.pids);
  const startedMs = performance.now();
  await inLanes(paying, LANES, async (page) => {
    await sleep(Math.random() * SPREAD_MS);
    told.add(await payAndWatch(page));
  });
  const { perSecond, p50Ms, p99Ms } = told.summary((performance.now() - startedMs) / 1_000);
  const cores = endPaying();
  await stage.proveInvariants();
  return {
    figures: [
      { what: 'open pages, nobody pays', connections: pages.length, perSecond: 0, cores: idle },
      {
        what: 'from a payment to the page that tells of it',
        connections: pages.length,
        perSecond,
        p50Ms,
        p99Ms,
        cores,
      },
    ],
    notes: [
      `memory of the API process: ${before.nowMiB} MiB, with ${pages.length} pages open ${opened.nowMiB} MiB, ${context.times.seconds} s later ${waited.nowMiB} MiB`,
      'goal: told within 1,000 ms; the audit found nothing',
    ],
  };
};
