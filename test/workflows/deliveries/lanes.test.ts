import { expect, onTestFinished, test } from 'vitest';
import type { SendOnce } from '../../../server/events/deliveries/attempt.ts';
import { newProduct } from '../../support/factories.ts';
import { deliverFrom, eventually } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();
const FLOOD = 700;

test('a live delivery goes out while more sandbox deliveries than their window takes never end', async () => {
  const [stranger, shop] = [await scene.api.newMerchant(), await scene.api.newMerchant()];
  await stranger.fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', event_types: ['product.created'] });
  const { id } = await newProduct(stranger);
  await scene.pool.query(
    `INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode)
     SELECT d.day, d.event_id, d.endpoint_id, n, d.account_id, d.live_mode FROM delivery d, generate_series(2, ${FLOOD}) n
     WHERE d.account_id = $1`,
    [stranger.accountId],
  );
  const never = new AbortController();
  const begun = { sandbox: 0, live: 0 };
  const sendOnce: SendOnce = async ({ liveMode }) => {
    begun[liveMode ? 'live' : 'sandbox'] += 1;
    if (!liveMode) await new Promise((ended) => never.signal.addEventListener('abort', ended));
    return { ok: true, status: 200, durationMs: 1, answer: null };
  };
  const running = deliverFrom(scene.api, { sendOnce });
  onTestFinished(async () => {
    never.abort();
    await running.stop();
  });
  await eventually('the flood', async () => begun.sandbox >= 8);
  await shop.live.webhookEndpoints.create({ url: 'https://93.184.216.34/', event_types: ['product.created'] });
  const sold = await newProduct({ ...shop, fatura: shop.live });
  const standing = async (objectId: string) => {
    const { rows } = await scene.pool.query(
      'SELECT DISTINCT d.status FROM delivery d JOIN event e USING (day) WHERE e.id = d.event_id AND e.object_id = $1',
      [objectId],
    );
    return rows.map(({ status }) => status).join();
  };
  await eventually('the live delivery', async () => (await standing(sold.id)) === 'delivered');
  expect([begun.live, await standing(id)]).toEqual([1, 'pending']);
});
