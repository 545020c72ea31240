import { describe, expect, test } from 'vitest';
import { newProduct } from '../../support/factories.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventOf, register } from '../../workflows/support.ts';
import { refusal } from '../payments/payment-scene.ts';

const scene = new DeliveryScene();
const DAY = 86_400;

/** A shop with an event that nobody subscribed to when it happened. */
async function anEvent() {
  const shop = await scene.api.newMerchant();
  const event = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
  return { shop, event };
}

const ladders = async (event: string) => {
  const { rows } = await scene.pool.query(
    'SELECT endpoint_id, ladder, stage, status FROM delivery WHERE event_id = $1 ORDER BY endpoint_id, ladder',
    [event],
  );
  return rows;
};

describe('an event that is sent again', () => {
  test('goes to the endpoints that subscribe now, each by a ladder of its own', async () => {
    const { shop, event } = await anEvent();
    const [a, b] = [await scene.receiver(), await scene.receiver()];
    const { id: now } = await register(shop, a, ['product.created']);
    await register(shop, b, ['invoice.paid']);
    const body = await shop.fatura.events.retrieve(event);
    expect(await shop.fatura.events.resend(event)).toEqual(body);
    await shop.fatura.events.resend(event);
    expect(await ladders(event)).toEqual([
      { endpoint_id: now, ladder: 1, stage: 'ladder', status: 'pending' },
      { endpoint_id: now, ladder: 2, stage: 'ladder', status: 'pending' },
    ]);
    expect(await scene.outboxKeys()).toEqual([
      `webhook-delivery ${event}/${now}/1`,
      `webhook-delivery ${event}/${now}/2`,
    ]);
    expect((await shop.fatura.events.deliveries(event)).delivery_status).toBe('pending');
  });

  test('is sent three times, however many ask at once', async () => {
    const { shop, event } = await anEvent();
    const { id } = await register(shop, await scene.receiver(), ['*']);
    const asked = await Promise.allSettled(Array.from({ length: 6 }, () => shop.fatura.events.resend(event)));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(Array(3).fill('RESEND_LIMIT_REACHED'));
    expect((await ladders(event)).map(({ endpoint_id, ladder }) => [endpoint_id, ladder])).toEqual([
      [id, 1],
      [id, 2],
      [id, 3],
    ]);
  });

  test('counts a time to one endpoint too, and one that reaches nobody', async () => {
    const { shop, event } = await anEvent();
    const { id: one } = await register(shop, await scene.receiver(), ['*']);
    await register(shop, await scene.receiver(), ['*']);
    await shop.fatura.events.resend(event, { webhook_endpoint_id: one });
    expect((await ladders(event)).map(({ endpoint_id: to }) => to)).toEqual([one]);
    await shop.fatura.webhookEndpoints.update(one, { status: 'disabled' });
    for (const { id } of await shop.fatura.webhookEndpoints.list().all({ max: 5 }))
      if (id !== one) await shop.fatura.webhookEndpoints.delete(id);
    await shop.fatura.events.resend(event);
    await shop.fatura.events.resend(event);
    await expect(shop.fatura.events.resend(event)).rejects.toThrow(refusal('RESEND_LIMIT_REACHED', { status: 422 }));
  });

  test('reaches no endpoint that is disabled, that does not subscribe or that is not there', async () => {
    const { shop, event } = await anEvent();
    const { id: off } = await register(shop, await scene.receiver(), ['*']);
    const { id: other } = await register(shop, await scene.receiver(), ['invoice.paid']);
    await shop.fatura.webhookEndpoints.update(off, { status: 'disabled' });
    const to = (id: string) => shop.fatura.events.resend(event, { webhook_endpoint_id: id });
    const param = 'webhook_endpoint_id';
    await expect(to(off)).rejects.toThrow(refusal('INVALID_STATE', { param }));
    await expect(to(other)).rejects.toThrow(refusal('INVALID_STATE', { param }));
    const stranger = await scene.api.newMerchant();
    const { id: foreign } = await register(stranger, await scene.receiver(), ['*']);
    await expect(to(foreign)).rejects.toThrow(refusal('RESOURCE_MISSING', { param }));
    await expect(stranger.fatura.events.resend(event)).rejects.toThrow(refusal('RESOURCE_MISSING'));
    await expect(shop.live.events.resend(event)).rejects.toThrow(refusal('RESOURCE_MISSING'));
    expect(await ladders(event)).toEqual([]);
  });

  test('is there for 30 days', async () => {
    const { shop, event } = await anEvent();
    scene.api.clock.advance(30 * DAY);
    await shop.fatura.events.resend(event);
    scene.api.clock.advance(1);
    await expect(shop.fatura.events.resend(event)).rejects.toThrow(refusal('RESOURCE_MISSING'));
  });

  test('is sent once under one Idempotency-Key', async () => {
    const { shop, event } = await anEvent();
    await register(shop, await scene.receiver(), ['*']);
    for (const _ of [1, 2]) await shop.fatura.events.resend(event, {}, { idempotencyKey: event });
    expect(await ladders(event)).toHaveLength(1);
  });
});
