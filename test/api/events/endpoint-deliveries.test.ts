import type { EndpointDelivery } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { newCustomer, newProduct } from '../../support/factories.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventOf, register, settled } from '../../workflows/support.ts';
import { refusal } from '../payments/payment-scene.ts';

const scene = new DeliveryScene();
const DAY = 86_400;

/** An endpoint to which events were sent, one after the other, and what it answered each. */
async function anEndpoint(...answers: number[]) {
  const shop = await scene.api.newMerchant();
  const receiver = await scene.receiver(() => answers.shift() ?? 200);
  const { id } = await register(shop, receiver, ['product.created', 'customer.created']);
  const list = (params: Parameters<typeof shop.fatura.webhookEndpoints.deliveries>[1] = {}) =>
    shop.fatura.webhookEndpoints.deliveries(id, params);
  return { shop, receiver, id, list };
}

const idsOf = (deliveries: readonly EndpointDelivery[]): string[] => deliveries.map(({ id }) => id);

describe('the deliveries of an endpoint', () => {
  test('are its events with every attempt, and those of nobody else', async () => {
    const { shop, id, list } = await anEndpoint(500);
    const { id: other } = await register(shop, await scene.receiver(), ['product.created']);
    scene.deliver();
    const at = scene.api.clock.now();
    const failed = await scene.productEvent(shop);
    await settled(shop, failed, 'pending');
    const accepted = await eventOf(shop, (await newCustomer(shop)).id, 'customer.created');
    await settled(shop, accepted, 'delivered');
    const attempt = { attempt: 1, at, answer: null, duration_ms: expect.any(Number) };
    const ladder = { object: 'delivery', webhook_endpoint: id, ladder: 1 };
    expect((await list().page()).data).toEqual([
      {
        id: accepted,
        object: 'endpoint_delivery',
        webhook_endpoint: id,
        type: 'customer.created',
        created: at,
        status: 'delivered',
        ladders: {
          object: 'list',
          data: [
            {
              ...ladder,
              status: 'delivered',
              next_attempt: null,
              attempts: [{ ...attempt, status_code: 200, failure: null, detail: null }],
            },
          ],
        },
      },
      {
        id: failed,
        object: 'endpoint_delivery',
        webhook_endpoint: id,
        type: 'product.created',
        created: at,
        status: 'pending',
        ladders: {
          object: 'list',
          data: [
            {
              ...ladder,
              status: 'pending',
              next_attempt: expect.any(Number),
              attempts: [{ ...attempt, status_code: 500, failure: 'http_status', detail: 'HTTP 500' }],
            },
          ],
        },
      },
    ]);
    expect(idsOf((await shop.fatura.webhookEndpoints.deliveries(other).page()).data)).toEqual([failed]);
    const stranger = await scene.api.newMerchant();
    await expect(stranger.fatura.webhookEndpoints.deliveries(id).page()).rejects.toThrow(refusal('RESOURCE_MISSING'));
    await expect(shop.live.webhookEndpoints.deliveries(id).page()).rejects.toThrow(refusal('RESOURCE_MISSING'));
  });

  test('are filtered by where they stand, by type, by event and by time', async () => {
    const { shop, list } = await anEndpoint(500);
    scene.deliver();
    const failed = await scene.productEvent(shop);
    await settled(shop, failed, 'pending');
    scene.api.clock.advance(100);
    const accepted = await eventOf(shop, (await newCustomer(shop)).id, 'customer.created');
    await settled(shop, accepted, 'delivered');
    const of = async (params: Parameters<typeof list>[0]) => idsOf((await list(params).page()).data);
    expect(await of({ status: 'pending' })).toEqual([failed]);
    expect(await of({ status: 'delivered' })).toEqual([accepted]);
    expect(await of({ status: 'failed' })).toEqual([]);
    expect(await of({ type: ['customer.created'] })).toEqual([accepted]);
    expect(await of({ type: ['customer.created', 'product.created'] })).toEqual([accepted, failed]);
    expect(await of({ event: failed })).toEqual([failed]);
    expect(await of({ created_gte: scene.api.clock.now() })).toEqual([accepted]);
    expect(await of({ created_lte: scene.api.clock.now() - 1 })).toEqual([failed]);
    scene.api.clock.advance(30 * DAY - 50);
    expect(await of({})).toEqual([accepted]);
  });

  test('show an event once, however often it was sent', async () => {
    const { shop, list } = await anEndpoint();
    scene.deliver();
    const event = await scene.productEvent(shop);
    await settled(shop, event, 'delivered');
    await shop.fatura.events.resend(event);
    const { data } = await list().page();
    expect(data).toMatchObject([{ id: event, status: 'pending', ladders: { data: [{ ladder: 2 }, { ladder: 1 }] } }]);
    expect(idsOf((await list({ status: 'delivered' }).page()).data)).toEqual([]);
  });

  test('come in pages, both ways', async () => {
    const { shop, list } = await anEndpoint();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1)
      made.unshift(await eventOf(shop, (await newProduct(shop)).id, 'product.created'));
    expect(idsOf(await list({ limit: 2 }).all({ max: 10 }))).toEqual(made);
    const first = await list({ limit: 2 }).page();
    expect(first.hasMore).toBe(true);
    expect(idsOf((await list({ ending_before: made[3] ?? '', limit: 2 }).page()).data)).toEqual(made.slice(1, 3));
    const foreign = await scene.productEvent(await scene.api.newMerchant());
    await expect(list({ starting_after: foreign }).page()).rejects.toThrow(refusal('CURSOR_INVALID'));
  });

  test('quote the beginning of the answer', async () => {
    const { shop, receiver, list } = await anEndpoint();
    receiver.text = `ok\n${'x'.repeat(3_000)}`;
    scene.deliver();
    await settled(shop, await scene.productEvent(shop), 'delivered');
    const { data } = await list().page();
    expect(data[0]?.ladders.data[0]?.attempts[0]?.answer).toBe(`ok ${'x'.repeat(1_021)}`);
  });
});
