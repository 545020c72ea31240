import pg from 'pg';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';
import { listEvents } from '../../server/events/list.ts';
import { DAY, REAL_CLOCK, realTime, systemClock } from '../../server/kernel/time.ts';
import { lateOf } from '../support/late.ts';
import { unreachedLimits } from '../support/limits.ts';
import type { Bench, BenchContext } from './bench.ts';
import { busyBuyer, type Crowd, crowdedBuyer, fillEvents, RARE_TYPE, SELDOM_TYPE } from './events-fill.ts';
import { type Plan, Watched } from './events-plans.ts';
import type { Stage } from './stage.ts';
import { median, tableOf } from './table.ts';

const GOAL_MS = 50;
const TIMES = 15;
const EVENTS = { full: 10_000_000, quick: 200_000 };
const SMALL_SHOPS = 100;

type Query = Parameters<typeof listEvents>[2];

/** Figures are those of a reader: what survives a crash of the database is of no concern here. */
const UNSAFE_AND_QUICK = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '16GB',
  maintenance_work_mem: '1GB',
  work_mem: '64MB',
};

const DELIVERED = `CASE WHEN n % 1000000 = 3 THEN 'not_sent' WHEN n % 2000 = 5 THEN 'failed' WHEN n > of - 300 OR n % 20000 = 11 THEN 'pending' ELSE 'delivered' END`;
const NEVER_SENT = `CASE WHEN n % 100000 = 3 THEN 'delivered' ELSE 'not_sent' END`;
/** A receiver that has been dead for a week: what is older than its ladders has failed. */
const DEAD_FOR_A_WEEK = `CASE WHEN n > of * 27 / 30 THEN 'pending' WHEN n > of * 23 / 30 THEN 'failed' ELSE 'delivered' END`;

interface Shops {
  readonly large: string;
  readonly unsent: string;
  readonly dead: string;
  readonly small: string;
}

async function openShops(stage: Stage, total: number): Promise<{ shops: Shops; crowds: Crowd[] }> {
  const database = await openDatabase(stage.databaseUrl, { entities, size: 2 });
  const open = async (): Promise<string> => {
    const { id } = await createAccount(database, { name: 'Loja da Medida', email: 'dono@loja.test' });
    await setLimits(database, id, unreachedLimits);
    return id;
  };
  const shops = { large: stage.accountId, unsent: await open(), dead: await open(), small: '' };
  const crowds: Crowd[] = [
    { accountId: shops.large, events: total / 2, status: DELIVERED },
    { accountId: shops.unsent, events: total / 10, status: NEVER_SENT },
    { accountId: shops.dead, events: total / 5, status: DEAD_FOR_A_WEEK },
  ];
  let small = '';
  for (let shop = 0; shop < SMALL_SHOPS; shop += 1) {
    small = await open();
    crowds.push({ accountId: small, events: total / 5 / SMALL_SHOPS, status: DELIVERED });
  }
  await database.close();
  return { shops: { ...shops, small }, crowds };
}

interface Asked {
  readonly what: string;
  readonly accountId: string;
  readonly query: Query;
}

function questionsOf({ large, unsent, dead, small }: Shops, aSale: string): Asked[] {
  const now = realTime();
  const ofLarge: [string, Query][] = [
    ['no filter', {}],
    ['not_sent (5)', { delivery_status: 'not_sent' }],
    ['failed (2,500)', { delivery_status: 'failed' }],
    ['pending (550)', { delivery_status: 'pending' }],
    ['delivered', { delivery_status: 'delivered' }],
    ['rare type (10)', { type: [RARE_TYPE] }],
    ['seldom type (100)', { type: [SELDOM_TYPE] }],
    ['frequent type', { type: ['invoice.paid'] }],
    ['four types', { type: ['invoice.paid', 'invoice.created', RARE_TYPE, SELDOM_TYPE] }],
    ['failed, seldom type (none)', { delivery_status: 'failed', type: [SELDOM_TYPE] }],
    ['not_sent, frequent type', { delivery_status: 'not_sent', type: ['invoice.paid'] }],
    ['delivered, rare type', { delivery_status: 'delivered', type: [RARE_TYPE] }],
    ['created: a day, three weeks ago', { created_gte: now - 21 * DAY, created_lte: now - 20 * DAY }],
    ['created: until three weeks ago', { created_lte: now - 21 * DAY }],
    [
      'created: an hour, failed',
      { created_gte: now - 14 * DAY, created_lte: now - 14 * DAY + 3_600, delivery_status: 'failed' },
    ],
    ['created: a day, rare type', { created_gte: now - 9 * DAY, created_lte: now - 8 * DAY, type: [RARE_TYPE] }],
    ['object with 5 events', { related_object: aSale }],
    ['buyer with 2 % of all events', { related_object: busyBuyer(large) }],
    ['buyer with 20 % of all events', { related_object: crowdedBuyer(large) }],
    ['the same, failed', { related_object: busyBuyer(large), delivery_status: 'failed' }],
    [
      'the same, frequent type, a day',
      {
        related_object: busyBuyer(large),
        type: ['invoice.paid'],
        created_gte: now - 9 * DAY,
        created_lte: now - 8 * DAY,
      },
    ],
  ];
  return [
    ...ofLarge.map(([what, query]) => ({ what, accountId: large, query })),
    { what: 'nothing sent: not_sent', accountId: unsent, query: { delivery_status: 'not_sent' } },
    { what: 'nothing sent: delivered (10)', accountId: unsent, query: { delivery_status: 'delivered' } },
    { what: 'nothing sent: failed (none)', accountId: unsent, query: { delivery_status: 'failed' } },
    { what: 'dead receiver: delivered', accountId: dead, query: { delivery_status: 'delivered' } },
    { what: 'dead receiver: pending', accountId: dead, query: { delivery_status: 'pending' } },
    {
      what: 'dead receiver: failed, seldom type',
      accountId: dead,
      query: { delivery_status: 'failed', type: [SELDOM_TYPE] },
    },
    { what: 'small shop: failed', accountId: small, query: { delivery_status: 'failed' } },
  ];
}

