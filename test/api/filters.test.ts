import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { type RouteId, routes } from './access/routes.ts';
import { refusalOf, send } from './requests.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

/** A number to none, an id to none, no e-mail address, no tax id, no member of any enumeration, no instant. */
const NOTHING_HAS_THIS = 'no such@ value';

/** Chosen freely by a merchant, or looked for: any text may be one. */
const FREE = ['external_code', 'query', 'action', 'actor', 'object_id'];

const filters: [RouteId, name: string, path: string][] = routes
  // A list of what belongs to one object first looks for that.
  .filter(([id, { method, path }]) => method === 'GET' && /(^|\.)list|feed/i.test(id) && !path.includes(':'))
  .flatMap(([id, { path, query }]) =>
    Object.keys((query as { shape?: object } | undefined)?.shape ?? {}).map((name): [RouteId, string, string] => [
      id,
      name,
      path.replace('/api/v1', ''),
    ]),
  );

test('there are filters of every list', () => {
  expect(new Set(filters.map(([id]) => id)).size).toBeGreaterThan(8);
});

test.each(filters)('of %s: %s says that a value can match nothing', async (_, name, path) => {
  const query = new URLSearchParams({ [name]: NOTHING_HAS_THIS });
  const answer = await send(api, { method: 'GET', path: `${path}?${query}`, key: shop.sandboxKey });
  if (FREE.includes(name)) expect(answer.status).toBe(200);
  else expect(refusalOf(answer)).toMatchObject({ status: 400, param: name });
});
