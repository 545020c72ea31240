import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { exampleOf, routes } from '../access/routes.ts';
import { send } from '../requests.ts';
import { lastLetter, makeLiveSide, readLiveSide } from './live-side.ts';

/** Everything live is read again behind each route. */
const WALK_MS = 240_000;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** An advance is the last: until the clock is ready again, the sandbox takes no writes. */
const LAST = 'testClock.advance';
const writes = routes
  .filter(([, { method }]) => method !== 'GET')
  .toSorted(([one], [next]) => Number(one === LAST) - Number(next === LAST));

test(
  'no write with a sandbox key changes anything that is live, nor what live buyers see',
  async () => {
    const merchant = await api.newMerchant();
    const side = await makeLiveSide(api, merchant);
    const invoiceId = side.ids.in ?? '';
    await merchant.live.invoices.send(invoiceId);
    const letter = await lastLetter(api, invoiceId);
    expect(JSON.stringify(letter)).toContain('12.ABC.345/01DE-35');
    let before = await readLiveSide(api, side);
    expect(before.size).toBeGreaterThan(40);
    expect([...before.values()].filter((text) => text.startsWith('answered'))).toEqual([]);
    const changed: string[] = [];
    for (const [id] of writes) {
      // A mode has few endpoints, and the examples of several routes make one each.
      const { webhookEndpoints } = merchant.fatura;
      for (const endpoint of await webhookEndpoints.list().all({ max: 10 })) await webhookEndpoints.delete(endpoint.id);
      const now = api.clock.now();
      const request = await exampleOf(id, merchant, api);
      // Some of what is asked of comes with time, which is everybody's.
      if (api.clock.now() !== now) before = await readLiveSide(api, side);
      const { status, body } = await send(api, request);
      expect(status, `${id}: ${JSON.stringify(body)}`).toBeLessThan(300);
      const after = await readLiveSide(api, side);
      for (const [what, text] of after) if (before.get(what) !== text) changed.push(`${id} changes ${what}`);
      before = after;
    }
    expect(changed).toEqual([]);
    await merchant.live.invoices.send(invoiceId);
    expect(await lastLetter(api, invoiceId)).toEqual(letter);
  },
  WALK_MS,
);
