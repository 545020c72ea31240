import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../../sdk/src/generated/types.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { refusalOf, send, violationsOf } from '../requests.ts';

let api: TestApi;
let merchant: Merchant;
/** Newest first, as lists show them. */
let products: Product[];

const COUNT = 25;

const addProduct = (to: Merchant, name: string): Promise<Product> => to.fatura.products.create({ name });

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  const made: Product[] = [];
  for (let i = 0; i < COUNT; i += 1) {
    made.push(await addProduct(merchant, `Plano ${i}`));
    api.clock.advance(10);
  }
  products = made.toReversed();
});

afterAll(() => api.stop());

interface PageBody {
  object: string;
  url: string;
  has_more: boolean;
  data: Product[];
}

async function page(query: Record<string, string | number>, of: Merchant = merchant): Promise<PageBody> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { status, body } = await send(api, { method: 'GET', path: `/products?${search}`, key: of.sandboxKey });
  expect(status).toBe(200);
  return body as PageBody;
}

const refused = (search: string) => send(api, { method: 'GET', path: `/products?${search}`, key: merchant.sandboxKey });
const at = (index: number): Product => products[index] ?? expect.fail(`there is no product ${index}`);

describe('a page of a list', () => {
  test('has the 20 newest objects unless told otherwise', async () => {
    expect(await page({})).toEqual({
      object: 'list',
      url: '/api/v1/products',
      has_more: true,
      data: products.slice(0, 20),
    });
  });

  test('is as long as asked, and knows whether the list goes on', async () => {
    for (const limit of [1, 2, 24, 25, 26, 100]) {
      expect(await page({ limit })).toMatchObject({ has_more: limit < COUNT, data: products.slice(0, limit) });
    }
  });

  test('starts after an object: the older ones', async () => {
    expect(await page({ starting_after: at(4).id, limit: 3 })).toMatchObject({
      has_more: true,
      data: products.slice(5, 8),
    });
    expect(await page({ starting_after: at(21).id, limit: 3 })).toMatchObject({
      has_more: false,
      data: products.slice(22),
    });
    expect(await page({ starting_after: at(24).id })).toMatchObject({ has_more: false, data: [] });
  });

  test('ends before an object: the newer ones next to it, newest first', async () => {
    expect(await page({ ending_before: at(10).id, limit: 3 })).toMatchObject({
      has_more: true,
      data: products.slice(7, 10),
    });
    expect(await page({ ending_before: at(3).id, limit: 3 })).toMatchObject({
      has_more: false,
      data: products.slice(0, 3),
    });
    expect(await page({ ending_before: at(0).id })).toMatchObject({ has_more: false, data: [] });
  });

  test('keeps to the instants asked for, both ends included', async () => {
    const [newest, oldest] = [at(5).created, at(9).created];
    expect((await page({ created_gte: oldest, created_lte: newest })).data).toEqual(products.slice(5, 10));
    expect((await page({ created_gte: newest + 1 })).data).toEqual(products.slice(0, 5));
    expect((await page({ created_lte: oldest - 1 })).data).toEqual(products.slice(10));
    expect((await page({ created_gte: newest, created_lte: oldest })).data).toEqual([]);
    expect(await page({ created_lte: newest, starting_after: at(7).id, limit: 2 })).toMatchObject({
      has_more: true,
      data: products.slice(8, 10),
    });
  });

  test('is empty where there is nothing', async () => {
    const empty = { object: 'list', url: '/api/v1/products', has_more: false, data: [] };
    expect(await page({}, await api.newMerchant())).toEqual(empty);
    expect(await page({ external_code: 'nothing' })).toEqual(empty);
  });

  test.each(['0', '101', '-1', '1.5', 'ten', '', ' 5', '1e2', '9999999999999999'])(
    'cannot have the limit %j',
    async (limit) => {
      expect(violationsOf(await refused(`limit=${encodeURIComponent(limit)}`))).toEqual([
        400,
        'limit PARAMETER_INVALID',
      ]);
    },
  );

  test('refuses what it does not know and what comes twice, all at once', async () => {
    expect(violationsOf(await refused('limit=0&page=2&created_gte=soon&active=true&active=false'))).toEqual([
      400,
      'limit PARAMETER_INVALID',
      'created_gte PARAMETER_INVALID',
      'active PARAMETER_INVALID',
      'page PARAMETER_UNKNOWN',
    ]);
  });
});

