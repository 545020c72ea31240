import { describe, expect, onTestFinished, test } from 'vitest';
import { claimAll, claimNamed } from '../../../server/events/deliveries/claim.ts';
import { SendingWindow, WINDOW_LIMITS } from '../../../server/events/deliveries/window.ts';
import { accountsOf, channelOf, createWaker, listen } from '../../../server/jobs/notifications.ts';
import type { Merchant } from '../../support/api.ts';
import { register } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();

const claim = { mode: 'sandbox', max: 100, allowances: new SendingWindow(WINDOW_LIMITS).allowances() } as const;

async function shopWithEvent(): Promise<{ shop: Merchant; endpointId: string; event: string }> {
  const shop = await scene.api.newMerchant();
  const { id } = await register(shop, await scene.receiver(), ['product.created']);
  return { shop, endpointId: id, event: await scene.productEvent(shop) };
}

describe('a claim', () => {
  test('of named accounts takes theirs, whatever waits at others, once', async () => {
    const [one, two] = [await shopWithEvent(), await shopWithEvent()];
    const named = () => claimNamed(scene.pool, { ...claim, accounts: new Set([one.shop.accountId]) });
    expect((await named()).map(({ eventId }) => eventId)).toEqual([one.event]);
    expect(await named()).toEqual([]);
    const rest = await claimAll(scene.pool, { ...claim, after: '', everyDay: false });
    expect(rest.map(({ eventId }) => eventId)).toEqual([two.event]);
  });

  test('of all takes what waits at endpoints that are gone, which nobody is told of', async () => {
    const { shop, endpointId, event } = await shopWithEvent();
    await scene.pool.query('UPDATE webhook_endpoint SET deleted_at = 1 WHERE id = $1', [endpointId]);
    expect(await claimNamed(scene.pool, { ...claim, accounts: new Set([shop.accountId]) })).toEqual([]);
    const [row] = await claimAll(scene.pool, { ...claim, after: '', everyDay: false });
    expect(row).toMatchObject({ eventId: event, gone: true });
  });

  test('takes no more of an endpoint than it is allowed, nor of all than it may', async () => {
    const { shop, endpointId } = await shopWithEvent();
    for (let nth = 0; nth < 3; nth += 1) await scene.productEvent(shop);
    const accounts = new Set([shop.accountId]);
    const allowances = { ...claim.allowances, byEndpoint: { [endpointId]: 3 } };
    expect(await claimNamed(scene.pool, { ...claim, accounts, allowances, max: 2 })).toHaveLength(2);
    expect(
      await claimNamed(scene.pool, {
        ...claim,
        accounts,
        allowances: { ...allowances, byEndpoint: { [endpointId]: 0 } },
      }),
    ).toEqual([]);
    expect(await claimNamed(scene.pool, { ...claim, accounts, allowances })).toHaveLength(2);
  });
});

describe('news', () => {
  /** What a listener hears within a moment. */
  async function heard(tell: (wake: ReturnType<typeof createWaker>) => void) {
    const rung: (string[] | null)[] = [];
    const handlers = {
      [channelOf('facts', 'live')]: (payload: string) => void rung.push(accountsOf(payload)?.sort() ?? null),
    };
    const listener = listen({ pool: scene.pool, logger: scene.api.composition.deps.logger, handlers });
    onTestFinished(() => listener.stop());
    // A new connection rings every bell: whatever was missed.
    await expect.poll(() => rung).toEqual([null]);
    tell(createWaker(scene.pool));
    await expect.poll(() => rung.length).toBe(2);
    return rung[1];
  }
  const news = { facts: true, outbox: false };
  const accounts = (count: number) =>
    Array.from({ length: count }, (_, nth) => `acct_${String(nth).padStart(26, '0')}`);

  test.each([1, 200])('of %i accounts name them, each once', async (count) => {
    const told = await heard((wake) => {
      for (const accountId of [...accounts(count), ...accounts(count)]) wake({ accountId, liveMode: true }, news);
      wake({ accountId: 'acct_sandbox', liveMode: false }, news);
    });
    expect(told).toEqual(accounts(count));
  });

  test('of more than fit into a notification name none, which means all', async () => {
    const told = await heard((wake) => {
      for (const accountId of accounts(201)) wake({ accountId, liveMode: true }, news);
    });
    expect(told).toBeNull();
  });
});
