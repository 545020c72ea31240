import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LADDER } from '../../../server/events/deliveries/rules.ts';
import { PAGE_BYTES_MAX } from '../../../server/kernel/pages.ts';
import type { Merchant } from '../../support/api.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { register } from '../../workflows/support.ts';

const scene = new DeliveryScene();
const SHOWN = 20;

interface Ladders {
  readonly endpointId: string;
  readonly first?: number;
  readonly last: number;
  readonly status?: 'delivered' | 'failed';
}

/** Ladders that have ended: accepted at their first attempt, or refused ten times with long words. */
async function endLadders(event: string, { endpointId, first = 1, last, status = 'failed' }: Ladders): Promise<void> {
  const attempts = status === 'failed' ? LADDER.length : 1;
  await scene.pool.query(
    `INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode, status, stage, attempts, first_attempt_at)
     SELECT e.day, e.id, $2, nth, e.account_id, e.live_mode, $5, 'done', $6, e.created
     FROM event e CROSS JOIN generate_series($3::int, $4::int) AS nth WHERE e.id = $1`,
    [event, endpointId, first, last, status, attempts],
  );
  await scene.pool.query(
    `INSERT INTO delivery_attempt (day, event_id, endpoint_id, ladder, attempt, at, status_code, failure, detail, answer, duration_ms)
     SELECT e.day, e.id, $2, nth, attempt, e.created, $6, $7, $8, repeat('no' || nth::text || ' ', 200), 5
     FROM event e CROSS JOIN generate_series($3::int, $4::int) AS nth CROSS JOIN generate_series(1, $5::int) AS attempt WHERE e.id = $1`,
    [
      event,
      endpointId,
      first,
      last,
      attempts,
      ...(status === 'failed' ? [500, 'http_status', 'HTTP 500'] : [204, null, null]),
    ],
  );
}

const endpointOf = async (shop: Merchant): Promise<string> =>
  (await register(shop, await scene.receiver(), ['product.created'])).id;

/** An event from before there were endpoints. */
async function anEvent() {
  const shop = await scene.api.newMerchant();
  const event = await scene.productEvent(shop);
  const shown = async () => {
    const { delivery_status: result, deliveries } = await shop.fatura.events.deliveries(event);
    return { result, ladders: deliveries.data };
  };
  const listed = async (result: 'delivered' | 'failed') =>
    (await shop.fatura.events.list({ delivery_status: result }).page()).data.map(({ id }) => id);
  return { shop, event, shown, listed };
}

/** Of which events ladders at an endpoint are read from now on, in their order. */
function laddersAskedFor(): () => unknown[] {
  const queries = vi.spyOn(scene.pool, 'query');
  onTestFinished(() => queries.mockRestore());
  return () =>
    // The driver's types know of texts alone.
    (queries.mock.calls as unknown as { name?: string; values: unknown[][] }[][]).flatMap(([query]) =>
      query?.name === 'find_ladders_at_endpoint' ? (query.values[1] ?? []) : [],
    );
}

const numbers = (to: number) => Array.from({ length: to }, (_, nth) => nth + 1);

describe('an event with many ladders', () => {
  test('regression-180-shows the newest 20, of each endpoint in turn, with its own attempts', async () => {
    const { shop, event, shown, listed } = await anEvent();
    const [often, once] = [await endpointOf(shop), await endpointOf(shop)];
    await endLadders(event, { endpointId: often, last: 40 });
    await endLadders(event, { endpointId: often, first: 41, last: 41, status: 'delivered' });
    await endLadders(event, { endpointId: once, last: 1 });
    const { result, ladders } = await shown();
    expect(ladders.map(({ webhook_endpoint: to, ladder, status }) => [to, ladder, status])).toEqual([
      [often, 41, 'delivered'],
      [once, 1, 'failed'],
      ...Array.from({ length: SHOWN - 2 }, (_, nth) => [often, 40 - nth, 'failed']),
    ]);
    for (const { ladder, status, attempts } of ladders) {
      expect(attempts.map(({ attempt }) => attempt)).toEqual(status === 'failed' ? numbers(LADDER.length) : [1]);
      for (const { answer } of attempts) expect(answer).toBe(`no${ladder} `.repeat(200));
    }
    expect([result, await listed('failed')]).toEqual(['failed', [event]]);
  });

  test('has the result of all endpoints, those that are not shown among them', async () => {
    const { shop, event, shown, listed } = await anEvent();
    const endpoints: string[] = [];
    for (let made = 0; made <= SHOWN; made += 1) {
      const endpointId = await endpointOf(shop);
      endpoints.unshift(endpointId);
      await endLadders(event, { endpointId, last: 1, status: made === 0 ? 'failed' : 'delivered' });
      await shop.fatura.webhookEndpoints.delete(endpointId);
    }
    const { result, ladders } = await shown();
    expect(ladders.map(({ webhook_endpoint: to, status }) => [to, status])).toEqual(
      endpoints.slice(0, SHOWN).map((to) => [to, 'delivered']),
    );
    expect([result, await listed('failed')]).toEqual(['failed', [event]]);
    await endLadders(event, { endpointId: endpoints.at(-1) ?? '', first: 2, last: 2, status: 'delivered' });
    expect([(await shown()).result, await listed('delivered')]).toEqual(['delivered', [event]]);
  });
});

describe('the deliveries of an endpoint', () => {
  test('regression-179-are cut where their bytes fill a page, and each is on one page, whole; no more is read', async () => {
    const shop = await scene.api.newMerchant();
    const events: string[] = [];
    for (let made = 0; made < 9; made += 1) events.unshift(await scene.productEvent(shop));
    const id = await endpointOf(shop);
    for (const event of events) await endLadders(event, { endpointId: id, last: SHOWN });
    const list = (params = {}) => shop.fatura.webhookEndpoints.deliveries(id, { limit: 100, ...params });
    const asked = laddersAskedFor();
    const first = await list().page();
    // One event more than the page shows says that there are others.
    expect(asked()).toEqual(events.slice(0, first.data.length + 1));
    const sizes = first.data.map((delivery) => Buffer.byteLength(JSON.stringify(delivery)));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    expect(first.hasMore).toBe(true);
    expect(bytes).toBeGreaterThanOrEqual(PAGE_BYTES_MAX);
    expect(bytes - (sizes.at(-1) ?? 0)).toBeLessThan(PAGE_BYTES_MAX);
    const all = await list().all({ max: 100 });
    expect(all.map(({ id: event }) => event)).toEqual(events);
    for (const { ladders } of all) {
      expect(ladders.data.map(({ ladder }) => ladder)).toEqual(numbers(SHOWN).toReversed());
      expect(ladders.data.every(({ attempts }) => attempts.length === LADDER.length)).toBe(true);
    }
    const back = await list({ ending_before: events[8] }).page();
    expect(back.hasMore).toBe(true);
    expect(back.data.map(({ id: event }) => event)).toEqual(events.slice(8 - back.data.length, 8));
  });
});
