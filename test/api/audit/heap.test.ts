import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../server/embedded/ports.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { AMEX_CVC } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { inspectorOf, stringsInHeap } from '../../support/heap.ts';
import { until } from '../../support/stack.ts';

/** Right by its check digit, and none of the sandbox's test cards, which the service knows by heart. */
const NUMBER = '371449635398423';
const HOLDER = 'JOAQUINA QUARESMA';

let api: TestApi;
let shop: Merchant;
let child: ChildProcess;
let inspector: string;
let baseUrl: string;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, ['--inspect=127.0.0.1:0', 'server/main.ts'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: api.databaseUrl,
      ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64'),
      WEBHOOK_ALLOWED_NETWORKS: 'none',
    },
  });
  inspector = await inspectorOf(child);
  const isUp = () =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the API to listen', isUp, 60_000);
}, 120_000);
afterAll(async () => {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await api.stop();
});

const pay = (invoiceId: string, card: object) =>
  fetch(`${baseUrl}/api/v1/invoices/${invoiceId}/checkout`, {
    method: 'POST',
    headers: {
      Authorization: `ApiKey ${shop.sandboxKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'the-key-of-this-sale',
      Connection: 'close',
    },
    body: JSON.stringify({
      payment_method_type: 'card',
      card: { exp_month: 12, exp_year: 2040, cvc: AMEX_CVC, ...card },
      billing_details: { name: HOLDER, document: '52998224725' },
    }),
  });

/** What of a sale is in a heap. Four digits alone are not looked for: the engine keeps short texts for whoever has the same. */
const keptIn = (strings: readonly string[]): string[] =>
  Object.entries({ number: NUMBER, holder: HOLDER, key: shop.sandboxKey })
    .filter(([, text]) => strings.some((one) => one.includes(text)))
    .map(([name]) => name);

test('after sales and refusals by card nothing in memory refers to number, holder or API key', async () => {
  expect(keptIn(await stringsInHeap(inspector)), 'before').toEqual([]);
  const [{ id: sold }, { id: refused }] = [await newInvoice(shop), await newInvoice(shop)];
  expect((await pay(sold, { number: NUMBER })).status).toBeOneOf([201, 402]);
  expect((await pay(refused, { number: NUMBER, exp_month: 13 })).status).toBe(400);
  expect((await pay(refused, { number: `${NUMBER.slice(0, -1)}${(Number(NUMBER.at(-1)) + 1) % 10}` })).status).toBe(
    400,
  );
  expect(keptIn(await stringsInHeap(inspector)), 'after').toEqual([]);
}, 120_000);

test('what a program holds on to is found', async () => {
  const holder = spawn(
    process.execPath,
    [
      '--inspect=127.0.0.1:0',
      '--eval',
      `globalThis.kept = { n: 'x${NUMBER}', c: ['8', '61'].join('') }; setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  expect(keptIn(await stringsInHeap(await inspectorOf(holder)))).toContain('number');
  holder.kill('SIGKILL');
});
