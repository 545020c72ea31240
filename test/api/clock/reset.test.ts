import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recoverCases } from '../../../server/outbox/recovery.ts';
import { changeBehaviour } from '../../../server/payments/acquirer/sandbox/behaviour.ts';
import { sandboxTables, tablesApart } from '../../../server/test-clock/tables.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { openShop } from '../../support/audit/shop.ts';
import { type Dump, dump, type Row, without } from '../../support/dump.ts';
import { newInvoice, newProduct } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { rollKey } from '../../support/keys.ts';
import { factsOf, type RawAnswer, refusalOf, send } from '../requests.ts';

const failpoints = new Failpoints();
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
});
afterAll(() => api.stop());

const rows = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await api.composition.deps.pool.query(sql, values)).rows;

const reset = (key: string, idempotencyKey?: string): Promise<RawAnswer> =>
  send(api, {
    method: 'POST',
    path: '/test_clock/reset',
    key,
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  });

const ID = /^[A-Za-z0-9_]{20,}$/;

/** The rows of an account's sandbox: those that say so, and those that name one of them. */
function sandboxOf(accountId: string, dumped: Dump): Set<Row> {
  const own = new Set<Row>();
  const ids = new Set<string>();
  const isOwn = (table: string, row: Row): boolean => {
    if ('live_mode' in row) return row.account_id === accountId && row.live_mode === false;
    if ('account_id' in row && row.account_id !== accountId) return false;
    if ('account_id' in row && table.startsWith('sandbox_bank.')) return true;
    return Object.values(row).some((value) =>
      String(value)
        .split('/')
        .some((part) => ids.has(part)),
    );
  };
  for (let found = -1; found < own.size; ) {
    found = own.size;
    for (const [table, stored] of dumped) {
      for (const row of stored.filter((one) => !own.has(one) && isOwn(table, one))) {
        own.add(row);
        for (const value of Object.values(row))
          if (ID.test(String(value)) && value !== accountId) ids.add(String(value));
      }
    }
  }
  return own;
}

describe('a reset', () => {
  test('deletes every row of the sandbox, in every table, and nothing else', async () => {
    const { accountId } = await openShop(api);
    await openShop(api);
    const { operator: database } = api;
    const { deps } = api.composition;
    const keyOf = (liveMode: boolean) => rollKey(database, { accountId, liveMode, scope: 'full', hours: 0 });
    const [key, liveKey] = [await keyOf(false), await keyOf(true)];
    const live = sdkFor(api.baseUrl, liveKey);
    const { webhookEndpoints } = sdkFor(api.baseUrl, key);
    for await (const { id } of webhookEndpoints.list())
      await webhookEndpoints.recover(id, { since: api.clock.now() - 60 });
    const kept = await live.products.create({ name: 'Plano' });
    const [event] = await live.events.list().all({ max: 1 });
    await rows(
      `INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('webhook-delivery', $1, $2, true)`,
      `${event?.id}/we_1/1`,
      accountId,
    );
    await rows(`INSERT INTO outbox (kind, key, account_id, live_mode) VALUES ('test-clock', $1, $1, false)`, accountId);
    await rows(
      `INSERT INTO portal_link (secret_hash, account_id, live_mode, customer_id, created_at, expires_at)
       SELECT 'a secret', c.account_id, false, c.id, now(), now() FROM customer c WHERE c.account_id = $1 AND NOT c.live_mode LIMIT 1`,
      accountId,
    );
    await changeBehaviour(deps.pool, { accountId, call: 'findPix', changes: { latency_ms: 1 } });
    await rows('UPDATE account SET sandbox_offset_seconds = 86400 WHERE id = $1', accountId);
    const before = await dump(api.composition.deps.pool);
    const own = sandboxOf(accountId, before);
    const untold = [...before].filter(([, stored]) => !stored.some((row) => own.has(row))).map(([table]) => table);
    expect(untold, 'tables of which the sandbox of this test has no row').toEqual([]);

    const answer = await reset(key);
    const clock = { object: 'test_clock', now: api.clock.now(), status: 'ready', target: null };
    expect([answer.status, answer.body]).toEqual([200, clock]);
    expect(await dump(api.composition.deps.pool)).toEqual(without(before, own));
    expect(await live.products.list().all({ max: 10 })).toContainEqual(kept);
    expect(await sdkFor(api.baseUrl, key).testClock.retrieve()).toEqual(clock);
    expect(
      await rows(
        'SELECT sandbox_offset_seconds AS ahead, clock_held_at, clock_target FROM account WHERE id = $1',
        accountId,
      ),
    ).toEqual([{ ahead: 0, clock_held_at: null, clock_target: null }]);
  }, 90_000);

  test('takes a sandbox of more rows than one statement deletes', async () => {
    const shop = await api.newMerchant();
    const { id } = await newInvoice(shop);
    await rows(
      `INSERT INTO product (id, account_id, live_mode, created, name, active)
       SELECT 'prod_' || lpad(n::text, 26, '0'), $1, false, 0, 'Plano', true FROM generate_series(1, 12000) n`,
      shop.accountId,
    );
    await rows(
      `INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
       SELECT '2026-01-01', 'evt_' || lpad(n::text, 26, '0'), $1, false, 'product.created', 0, $2, '{}', '', md5('')::uuid FROM generate_series(1, 12000) n`,
      shop.accountId,
      id,
    );
    await shop.fatura.testClock.reset();
    expect(await factsOf(shop)).toEqual([]);
    expect(await shop.fatura.products.list().all({ max: 10 })).toEqual([]);
    expect(await shop.fatura.invoices.list().all({ max: 10 })).toEqual([]);
  });

  test('lets the sandbox begin anew, with the codes and keys of before', async () => {
    const shop = await api.newMerchant();
    const create = () => shop.fatura.products.create({ name: 'Plano', external_code: 'a' }, { idempotencyKey: 'a' });
    const { id } = await create();
    await shop.fatura.testClock.reset();
    const anew = await create();
    expect(anew.id).not.toBe(id);
    expect((await factsOf(shop)).map(({ type, object }) => [type, object])).toEqual([['product.created', anew]]);
  });

  test('is repeated under its Idempotency-Key without a second one', async () => {
    const shop = await api.newMerchant();
    const first = await reset(shop.sandboxKey, 'reset');
    const product = await newProduct(shop);
    const repeated = await reset(shop.sandboxKey, 'reset');
    expect([repeated.status, repeated.headers.get('Idempotent-Replayed'), repeated.body]).toEqual([
      200,
      'true',
      first.body,
    ]);
    expect(await shop.fatura.products.retrieve(product.id)).toEqual(product);
  });

  test('takes no parameters', async () => {
    const { sandboxKey: key } = await api.newMerchant();
    const answer = await send(api, { method: 'POST', path: '/test_clock/reset', key, body: { to: 1 } });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'PARAMETER_UNKNOWN', param: 'to' });
  });
});