describe('a cursor', () => {
  test('comes alone', async () => {
    const answer = await refused(`starting_after=${at(1).id}&ending_before=${at(3).id}`);
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'CURSOR_INVALID' });
  });

  test('names an object of this list: not of another account, mode or kind, nor of nothing', async () => {
    const stranger = await api.newMerchant();
    const ids = [
      (await addProduct(stranger, 'Plano')).id,
      (await merchant.live.products.create({ name: 'Plano' })).id,
      (await merchant.fatura.customers.create({ name: 'Maria', identifier: '52998224725', email: 'm@example.com' })).id,
      'prod_00000000000000000000000000',
      'prod_1',
      '%00',
      '%FF',
      '',
      'x'.repeat(500),
    ];
    for (const id of ids) {
      for (const param of ['starting_after', 'ending_before']) {
        expect(refusalOf(await refused(`${param}=${id}`))).toMatchObject({
          status: 400,
          code: 'CURSOR_INVALID',
          param,
        });
      }
    }
  });

  test('may name an object that the filter leaves out', async () => {
    const shop = await api.newMerchant();
    const old = await addProduct(shop, 'Plano');
    const hidden = await shop.fatura.products.create({ name: 'Plano', active: false });
    const young = await addProduct(shop, 'Plano');
    expect((await page({ active: 'true', starting_after: hidden.id }, shop)).data).toEqual([old]);
    expect((await page({ active: 'true', ending_before: hidden.id }, shop)).data).toEqual([young]);
  });
});

describe('reading a list to its end', () => {
  test('the client goes through it in either direction', async () => {
    const seen: Product[] = [];
    for await (const product of merchant.fatura.products.list({ limit: 7 })) seen.push(product);
    expect(seen).toEqual(products);
    const newer = await merchant.fatura.products.list({ limit: 7, ending_before: at(24).id }).all({ max: 100 });
    expect(newer.toSorted((a, b) => (a.id < b.id ? 1 : -1))).toEqual(products.slice(0, 24));
  });

  const directions = ['older', 'newer'] as const;

  /** Reads all pages from one end; `between` runs beside each request. */
  async function readAll(
    shop: Merchant,
    options: { direction: (typeof directions)[number]; limit: number; from: string; between: () => Promise<unknown> },
  ): Promise<string[]> {
    const seen: string[] = [];
    const param = options.direction === 'older' ? 'starting_after' : 'ending_before';
    let cursor = options.from;
    for (;;) {
      const [{ data, has_more }] = await Promise.all([
        page({ limit: options.limit, [param]: cursor }, shop),
        options.between(),
      ]);
      seen.push(...data.map(({ id }) => id));
      const edge = options.direction === 'older' ? data.at(-1) : data[0];
      if (edge !== undefined) cursor = edge.id;
      if (!has_more) return seen;
    }
  }

  test('while others insert: nothing comes twice, and nothing that was there before is left out', async () => {
    const plan = fc.record({
      direction: fc.constantFrom(...directions),
      limit: fc.integer({ min: 1, max: 6 }),
      before: fc.integer({ min: 1, max: 15 }),
      during: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ direction, limit, before, during }) => {
        const shop = await api.newMerchant();
        const add = (count: number) => Promise.all(Array.from({ length: count }, () => addProduct(shop, 'Plano')));
        const first = await addProduct(shop, 'Plano');
        const between = (await add(before)).map(({ id }) => id);
        const last = await addProduct(shop, 'Plano');
        const inserts = during.values();
        const from = direction === 'older' ? last.id : first.id;
        const seen = await readAll(shop, { direction, limit, from, between: () => add(inserts.next().value ?? 0) });
        expect(new Set(seen).size).toBe(seen.length);
        const there = direction === 'older' ? [first.id, ...between] : [...between, last.id];
        expect(new Set(seen).isSupersetOf(new Set(there))).toBe(true);
        if (direction === 'older') expect(seen).toEqual(there.toSorted().toReversed());
      }),
      { numRuns: 25 },
    );
  });
});
