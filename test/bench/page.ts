import type { Browser, Page } from 'playwright-core';
import type { Fatura } from '../../sdk/src/index.ts';
import { openBrowser } from '../web/browser.ts';
import type { Bench } from './bench.ts';
import { plantSeeds, type Seeds } from './seeds.ts';
import { median, tableOf } from './table.ts';

const RUNS = 9;
const RUNS_QUICK = 3;

/** A cheap phone: a quarter of this machine's speed, on slow 4G. */
const CPU_SLOWDOWN = 4;
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Long enough for whatever still comes of a page that is there. */
const SETTLE_MS = 1_500;
const VISIT_MAX_MS = 30_000;

const GOALS = { lcpMs: 1_000, readyMs: 1_200, shifts: 0, bytes: 45 * 1_024 } as const;
type Figures = Record<keyof typeof GOALS, number>;

/** A page, and what a first click does there; null: there is nothing to click. */
interface Screen {
  readonly name: string;
  /** Of a page that each visit changes, another one each time. */
  readonly url: () => Promise<string>;
  readonly first: { readonly click: string; readonly brings: string } | null;
}

/** Runs in the page before anything of it. */
const OBSERVE = `
  window.seen = { lcpMs: 0, shifts: 0 };
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) seen.lcpMs = startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) seen.shifts += value; })
    .observe({ type: 'layout-shift', buffered: true });`;

/** The script of a page has run by then, and has taken it over: `proveReady` holds that. */
const READ = `({ ...seen, readyMs: performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd })`;

/** Has a page open as a buyer on a cheap phone, with an empty cache. */
async function onPhone<T>(browser: Browser, look: (page: Page) => Promise<T>): Promise<{ seen: T; bytes: number }> {
  const context = await browser.newContext({ ...PHONE, locale: 'pt-BR' });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', SLOW_4G);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    return { seen: await look(page), bytes };
  } finally {
    await context.close();
  }
}

async function visit(browser: Browser, { url }: Screen): Promise<Figures> {
  const address = await url();
  const { seen, bytes } = await onPhone(browser, async (page) => {
    await page.addInitScript(OBSERVE);
    await page.goto(address, { timeout: VISIT_MAX_MS });
    await page.waitForTimeout(SETTLE_MS);
    return (await page.evaluate(READ)) as Omit<Figures, 'bytes'>; // what the scripts above keep
  });
  return { ...seen, bytes };
}

/** Throws unless a click counts at the instant that is taken as that, by the script and not by a form that is sent. */
async function proveReady(browser: Browser, { name, url, first }: Screen): Promise<void> {
  if (first === null) return;
  const address = await url();
  await onPhone(browser, async (page) => {
    let isFormSent = false;
    page.on('request', (request) => {
      isFormSent ||= request.method() === 'POST';
    });
    const click = `document.querySelector(${JSON.stringify(first.click)}).click()`;
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => ${click})`);
    await page.goto(address, { timeout: VISIT_MAX_MS });
    await page.waitForSelector(first.brings, { timeout: VISIT_MAX_MS });
    if (isFormSent) throw new Error(`${name}: the click came before the script`);
  });
}

/** The pages that a buyer sees most. */
async function prepare(fatura: Fatura, { customers, prices }: Seeds): Promise<Screen[]> {
  const line_items = [{ price_id: prices[0] ?? '', quantity: 2 }];
  const sell = async () => (await fatura.invoices.create({ customer_id: customers[0] ?? '', line_items })).id;
  const linkOf = async (id: string) => (await fatura.invoices.retrieve(id)).payment_url ?? '';
  const [open, paid] = [await sell(), await sell()];
  await fatura.invoices.checkout(open, { payment_method_type: 'pix' });
  const { payment_intent } = await fatura.invoices.checkout(paid, { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(payment_intent ?? '', { scenario: 'paid' });
  const { url } = await fatura.checkoutSessions.create({
    mode: 'payment',
    success_url: 'https://loja.test/obrigado',
    return_url: 'https://loja.test/carrinho',
    line_items,
  });
  return [
    {
      name: 'invoice with a QR code',
      url: () => linkOf(open),
      first: { click: 'input[value=card]', brings: '.by-card form' },
    },
    {
      name: 'invoice, code made as it comes',
      url: async () => linkOf(await sell()),
      first: { click: 'input[value=card]', brings: '.by-card form' },
    },
    {
      name: 'session, form of the buyer',
      url: async () => url,
      first: { click: 'form .primary', brings: '.field .error' },
    },
    { name: 'paid invoice', url: () => linkOf(paid), first: null },
  ];
}

const medians = (runs: readonly Figures[]): Figures => ({
  lcpMs: median(runs.map(({ lcpMs }) => lcpMs)),
  readyMs: median(runs.map(({ readyMs }) => readyMs)),
  shifts: Math.max(...runs.map(({ shifts }) => shifts)),
  bytes: median(runs.map(({ bytes }) => bytes)),
});

const KIB = 1_024;
const shown = ({ lcpMs, readyMs, shifts, bytes }: Figures): string[] => [
  String(Math.round(lcpMs)),
  String(Math.round(readyMs)),
  shifts.toFixed(3),
  (bytes / KIB).toFixed(1),
];

const missed = (figures: Figures): string =>
  Object.entries(GOALS)
    .filter(([name, goal]) => figures[name as keyof Figures] > goal) // the names of the goals are those of the figures
    .map(([name]) => name)
    .join(', ');

/** What a buyer on a cheap phone waits for, in a real browser. */
export const page: Bench = async (context) => {
  const stage = await context.setStage();
  const screens = await prepare(stage.fatura, await plantSeeds(stage.fatura));
  const browser = await openBrowser();
  context.teardown.add(() => browser.close());
  const rows: string[][] = [];
  for (const screen of screens) {
    context.say(screen.name);
    await proveReady(browser, screen);
    await visit(browser, screen); // not measured: compiles the hot code of the service
    const runs: Figures[] = [];
    for (let run = 0; run < (context.isQuick ? RUNS_QUICK : RUNS); run += 1) runs.push(await visit(browser, screen));
    const figures = medians(runs);
    const slowest = Math.max(...runs.map(({ readyMs }) => readyMs));
    rows.push([screen.name, ...shown(figures), String(Math.round(slowest)), missed(figures)]);
  }
  rows.push(['goal, at most', ...shown(GOALS), '', '']);
  return {
    table: tableOf(['page', 'LCP ms', 'ready ms', 'CLS', 'KiB', 'slowest ready ms', 'misses its goal'], rows),
    notes: [
      `medians of ${context.isQuick ? RUNS_QUICK : RUNS} visits with an empty cache, CPU ${CPU_SLOWDOWN} times slower, slow 4G (150 ms, 1.6 Mbit/s)`,
      'KiB: everything that the browser received, as it came over the wire, heads included',
    ],
  };
};
