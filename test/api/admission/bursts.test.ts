import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setLimits } from '../../../server/accounts/service.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';

const BURST = 100;
const BURSTS = 6;

let api: TestApi;
let shop: Merchant;
let busy: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  busy = await api.newMerchant();
  await setLimits(api.operator, shop.accountId, { minute: BURST * BURSTS });
});
afterAll(() => api.stop());

const create = ({ sandboxKey: key }: Merchant): Promise<RawAnswer> =>
  send(api, { method: 'POST', path: '/products', key, body: { product: { name: 'Curso' } } });

/** An account that always has as many requests in flight as it may. */
function keepBusy(): () => Promise<void> {
  let isOver = false;
  const clients = Array.from({ length: 32 }, async () => {
    while (!isOver) await create(busy);
  });
  return async () => {
    isOver = true;
    await Promise.all(clients);
  };
}

const leftOf = (answer: RawAnswer): number =>
  Number(/"minute";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1]);

test('bursts up to the rate are refused nothing beside a busy account, and headers tell the end of the rate before', async () => {
  const stop = keepBusy();
  const answers: RawAnswer[] = [];
  for (let burst = 0; burst < BURSTS; burst += 1) {
    answers.push(...(await Promise.all(Array.from({ length: BURST }, () => create(shop)))));
    await sleep(200);
  }
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(Math.min(...answers.map(leftOf))).toBe(0);
  const beyond = await create(shop);
  await stop();
  expect(refusalOf(beyond)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  expect(refusalOf(beyond).message).toContain('The limit "minute" of 600 requests a minute of this API key is used up');
  expect(Number(beyond.headers.get('Retry-After'))).toBeGreaterThan(0);
}, 60_000);