interface Measured {
  readonly found: number;
  readonly firstMs: number;
  readonly medianMs: number;
  readonly mostMs: number;
  readonly plan: Plan;
}

async function measure(watched: Watched, { accountId, query }: Asked): Promise<Measured> {
  const deps = {
    pool: watched.pool,
    clock: systemClock,
    late: lateOf(watched.pool, 'bench'),
  };
  const scope = { accountId, liveMode: false, clock: REAL_CLOCK };
  const times: number[] = [];
  let found = 0;
  for (let time = 0; time <= TIMES; time += 1) {
    const startedMs = performance.now();
    found = (await listEvents(deps, scope, query)).data.length;
    times.push(performance.now() - startedMs);
  }
  const [firstMs = 0, ...rest] = times;
  const plan = await watched.explain(() => listEvents(deps, scope, query));
  return { found, firstMs, medianMs: median(rest), mostMs: Math.max(...rest), plan };
}

/** Each filter, as it is asked for a page of a hundred: newest first, and from the middle of the list on in both directions. */
async function measureAll(context: BenchContext, stage: Stage, asked: readonly Asked[]): Promise<string[][]> {
  const watched = new Watched(stage.databaseUrl);
  context.teardown.add(() => watched.close());
  const deps = {
    pool: watched.pool,
    clock: systemClock,
    late: lateOf(watched.pool, 'bench'),
  };
  const rows: string[][] = [];
  for (const one of asked) {
    context.say(one.what);
    const scope = { accountId: one.accountId, liveMode: false, clock: REAL_CLOCK };
    const { data } = await listEvents(deps, scope, { ...one.query, limit: 100 });
    const cursor = data.at(Math.floor(data.length / 2))?.id;
    const pages: [string, Query][] = [['newest', {}]];
    if (cursor !== undefined) pages.push(['on', { starting_after: cursor }], ['back', { ending_before: cursor }]);
    for (const [page, place] of pages) {
      const { found, firstMs, medianMs, mostMs, plan } = await measure(watched, {
        ...one,
        query: { ...one.query, ...place, limit: 100 },
      });
      rows.push([
        one.what,
        page,
        String(found),
        ...[firstMs, medianMs, mostMs].map((ms) => ms.toFixed(1)),
        String(plan.looks),
        plan.rows.toLocaleString('en'),
        plan.buffers.toLocaleString('en'),
        plan.by,
      ]);
    }
  }
  return rows;
}

/** `GET /events` with each of its filters, on a database with as many events as a large service keeps. */
export const events: Bench = async (context) => {
  const total = context.isQuick ? EVENTS.quick : EVENTS.full;
  const stage = await context.setStage({ postgresSettings: UNSAFE_AND_QUICK });
  const { shops, crowds } = await openShops(stage, total);
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  client.on('error', () => {}); // the query that meets it rejects too
  await client.connect();
  await fillEvents(client, crowds, context.say);
  const { rows: sizes } = await client.query<{ size: string; listing: string; sale: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(relid)) FILTER (WHERE relid::text LIKE 'event_2%')) AS size,
       pg_size_pretty(sum(pg_total_relation_size(relid)) FILTER (WHERE relid::text LIKE 'event_delivery_status_2%')) AS listing,
       (SELECT object_id FROM event WHERE account_id = $1 AND day = current_date - 12 ORDER BY id LIMIT 1) AS sale
     FROM (SELECT inhrelid::regclass AS relid FROM pg_inherits WHERE inhparent IN ('event'::regclass, 'event_delivery_status'::regclass)) AS part`,
    [shops.large],
  );
  await client.end();
  const [{ size = '', listing = '', sale = '' } = {}] = sizes;
  const rows = await measureAll(context, stage, questionsOf(shops, sale));
  const slowest = Math.max(...rows.map((row) => Number(row[5])));
  const head = [
    'filter',
    'page',
    'events',
    'first ms',
    'median ms',
    'most ms',
    'looks',
    'rows read',
    'buffers',
    'read by',
  ];
  return {
    table: tableOf(head, rows),
    notes: [
      `${total.toLocaleString('en')} events of ${crowds.length} accounts, half of them of one: ${size}, their standings ${listing}`,
      `the slowest of ${TIMES} took ${slowest.toFixed(1)} ms (goal: ${GOAL_MS} ms); "first" is the first time, with a cold cache and no plan`,
    ],
  };
};
