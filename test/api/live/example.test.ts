import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealTimeApi, startRealTimeApi } from '../../support/api.ts';
import { type LiveShop, openLiveShop } from './live-shop.ts';

const TEST_MS = 60_000;
const POLL_MS = 200;

let api: RealTimeApi;
let shop: LiveShop;

beforeAll(async () => {
  api = await startRealTimeApi();
  shop = await openLiveShop(api);
});
afterAll(async () => {
  await shop.psp.close();
  await api.stop();
});

test(
  'the first payment of live mode is paid by hand, seen and returned',
  async () => {
    const script = spawn(process.execPath, ['sdk/examples/live-pix.ts', shop.merchant.liveKey, api.baseUrl]);
    const lines = createInterface({ input: script.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    expect(await next()).toMatch(/^Pay R\$ 1,00 within half an hour: http:\S+\/pay\/in_/);
    expect(await next()).toMatch(/^or by this code: 000201/);
    const [cob] = shop.psp.books(shop.credentials).cobs;
    shop.pay(cob?.txid ?? '');
    await shop.rest();
    expect(await next()).toMatch(/^Paid: in_[0-9a-z]{26}$/);
    const last = next();
    while ((await Promise.race([last, sleep(POLL_MS, null)])) === null) await shop.rest();
    expect(await last).toBe('Returned.');
    expect(shop.psp.books(shop.credentials).returns).toMatchObject([{ amount: 100, status: 'DEVOLVIDO' }]);
  },
  TEST_MS,
);
