import type pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { writeAttempts } from '../../../server/events/deliveries/results.ts';
import { LADDER } from '../../../server/events/deliveries/rules.ts';
import { idDay } from '../../../server/kernel/ids.ts';
import type { Merchant } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventOf, register } from '../../workflows/support.ts';

const scene = new DeliveryScene();

/** Events whose standing is another than their deliveries say. */
const untrue = async () => {
  const { rows } = await scene.pool.query(
    `SELECT e.id, s.status, coalesce(r.result, 'not_sent') AS result FROM event e
     LEFT JOIN event_delivery_status s ON s.day = e.day AND s.event_id = e.id
     LEFT JOIN LATERAL (SELECT CASE WHEN bool_or(n.status = 'failed') THEN 'failed' WHEN bool_or(n.status = 'pending') THEN 'pending'
         WHEN count(*) > 0 THEN 'delivered' END AS result
       FROM (SELECT DISTINCT ON (endpoint_id) status FROM delivery d WHERE d.event_id = e.id ORDER BY endpoint_id, ladder DESC) n) r ON true
     WHERE s.status IS DISTINCT FROM coalesce(r.result, 'not_sent')`,
  );
  return rows;
};

afterEach(async () => expect(await untrue()).toEqual([]));

const standing = async (event: string) => {
  const { rows } = await scene.pool.query('SELECT status FROM event_delivery_status WHERE event_id = $1', [event]);
  return rows.map(({ status }) => status);
};

interface Attempted {
  readonly endpointId: string;
  readonly ladder?: number;
  readonly attempt?: number;
  readonly outcome?: 'delivered' | 'failed';
  readonly isLast?: boolean;
}

/** What a worker records of an attempt. */
const recordOf = (
  eventId: string,
  { endpointId, ladder = 1, attempt = 1, outcome = 'delivered', isLast = false }: Attempted,
) => {
  const at = scene.api.clock.now();
  const delivered = outcome === 'delivered';
  return {
    ...{
      day: idDay(eventId) ?? '',
      eventId,
      endpointId,
      url: 'http://127.0.0.1:9/',
      ladder,
      attempt,
      outcome,
      at,
      answer: null,
      durationMs: 5,
    },
    statusCode: delivered ? 204 : 500,
    failure: delivered ? null : 'http_status',
    detail: delivered ? null : 'HTTP 500',
    nextAttemptAt: delivered || isLast ? null : at + 60,
  };
};

/** Its ladder has one attempt left. */
async function bringToLast(eventId: string, endpointId: string): Promise<void> {
  for (let attempt = 1; attempt < LADDER.length; attempt += 1)
    await writeAttempts(scene.pool, [recordOf(eventId, { endpointId, attempt, outcome: 'failed' })]);
}

const lastOf = (eventId: string, endpointId: string) =>
  recordOf(eventId, { endpointId, attempt: LADDER.length, outcome: 'failed', isLast: true });

async function shopWith(endpoints: number): Promise<{ shop: Merchant; ids: string[] }> {
  const shop = await scene.api.newMerchant();
  const ids: string[] = [];
  for (let made = 0; made < endpoints; made += 1)
    ids.push((await register(shop, await scene.receiver(), ['product.created'])).id);
  return { shop, ids };
}

const newEvent = async (shop: Merchant) => eventOf(shop, (await newProduct(shop)).id, 'product.created');

