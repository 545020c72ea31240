import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Event } from '@fatura/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newWebhookSecret } from '../../../server/events/deliveries/signing.ts';
import { places } from '../../../server/sealing/sealed-columns.ts';
import { newCustomer } from '../../support/factories.ts';
import { newSecretBox } from '../../support/secret-box.ts';
import { eventOf, eventually, register, settled } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();

const healthOf = async (endpointId: string) => {
  const { rows } = await scene.pool.query(
    'SELECT consecutive_failures, failing_since FROM webhook_endpoint WHERE id = $1',
    [endpointId],
  );
  return { failures: rows[0].consecutive_failures, since: rows[0].failing_since };
};

describe('a committed event', () => {
  test('reaches every endpoint that subscribes, signed by its own secret, as it was frozen', async () => {
    const [shop, one, two] = [await scene.api.newMerchant(), await scene.receiver(), await scene.receiver()];
    await register(shop, one, ['product.created']);
    await register(shop, two, ['*']);
    const event = await scene.productEvent(shop);
    const customer = await newCustomer(shop);
    scene.deliver();
    await settled(shop, event, 'delivered');
    const told = await eventOf(shop, customer.id, 'customer.created');
    await settled(shop, told, 'delivered');
    expect(one.accepted.map(({ id }) => id)).toEqual([event]);
    expect(two.accepted.map(({ id }) => id).sort()).toEqual([event, told].sort());
    const frozen: Event = await shop.fatura.events.retrieve(event);
    expect(one.accepted[0]).toEqual({
      id: frozen.id,
      type: frozen.type,
      created: frozen.created,
      object: frozen.data.object,
    });
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
    const shop = await scene.api.newMerchant();
    // A TCP server has an address of this form.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?shop=1`;
    await shop.fatura.webhookEndpoints.create({ url, event_types: ['product.created'] });
    const event = await scene.productEvent(shop);
    scene.deliver();
    await settled(shop, event, 'delivered');
    const { rows } = await scene.pool.query('SELECT body FROM event WHERE id = $1', [event]);
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
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    const { id, secret: current = '' } = await register(shop, target, ['product.created']);
    const former = newWebhookSecret();
    const until = scene.api.clock.now() + 60;
    await scene.pool.query('UPDATE webhook_endpoint SET former_secret = $2, former_secret_until = $3 WHERE id = $1', [
      id,
      scene.api.composition.deps.secretBox.seal(former, places.webhookSecret(shop.accountId, id)),
      until,
    ]);
    scene.deliver();
    target.secret = former;
    const during = await scene.productEvent(shop);
    await settled(shop, during, 'delivered');
    target.secret = current;
    scene.api.clock.advance(61);
    await settled(shop, await scene.productEvent(shop), 'delivered');
    expect(target.accepted).toHaveLength(2);
  });
});

