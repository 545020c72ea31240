import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { BROWSER_MS, openBrowser } from '../web/browser.ts';
import {
  buy,
  listensHereAlone,
  type Newcomer,
  newcomer,
  newShop,
  press,
  readsOnAPhone,
  refusesNameless,
} from './shop.ts';

const SLOW_MS = 120_000;

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

test.each(['express', 'hono', 'node'])(
  'a shop on %s compiles, passes its test, and sells in the sandbox until the signed event has come',
  async (framework) => {
    const merchant = await api.newMerchant();
    const shop = await newShop(at, framework, { baseUrl: api.baseUrl, apiKey: merchant.sandboxKey });
    expect((await shop.npm('test')).stdout).toMatch(/^\S pass 2\n\S fail 0$/m);
    const action = `/buy?order=${randomUUID()}`;
    const before = shop.start('dev');
    await before.until(/The shop is open/);
    const sale = await press(shop, action);
    await before.stop();
    const server = shop.start('dev');
    await server.until(/The shop is open/);
    expect(await press(shop, action)).toBe(sale); // also when the shop was started anew meanwhile
    expect(await merchant.fatura.products.list().all({ max: 9 })).toHaveLength(1);
    expect(await merchant.fatura.prices.list().all({ max: 9 })).toHaveLength(1);
    await refusesNameless(shop);
    await listensHereAlone(shop);
    const second = shop.start('dev');
    await second.ended;
    expect(second.printed).toEqual([
      `The shop cannot listen on port ${shop.port}: another program has it. Set another PORT in .env; npm run listen reads it there too.`,
    ]);
    const listening = shop.start('listen');
    await listening.until(/^Ready\.$/);
    const { invoice, event, shown } = await buy(shop);
    expect(shown).toContain('000201'); // a BR Code begins so
    expect(shown).toContain('data:image/png;base64,');
    expect(await merchant.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', total: 12_000 });
    expect(await merchant.fatura.events.retrieve(event)).toMatchObject({ type: 'invoice.paid' });
    expect(await server.until(/^Paid: /)).toMatch(
      new RegExp(`^Paid: ${invoice} of Maria da Silva, R\\$\\s120,00 \\(${event}\\)$`),
    );
    expect(await merchant.fatura.invoices.list().all({ max: 9 })).toHaveLength(2);
    await shop.npm('run', 'trigger');
    await expect.poll(() => server.printed.filter((line) => line.startsWith('Paid: '))).toHaveLength(2);
    await readsOnAPhone(shop, browser, framework);
  },
  SLOW_MS,
);

test(
  'the tarball alone, run by npx in the folder where it lies, writes a shop that installs that tarball',
  async () => {
    const folder = join(at.folder, 'npx');
    await mkdir(folder);
    const run = promisify(execFile);
    const { HOME = '', PATH = '' } = process.env;
    const env = { PATH, HOME, XDG_CONFIG_HOME: folder, npm_config_cache: join(at.folder, 'npm-cache') };
    await run('npm', ['pack', join(at.folder, 'built')], { cwd: folder, env });
    const words = ['--yes', './fatura-sdk-0.1.0.tgz', 'init', '--framework', 'node'];
    const { stdout, stderr } = await run('npx', words, { cwd: folder, env });
    expect(stdout).toContain(`Wrote a shop on Node alone to ${folder}`);
    expect(stderr).toContain('No API key is known');
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({ '@fatura/sdk': 'file:./fatura-sdk-0.1.0.tgz' });
  },
  SLOW_MS,
);
