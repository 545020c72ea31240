import type { Bench, BenchContext } from './bench.ts';
import { fillInvoices, MONTHS, makeMonths, RARE_CUSTOMER, RARE_SUBSCRIPTION } from './flatness-fill.ts';
import { multiply, plantTemplates } from './renewal-seeds.ts';
import { COUNTING, type RenewalScene, renewAll, standReady } from './renewals.ts';
import { plantSeeds, type Seeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import type { Stage } from './stage.ts';
import { tableOf } from './table.ts';

const SIZES = { full: [10_000, 10_000_000], quick: [10_000, 200_000] } as const;
const RENEWALS = 1_000;
const TIMES = 100;
/** The first looks of a process find nothing compiled, planned or read. */
const WARM_UP_TIMES = 10;
const GOALS = { ratio: 0.9, pageMs: 50 };

type Query = Readonly<Record<string, string>>;
type Asked = readonly [list: string, what: string, query: Query];

/** Each list that reads what is in months, from its head and its midst, and by each of its filters. */
function questionsOf({
  busy,
  middle,
  since,
}: {
  busy: string;
  middle: { invoice: string; intent: string };
  since: string;
}): Asked[] {
  const statuses = (list: string, all: readonly string[]): Asked[] =>
    all.map((status) => [list, status, { status }] as const);
  const invoices = ['draft', 'open', 'paid', 'uncollectible', 'void'];
  const intents = ['pending', 'scheduled', 'processing', 'paid', 'failed', 'refunding', 'refunded', 'discarded'];
  return [
    ['invoices', 'newest', {}],
    ['invoices', 'middle, on', { starting_after: middle.invoice }],
    ['invoices', 'middle, back', { ending_before: middle.invoice }],
    ['invoices', 'busy customer', { customer_id: busy }],
    ['invoices', 'customer of some', { customer_id: RARE_CUSTOMER }],
    ['invoices', 'customer of some, open', { customer_id: RARE_CUSTOMER, status: 'open' }],
    ['invoices', 'busy customer, draft (none)', { customer_id: busy, status: 'draft' }],
    ['invoices', 'subscription', { subscription_id: RARE_SUBSCRIPTION }],
    ['invoices', 'external code', { external_code: 'order-4000' }],
    ['invoices', 'created: two years ago and before', { created_lte: since }],
    ['invoices', 'amount', { amount_gte: '5000', amount_lte: '5001' }],
    ['invoices', 'paid two years ago and before', { paid_at_lte: since }],
    ...statuses('invoices', invoices),
    ['payment_intents', 'newest', {}],
    ['payment_intents', 'middle, on', { starting_after: middle.intent }],
    ['payment_intents', 'middle, back', { ending_before: middle.intent }],
    ['payment_intents', 'busy customer', { customer_id: busy }],
    ['payment_intents', 'customer of some', { customer_id: RARE_CUSTOMER }],
    ['payment_intents', 'invoice', { invoice_id: middle.invoice }],
    ['payment_intents', 'by PIX', { payment_method_type: 'pix' }],
    ['invoices', 'by PIX', { payment_method_type: 'pix' }],
    ['invoices', 'busy customer, middle', { customer_id: busy, starting_after: middle.invoice }],
    ...statuses('payment_intents', intents),
    ['refunds', 'newest', {}],
    ['disputes', 'newest', {}],
    ['pix_receipts', 'newest', {}],
    ['subscriptions', 'newest', {}],
    ['customers', 'newest', {}],
    ['checkout/sessions', 'newest', {}],
    ['collection/invoices', 'newest', {}],
  ];
}

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.floor((times.length - 1) * share)] ?? 0;