describe('an attempt that is not accepted', () => {
  test.each([
    ['a refusal', 500, { status_code: 500, failure: 'http_status' }],
    ['a redirect', 302, { status_code: 302, failure: 'redirect_refused' }],
  ])('%s (%i) begins a ladder, whose case is to begin with the second attempt', async (_, status, attempt) => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver(() => status)];
    const { id } = await register(shop, target, ['product.created']);
    const event = await scene.productEvent(shop);
    const at = scene.api.clock.now();
    scene.deliver();
    await eventually('the ladder', async () => (await scene.ladderOf(event)).stage === 'ladder');
    expect(await scene.ladderOf(event)).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: at + 60 });
    expect(await scene.outboxKeys()).toEqual([`webhook-delivery ${event}/${id}/1`]);
    const { rows } = await scene.pool.query(
      `SELECT o.due_at = d.claimable_at AS together, o.due_at > now() + interval '50 seconds' AS ahead
       FROM outbox o, delivery d WHERE d.event_id = $1`,
      [event],
    );
    expect(rows).toEqual([{ together: true, ahead: true }]);
    expect((await shop.fatura.events.deliveries(event)).deliveries.data[0]?.attempts).toMatchObject([attempt]);
    expect(target.requests).toBe(1);
  });

  test('a receiver that is not there, and one that moved into a private network, are told apart', async () => {
    const shop = await scene.api.newMerchant();
    const closed = await shop.fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/',
      event_types: ['product.created'],
    });
    const inside = await shop.fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:2/',
      event_types: ['product.created'],
    });
    await scene.pool.query(`UPDATE webhook_endpoint SET url = 'http://10.0.0.1/hook' WHERE id = $1`, [inside.id]);
    const event = await scene.productEvent(shop);
    scene.deliver();
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

  test('a secret that cannot be opened is a failed attempt and an alarm, and begins a ladder', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    const { id } = await register(shop, target, ['product.created']);
    const foreign = newSecretBox().seal(newWebhookSecret(), places.webhookSecret(shop.accountId, id));
    await scene.pool.query('UPDATE webhook_endpoint SET secret = $2 WHERE id = $1', [id, foreign]);
    const event = await scene.productEvent(shop);
    const at = scene.api.clock.now();
    scene.deliver();
    await eventually('the ladder', async () => (await scene.ladderOf(event)).stage === 'ladder');
    expect(await scene.ladderOf(event)).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: at + 60 });
    expect(await scene.outboxKeys()).toEqual([`webhook-delivery ${event}/${id}/1`]);
    const { rows } = await scene.pool.query('SELECT failure, detail FROM delivery_attempt WHERE event_id = $1', [
      event,
    ]);
    expect(rows).toEqual([{ failure: 'connection', detail: 'the signing secret cannot be read' }]);
    expect(target.requests).toBe(0);
    const alarms = await scene.api.composition.deps.metrics.alarms.get();
    expect(alarms.values).toContainEqual({ labels: { kind: 'secret_unreadable' }, value: 1 });
  });

  test('counts against the health of its endpoint until one is accepted', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver(() => 503)];
    const { id } = await register(shop, target, ['product.created']);
    const since = scene.api.clock.now();
    scene.deliver();
    await scene.productEvent(shop);
    await eventually('the first failure', async () => (await healthOf(id)).failures === 1);
    scene.api.clock.advance(5);
    await scene.productEvent(shop);
    await eventually('the second failure', async () => (await healthOf(id)).failures === 2);
    expect(await healthOf(id)).toEqual({ failures: 2, since });
    target.answer = () => 204;
    await settled(shop, await scene.productEvent(shop), 'delivered');
    expect(await healthOf(id)).toEqual({ failures: 0, since: null });
  });
});

describe('an endpoint deleted meanwhile', () => {
  /** A delivery that its receiver holds until told, with the endpoint deleted in between. */
  async function deletedDuringAttempt(status: number) {
    const gate = Promise.withResolvers<number>();
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver(() => gate.promise)];
    const { id } = await register(shop, target, ['product.created']);
    const event = await scene.productEvent(shop);
    scene.deliver();
    await eventually('the attempt under way', async () => target.requests === 1);
    await shop.fatura.webhookEndpoints.delete(id);
    expect(await scene.ladderOf(event)).toMatchObject({ status: 'failed', stage: 'done', attempts: 0 });
    gate.resolve(status);
    await eventually('the attempt on record', async () => (await scene.ladderOf(event)).attempts === 1);
    return scene.ladderOf(event);
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
    expect(await scene.outboxKeys()).toEqual([]);
  });

  test('takes back the cases of ladders that it ends, and those of no other', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver(() => 500)];
    const [gone, kept] = [
      await register(shop, target, ['product.created']),
      await register(shop, target, ['product.created']),
    ];
    const event = await scene.productEvent(shop);
    scene.deliver();
    await eventually('both cases', async () => (await scene.outboxKeys()).length === 2);
    await shop.fatura.webhookEndpoints.delete(gone.id);
    expect(await scene.outboxKeys()).toEqual([`webhook-delivery ${event}/${kept.id}/1`]);
  });

  test.each([
    ['deleted', `deleted_at = $2`],
    ['disabled', `status = 'disabled', disabled_at = $2`],
  ])('a delivery recorded just before its endpoint was %s is not sent', async (_, change) => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    const { id } = await register(shop, target, ['product.created']);
    const event = await scene.productEvent(shop);
    await scene.pool.query(`UPDATE webhook_endpoint SET ${change} WHERE id = $1`, [id, scene.api.clock.now()]);
    scene.deliver();
    await eventually('the end', async () => (await scene.ladderOf(event)).stage === 'done');
    expect(await scene.ladderOf(event)).toMatchObject({ status: 'failed', attempts: 0 });
    expect(target.requests).toBe(0);
  });
});
