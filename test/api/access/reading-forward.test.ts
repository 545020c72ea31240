import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { ProductSchema } from '../../../server/catalog/entity.ts';
import { viewProduct } from '../../../server/catalog/view.ts';
import type { Composition } from '../../../server/compose.ts';
import { idTimeMs, newId } from '../../../server/kernel/ids.ts';
import { table } from '../../../server/unit-of-work/table.ts';
import { REACHES_WITHIN_MS } from '../../../server/unit-of-work/watermark.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { rolesOf } from '../../support/roles.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';

let api: TestApi;
let another: AnotherProcess;

beforeAll(async () => {
  api = await startApi();
  another = await startAnother(api);
});

afterAll(async () => {
  await another.stop();
  await api.stop();
});

/** A merchant reads on for so long at most after the last commit. */
const CATCH_UP_MS = 10_000;
const PAUSE_MS = 20;

const lists = ['products', 'events'] as const;
type List = (typeof lists)[number];

/** Reads a list forward from an object on, page by page, until `isOver`; what it saw, in its order. */
async function readForward(
  { baseUrl, shop, list }: { baseUrl: string; shop: Merchant; list: List },
  { from, isOver }: { from: string; isOver: (seen: readonly string[]) => boolean },
): Promise<string[]> {
  const resource = sdkFor(baseUrl, shop.sandboxKey)[list];
  const seen: string[] = [];
  while (!isOver(seen)) {
    const { data } = await resource.list({ limit: 3, ending_before: seen.at(-1) ?? from }).page();
    seen.push(...[...data].map(({ id }) => id).toReversed());
    await sleep(PAUSE_MS);
  }
  return seen;
}

async function idsOf(list: List, shop: Merchant): Promise<string[]> {
  const all = await shop.fatura[list].list({ limit: 100 }).all({ max: 1_000 });
  return all.map(({ id }) => id).toReversed();
}

/** Lets no product with the code be committed until it is told to. */
async function holdCode(
  shop: Merchant,
  code: string,
): Promise<{ waited: () => Promise<void>; release: () => Promise<void> }> {
  const { pool } = api.composition.deps;
  const client = await rolesOf(pool).superuser.connect();
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO product (id, account_id, live_mode, created, name, active, external_code)
     VALUES ('prod_00000000000000000000000000', $1, false, 0, 'Plano', true, $2)`,
    [shop.accountId, code],
  );
  return {
    async waited() {
      await expect
        .poll(async () => {
          const { rows } = await pool.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`,
          );
          return rows.length;
        })
        .toBe(1);
    },
    async release() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

describe('reading a list forward', () => {
  test('regression-76-skips no row that commits later than younger ones, whichever process wrote it', async () => {
    const shop = await api.newMerchant();
    const first = await shop.fatura.products.create({ name: 'Plano' });
    const [firstEvent = ''] = await idsOf('events', shop);
    const holder = await holdCode(shop, 'late');
    const late = sdkFor(another.baseUrl, shop.sandboxKey).products.create({ name: 'Tarde', external_code: 'late' });
    await holder.waited();

    let committed = false;
    let deadlineMs = Number.POSITIVE_INFINITY;
    const readers = [api, another].flatMap(({ baseUrl }) =>
      lists.map(async (list) => {
        const from = list === 'products' ? first.id : firstEvent;
        let wanted: string[] | null = null;
        const isOver = (seen: readonly string[]) =>
          committed && (Date.now() > deadlineMs || seen.length >= (wanted?.length ?? Number.POSITIVE_INFINITY));
        const reading = readForward({ baseUrl, shop, list }, { from, isOver });
        return {
          list,
          reading,
          want: (ids: string[]) => {
            wanted = ids;
          },
        };
      }),
    );
    const write = async ({ baseUrl }: { baseUrl: string }) => {
      const { products } = sdkFor(baseUrl, shop.sandboxKey);
      for (let count = 0; count < 10; count += 1) await products.create({ name: 'Plano' });
    };
    await Promise.all([api, api, another].map(write));
    await sleep(2_000);
    await holder.release();
    await late;
    const ids = { products: (await idsOf('products', shop)).slice(1), events: (await idsOf('events', shop)).slice(1) };
    expect([ids.products.length, ids.events.length]).toEqual([31, 31]);
    for (const reader of await Promise.all(readers)) reader.want(ids[reader.list]);
    deadlineMs = Date.now() + CATCH_UP_MS;
    committed = true;
    for (const { list, reading } of await Promise.all(readers)) expect(await reading).toEqual(ids[list]);
  });

  test('shows at once what this process wrote while nothing else is under way', async () => {
    await another.stop();
    const shop = await api.newMerchant();
    const first = await shop.fatura.products.create({ name: 'Plano' });
    const second = await shop.fatura.products.create({ name: 'Plano' });
    const page = await shop.fatura.products.list({ ending_before: first.id }).page();
    expect([[...page.data], page.hasMore]).toEqual([[second], false]);
    another = await startAnother(api);
  });
});

describe('a transaction', () => {
  const products = table(ProductSchema, { noun: 'product', fixed: [], variant: 'of_reading_forward_test' });

  /** Makes a product in a transaction that does other work before it reaches the database. */
  const record = async (composition: Composition, shop: Merchant, work: () => Promise<void>) => {
    const { deps } = composition;
    const scope = await readScope(deps.pool, { accountId: shop.accountId, liveMode: false });
    await deps.transaction(scope, async (tx) => {
      const row = { id: newId('prod'), name: 'Plano', description: null, active: true, externalCode: null };
      tx.record('product.created', viewProduct(tx.insert(products, row)));
      await work();
    });
  };

  test.each([
    ['of this process', () => api],
    ['of another process', () => another],
  ])('%s that has made its ids and not reached the database holds younger rows back', async (_, whose) => {
    const shop = await api.newMerchant();
    await shop.fatura.products.create({ name: 'Plano' });
    let from = '';
    const forward = async () =>
      [...(await shop.fatura.events.list({ ending_before: from }).page()).data].map(({ id }) => id);
    let seen: string[] | null = null;
    // One that takes too long on a busy machine begins anew, behind what its first try made.
    await record(whose().composition, shop, async () => {
      from = (await idsOf('events', shop)).at(-1) ?? '';
      await shop.fatura.products.create({ name: 'Plano' });
      seen = await forward();
    });
    expect(seen).toEqual([]);
    const ids = await idsOf('events', shop);
    const younger = ids.slice(ids.indexOf(from) + 1);
    await expect.poll(forward, { timeout: 20_000 }).toEqual(younger.toReversed());
    expect(younger).toHaveLength(2);
  });

  test('that does not reach the database in time begins anew, with younger ids', async () => {
    const shop = await api.newMerchant();
    await shop.fatura.products.create({ name: 'Plano' });
    let lateUntilMs = 0;
    await record(api.composition, shop, async () => {
      if (lateUntilMs > 0) return;
      await sleep(2 * REACHES_WITHIN_MS);
      lateUntilMs = Date.now();
    });
    const [, event = '', ...more] = await idsOf('events', shop);
    expect(idTimeMs(event)).toBeGreaterThanOrEqual(lateUntilMs);
    expect(more).toEqual([]);
  });
});
