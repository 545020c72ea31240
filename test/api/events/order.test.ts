import type { Event, Product } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { ProductSchema } from '../../../server/catalog/entity.ts';
import { viewProduct } from '../../../server/catalog/view.ts';
import { idTimeMs } from '../../../server/kernel/ids.ts';
import { table } from '../../../server/unit-of-work/table.ts';
import {
  type Merchant,
  type RealTimeApi,
  sdkFor,
  startApi,
  startRealTimeApi,
  type TestApi,
} from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';

/** What tells of a product, by `created`, then `id`: the order that merchants are promised. */
async function eventsOf({ fatura }: Merchant, id: string): Promise<Event[]> {
  const events = await fatura.events.list({ related_object: id, limit: 100 }).all({ max: 1_000 });
  return events.toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1));
}

const shown = (events: readonly Event[]): Product[] => events.map(({ data }) => data.object as Product);

describe('the events of one object, by created and then by id', () => {
  /** By how much each machine's clock differs from ours. Milliseconds. */
  const CLOCKS = [0, 450, -700];
  let api: RealTimeApi;
  let servers: ServerProcess[];

  beforeAll(async () => {
    api = await startRealTimeApi();
    servers = await Promise.all(CLOCKS.map((clockAheadMs) => startServer({ ...api, clockAheadMs })));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await api.stop();
  });

  test('are as they happened, whichever machine recorded them', async () => {
    const shop = await api.newMerchant();
    const sdks = servers.map(({ baseUrl }) => sdkFor(baseUrl, shop.sandboxKey));
    // The one whose clock is ahead comes first.
    const { id } = (await sdks[1]?.products.create({ name: 'Plano 0' })) ?? expect.fail();
    const names = Array.from({ length: 60 }, (_, nth) => `Plano ${nth + 1}`);
    for (const [nth, name] of names.entries()) await sdks[nth % sdks.length]?.products.update(id, { name });
    const events = await eventsOf(shop, id);
    expect(shown(events).map(({ name }) => name)).toEqual(['Plano 0', ...names]);
    expect(events.map((event) => event.id)).toEqual(events.map((event) => event.id).toSorted());
    // As the machines differ: ids do not run ahead of the one that is the furthest.
    const latestMs = Math.max(...events.map((event) => idTimeMs(event.id) ?? 0));
    expect(latestMs - Date.now()).toBeLessThan(450 + 100);
  });

  test('are as they happened when many change it at once', async () => {
    const shop = await api.newMerchant();
    const { id } = await newProduct(shop);
    const changes = servers.flatMap(({ baseUrl }, server) => {
      const { products } = sdkFor(baseUrl, shop.sandboxKey);
      return Array.from({ length: 15 }, (_, nth) => {
        if (server === 0) return products.update(id, { name: `Nome ${nth}` });
        if (server === 1) return products.update(id, { description: `Texto ${nth}` });
        return products.update(id, { active: nth % 2 === 0 });
      });
    });
    await Promise.all(changes);
    const states = shown(await eventsOf(shop, id));
    const changed = states
      .slice(1)
      .map((state, nth) =>
        (['name', 'description', 'active'] as const).filter((field) => state[field] !== states[nth]?.[field]),
      );
    // Each shows the one before it with one thing changed: there is no other order of which that is true.
    expect(changed.filter((fields) => fields.length !== 1)).toEqual([]);
    expect(states.length).toBeGreaterThan(30);
    expect(states.at(-1)).toEqual(await shop.fatura.products.retrieve(id));
  });
});

describe('a transaction that waited for an object', () => {
  const ordered = table(ProductSchema, { noun: 'product', fixed: [], variant: 'of_order_test' });
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  /** Changes a product once its transaction knows its instant, after `meanwhile`; answers how often it began. */
  async function changeLate(
    shop: Merchant,
    id: string,
    options: { asksFirst: boolean; meanwhile: () => Promise<unknown> },
  ) {
    const { deps } = api.composition;
    const scope = await readScope(deps.pool, { accountId: shop.accountId, liveMode: false });
    let begun = 0;
    await deps.transaction(scope, async (tx) => {
      begun += 1;
      if (options.asksFirst) expect(tx.now).toBeGreaterThan(0);
      if (begun === 1) await options.meanwhile();
      const product = await tx.lock(ordered, id);
      product.name = 'Tarde';
      tx.record('product.updated', viewProduct(product));
    });
    return begun;
  }

  test.each([
    ['begins anew where its instant had passed', true, 2],
    ['takes its instant behind the lock where it did not need it before', false, 1],
  ])('%s', async (_, asksFirst, begun) => {
    const shop = await api.newMerchant();
    const { id } = await newProduct(shop);
    const meanwhile = async () => {
      api.clock.advance(3);
      await shop.fatura.products.update(id, { name: 'Antes' });
    };
    expect(await changeLate(shop, id, { asksFirst, meanwhile })).toBe(begun);
    const events = await eventsOf(shop, id);
    expect(
      shown(events)
        .slice(1)
        .map(({ name }) => name),
    ).toEqual(['Antes', 'Tarde']);
    expect(events.at(-1)?.created).toBe(api.clock.now());
  });

  test('tells of nothing that it does not keep', async () => {
    const shop = await api.newMerchant();
    const { id } = await newProduct(shop);
    const { deps } = api.composition;
    const scope = await readScope(deps.pool, { accountId: shop.accountId, liveMode: false });
    const product = await shop.fatura.products.retrieve(id);
    onTestFinished(() => expect(eventsOf(shop, id)).resolves.toHaveLength(1));
    await expect(deps.transaction(scope, async (tx) => tx.record('product.updated', product))).rejects.toThrow(
      /does not keep/,
    );
  });
});
