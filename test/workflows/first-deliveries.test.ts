import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@fatura/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newWebhookSecret } from '../../server/events/signing.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newProduct } from '../support/factories.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { deliverFrom, eventOf, eventually, register, settled } from './support.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const pool = () => api.composition.deps.pool;

/** What failed is not tried again here: the audit takes only whole ladders and those of endpoints that are gone. */
afterEach(async () => {
  const shown = await pool().query(`UPDATE webhook_endpoint SET deleted_at = coalesce(deleted_at, 1) RETURNING id`);
  await pool().query(
    `UPDATE delivery SET status = 'failed', stage = 'done', next_attempt_at = NULL WHERE stage <> 'done' AND endpoint_id = ANY ($1)`,
    [shown.rows.map(({ id }) => id)],
  );
  await pool().query(`UPDATE webhook_endpoint SET deleted_at = $1`, [api.clock.now()]);
  await pool().query('DELETE FROM outbox');
});

async function receiver(answer: Receiver['answer'] = () => 200): Promise<Receiver> {
  const started = await startReceiver();
  started.answer = answer;
  onTestFinished(() => started.stop());
  return started;
}

/** Deliveries are sent from now until the test ends. */
function deliver(options?: Parameters<typeof deliverFrom>[1]) {
  const running = deliverFrom(api, options);
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await running.stop();
  };
  onTestFinished(stop);
  return { stop };
}

const productEvent = async (shop: Merchant): Promise<string> =>
  eventOf(shop, (await newProduct(shop)).id, 'product.created');

const ladderOf = async (eventId: string) => {
  const { rows } = await pool().query(
    'SELECT endpoint_id, status, stage, attempts, next_attempt_at FROM delivery WHERE event_id = $1',
    [eventId],
  );
  return rows[0];
};

const outboxOf = async (eventId: string): Promise<string[]> => {
  const { rows } = await pool().query('SELECT kind, key FROM outbox WHERE key LIKE $1', [`${eventId}/%`]);
  return rows.map((row) => `${row.kind} ${row.key}`);
};

const healthOf = async (endpointId: string) => {
  const { rows } = await pool().query(
    'SELECT consecutive_failures, failing_since FROM webhook_endpoint WHERE id = $1',
    [endpointId],
  );
  return { failures: rows[0].consecutive_failures, since: rows[0].failing_since };
};

