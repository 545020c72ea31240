import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newProduct } from '../../support/factories.ts';
import { eventOf, eventually, register, settled } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();

describe('deliveries', () => {
  test('to a receiver that never answers do not hold up others', async () => {
    const gate = Promise.withResolvers<number>();
    const [slowShop, shop] = [await scene.api.newMerchant(), await scene.api.newMerchant()];
    const [slow, quick] = [await scene.receiver(() => gate.promise), await scene.receiver()];
    await register(slowShop, slow, ['product.created']);
    await register(shop, quick, ['product.created']);
    const waiting = [];
    // More at once than an account may have under way and waiting would be refused.
    for (let round = 0; round < 6; round += 1)
      waiting.push(...(await Promise.all(Array.from({ length: 50 }, () => newProduct(slowShop)))));
    scene.deliver({ slowAfterMs: 100 });
    await eventually('the slow receiver to be busy', async () => slow.requests > 0);
    await sleep(200);
    // The gate of the slow receiver is still closed.
    await settled(shop, await scene.productEvent(shop), 'delivered');
    expect(slow.requests).toBeLessThanOrEqual(32);
    gate.resolve(200);
    await eventually('all deliveries', async () => slow.accepted.length >= waiting.length);
    expect(new Set(slow.accepted.map(({ id }) => id)).size).toBe(waiting.length);
  });

  test('are sent once, however many workers claim them', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    await register(shop, target, ['product.created']);
    // More at once than an account may have under way and waiting would be refused.
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 40 }, () => newProduct(shop)));
    scene.deliver();
    scene.deliver();
    scene.deliver();
    await eventually('all deliveries', async () => target.accepted.length >= 120);
    await sleep(300);
    expect(target.accepted).toHaveLength(120);
  });

  test('that a worker took along when it died are sent when its lease is over', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    await register(shop, target, ['product.created']);
    const event = await scene.productEvent(shop);
    await scene.pool.query(`UPDATE delivery SET claimable_at = now() + interval '2 seconds' WHERE event_id = $1`, [
      event,
    ]);
    scene.deliver();
    await sleep(500);
    expect(target.requests).toBe(0);
    await settled(shop, event, 'delivered');
  });

  test('of days long past are found as well', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    await register(shop, target, ['product.created']);
    const event = await scene.productEvent(shop);
    const moveDays = async (days: number) => {
      for (const [table, id] of [
        ['event', 'id'],
        // Before the deliveries, whose trigger would make another one.
        ['event_delivery_status', 'event_id'],
        ['delivery', 'event_id'],
        ['delivery_attempt', 'event_id'],
      ]) {
        await scene.pool.query(`UPDATE ${table} SET day = day + ${days} WHERE ${id} = $1`, [event]);
      }
    };
    await moveDays(-20);
    scene.deliver();
    await eventually('the delivery', async () => (await scene.ladderOf(event)).status === 'delivered');
    expect(target.accepted).toHaveLength(1);
    await moveDays(20);
  });

  test('go on after the database was away', async () => {
    const [shop, target] = [await scene.api.newMerchant(), await scene.receiver()];
    await register(shop, target, ['product.created']);
    scene.deliver();
    await settled(shop, await scene.productEvent(shop), 'delivered');
    await scene.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await sleep(100);
    const product = await eventually('the API', () => newProduct(shop).catch(() => null));
    await settled(shop, await eventOf(shop, product.id, 'product.created'), 'delivered');
  });
});
