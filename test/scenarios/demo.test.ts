import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import type { EventType } from '@fatura/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveThrough } from '../../dev/demo/life.ts';
import { drawCnpj, drawCpf } from '../../dev/demo/people.ts';
import { createRandom } from '../../dev/demo/random.ts';
import { normalizeTaxId } from '../../server/customers/tax-id.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { type Merchant, type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { newProduct } from '../support/factories.ts';
import { parse } from '../support/source-file.ts';
import { eventually, workerFor } from '../workflows/support.ts';

const MONTH_MS = 240_000;

let api: RealTimeApi;
let worker: RunningWorker;
let shop: Merchant;
let told: Awaited<ReturnType<typeof liveThrough>>;

/** A month of the demonstration, which its tests look at. */
beforeAll(async () => {
  api = await startRealTimeApi();
  worker = workerFor(api);
  await eventually('the worker', async () => worker.isTemporalUp);
  shop = await api.newMerchant();
  told = await liveThrough({ fatura: shop.fatura, months: 1, seed: 1, print: () => {} });
}, MONTH_MS);
afterAll(async () => {
  await worker.stop();
  await api.stop();
});

const PROMISED: readonly EventType[] = [
  'customer.created',
  'customer.updated',
  'customer.anonymized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.overdue',
  'invoice.refunded',
  'payment_intent.paid',
  'payment_intent.discarded',
  'subscription.activated',
  'subscription.period_started',
  'subscription.overdue',
  'subscription.suspended',
  'subscription.canceled',
  'checkout_session.completed',
  'checkout_session.expired',
  'dispute.created',
  'export.completed',
];

test('a month of the demonstration has something for every screen', async () => {
  for (const type of PROMISED) {
    const { data } = await eventually(`an event ${type}`, async () => {
      const page = await shop.fatura.events.list({ type: [type], limit: 1 }).page();
      return page.data.length > 0 && page;
    });
    expect(data[0]?.type).toBe(type);
  }
  expect(told.customers).toBeGreaterThan(40);
  expect(Object.keys(told.invoices)).toEqual(expect.arrayContaining(['draft', 'open', 'paid']));
  expect(Object.keys(told.subscriptions)).toEqual(expect.arrayContaining(['active', 'suspended', 'inactive']));
  expect(Object.keys(told.sessions)).toEqual(expect.arrayContaining(['complete', 'expired']));
  const { received, due_today: due } = await shop.fatura.summary.retrieve();
  expect(received).toMatchObject({ pix: expect.any(Number), card: expect.any(Number) });
  expect(received.count).toBeGreaterThan(0);
  expect(due.count).toBeGreaterThan(0);
});

test('its webhook endpoint failed, recovered, and is switched off in the end', async () => {
  const [endpoint] = (await shop.fatura.webhookEndpoints.list().page()).data;
  expect(endpoint).toMatchObject({ status: 'disabled', description: 'Loja de demonstração' });
  const deliveries = await shop.fatura.webhookEndpoints
    .deliveries(endpoint?.id ?? '', { limit: 100 })
    .all({ max: 1_000 });
  const codes = new Set(
    deliveries.flatMap(({ ladders }) =>
      ladders.data.flatMap(({ attempts }) => attempts.map(({ status_code: code }) => code)),
    ),
  );
  expect([...codes].sort()).toEqual([200, 500]);
});

test('everybody has a CPF or CNPJ that is one', () => {
  const random = createRandom(7);
  for (let draws = 0; draws < 2_000; draws += 1) {
    expect(normalizeTaxId(drawCpf(random))).toMatchObject({ kind: 'cpf' });
    expect(normalizeTaxId(drawCnpj(random))).toMatchObject({ kind: 'cnpj' });
  }
});

test('one seed draws the same, and another seed something else', () => {
  const drawn = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, () => random.between(1, 1_000));
  };
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(2)).not.toEqual(drawn(1));
  expect(new Set(drawn(1)).size).toBeGreaterThan(15);
});

const run = (...args: string[]): Promise<{ code: number | null; err: string }> => {
  const { FATURA_API_KEY: _, ...env } = process.env;
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; err: string }>();
  const child = execFile(
    process.execPath,
    ['dev/demo/main.ts', '--url', api.baseUrl, ...args],
    { env },
    (_error, _out, err) => resolve({ code: child.exitCode, err }),
  );
  return promise;
};

test('refuses a sandbox that has something, a live key, no key and numbers out of bounds, each with its reason', async () => {
  const other = await api.newMerchant();
  await newProduct(other);
  const refused: [args: string[], reason: RegExp][] = [
    [['--key', other.sandboxKey], /has customers or products\. --reset deletes all/],
    [['--key', other.liveKey, '--reset'], /--key must be a sandbox key/],
    [[], /A sandbox key is needed\./],
    [['--key', other.sandboxKey, '--months', '0'], /--months must be a whole number from 1 to 24, got 0/],
    [['--key', other.sandboxKey, '--seed', 'x'], /--seed must be a whole number from 1 to 4294967295, got x/],
    [['--key', other.sandboxKey, '--month', '1'], /Unknown option '--month'/],
  ];
  for (const [args, reason] of refused) {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([1, expect.stringMatching(reason)]);
  }
  expect((await other.fatura.products.list().page()).data).toHaveLength(1);
});

test('it is a program of the client alone', () => {
  const files = globSync('dev/demo/*.ts').map((path) => parse({ path, text: readFileSync(path, 'utf8') }));
  expect(files.length).toBeGreaterThan(6);
  const imports = files.flatMap((file) => file.imports.map(({ to }) => to));
  expect(imports.filter((to) => !/^(dev\/demo\/|@fatura\/sdk$|node:)/.test(to))).toEqual([]);
});
