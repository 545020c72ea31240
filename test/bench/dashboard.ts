import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { addressOf, screenPaths } from '../dashboard/paths.ts';
import { boxOf } from '../support/secret-box.ts';
import { openBrowser } from '../web/browser.ts';
import type { Bench } from './bench.ts';
import { spreadOverYear } from './dashboard-fill.ts';
import { fillSales } from './search-fill.ts';
import type { Stage } from './stage.ts';
import { median, tableOf } from './table.ts';

const GOALS = { serverMs: 300, wholeMs: 1_500 };
const VISITS = { full: 5, quick: 2 };
const SIZES = { full: { customers: 50_000, invoices: 200_000 }, quick: { customers: 5_000, invoices: 20_000 } };
const CPU_SLOWDOWN = 4;
const DESK = { width: 1_280, height: 800 };
/** What people look at, beside each screen as it opens. */
const VIEWS = ['/search?query=maria', '/sales?period=thisMonth', '/sales?period=any', '/customers?name=maria'];

const run = promisify(execFile);

/** The cookie of a new owner, set up by the link that an operator makes. */
async function signIn({ databaseUrl, keys, accountId, port }: Stage): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    DATABASE_URL: loginUrls(databaseUrl).admin,
    ENCRYPTION_KEY: Buffer.from(keys[0] ?? []).toString('base64'),
  };
  const who = ['--account', accountId, '--email', 'dono@loja.test', '--role', 'owner'];
  const { stdout } = await run(process.execPath, ['ops/admin/main.ts', 'staff', 'invite', ...who], { env });
  const { link }: { link: string } = JSON.parse(stdout);
  const origin = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${origin}/dashboard/auth/setup`, {
    method: 'POST',
    headers: { Origin: origin, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      token: new URL(link).hash.slice(1),
      name: 'Dona da Loja',
      password: 'uma senha bem comprida',
    }),
  });
  if (!answer.ok) throw new Error(`the owner was not set up: ${await answer.text()}`);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Runs in the page before anything of it: when its last part came. */
const OBSERVE = `new MutationObserver(() => { window.wholeMs = performance.now(); })
  .observe(document, { subtree: true, childList: true, characterData: true });`;

/** Runs in the page: what it asked the API for, and how long the answers began to take. */
const READ = `({ wholeMs, requests: performance.getEntriesByType('resource').filter(({ name }) => name.includes('/dashboard/api/'))
  .map(({ name, requestStart, responseStart }) => ({ name: new URL(name).pathname.replace('/dashboard/api/v1', ''), ms: responseStart - requestStart })) })`;

interface Seen {
  readonly wholeMs: number;
  readonly requests: readonly { readonly name: string; readonly ms: number }[];
}

interface Desk {
  readonly browser: Browser;
  readonly origin: string;
  readonly cookie: string;
}

/** Opens a screen with an empty cache. */
async function visit({ browser, origin, cookie }: Desk, address: string, slowdown: number): Promise<Seen> {
  const context = await browser.newContext({ viewport: DESK, locale: 'pt-BR' });
  try {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: origin }]);
    const page: Page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.addInitScript(OBSERVE);
    await page.goto(`${origin}/dashboard${address}${address.includes('?') ? '&' : '?'}mode=sandbox`);
    await page.waitForLoadState('networkidle');
    const trouble = await page.locator('.trouble').allInnerTexts();
    if (trouble.length > 0) throw new Error(`${address} shows trouble: ${trouble.join(' ')}`);
    return (await page.evaluate(READ)) as Seen; // what the scripts above keep
  } finally {
    await context.close();
  }
}

const slowestOf = ({ requests }: Seen) =>
  requests.reduce((slowest, one) => (one.ms > slowest.ms ? one : slowest), { name: '', ms: 0 });

/** What a screen costs: its slowest answer, and how long until it is whole for a slow computer. */
async function measure(desk: Desk, address: string, visits: number): Promise<string[]> {
  await visit(desk, address, 1); // not measured: makes plans and fills caches of the service
  const seen: Seen[] = [];
  for (let time = 0; time < visits; time += 1) seen.push(await visit(desk, address, 1));
  const slow: Seen[] = [];
  for (let time = 0; time < visits; time += 1) slow.push(await visit(desk, address, CPU_SLOWDOWN));
  const serverMs = median(seen.map((one) => slowestOf(one).ms));
  const wholeMs = median(slow.map((one) => one.wholeMs));
  const missed = [serverMs > GOALS.serverMs && 'server', wholeMs > GOALS.wholeMs && 'whole'].filter(Boolean);
  return [
    address.replace(/_[0-9a-z]{26}/, '_…'),
    String(seen[0]?.requests.length ?? 0),
    slowestOf(seen[0] ?? { wholeMs: 0, requests: [] }).name.replace(/_[0-9a-z]{26}/, '_…'),
    serverMs.toFixed(0),
    Math.max(...seen.map((one) => slowestOf(one).ms)).toFixed(0),
    wholeMs.toFixed(0),
    Math.max(...slow.map((one) => one.wholeMs)).toFixed(0),
    missed.join(', '),
  ];
}

/** Every screen of the dashboard over a year of sales of one account, in a real browser. */
export const dashboard: Bench = async (context) => {
  const sizes = context.isQuick ? SIZES.quick : SIZES.full;
  const stage = await context.setStage();
  context.say('filling the database');
  const product = await stage.fatura.products.create({ name: 'Clube de Leitura' });
  const { id: priceId } = await stage.fatura.prices.create({
    product_id: product.id,
    type: 'recurring',
    unit_amount: 4_990,
    recurring: { interval: 'month' },
  });
  await stage.fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/hook', event_types: ['*'] });
  const client = await stage.pool.connect();
  await fillSales(client, { ...sizes, accountId: stage.accountId, box: await boxOf(stage.pool, stage.keys) });
  const now = Math.floor(Date.now() / 1_000);
  await spreadOverYear(client, { ...sizes, accountId: stage.accountId, now, priceId });
  client.release(true);
  const browser = await openBrowser();
  context.teardown.add(() => browser.close());
  const desk = { browser, origin: `http://127.0.0.1:${stage.port}`, cookie: await signIn(stage) };
  const rows: string[][] = [];
  for (const path of [...screenPaths, ...VIEWS]) {
    const address = await addressOf(stage, path);
    if (address === null || !context.wants(path)) continue;
    context.say(path);
    rows.push(await measure(desk, address, context.isQuick ? VISITS.quick : VISITS.full));
  }
  rows.push(['goal, at most', '', '', String(GOALS.serverMs), '', String(GOALS.wholeMs), '', '']);
  return {
    table: tableOf(
      [
        'screen',
        'requests',
        'slowest of them',
        'median ms',
        'max',
        `whole, CPU ÷ ${CPU_SLOWDOWN}, ms`,
        'max',
        'missed',
      ],
      rows,
    ),
    notes: [
      `${sizes.customers.toLocaleString('en')} customers and ${sizes.invoices.toLocaleString('en')} invoices of a year of one account; each visit with an empty cache`,
    ],
  };
};