interface Page {
  readonly found: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

async function measurePage({ port, apiKey }: Stage, [list, , query]: Asked): Promise<Page> {
  const url = `http://127.0.0.1:${port}/api/v1/${list}?${new URLSearchParams({ ...query })}`;
  const times: number[] = [];
  let found = 0;
  for (let time = -WARM_UP_TIMES; time < TIMES; time += 1) {
    const startedMs = performance.now();
    const answer = await fetch(url, { headers: { authorization: `ApiKey ${apiKey}` } });
    const body = (await answer.json()) as { data?: unknown[] };
    if (time >= 0) times.push(performance.now() - startedMs);
    // Seen in the table as what was not found in time.
    if (!answer.ok)
      return { found: answer.status, medianMs: Number.POSITIVE_INFINITY, p99Ms: Number.POSITIVE_INFINITY };
    found = body.data?.length ?? 0;
  }
  return { found, medianMs: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

interface Lap {
  readonly invoices: number;
  readonly posted: number;
  readonly renewed: number;
  readonly databaseMiB: number | null;
  readonly pages: ReadonlyMap<string, Page>;
}

interface Scene {
  readonly context: BenchContext;
  readonly stage: Stage;
  readonly seeds: Seeds;
  readonly renewing: RenewalScene;
}

const nameOf = ([list, what]: Asked): string => `${list}: ${what}`;

async function idInTheMidst({ pool, accountId }: Stage, table: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM ${table} WHERE account_id = $1 AND NOT live_mode AND created <= $2 ORDER BY id DESC LIMIT 1`,
    [accountId, Math.floor(Date.now() / 1_000) - (MONTHS / 2) * 30 * 86_400],
  );
  return rows[0]?.id ?? '';
}

async function lap({ context, stage, seeds, renewing }: Scene, invoices: number): Promise<Lap> {
  const drive = driveService(context, stage, { kind: 'invoice', ...seeds });
  context.say('POST /invoices');
  await drive.warmUp();
  const { perSecond: posted } = await drive.measure(16);
  context.say(`${Math.round(posted)} a second`);
  context.say('renewals');
  await renewAll(renewing, 0);
  const { figure, databaseMiB } = await renewAll(renewing, 0);
  const middle = { invoice: await idInTheMidst(stage, 'invoice'), intent: await idInTheMidst(stage, 'payment_intent') };
  const since = String(Math.floor(Date.now() / 1_000) - 24 * 30 * 86_400);
  const pages = new Map<string, Page>();
  for (const asked of questionsOf({ busy: seeds.customers[0] ?? '', middle, since })) {
    context.say(nameOf(asked));
    const page = await measurePage(stage, asked);
    context.say(`median ${page.medianMs.toFixed(1)} ms, p99 ${page.p99Ms.toFixed(1)} ms`);
    pages.set(nameOf(asked), page);
  }
  return { invoices, posted, renewed: figure.perSecond, databaseMiB, pages };
}

async function setScene(context: BenchContext): Promise<Scene> {
  const stage = await context.setStage({
    postgresSettings: { ...COUNTING, max_wal_size: '8GB', maintenance_work_mem: '512MB' },
  });
  const client = await stage.pool.connect();
  await makeMonths(client);
  client.release(true);
  const seeds = await plantSeeds(stage.fatura);
  const templates = await plantTemplates(stage);
  const count = await multiply(stage, templates, RENEWALS);
  const renewing = await standReady(context, { teardown: context.teardown, stage, count, acquirer: 'bank' });
  return { context, stage, seeds, renewing };
}

/** What is filled in survives no crash of the database until the checkpoint at its end. */
async function setDurable({ pool }: Stage, isDurable: boolean): Promise<void> {
  await pool.query(`ALTER SYSTEM SET fsync = ${isDurable ? 'on' : 'off'}`);
  await pool.query('SELECT pg_reload_conf()');
}

/** Sales, renewals and every page of lists with many invoices of three years, against the same with few. */
export const flatness: Bench = async (context) => {
  const scene = await setScene(context);
  const { stage, seeds } = scene;
  const laps: Lap[] = [];
  let from = 0;
  for (const invoices of context.isQuick ? SIZES.quick : SIZES.full) {
    await setDurable(stage, false);
    const filled = { accountId: stage.accountId, busyCustomer: seeds.customers[0] ?? '', invoices, from };
    await fillInvoices(stage.pool, filled, context.say);
    await setDurable(stage, true);
    from = invoices;
    laps.push(await lap(scene, invoices));
  }
  return reportOf(laps);
};

function reportOf(laps: readonly Lap[]) {
  const [few, many] = laps;
  if (few === undefined || many === undefined) throw new Error('there are two laps');
  const ratio = (of: (lap: Lap) => number): string => (of(many) / of(few)).toFixed(2);
  const slow = [...many.pages].filter(([, { p99Ms }]) => p99Ms >= GOALS.pageMs).map(([name]) => name);
  return {
    table: tableOf(
      ['page', 'found', ...laps.flatMap(({ invoices }) => [`${invoices.toLocaleString('en')}: median ms`, 'p99 ms'])],
      [...many.pages].map(([name, { found }]) => [
        name,
        String(found),
        ...laps.flatMap(({ pages }) => {
          const page = pages.get(name);
          return [(page?.medianMs ?? Number.NaN).toFixed(1), (page?.p99Ms ?? Number.NaN).toFixed(1)];
        }),
      ]),
    ),
    notes: [
      `POST /invoices at 16 connections: ${laps.map(({ posted }) => Math.round(posted)).join(' and ')} a second, ratio ${ratio((of) => of.posted)} (goal: at least ${GOALS.ratio})`,
      `renewals: ${laps.map(({ renewed }) => Math.round(renewed)).join(' and ')} a second, ratio ${ratio((of) => of.renewed)} (goal: at least ${GOALS.ratio})`,
      `memory of the database: ${laps.map(({ databaseMiB }) => databaseMiB).join(' and ')} MiB`,
      `pages of ${GOALS.pageMs} ms and more at p99: ${slow.join('; ') || 'none'}`,
    ],
  };
}