describe('a committed event', () => {
  test('reaches every endpoint that subscribes, signed by its own secret, as it was frozen', async () => {
    const [shop, one, two] = [await api.newMerchant(), await receiver(), await receiver()];
    await register(shop, one, ['product.created']);
    await register(shop, two, ['*']);
    const event = await productEvent(shop);
    const customer = await newCustomer(shop);
    deliver();
    await settled(shop, event, 'delivered');
    const told = await eventOf(shop, customer.id, 'customer.created');
    await settled(shop, told, 'delivered');
    expect(one.accepted.map(({ id }) => id)).toEqual([event]);
    expect(two.accepted.map(({ id }) => id).sort()).toEqual([event, told].sort());
    const frozen: Event = await shop.fatura.events.retrieve(event);
    expect(one.accepted[0]).toEqual({ id: frozen.id, type: frozen.type, object: frozen.data.object });
  });

  test('carries the headers of the service and the exact text', async () => {
    const requests: { headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ headers: request.headers, body });
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const shop = await api.newMerchant();
    // A TCP server has an address of this form.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?shop=1`;
    await shop.fatura.webhookEndpoints.create({ url, event_types: ['product.created'] });
    const event = await productEvent(shop);
    deliver();
    await settled(shop, event, 'delivered');
    const { rows } = await pool().query('SELECT body FROM event WHERE id = $1', [event]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toBe(rows[0].body);
    expect(requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event,
      'user-agent': 'Fatura-Webhooks/1',
    });
    expect(Math.abs(Number(requests[0]?.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(10);
  });

  test('is signed by both secrets while a rotation overlaps, and by the new one alone afterwards', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    const { id, secret: current = '' } = await register(shop, target, ['product.created']);
    const former = newWebhookSecret();
    const until = api.clock.now() + 60;
    await pool().query('UPDATE webhook_endpoint SET former_secret = $2, former_secret_until = $3 WHERE id = $1', [
      id,
      api.composition.deps.secretBox.seal(former),
      until,
    ]);
    deliver();
    target.secret = former;
    const during = await productEvent(shop);
    await settled(shop, during, 'delivered');
    target.secret = current;
    api.clock.advance(61);
    await settled(shop, await productEvent(shop), 'delivered');
    expect(target.accepted).toHaveLength(2);
  });
});

describe('an attempt that is not accepted', () => {
  test.each([
    ['a refusal', 500, { status_code: 500, failure: 'http_status' }],
    ['a redirect', 302, { status_code: 302, failure: 'redirect_refused' }],
  ])('%s (%i) begins a ladder and asks for its workflow', async (_, status, attempt) => {
    const [shop, target] = [await api.newMerchant(), await receiver(() => status)];
    const { id } = await register(shop, target, ['product.created']);
    const event = await productEvent(shop);
    const at = api.clock.now();
    deliver();
    await eventually('the ladder', async () => (await ladderOf(event)).stage === 'ladder');
    expect(await ladderOf(event)).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: at + 60 });
    expect(await outboxOf(event)).toEqual([`webhook-delivery ${event}/${id}/1`]);
    expect((await shop.fatura.events.deliveries(event)).deliveries.data[0]?.attempts).toMatchObject([attempt]);
    expect(target.requests).toBe(1);
  });

  test('a receiver that is not there, and one that moved into a private network, are told apart', async () => {
    const shop = await api.newMerchant();
    const closed = await shop.fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/',
      event_types: ['product.created'],
    });
    const inside = await shop.fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:2/',
      event_types: ['product.created'],
    });
    await pool().query(`UPDATE webhook_endpoint SET url = 'http://10.0.0.1/hook' WHERE id = $1`, [inside.id]);
    const event = await productEvent(shop);
    deliver();
    const failures = await eventually('both attempts', async () => {
      const { data } = (await shop.fatura.events.deliveries(event)).deliveries;
      const made = data.flatMap((delivery) =>
        delivery.attempts.map(({ failure, status_code }) => [delivery.webhook_endpoint, failure, status_code]),
      );
      return made.length === 2 && made;
    });
    expect(failures).toContainEqual([closed.id, 'connection', null]);
    expect(failures).toContainEqual([inside.id, 'private_address', null]);
  });

  test('counts against the health of its endpoint until one is accepted', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver(() => 503)];
    const { id } = await register(shop, target, ['product.created']);
    const since = api.clock.now();
    deliver();
    await productEvent(shop);
    await eventually('the first failure', async () => (await healthOf(id)).failures === 1);
    api.clock.advance(5);
    await productEvent(shop);
    await eventually('the second failure', async () => (await healthOf(id)).failures === 2);
    expect(await healthOf(id)).toEqual({ failures: 2, since });
    target.answer = () => 204;
    await settled(shop, await productEvent(shop), 'delivered');
    expect(await healthOf(id)).toEqual({ failures: 0, since: null });
  });
});