/** Does something in a transaction that stays open until it is told to commit. */
async function held(work: (client: pg.PoolClient) => Promise<unknown>): Promise<() => Promise<void>> {
  const client = await rolesOf(scene.pool).superuser.connect();
  await client.query('BEGIN');
  await work(client);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

const waits = () =>
  expect
    .poll(async () => {
      const { rows } = await scene.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length;
    })
    .toBeGreaterThan(0);

/** An attempt is recorded as a worker does it, on a connection of its own. */
const recordOn = (client: pg.PoolClient, record: ReturnType<typeof recordOf>) =>
  // Whatever has `query` runs statements.
  writeAttempts(client as unknown as pg.Pool, [record]);

describe('the standing of an event', () => {
  test('follows its deliveries: not sent, pending, delivered, and failed before all', async () => {
    const { shop, ids } = await shopWith(0);
    const unsent = await newEvent(shop);
    expect(await standing(unsent)).toEqual(['not_sent']);
    const [a = '', b = ''] = [
      ...ids,
      (await register(shop, await scene.receiver(), ['product.created'])).id,
      (await register(shop, await scene.receiver(), ['*'])).id,
    ];
    const event = await newEvent(shop);
    expect(await standing(event)).toEqual(['pending']);
    await writeAttempts(scene.pool, [recordOf(event, { endpointId: a })]);
    expect(await standing(event)).toEqual(['pending']);
    await bringToLast(event, b);
    await writeAttempts(scene.pool, [lastOf(event, b)]);
    expect(await standing(event)).toEqual(['failed']);
    await shop.fatura.events.resend(event, { webhook_endpoint_id: b });
    expect(await standing(event)).toEqual(['pending']);
    await writeAttempts(scene.pool, [recordOf(event, { endpointId: b, ladder: 2 })]);
    expect(await standing(event)).toEqual(['delivered']);
    await shop.fatura.events.resend(unsent);
    expect(await standing(unsent)).toEqual(['pending']);
  });

  test('is that of both attempts when two workers record them at once', async () => {
    const { shop, ids } = await shopWith(2);
    const [a = '', b = ''] = ids;
    const event = await newEvent(shop);
    const commit = await held((client) => recordOn(client, recordOf(event, { endpointId: a })));
    const second = writeAttempts(scene.pool, [recordOf(event, { endpointId: b })]);
    await waits();
    await commit();
    await second;
    expect(await standing(event)).toEqual(['delivered']);
  });

  test.each([
    ['before', (last: () => Promise<unknown>, resend: () => Promise<unknown>) => [last, resend] as const],
    ['behind', (last: () => Promise<unknown>, resend: () => Promise<unknown>) => [resend, last] as const],
  ])('is pending when the last ladder ends %s a resend', async (_, inOrder) => {
    const { shop, ids } = await shopWith(1);
    const [a = ''] = ids;
    const event = await newEvent(shop);
    await bringToLast(event, a);
    const last = () => writeAttempts(scene.pool, [lastOf(event, a)]);
    const [first, second] = inOrder(last, () => shop.fatura.events.resend(event));
    const { rows } = await scene.pool.query('SELECT day FROM event WHERE id = $1', [event]);
    const commit = await held((client) =>
      client.query('SELECT FROM event_delivery_status WHERE day = $1 AND event_id = $2 FOR UPDATE', [
        rows[0].day,
        event,
      ]),
    );
    const one = first();
    await waits();
    const other = second();
    await commit();
    await Promise.all([one, other]);
    expect(await standing(event)).toEqual(['pending']);
  });

  test('fails with the deletion of its endpoint, unless the attempt under way is accepted', async () => {
    const { shop, ids } = await shopWith(1);
    const [a = ''] = ids;
    const [lost, accepted] = [await newEvent(shop), await newEvent(shop)];
    await shop.fatura.webhookEndpoints.delete(a);
    expect([await standing(lost), await standing(accepted)]).toEqual([['failed'], ['failed']]);
    await writeAttempts(scene.pool, [recordOf(accepted, { endpointId: a })]);
    expect([await standing(lost), await standing(accepted)]).toEqual([['failed'], ['delivered']]);
  });

  test('is right whatever is recorded, sent again and deleted at once', async () => {
    const { shop, ids } = await shopWith(3);
    const events = await Promise.all(Array.from({ length: 24 }, () => newEvent(shop)));
    const inAnyOrder = <T>(all: readonly T[]) => all.toSorted(() => Math.random() - 0.5);
    const attempts = ids.flatMap((endpointId) =>
      [0, 1].map(async (half) => {
        const own = events.filter((_, nth) => nth % 2 === half);
        const records = own.map((event, nth) =>
          recordOf(event, { endpointId, outcome: nth % 3 === 0 ? 'failed' : 'delivered' }),
        );
        for (let tries = 0; ; tries += 1) {
          // Two that wait for each other in a circle are told so, and the recorder tries again.
          const done = await writeAttempts(scene.pool, inAnyOrder(records)).then(
            () => true,
            () => tries > 20,
          );
          if (done) return;
        }
      }),
    );
    const resends = events.slice(0, 8).map((event) => shop.fatura.events.resend(event));
    await Promise.all([...attempts, ...resends, shop.fatura.webhookEndpoints.delete(ids[0] ?? '')]);
    expect(await untrue()).toEqual([]);
  });
});
