import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { newApiKey } from '../../../server/accounts/keys.ts';
import { CONNECTIONS, limitOf } from '../../../server/admission/limits.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';

let api: TestApi;
let loud: Merchant;
let quiet: Merchant;

beforeAll(async () => {
  api = await startApi();
  loud = await api.newMerchant();
  quiet = await api.newMerchant();
});
afterAll(() => api.stop());

const held: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const letGo of held.splice(0)) await letGo();
});

/** Keeps a row from being changed, as a long transaction of the account's own would. */
async function holdRow(table: 'customer' | 'invoice', id: string): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await rolesOf(api.composition.deps.pool).superuser.connect();
  await client.query('BEGIN');
  await client.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
  let isHeld = true;
  const letGo = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('ROLLBACK');
    client.release();
  };
  held.push(letGo);
  return letGo;
}

const change = (key: string, id: string) =>
  send(api, { method: 'PATCH', path: `/customers/${id}`, key, body: { customer: { name: 'Maria' } } });
const read = (key: string) => send(api, { method: 'GET', path: '/account', key });
const refusals = async (limit: string): Promise<number> => {
  const metrics = await api.composition.deps.metrics.registry.getMetricsAsJSON();
  const counted = metrics.find(({ name }) => name === 'fatura_limit_refusals_total')?.values ?? [];
  return counted.filter(({ labels }) => labels.limit === limit).reduce((sum, { value }) => sum + value, 0);
};