describe('an endpoint deleted meanwhile', () => {
  /** A delivery that its receiver holds until told, with the endpoint deleted in between. */
  async function deletedDuringAttempt(status: number) {
    const gate = Promise.withResolvers<number>();
    const [shop, target] = [await api.newMerchant(), await receiver(() => gate.promise)];
    const { id } = await register(shop, target, ['product.created']);
    const event = await productEvent(shop);
    deliver();
    await eventually('the attempt under way', async () => target.requests === 1);
    await shop.fatura.webhookEndpoints.delete(id);
    expect(await ladderOf(event)).toMatchObject({ status: 'failed', stage: 'done', attempts: 0 });
    gate.resolve(status);
    await eventually('the attempt on record', async () => (await ladderOf(event)).attempts === 1);
    return ladderOf(event);
  }

  test('an attempt under way that is accepted counts', async () => {
    expect(await deletedDuringAttempt(200)).toMatchObject({
      status: 'delivered',
      stage: 'done',
      next_attempt_at: null,
    });
  });

  test('an attempt under way that fails begins no ladder', async () => {
    const ladder = await deletedDuringAttempt(500);
    expect(ladder).toMatchObject({ status: 'failed', stage: 'done', next_attempt_at: null });
    expect((await pool().query('SELECT 1 FROM outbox')).rows).toEqual([]);
  });

  test.each([
    ['deleted', `deleted_at = $2`],
    ['disabled', `status = 'disabled', disabled_at = $2`],
  ])('a delivery recorded just before its endpoint was %s is not sent', async (_, change) => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    const { id } = await register(shop, target, ['product.created']);
    const event = await productEvent(shop);
    await pool().query(`UPDATE webhook_endpoint SET ${change} WHERE id = $1`, [id, api.clock.now()]);
    deliver();
    await eventually('the end', async () => (await ladderOf(event)).stage === 'done');
    expect(await ladderOf(event)).toMatchObject({ status: 'failed', attempts: 0 });
    expect(target.requests).toBe(0);
  });
});

describe('deliveries', () => {
  test('to a receiver that never answers do not hold up others', async () => {
    const gate = Promise.withResolvers<number>();
    const [slowShop, shop] = [await api.newMerchant(), await api.newMerchant()];
    const [slow, quick] = [await receiver(() => gate.promise), await receiver()];
    await register(slowShop, slow, ['product.created']);
    await register(shop, quick, ['product.created']);
    const waiting = await Promise.all(Array.from({ length: 300 }, () => newProduct(slowShop)));
    deliver({ slowAfterMs: 100 });
    await eventually('the slow receiver to be busy', async () => slow.requests > 0);
    await sleep(200);
    const startedMs = performance.now();
    await settled(shop, await productEvent(shop), 'delivered');
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(slow.requests).toBeLessThanOrEqual(32);
    gate.resolve(200);
    await eventually('all deliveries', async () => slow.accepted.length >= waiting.length);
    expect(new Set(slow.accepted.map(({ id }) => id)).size).toBe(waiting.length);
  });

  test('are sent once, however many workers claim them', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    await register(shop, target, ['product.created']);
    await Promise.all(Array.from({ length: 120 }, () => newProduct(shop)));
    deliver();
    deliver();
    deliver();
    await eventually('all deliveries', async () => target.accepted.length >= 120);
    await sleep(300);
    expect(target.accepted).toHaveLength(120);
  });

  test('that a worker took along when it died are sent when its lease is over', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    await register(shop, target, ['product.created']);
    const event = await productEvent(shop);
    await pool().query(`UPDATE delivery SET claimable_at = now() + interval '2 seconds' WHERE event_id = $1`, [event]);
    deliver();
    await sleep(500);
    expect(target.requests).toBe(0);
    await settled(shop, event, 'delivered');
  });

  test('of days long past are found as well', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    await register(shop, target, ['product.created']);
    const event = await productEvent(shop);
    const moveDays = async (days: number) => {
      for (const [table, id] of [
        ['event', 'id'],
        ['delivery', 'event_id'],
        ['delivery_attempt', 'event_id'],
      ]) {
        await pool().query(`UPDATE ${table} SET day = day + ${days} WHERE ${id} = $1`, [event]);
      }
    };
    await moveDays(-20);
    deliver();
    await eventually('the delivery', async () => (await ladderOf(event)).status === 'delivered');
    expect(target.accepted).toHaveLength(1);
    await moveDays(20);
  });

  test('go on after the database was away', async () => {
    const [shop, target] = [await api.newMerchant(), await receiver()];
    await register(shop, target, ['product.created']);
    deliver();
    await settled(shop, await productEvent(shop), 'delivered');
    await pool().query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await sleep(100);
    const product = await eventually('the API', () => newProduct(shop).catch(() => null));
    await settled(shop, await eventOf(shop, product.id, 'product.created'), 'delivered');
  });
});