describe('the tables that a reset empties', () => {
  test('are all that say whose their rows are, and all of the sandbox acquirer', async () => {
    const found = await rows(
      `SELECT c.oid::regclass::text AS name FROM pg_class c
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND (c.relnamespace = 'sandbox_bank'::regnamespace
         OR (c.relnamespace = 'public'::regnamespace AND EXISTS (SELECT FROM pg_attribute a
           WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped)))`,
    );
    expect(found.map(({ name }) => name).sort()).toEqual([...Object.keys(sandboxTables), ...tablesApart].sort());
  });

  test('stand before those that they refer to', async () => {
    const order = Object.keys(sandboxTables);
    const references = await rows(
      `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
       WHERE contype = 'f' AND conparentid = 0 AND conrelid <> confrelid AND NOT condeferrable`,
    );
    const wrong = references.filter(({ child, parent }) => {
      const [at, above] = [order.indexOf(String(child)), order.indexOf(String(parent))];
      return at !== -1 && above !== -1 && at > above;
    });
    expect(references.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

describe('while a sandbox is reset', () => {
  /** What others get as the clock is held and nothing is deleted yet. */
  async function meanwhile<T>(shop: Merchant, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    failpoints.meanwhile('reset.held', () => work().then(resolve, reject));
    await shop.fatura.testClock.reset();
    return promise;
  }

  test('changes are refused, a second reset and an advance too, and reads are answered', async () => {
    const shop = await api.newMerchant();
    const product = await newProduct(shop);
    const { testClock, products } = shop.fatura;
    const refused = expect.objectContaining({ code: 'INVALID_STATE', status: 409 });
    const met = await meanwhile(shop, () =>
      Promise.allSettled([
        newProduct(shop),
        testClock.reset(),
        testClock.advance({ to: api.clock.now() + 60 }),
        products.retrieve(product.id),
      ]),
    );
    expect(met).toEqual([
      ...Array.from({ length: 3 }, () => ({ status: 'rejected', reason: refused })),
      { status: 'fulfilled', value: product },
    ]);
  });

  test('one that fails lets the clock go, and nothing is deleted', async () => {
    const shop = await api.newMerchant();
    const product = await newProduct(shop);
    failpoints.crashAt('reset.emptied');
    await expect(shop.fatura.testClock.reset()).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(await shop.fatura.testClock.retrieve()).toMatchObject({ status: 'ready', target: null });
    expect(await shop.fatura.products.list().all({ max: 10 })).toEqual([product]);
    expect(await shop.fatura.testClock.reset()).toMatchObject({ status: 'ready' });
  });

  test('a process that dies leaves the clock to the recovery of its case', async () => {
    const shop = await api.newMerchant();
    failpoints.crashAt('reset.held');
    await expect(shop.fatura.testClock.reset()).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    const now = api.clock.now();
    expect(await shop.fatura.testClock.retrieve()).toMatchObject({ now, status: 'advancing', target: now });
    await rows(`UPDATE account SET clock_moved_at = now() - interval '4 minutes' WHERE id = $1`, shop.accountId);
    expect(await recoverCases(api.composition.deps.pool, { mode: 'sandbox' })).toMatchObject({ 'test-clock': 1 });
  });
});
