import { setTimeout as sleep } from 'node:timers/promises';
import { FaturaError } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { idTimeMs } from '../../../server/kernel/ids.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';
import { startServer } from '../../support/server-process.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { send } from '../requests.ts';

let api: TestApi;
let another: AnotherProcess;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  another = await startAnother(api);
});

afterAll(async () => {
  await another.stop();
  await api.stop();
});

type Feed = Awaited<ReturnType<Merchant['fatura']['events']['feed']>>;

const told = ({ data }: Feed): string[] => data.map(({ type }) => type);
const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => (error instanceof FaturaError ? error.code : error),
  );

const begin = async (merchant: Merchant): Promise<string> => (await merchant.fatura.events.feed()).cursor;

/** All that the feed tells behind a cursor until it has told so many. */
async function follow(merchant: Merchant, cursor: string, count: number): Promise<Feed['data']> {
  const events: Feed['data'] = [];
  let at = cursor;
  while (events.length < count) {
    const feed = await merchant.fatura.events.feed({ cursor: at, wait: 5 });
    events.push(...feed.data);
    at = feed.cursor;
  }
  return events;
}

describe('the feed', () => {
  test('begins now, and tells what happens from then on, once and in its order', async () => {
    shop = await api.newMerchant();
    await newProduct(shop);
    const first = await shop.fatura.events.feed();
    expect(first).toEqual({ object: 'event_feed', data: [], cursor: first.cursor, caught_up: true });
    const product = await newProduct(shop);
    await shop.fatura.products.update(product.id, { name: 'Plano Ouro' });
    const second = await shop.fatura.events.feed({ cursor: first.cursor });
    expect(told(second)).toEqual(['product.created', 'product.updated']);
    const listed = await shop.fatura.events.list({ limit: 2 }).page();
    expect(second.data).toEqual([...listed.data].toReversed());
    expect((await shop.fatura.events.feed({ cursor: second.cursor })).data).toEqual([]);
  });

  test('waits for an event, and tells it within a second of its commit', async () => {
    shop = await api.newMerchant();
    const cursor = await begin(shop);
    const waiting = shop.fatura.events.feed({ cursor, wait: 20 });
    await sleep(700);
    const startedMs = performance.now();
    await newProduct(shop);
    expect(told(await waiting)).toEqual(['product.created']);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  test('answers with nothing when its wait is over, and goes on behind that', async () => {
    shop = await api.newMerchant();
    const startedMs = performance.now();
    const { data, cursor } = await shop.fatura.events.feed({ wait: 1 });
    expect([data, performance.now() - startedMs > 900]).toEqual([[], true]);
    await newProduct(shop);
    expect(told(await shop.fatura.events.feed({ cursor }))).toEqual(['product.created']);
  });

  test('tells events of the types that were asked for, and waits through the others', async () => {
    shop = await api.newMerchant();
    const cursor = await begin(shop);
    const waiting = shop.fatura.events.feed({ cursor, wait: 20, type: ['customer.created', 'product.updated'] });
    await newProduct(shop);
    await sleep(600);
    const product = await newProduct(shop);
    await shop.fatura.products.update(product.id, { name: 'Plano Ouro' });
    expect(told(await waiting)).toEqual(['product.updated']);
  });

  test('begins behind an event, or at an instant', async () => {
    shop = await api.newMerchant();
    const beganAt = Math.floor(Date.now() / 1_000);
    await newProduct(shop);
    await newProduct(shop);
    const all = await shop.fatura.events.feed({ since: beganAt });
    expect(all.data).toHaveLength(2);
    const [first, second] = all.data;
    expect((await shop.fatura.events.feed({ cursor: first?.id ?? '' })).data).toEqual([second]);
    expect(
      (await shop.fatura.events.feed({ since: Math.floor((idTimeMs(second?.id ?? '') ?? 0) / 1_000) + 1 })).data,
    ).toEqual([]);
    expect((await shop.fatura.events.feed({ since: 0 })).data).toHaveLength(2);
  });

  test('refuses a cursor of nothing, and a cursor beside an instant', async () => {
    shop = await api.newMerchant();
    const { events } = shop.fatura;
    expect(await codeOf(events.feed({ cursor: 'evt_zzzzzzzzzzzzzzzzzzzzzzzzzz' }))).toBe('CURSOR_INVALID');
    expect(await codeOf(events.feed({ cursor: 'evt_1' }))).toBe('PARAMETER_INVALID');
    expect(await codeOf(events.feed({ wait: 21 }))).toBe('PARAMETER_INVALID');
    const cursor = await begin(shop);
    expect(await codeOf(events.feed({ cursor, since: 1 }))).toBe('PARAMETER_INVALID');
  });

  test('tells nobody of another account, or of the other mode', async () => {
    shop = await api.newMerchant();
    const stranger = await api.newMerchant();
    const cursor = await begin(shop);
    await newProduct(shop);
    expect((await stranger.fatura.events.feed({ cursor })).data).toEqual([]);
    expect((await shop.live.events.feed({ cursor })).data).toEqual([]);
    expect((await shop.fatura.events.feed({ cursor })).data).toHaveLength(1);
  });

  test('goes on when the sandbox was reset', async () => {
    shop = await api.newMerchant();
    await newProduct(shop);
    const cursor = await begin(shop);
    await shop.fatura.testClock.reset();
    await newProduct(shop);
    expect(told(await shop.fatura.events.feed({ cursor }))).toEqual(['product.created']);
  });

  test('leaves nothing out and tells nothing twice while two processes write', async () => {
    shop = await api.newMerchant();
    const cursor = await begin(shop);
    const following = follow(shop, cursor, 40);
    const write = async (baseUrl: string) => {
      const { products } = sdkFor(baseUrl, shop.sandboxKey);
      for (let count = 0; count < 10; count += 1) await products.create({ name: 'Plano' });
    };
    await Promise.all([api, api, another, another].map(({ baseUrl }) => write(baseUrl)));
    const ids = (await following).map(({ id }) => id);
    const listed = await shop.fatura.events.list({ limit: 100 }).all({ max: 100 });
    expect(ids.toSorted()).toEqual(listed.map(({ id }) => id).toSorted());
  });

  test('tells what is committed late when it is, and what overtook it before', async () => {
    shop = await api.newMerchant();
    const cursor = await begin(shop);
    const { pool } = api.composition.deps;
    const client = await rolesOf(pool).superuser.connect();
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO product (id, account_id, live_mode, created, name, active, external_code)
       VALUES ('prod_00000000000000000000000000', $1, false, 0, 'Plano', true, 'late')`,
      [shop.accountId],
    );
    const late = sdkFor(another.baseUrl, shop.sandboxKey).products.create({ name: 'Tarde', external_code: 'late' });
    const waits = () =>
      pool.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`);
    await expect.poll(async () => (await waits()).rowCount).toBe(1);
    await sleep(1_500);
    const prompt = await newProduct(shop);
    const first = await shop.fatura.events.feed({ cursor, wait: 5 });
    const waiting = shop.fatura.events.feed({ cursor: first.cursor, wait: 10 });
    await client.query('ROLLBACK');
    client.release();
    const second = await waiting;
    expect([...first.data, ...second.data].map(({ data }) => data.object.id)).toEqual([prompt.id, (await late).id]);
    expect((second.data[0]?.id ?? '') < (first.data[0]?.id ?? '')).toBe(true);
    await sleep(1_200);
    expect((await shop.fatura.events.feed({ cursor: second.cursor })).data).toEqual([]);
  });
});

describe('requests that wait', () => {
  test('are ten of an account at most, and one that left makes room', async () => {
    shop = await api.newMerchant();
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const first = new AbortController();
    const wait = (signal: AbortSignal) => shop.fatura.events.feed({ wait: 20 }, { signal }).catch(() => null);
    void wait(first.signal);
    for (let count = 1; count < 10; count += 1) void wait(leaving.signal);
    await sleep(500);
    const refused = await send(api, { method: 'GET', path: '/event_feed?wait=1', key: shop.sandboxKey });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '5']);
    expect((await shop.fatura.events.feed()).caught_up).toBe(true);
    expect((await (await api.newMerchant()).fatura.events.feed({ wait: 1 })).data).toEqual([]);
    first.abort();
    await expect.poll(() => codeOf(shop.fatura.events.feed({ wait: 0 }))).toBe(null);
    await expect.poll(() => codeOf(shop.fatura.events.feed({ wait: 1 }))).toBe(null);
  });

  test('are looked after by one statement four times a second, and by none when nobody waits', async () => {
    const shops = await Promise.all(Array.from({ length: 5 }, () => api.newMerchant()));
    const cursors = await Promise.all(shops.map(begin));
    const queries = vi.spyOn(api.composition.deps.pool, 'query');
    onTestFinished(() => queries.mockRestore());
    const looks = () =>
      queries.mock.calls.filter(
        ([query]) => (query as unknown as { name: string }).name === 'look_for_events_waited_for',
      );
    await Promise.all(shops.map(({ fatura }, at) => fatura.events.feed({ cursor: cursors[at] ?? '', wait: 2 })));
    const seen = looks().length;
    expect(seen).toBeGreaterThan(3);
    expect(seen).toBeLessThanOrEqual(9);
    await sleep(600);
    expect(looks()).toHaveLength(seen);
  });

  test('are measured by what they took before they waited', async () => {
    shop = await api.newMerchant();
    const sum = async () =>
      Number(
        /^fatura_http_request_seconds_sum\{method="GET",route="\/api\/v1\/event_feed",status="200"\} (.*)$/m.exec(
          await (await fetch(`${api.baseUrl}/metrics`)).text(),
        )?.[1],
      );
    await begin(shop);
    const before = await sum();
    await shop.fatura.events.feed({ wait: 2 });
    expect((await sum()) - before).toBeLessThan(1);
  });

  test('are answered when the process is told to stop', async () => {
    shop = await api.newMerchant();
    const server = await startServer(api);
    onTestFinished(() => server.kill9());
    const { fatura } = { fatura: sdkFor(server.baseUrl, shop.sandboxKey) };
    const { cursor } = await fatura.events.feed();
    const waiting = fatura.events.feed({ cursor, wait: 20 });
    await sleep(500);
    const { code, ms } = await server.stop();
    expect([code, (await waiting).data, ms < 5_000]).toEqual([0, [], true]);
    await newProduct(shop);
    expect(told(await shop.fatura.events.feed({ cursor: (await waiting).cursor }))).toEqual(['product.created']);
  });
});
