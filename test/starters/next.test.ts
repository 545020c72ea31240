import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { BROWSER_MS, openBrowser } from '../web/browser.ts';
import { buy, listensHereAlone, type Newcomer, newcomer, newShop, readsOnAPhone, refusesNameless } from './shop.ts';

const SLOW_MS = 300_000;

let api: RealTimeApi;
let at: Newcomer;
let browser: Browser;

beforeAll(async () => {
  api = await startRealTimeApi();
  at = await newcomer();
  browser = await openBrowser();
}, BROWSER_MS);

afterAll(async () => {
  await browser.close();
  await at.leave();
  await api.stop();
});

test(
  'a shop on Next.js compiles, passes its test, builds, and sells in the sandbox until the signed event has come',
  async () => {
    const merchant = await api.newMerchant();
    const shop = await newShop(at, 'next', { baseUrl: api.baseUrl, apiKey: merchant.sandboxKey });
    expect((await shop.npm('exec', '--', 'tsc')).stdout).toBe('');
    expect((await shop.npm('test')).stdout).toMatch(/^\S pass 2\n\S fail 0$/m);
    await shop.npm('run', 'build');
    const server = shop.start('start');
    await server.until(/Ready/);
    await refusesNameless(shop);
    await listensHereAlone(shop);
    const second = shop.start('start');
    await second.ended;
    expect(second.printed).toEqual([expect.stringMatching(/^The shop cannot listen .* Set another PORT in \.env/)]);
    const listening = shop.start('listen');
    await listening.until(/^Ready\.$/);
    const { invoice, event, shown } = await buy(shop);
    expect(shown).toContain('000201'); // a BR Code begins so
    expect(await merchant.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', total: 12_000 });
    expect(await server.until(/^Paid: /)).toContain(`${invoice} of Maria da Silva`);
    expect(await merchant.fatura.events.retrieve(event)).toMatchObject({ type: 'invoice.paid' });
    await readsOnAPhone(shop, browser, 'next');
  },
  SLOW_MS,
);
