import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme } from '../../../dev/fake-pagarme/pagarme.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { AMEX_CVC } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { inspectorOf, stringsInHeap } from '../../support/heap.ts';
import { countInMemory } from '../../support/memory.ts';
import { startWatchedApi, type WatchedApi } from '../../support/watched-api.ts';
import { openCardShop } from '../live/card-shop.ts';

/** Right by its check digit, and none of the sandbox's test cards, which the service knows by heart. */
const NUMBER = '371449635398423';
const CARD = '4000000000000010';
const HOLDER = 'JOAQUINA QUARESMA';
/** At most so many collections of garbage come behind a sale, each with other requests before it. */
const ROUNDS = 10;

let api: TestApi;
let shop: Merchant;
let fake: FakePagarme;
let watched: WatchedApi;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  watched = await startWatchedApi(api);
  fake = await startFakePagarme();
}, 120_000);
afterAll(async () => {
  await watched.stop();
  await fake.close();
  await api.stop();
});

/** What of a sale nobody finds in memory. Four digits alone are not looked for: the engine keeps short texts for whoever has the same. */
const secrets = () => ({ number: NUMBER, holder: HOLDER, key: shop.sandboxKey });

const checkout = (key: string, invoiceId: string, card: object) =>
  fetch(`${watched.baseUrl}/api/v1/invoices/${invoiceId}/checkout`, {
    method: 'POST',
    headers: {
      Authorization: `ApiKey ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'the-key-of-this-sale',
      Connection: 'close',
    },
    body: JSON.stringify({
      payment_method_type: 'card',
      ...card,
      billing_details: { name: HOLDER, document: '52998224725' },
    }),
  });

const pay = (invoiceId: string, card: object) =>
  checkout(shop.sandboxKey, invoiceId, { card: { exp_month: 12, exp_year: 2040, cvc: AMEX_CVC, ...card } });

/**
 * How often each text is left in memory. What is left on stacks, in half-filled pages and in the buffer of all connections is
 * overwritten by what comes next: here by requests longer than those of a card.
 */
async function leftOf<Name extends string>(sought: Record<Name, string>): Promise<Record<Name, number>> {
  const headers = { 'X-Longer': 'x'.repeat(4_000) };
  let left = countInMemory(watched.pid, sought);
  for (let round = 0; round < ROUNDS && Object.values(left).some((count) => count !== 0); round += 1) {
    await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${watched.baseUrl}/readyz`, { headers }).then((one) => one.text())),
    );
    await stringsInHeap(watched.inspector);
    left = countInMemory(watched.pid, sought);
  }
  return left;
}

const keptIn = (strings: readonly string[]): string[] =>
  Object.entries(secrets())
    .filter(([, text]) => strings.some((one) => one.includes(text)))
    .map(([name]) => name);

test('after sales and refusals by card nothing in memory refers to number, holder or API key', async () => {
  expect(keptIn(await stringsInHeap(watched.inspector)), 'before').toEqual([]);
  const [{ id: sold }, { id: refused }] = [await newInvoice(shop), await newInvoice(shop)];
  expect((await pay(sold, { number: NUMBER })).status).toBeOneOf([201, 402]);
  expect((await pay(refused, { number: NUMBER, exp_month: 13 })).status).toBe(400);
  expect((await pay(refused, { number: `${NUMBER.slice(0, -1)}${(Number(NUMBER.at(-1)) + 1) % 10}` })).status).toBe(
    400,
  );
  expect(keptIn(await stringsInHeap(watched.inspector)), 'after').toEqual([]);
}, 120_000);

// What a core dump would hold, read where Linux shows it: a debugger is not on every machine, and the bytes are the same.
test.runIf(process.platform === 'linux')(
  'and no byte of number and API key is left in the memory of the process, freed buffers included',
  async () => {
    const { id } = await newInvoice(shop);
    expect((await pay(id, { number: NUMBER })).status).toBeOneOf([201, 402]);
    expect((await pay(id, { number: NUMBER, exp_month: 13 })).status).toBe(400);
    const { holder: _, ...sought } = secrets();
    expect(await leftOf(sought)).toEqual({ number: 0, key: 0 });
  },
  120_000,
);

test.runIf(process.platform === 'linux')(
  'nor of the token by which a browser named a live card to its acquirer',
  async () => {
    const live = await openCardShop({ api, fake });
    const [{ card_token: sold }, { card_token: gone }] = [await live.byToken(CARD), await live.byToken(CARD)];
    const [one, other] = [await newInvoice(live), await newInvoice(live)];
    expect((await checkout(live.liveKey, one.id, { card_token: sold })).status).toBe(201);
    expect((await checkout(live.liveKey, other.id, { card_token: sold })).status).toBe(422);
    expect((await checkout(live.liveKey, other.id, { card_token: `${gone}!` })).status).toBe(400);
    expect(await leftOf({ sold, gone, key: live.liveKey })).toEqual({ sold: 0, gone: 0, key: 0 });
  },
  120_000,
);

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
  if (process.platform === 'linux') expect(countInMemory(holder.pid ?? 0, secrets()).number).toBeGreaterThan(0);
  holder.kill('SIGKILL');
});
