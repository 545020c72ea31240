import { describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../../../server/admission/limits.ts';
import type { SendOnce } from '../../../server/events/deliveries/attempt.ts';
import { createPostBudget, type PostBudget } from '../../../server/events/deliveries/post-budget.ts';
import { PROVEN_AFTER } from '../../../server/events/deliveries/rules.ts';
import type { Merchant } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { deliverFrom, eventually } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();
const MOST = limits.posts_unproven.sandbox;

/** Receivers somewhere on the internet, who accept or refuse; nothing leaves this machine. */
function deliverTo(answer: (url: string) => number, posts?: PostBudget): string[] {
  const posted: string[] = [];
  const sendOnce: SendOnce = async ({ url }) => {
    posted.push(url);
    const status = answer(url);
    if (status < 300) return { ok: true, status, durationMs: 1, answer: null };
    return {
      ...{ ok: false, failure: 'http_status', status, durationMs: 1 },
      retryAfterSeconds: null,
      detail: '',
      answer: null,
    } as const;
  };
  const running = deliverFrom(scene.api, { sendOnce, ...(posts === undefined ? {} : { posts }) });
  onTestFinished(() => running.stop());
  return posted;
}

async function listenAt(shop: Merchant, url: string): Promise<string> {
  return (await shop.fatura.webhookEndpoints.create({ url, event_types: ['product.created'] })).id;
}

/** So many deliveries of one event at an endpoint. */
async function flood(shop: Merchant, endpointId: string, count: number): Promise<void> {
  const event = await scene.productEvent(shop);
  await scene.pool.query(
    `INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode)
     SELECT d.day, d.event_id, d.endpoint_id, n, d.account_id, d.live_mode FROM delivery d, generate_series(2, $3) n
     WHERE d.event_id = $1 AND d.endpoint_id = $2`,
    [event, endpointId, count],
  );
}

const waiting = async (endpointId: string): Promise<{ fresh: number; putOff: number }> => {
  const { rows } = await scene.pool.query(
    `SELECT count(*)::int AS fresh, (count(*) FILTER (WHERE claimable_at > now() + interval '1 second' AND attempts = 0))::int AS "putOff"
     FROM delivery WHERE endpoint_id = $1 AND stage = 'fresh'`,
    [endpointId],
  );
  return rows[0];
};

/** As if the minute had passed. */
const passMinute = async (endpointId: string) => {
  await scene.pool.query('UPDATE rate_limit SET expire = 0');
  await scene.pool.query(`UPDATE delivery SET claimable_at = now() WHERE endpoint_id = $1 AND stage = 'fresh'`, [
    endpointId,
  ]);
};

describe('what a sandbox posts at a host that has proven nothing', () => {
  test('goes out at once up to its budget; the rest waits, and another account’s goes on', async () => {
    const [stranger, shop] = [await scene.api.newMerchant(), await scene.api.newMerchant()];
    const victim = await listenAt(stranger, 'https://93.184.216.34/');
    await flood(stranger, victim, MOST + 40);
    const posted = deliverTo(() => 500);
    await eventually('the budget to be used up, and each attempt to be booked', async () => {
      const { fresh, putOff } = await waiting(victim);
      return fresh === 40 && putOff > 0;
    });
    const other = await listenAt(shop, 'https://93.184.216.35/');
    await newProduct(shop);
    await eventually('the other’s delivery', async () => posted.includes('https://93.184.216.35/'));
    expect(posted.filter((url) => url === 'https://93.184.216.34/')).toHaveLength(MOST);
    expect(await waiting(victim)).toMatchObject({ fresh: 40 });
    await eventually('its booking', async () => (await waiting(other)).fresh === 0);
    const test = stranger.fatura.webhookEndpoints.test(victim);
    await expect(test).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('is bounded for a host over all accounts', async () => {
    const strangers = await Promise.all([0, 1, 2].map(() => scene.api.newMerchant()));
    const url = 'https://93.184.216.36/';
    for (const stranger of strangers) await flood(stranger, await listenAt(stranger, url), MOST);
    const posted = deliverTo(() => 500);
    const most = limits.posts_unproven_host.sandbox;
    await eventually('the budget of the host', async () => {
      const left = await Promise.all(strangers.map(async ({ accountId }) => leftOf(accountId)));
      return posted.length === most && left.reduce((sum, count) => sum + count, 0) === 3 * MOST - most;
    });
    expect(posted).toHaveLength(most);
  });

  test('is more once its URL accepted some, until the URL is another', async () => {
    const shop = await scene.api.newMerchant();
    const id = await listenAt(shop, 'https://93.184.216.37/');
    await flood(shop, id, PROVEN_AFTER);
    const posted = deliverTo(() => 204);
    const provenBy = async () =>
      (await scene.pool.query('SELECT accepted_posts AS count FROM webhook_endpoint WHERE id = $1', [id])).rows[0]
        .count;
    await eventually('the proof', async () => (await provenBy()) === PROVEN_AFTER);
    await flood(shop, id, MOST + 20);
    await eventually('all of them', async () => posted.length === PROVEN_AFTER + MOST + 20);
    await shop.fatura.webhookEndpoints.update(id, { url: 'https://93.184.216.38/' });
    expect(await provenBy()).toBe(0);
  });

  test('comes when the minute has passed, each once', async () => {
    const shop = await scene.api.newMerchant();
    const id = await listenAt(shop, 'https://93.184.216.39/');
    await flood(shop, id, MOST + 5);
    // A receiver that fails proves nothing.
    const posted = deliverTo(() => 500);
    await eventually('the budget to be used up, and each attempt to be booked', async () => {
      const { fresh, putOff } = await waiting(id);
      return fresh === 5 && putOff > 0;
    });
    // A process of its own counts with the others.
    const another = createPostBudget({ ...scene.api.composition.deps });
    const post = { accountId: shop.accountId, liveMode: false, url: 'https://93.184.216.39/', proven: false };
    expect(await another.take(post)).toBeGreaterThan(0);
    await passMinute(id);
    const again = deliverTo(() => 500, createPostBudget({ ...scene.api.composition.deps }));
    await eventually('the rest', async () => (await waiting(id)).fresh === 0);
    expect(posted.length + again.length).toBe(MOST + 5);
  });
});

const leftOf = async (accountId: string): Promise<number> => {
  const { rows } = await scene.pool.query(
    `SELECT count(*)::int AS count FROM delivery WHERE account_id = $1 AND stage = 'fresh' AND attempts = 0`,
    [accountId],
  );
  return rows[0].count;
};