describe('an account whose requests wait for a row', () => {
  test('is told to repeat what waited too long, and a repeat under the same key does it once', async () => {
    const { id: customer_id } = await newCustomer(loud);
    const price = await newPrice(loud);
    const letGo = await holdRow('customer', customer_id);
    const body = { invoice: { customer_id, line_items: [{ price_id: price.id, quantity: 1 }] } };
    const request = { method: 'POST', path: '/invoices', key: loud.sandboxKey, body };
    const headers = { 'Idempotency-Key': 'locked' };
    const refused = await send(api, { ...request, headers });
    expect(refusalOf(refused)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(refused.headers.get('Retry-After')).toBe('1');
    await letGo();
    const answers = [await send(api, { ...request, headers }), await send(api, { ...request, headers })];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    const listed = await send(api, {
      method: 'GET',
      path: `/invoices?customer_id=${customer_id}`,
      key: loud.sandboxKey,
    });
    expect(listed.body).toMatchObject({ data: [{ customer: customer_id }] });
  });

  test('keeps nobody else waiting, nor its own buyers, nor its live mode', async () => {
    const { id } = await newCustomer(loud);
    const invoice = await newInvoice(loud);
    await holdRow('customer', id);
    // More than all connections.
    const waiting = Array.from({ length: 2 * CONNECTIONS.requests }, () => change(loud.sandboxKey, id));
    let areOver = false;
    const over = Promise.all(waiting).then((answers) => {
      areOver = true;
      return answers;
    });
    const others = await Promise.all([
      read(quiet.sandboxKey),
      read(loud.liveKey),
      fetch(`${api.baseUrl}${new URL(invoice.payment_url ?? '').pathname}`),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(areOver).toBe(false);
    const statuses = (await over).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([503]));
  });

  test('is refused what is more than may be in flight and wait, each refusal with why and when to repeat', async () => {
    const { id } = await newCustomer(loud);
    const letGo = await holdRow('customer', id);
    const most = limitOf('inflight', { liveMode: false }) + limitOf('queue', { liveMode: false });
    const before = await refusals('queue');
    const waiting = Array.from({ length: most + 20 }, () => change(loud.sandboxKey, id));
    const first: RawAnswer = await Promise.race(waiting);
    expect(refusalOf(first)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(refusalOf(first).message).toContain(
      'Too many concurrent requests of this account in this mode: 128 are queued',
    );
    expect(first.headers.get('RateLimit')).toContain('"inflight";r=0');
    expect(first.headers.get('Retry-After')).toBe('1');
    expect((await read(quiet.sandboxKey)).status).toBe(200);
    await letGo();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    expect(statuses).toContain(200);
    expect((await refusals('queue')) - before).toBeGreaterThanOrEqual(1);
    expect(refused).toBeGreaterThanOrEqual(1);
  });
});

const list = (key: string) => send(api, { method: 'GET', path: '/disputes', key });

describe('requests in flight', () => {
  const inflightOf = (answer: RawAnswer) => /"inflight";r=(\d+)/.exec(answer.headers.get('RateLimit') ?? '')?.[1];

  test('are told before they are refused: a list and a large body count as four', async () => {
    const policy = (await read(quiet.sandboxKey)).headers.get('RateLimit-Policy');
    expect(policy).toMatch(/^"minute";q=\d+;w=60, "inflight";q=32;qu="concurrent-requests"$/);
    expect((await read(quiet.liveKey)).headers.get('RateLimit-Policy')).toContain('"inflight";q=64');
    expect(inflightOf(await read(quiet.sandboxKey))).toBe('31');
    expect(inflightOf(await list(quiet.sandboxKey))).toBe('28');
    const body = { customer: { name: 'M', metadata: { large: 'x'.repeat(40_000) } } };
    const large = await send(api, { method: 'POST', path: '/customers', key: quiet.sandboxKey, body });
    expect(inflightOf(large)).toBe('28');
  });

  test('that are lists are worked on one at a time, wait for none of another account, and none is refused', async () => {
    const blocker = await rolesOf(api.composition.deps.pool).superuser.connect();
    const lateLists = async (): Promise<number> => {
      const { rows } = await blocker.query(
        `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'dispute'::regclass AND NOT granted`,
      );
      return rows[0].count;
    };
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE dispute IN ACCESS EXCLUSIVE MODE');
    const lists = Array.from({ length: 6 }, () => list(loud.sandboxKey));
    await expect.poll(lateLists).toBe(1);
    expect((await send(api, { method: 'GET', path: '/customers', key: quiet.sandboxKey })).status).toBe(200);
    expect((await read(loud.sandboxKey)).status).toBe(200);
    expect(await lateLists()).toBe(1);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

test('whoever waits for events is not in flight meanwhile', async () => {
  const places = limitOf('feed_waiting', { liveMode: false });
  const stop = new AbortController();
  const path = '/api/v1/event_feed?wait=20';
  const headers = { Authorization: `ApiKey ${quiet.sandboxKey}` };
  const waiting = Array.from({ length: places }, () =>
    fetch(api.baseUrl + path, { headers, signal: stop.signal }).catch(() => null),
  );
  await expect
    .poll(async () => (await send(api, { method: 'GET', path: '/event_feed?wait=1', key: quiet.sandboxKey })).status, {
      timeout: 20_000,
    })
    .toBe(429);
  const most = limitOf('inflight', { liveMode: false });
  const answers = await Promise.all(Array.from({ length: most }, () => read(quiet.sandboxKey)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  stop.abort();
  await Promise.all(waiting);
});

describe('keys that do not exist', () => {
  test('are refused before the database is asked once their address used its tries up, and known keys go on', async () => {
    expect((await read(quiet.sandboxKey)).status).toBe(200);
    const queries = vi.spyOn(api.composition.deps.pool, 'query');
    const statuses: number[] = [];
    for (let nth = 0; nth < 160; nth += 1) statuses.push((await read(newApiKey(false))).status);
    const lookedUp = queries.mock.calls.filter(([query]) => (query as { name?: string }).name === 'find_api_key');
    queries.mockRestore();
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(lookedUp).toHaveLength(20 + 100);
    // After the time for which a key that was looked up is remembered.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await read(quiet.sandboxKey)).status).toBe(200);
  });
});

describe('a body', () => {
  const price = (extra: object) =>
    send(api, { method: 'POST', path: '/invoices', key: loud.sandboxKey, body: { invoice: extra } });

  test('of more than 2,000 fields, or 5,000 fields and entries, is refused as too large', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`a${nth}`, 0]));
    const entries = (count: number) => Array.from({ length: count }, () => 0);
    for (const body of [fields(28_000), { metadata: [fields(1_999)] }, { line_items: entries(5_001) }]) {
      expect(refusalOf(await price(body))).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE', param: null });
    }
    for (const body of [fields(1_999), { line_items: entries(4_998) }]) {
      expect(refusalOf(await price(body))).toMatchObject({ status: 400 });
    }
  });

  const shortNames = [...Array(94).keys()]
    .map((nth) => String.fromCharCode(0x21 + nth))
    .filter((name) => !/["\\]/.test(name));

  test.each([
    ['fields', Array.from({ length: 14 }, () => Object.fromEntries(shortNames.map((name) => [name, 0])))],
    ['entries', [{ a: Array.from({ length: 4_090 }, () => 0) }]],
  ])('with the most lines and the most %s of metadata that are allowed passes', async (_, metadata) => {
    const { id: customer_id } = await newCustomer(loud);
    const { id: price_id } = await newPrice(loud);
    const line_items = Array.from({ length: 100 }, () => ({ price_id, quantity: 1 }));
    expect((await price({ customer_id, line_items, metadata })).status).toBe(201);
  });
});

test('no answer of the API is kept by a cache', async () => {
  const answers = [
    await read(quiet.sandboxKey),
    await send(api, { method: 'GET', path: '/customers', key: null }),
    await send(api, { method: 'GET', path: '/nothing', key: quiet.sandboxKey }),
  ];
  expect(answers.map(({ headers }) => headers.get('Cache-Control'))).toEqual(['no-store', 'no-store', 'no-store']);
});
