import type { Fatura } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { fakeServiceThat } from './fake-service.ts';

/** Seven prices, newest first, listed as the service lists them: `has_more` tells of the direction asked. */
const PRICES = [7, 6, 5, 4, 3, 2, 1].map((n) => ({ id: `price_${n}` }));

function listPrices(query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 20);
  const after = query.get('starting_after');
  const before = query.get('ending_before');
  if (before !== null) {
    const newer = PRICES.slice(
      0,
      PRICES.findIndex(({ id }) => id === before),
    );
    return { object: 'list', url: '/api/v1/prices', has_more: newer.length > limit, data: newer.slice(-limit) };
  }
  const older = PRICES.slice(PRICES.findIndex(({ id }) => id === after) + 1);
  return { object: 'list', url: '/api/v1/prices', has_more: older.length > limit, data: older.slice(0, limit) };
}

async function service(): Promise<{ fatura: Fatura; queries: string[] }> {
  const queries: string[] = [];
  const fake = await fakeServiceThat(({ query }) => {
    queries.push(query);
    return { body: listPrices(new URLSearchParams(query)) };
  });
  return { fatura: fake.client(), queries };
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

describe('a list', () => {
  test('is not fetched before it is read', async () => {
    const { fatura, queries } = await service();
    fatura.prices.list();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(queries).toEqual([]);
  });

  test('is read to its end page by page, filters kept', async () => {
    const { fatura, queries } = await service();
    const ids: string[] = [];
    for await (const price of fatura.prices.list({ limit: 3, active: true })) ids.push(price.id);
    expect(ids).toEqual(idsOf(PRICES));
    expect(queries).toEqual([
      'limit=3&active=true',
      'limit=3&active=true&starting_after=price_5',
      'limit=3&active=true&starting_after=price_2',
    ]);
  });

  test('starts after the cursor given', async () => {
    const { fatura, queries } = await service();
    expect(idsOf(await fatura.prices.list({ limit: 2, starting_after: 'price_4' }).all({ max: 10 }))).toEqual([
      'price_3',
      'price_2',
      'price_1',
    ]);
    expect(queries).toEqual(['limit=2&starting_after=price_4', 'limit=2&starting_after=price_2']);
  });

  test('asked with ending_before is read from there towards the newer objects', async () => {
    const { fatura, queries } = await service();
    const list = fatura.prices.list({ limit: 2, ending_before: 'price_3' });
    expect(idsOf(await list.all({ max: 10 }))).toEqual(['price_4', 'price_5', 'price_6', 'price_7']);
    expect(queries).toEqual(['limit=2&ending_before=price_3', 'limit=2&ending_before=price_5']);
  });

  test('asks for no page beyond the last object wanted', async () => {
    const { fatura, queries } = await service();
    for await (const price of fatura.prices.list({ limit: 3 })) if (price.id === 'price_5') break;
    expect(queries).toHaveLength(1);
  });

  test('can be read twice', async () => {
    const { fatura } = await service();
    const list = fatura.prices.list({ limit: 4 });
    expect(await list.all({ max: 100 })).toEqual(await list.all({ max: 100 }));
  });
});

describe('all({ max })', () => {
  test.each([
    [0, 0],
    [1, 1],
    [3, 1],
    [4, 2],
    [7, 3],
    [100, 3],
  ])('%i takes at most so many, by %i requests of three', async (max, requests) => {
    const { fatura, queries } = await service();
    const prices = await fatura.prices.list({ limit: 3 }).all({ max });
    expect(idsOf(prices)).toEqual(idsOf(PRICES.slice(0, max)));
    expect(queries).toHaveLength(requests);
  });
});

describe('a page', () => {
  test('tells whether more follow, and leads to them', async () => {
    const { fatura } = await service();
    const first = await fatura.prices.list({ limit: 4 }).page();
    expect({ ids: idsOf(first.data), hasMore: first.hasMore }).toEqual({
      ids: idsOf(PRICES.slice(0, 4)),
      hasMore: true,
    });
    const last = await first.next();
    expect(last && { ids: idsOf(last.data), hasMore: last.hasMore }).toEqual({
      ids: idsOf(PRICES.slice(4)),
      hasMore: false,
    });
    expect(await last?.next()).toBeNull();
  });

  test('comes with its response when asked', async () => {
    const { fatura } = await service();
    const { data, requestId, response } = await fatura.prices.list({ limit: 1 }).page().withResponse();
    expect(idsOf(data.data)).toEqual(['price_7']);
    expect([requestId, response.status]).toEqual(['req_1', 200]);
  });
});
