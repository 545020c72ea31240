import { describe, expect, test } from 'vitest';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventually, register } from '../../workflows/support.ts';
import { refusal } from '../payments/payment-scene.ts';

const scene = new DeliveryScene();

async function anEndpoint() {
  const shop = await scene.api.newMerchant();
  const receiver = await scene.receiver();
  const { id } = await register(shop, receiver, ['product.created']);
  return { shop, receiver, id, endpoints: shop.fatura.webhookEndpoints };
}

describe('a test of an endpoint', () => {
  test('is a signed delivery of nothing, which is told at once and kept nowhere', async () => {
    const { shop, endpoints, receiver, id } = await anEndpoint();
    const tested = await endpoints.test(id);
    expect(tested).toEqual({
      object: 'webhook_test',
      webhook_endpoint: id,
      event: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      delivered: true,
      status_code: 200,
      failure: null,
      detail: null,
      answer: null,
      duration_ms: expect.any(Number),
    });
    expect(receiver.accepted).toEqual([
      { id: tested.event, type: 'webhook.test', created: scene.api.clock.now(), object: null },
    ]);
    expect(await shop.fatura.events.list().page()).toMatchObject({ data: [] });
    await expect(shop.fatura.events.retrieve(tested.event)).rejects.toThrow(refusal('RESOURCE_MISSING'));
  });

  test('tells what went wrong, and counts for nothing', async () => {
    const { endpoints, receiver, id } = await anEndpoint();
    receiver.answer = () => 503;
    for (let times = 0; times < 6; times += 1)
      expect(await endpoints.test(id)).toMatchObject({ delivered: false, status_code: 503, failure: 'http_status' });
    await receiver.stop();
    expect(await endpoints.test(id)).toMatchObject({ delivered: false, status_code: null, failure: 'connection' });
    expect((await endpoints.retrieve(id)).status).toBe('active');
  });

  test('reaches one that is disabled, and none of somebody else', async () => {
    const { endpoints, receiver, id } = await anEndpoint();
    await endpoints.update(id, { status: 'disabled' });
    expect(await endpoints.test(id)).toMatchObject({ delivered: true });
    const stranger = await scene.api.newMerchant();
    for (const action of ['test', 'rotateSecret', 'enable'] as const)
      await expect(stranger.fatura.webhookEndpoints[action](id)).rejects.toThrow(refusal('RESOURCE_MISSING'));
    expect(receiver.requests).toBe(1);
  });
});

describe('an endpoint that is disabled by hand', () => {
  test('is off at once, however much waits for it: the rest ends without an attempt', async () => {
    const { endpoints, receiver, id } = await anEndpoint();
    await scene.pool.query(
      `INSERT INTO delivery (day, event_id, endpoint_id, account_id, live_mode)
       SELECT current_date, 'evt_' || nth, w.id, w.account_id, w.live_mode FROM webhook_endpoint w, generate_series(1, 20100) nth WHERE w.id = $1`,
      [id],
    );
    const waiting = async (): Promise<number> => {
      const counted = `SELECT count(*)::int AS n FROM delivery WHERE endpoint_id = $1 AND stage <> 'done'`;
      return (await scene.pool.query(counted, [id])).rows[0].n;
    };
    await endpoints.update(id, { status: 'disabled' });
    expect(await waiting()).toBe(100);
    scene.deliver();
    await eventually('the end of the rest', async () => (await waiting()) === 0);
    expect(receiver.requests).toBe(0);
    await scene.pool.query('DELETE FROM delivery WHERE endpoint_id = $1', [id]);
  });

  test('receives nothing and loses what is under way, until it is enabled', async () => {
    const { shop, endpoints, receiver, id } = await anEndpoint();
    const waiting = await scene.productEvent(shop);
    expect(await endpoints.update(id, { status: 'disabled' })).toMatchObject({ status: 'disabled' });
    expect(await scene.ladderOf(waiting)).toMatchObject({ status: 'failed', stage: 'done' });
    const missed = await scene.productEvent(shop);
    expect(await scene.ladderOf(missed)).toBeUndefined();
    expect(await endpoints.enable(id)).toMatchObject({ status: 'active' });
    expect(await endpoints.enable(id)).toMatchObject({ status: 'active' });
    scene.deliver();
    const received = await scene.productEvent(shop);
    await eventually('the delivery', async () => receiver.accepted.length === 1);
    expect(receiver.accepted.map((delivery) => delivery.id)).toEqual([received]);
  });
});
