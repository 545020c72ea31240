import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../server/admission/limits.ts';
import { customerTables, customerTablesApart } from '../../../server/test-clock/customer-tables.ts';
import { KEPT_DAYS, type RemovalCounts, removeOldCustomers } from '../../../server/test-clock/removal.ts';
import { caseSteps } from '../../../workflows/steps.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { openShop } from '../../support/audit/shop.ts';
import { payByCard } from '../../support/cards.ts';
import { dump, rowsOfCustomers, without } from '../../support/dump.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { rolesOf } from '../../support/roles.ts';
import { subscribeByCard } from '../../support/subscriptions.ts';

const DAY_MS = 86_400_000;

const failpoints = new Failpoints();
let api: TestApi;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const pool = () => api.composition.deps.pool;

/** Removes what was not changed since an instant, as the run does 90 days later. */
const removeAsOf = (unchangedSinceMs: number): Promise<RemovalCounts> =>
  removeOldCustomers(api.composition.deps, { told: () => {}, nowMs: unchangedSinceMs + KEPT_DAYS * DAY_MS });

/** Ids of many rows at once run ahead of the clock by less. */
const APART_MS = 100;

/** An instant that lies between what was done before and what is done next. */
async function betweenNow(): Promise<number> {
  await sleep(APART_MS);
  const betweenMs = Date.now();
  await sleep(APART_MS);
  return betweenMs;
}

const isThere = async (id: string): Promise<boolean> =>
  (await pool().query('SELECT FROM customer WHERE id = $1', [id])).rowCount === 1;

async function customersOfSandboxes(): Promise<{ id: string; runs: boolean }[]> {
  const { rows } = await pool().query<{ id: string; runs: boolean }>(
    `SELECT c.id, EXISTS(SELECT FROM subscription s WHERE s.customer_id = c.id AND s.status <> 'inactive') AS runs
     FROM customer c WHERE NOT c.live_mode`,
  );
  return rows;
}

describe('a customer of a sandbox of which nothing changed for 90 days', () => {
  test('goes with every row that hangs on it, in every table, and nothing else does', async () => {
    await openShop(api);
    await shop.live.customers.create({ name: 'Maria', identifier: '52998224725', email: 'maria@example.com' });
    const customers = await customersOfSandboxes();
    const old = customers.filter(({ runs }) => !runs).map(({ id }) => id);
    await pool().query(
      `INSERT INTO delivery_attempt (day, event_id, endpoint_id, ladder, attempt, at, duration_ms)
       SELECT d.day, d.event_id, d.endpoint_id, d.ladder, 9, 0, 1 FROM delivery d JOIN event e ON e.day = d.day AND e.id = d.event_id
       WHERE e.related && $1 AND NOT EXISTS(SELECT FROM delivery_attempt a WHERE a.event_id = e.id) LIMIT 1`,
      [old],
    );
    await pool().query(
      `INSERT INTO portal_link (secret_hash, account_id, live_mode, customer_id, created_at, expires_at)
       SELECT 'a secret', c.account_id, false, c.id, now(), now() FROM customer c WHERE c.id = ANY ($1) LIMIT 1`,
      [old],
    );
    const before = await dump(pool());
    const own = rowsOfCustomers(before, old);
    const touched = [...before].filter(([, stored]) => stored.some((row) => own.has(row))).map(([table]) => table);
    expect(touched.toSorted()).toEqual([...Object.keys(customerTables), ...customerTablesApart].toSorted());

    const counts = await removeAsOf(await betweenNow());
    const kept = customers.length - old.length;
    expect(counts).toEqual({ removed: old.length, kept, busy: 0, failed: 0, sessions: 0 });
    expect(kept).toBeGreaterThan(0);
    const after = await dump(pool());
    // What only they redeemed can be redeemed again.
    const standing = (after.get('redemption') ?? []).filter(({ status }) => status !== 'released');
    const timesOf = (id: unknown) => standing.filter(({ coupon_id: of }) => of === id).length;
    const uncounted = (before.get('coupon') ?? []).map((row) => ({ ...row, times_redeemed: timesOf(row.id) }));
    expect(uncounted.map(({ times_redeemed: times }) => times)).toContain(0);
    // What only they bought by a link is sold no more.
    const sessions = after.get('checkout_session') ?? [];
    const left = (of: unknown, status: string) =>
      sessions.filter((row) => row.payment_link_id === of && row.status === status).length;
    const links = (before.get('payment_link') ?? []).map((row) => ({
      ...row,
      sales: left(row.id, 'complete'),
      reserved: left(row.id, 'open'),
    }));
    expect(links.map(({ sales }) => sales)).toContain(0);
    expect(after).toEqual(new Map([...without(before, own), ['coupon', uncounted], ['payment_link', links]]));
  }, 120_000);

  test('is removed with every table that refers to what a customer has', async () => {
    const { rows } = await pool().query<{ name: string }>(
      `WITH RECURSIVE below AS (
         SELECT 'customer'::regclass::oid AS oid
         UNION SELECT c.conrelid FROM pg_constraint c JOIN below b ON c.confrelid = b.oid WHERE c.contype = 'f')
       SELECT oid::regclass::text AS name FROM below WHERE NOT (SELECT relispartition FROM pg_class c WHERE c.oid = below.oid)
       UNION SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT a.attisdropped
         AND c.relnamespace IN ('public'::regnamespace, 'sandbox_bank'::regnamespace)
         AND a.attname IN ('customer_id', 'invoice_id', 'subscription_id', 'intent_id', 'txid', 'payment_method_id', 'event_id', 'token')`,
    );
    const known = [...Object.keys(customerTables), ...customerTablesApart];
    expect(rows.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('leaves sessions that never had a customer until they are as old', async () => {
    const { id: price_id } = await newPrice(shop);
    const pages = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };
    const create = () =>
      shop.fatura.checkoutSessions.create({ ...pages, mode: 'payment', line_items: [{ price_id, quantity: 1 }] });
    const [expired, open] = [await create(), await create()];
    const before = await betweenNow();
    await shop.fatura.checkoutSessions.expire(expired.id);
    expect(await removeAsOf(before)).toMatchObject({ sessions: 0 });
    expect(await removeAsOf(await betweenNow())).toMatchObject({ sessions: 1 });
    await expect(shop.fatura.checkoutSessions.retrieve(expired.id)).rejects.toMatchObject({ status: 404 });
    expect(await shop.fatura.checkoutSessions.retrieve(open.id)).toMatchObject({ status: 'open' });
  });

  test('ends the cases of what it had', async () => {
    const customer = await newCustomer(shop);
    const { id } = await newInvoice(shop, { customer_id: customer.id });
    const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    const { rows } = await pool().query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
    await removeAsOf(await betweenNow());
    expect(await isThere(customer.id)).toBe(false);
    const { deps } = api.composition;
    for (const kind of ['charge-reconciliation', 'refund-settlement'] as const)
      expect(await caseSteps[kind](deps, intent ?? '')).toMatchObject({ done: true });
    for (const kind of ['pix-settlement', 'pix-expiry'] as const)
      expect(await caseSteps[kind](deps, rows[0].id)).toMatchObject({ done: true });
  });
});

describe('a customer stays', () => {
  type Case = [what: string, change: (shop: Merchant, customerId: string, invoiceId: string) => Promise<unknown>];
  const changes: Case[] = [
    ['is changed', ({ fatura }, id) => fatura.customers.update(id, { name: 'Maria de Souza' })],
    ['is billed', (merchant, customer_id) => newInvoice(merchant, { customer_id })],
    ['tries to pay', ({ fatura }, _, id) => fatura.invoices.checkout(id, { payment_method_type: 'pix' })],
    ['pays', (merchant, _, id) => payByCard(merchant, id)],
    ['has an invoice cancelled', ({ fatura }, _, id) => fatura.invoices.void(id)],
    ['is written to', ({ fatura }, _, id) => fatura.invoices.send(id)],
  ];

  test.each(changes)('that %s within the 90 days, and another one goes', async (_, change) => {
    const [touched, other] = [await newCustomer(shop), await newCustomer(shop)];
    const { id } = await newInvoice(shop, { customer_id: touched.id });
    const before = await betweenNow();
    await change(shop, touched.id, id);
    expect(await removeAsOf(before)).toMatchObject({ removed: expect.any(Number), failed: 0, busy: 0 });
    expect([await isThere(touched.id), await isThere(other.id)]).toEqual([true, false]);
  });

  test('that gets money back, or from whom a bank takes it', async () => {
    const buyers = await Promise.all([1, 2].map(() => newCustomer(shop)));
    const intents = [];
    for (const { id: customer_id } of buyers) {
      const { id } = await newInvoice(shop, { customer_id });
      const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
      await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
      intents.push(intent ?? '');
    }
    const before = await betweenNow();
    const [first = '', second = ''] = intents;
    await shop.fatura.refunds.create({ payment_intent: first, amount: 100 });
    await shop.fatura.testHelpers.paymentIntents.dispute(second, { scenario: 'fraud' });
    await removeAsOf(before);
    for (const { id } of buyers) expect(await isThere(id)).toBe(true);
  });

  test('with a subscription that runs, until that has ended and 90 days are over', async () => {
    const { id, customer } = await subscribeByCard(shop);
    await removeAsOf(await betweenNow());
    expect(await isThere(customer)).toBe(true);
    const before = await betweenNow();
    await shop.fatura.subscriptions.cancel(id);
    await removeAsOf(before);
    expect(await isThere(customer)).toBe(true);
    await removeAsOf(await betweenNow());
    expect(await isThere(customer)).toBe(false);
  });

  test('in live mode, however old', async () => {
    const { id } = await shop.live.customers.create({ name: 'M', identifier: '52998224725', email: 'm@example.com' });
    await shop.live.invoices.create({ customer_id: id, line_items: [{ price_id: await livePrice(), quantity: 1 }] });
    const before = await dump(pool());
    await removeAsOf(Date.now() + 10_000 * DAY_MS);
    const isLive = (row: Record<string, unknown>) => row.live_mode === true;
    const after = await dump(pool());
    for (const [table, stored] of before) {
      expect(after.get(table)?.filter(isLive), table).toEqual(stored.filter(isLive));
    }
    expect(await isThere(id)).toBe(true);
  });

  const livePrice = async (): Promise<string> => {
    const product = await shop.live.products.create({ name: 'Plano' });
    return (await shop.live.prices.create({ product_id: product.id, unit_amount: 100, type: 'one_time' })).id;
  };

  test('while its clock is being advanced, or somebody is at work on it', async () => {
    const one = await api.newMerchant();
    const { id } = await newCustomer(one);
    const hold = 'UPDATE account SET clock_held_at = $2, clock_target = $2 WHERE id = $1';
    await pool().query(hold, [one.accountId, api.clock.now()]);
    expect(await removeAsOf(await betweenNow())).toMatchObject({ busy: 1, removed: 0 });
    await pool().query(hold, [one.accountId, null]);
    const other = await rolesOf(pool()).superuser.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM customer WHERE id = $1 FOR SHARE', [id]);
    expect(await removeAsOf(await betweenNow())).toMatchObject({ busy: 1, removed: 0 });
    await other.query('ROLLBACK');
    other.release();
    expect(await removeAsOf(await betweenNow())).toMatchObject({ busy: 0, removed: 1 });
  });
});

describe('at the same moment', () => {
  test('a customer that changes as it is about to be removed stays', async () => {
    const customer = await newCustomer(shop);
    const between = await betweenNow();
    failpoints.meanwhile('removal.found', () => newInvoice(shop, { customer_id: customer.id }));
    expect(await removeAsOf(between)).toMatchObject({ kept: expect.any(Number), removed: 0 });
    expect(await isThere(customer.id)).toBe(true);
  });

  test('what comes for a customer that is being removed finds it gone, and leaves nothing behind', async () => {
    await removeAsOf(await betweenNow());
    const customer = await newCustomer(shop);
    const { id } = await newInvoice(shop, { customer_id: customer.id });
    const price = await newPrice(shop);
    const asked: Promise<unknown>[] = [];
    failpoints.meanwhile('removal.emptied', async () => {
      asked.push(
        newInvoice(shop, { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] }),
        shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' }),
        shop.fatura.customers.update(customer.id, { name: 'Maria de Souza' }),
        shop.fatura.invoices.void(id),
      );
      for (const one of asked) one.catch(() => {});
      const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(async () => (await pool().query(waiting)).rows[0].n).toBe(limits.connections.sandbox);
    });
    expect(await removeAsOf(await betweenNow())).toMatchObject({ removed: 1, failed: 0 });
    const met = await Promise.allSettled(asked);
    const gone = { status: 'rejected', reason: expect.objectContaining({ status: 404, code: 'RESOURCE_MISSING' }) };
    expect(met).toEqual(asked.map(() => gone));
    expect(rowsOfCustomers(await dump(pool()), [customer.id, id])).toEqual(new Set());
  });

  test('a fault in the midst leaves all of it, with an alarm, and the next run removes it', async () => {
    const customer = await newCustomer(shop);
    await newInvoice(shop, { customer_id: customer.id });
    const before = await dump(pool());
    failpoints.crashAt('removal.emptied');
    expect(await removeAsOf(await betweenNow())).toMatchObject({ failed: 1, removed: 0 });
    expect(await dump(pool())).toEqual(before);
    expect(api.logged()).toContain('"alarm":"removal_failed"');
    expect(await removeAsOf(await betweenNow())).toMatchObject({ failed: 0, removed: 1 });
  });

  test('a process that is killed in the midst leaves all of it, and another one removes it', async () => {
    const customer = await newCustomer(shop);
    const { id } = await newInvoice(shop, { customer_id: customer.id });
    await payByCard(shop, id);
    const before = await dump(pool());
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', REMOVES_AND_HANGS], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        TEST_DATABASE_URL: api.urls.worker,
        TEST_KEY: Buffer.from(api.encryptionKey).toString('base64'),
        TEST_NOW_MS: String((await betweenNow()) + KEPT_DAYS * DAY_MS),
      },
    });
    const [told] = await once(child.stdout, 'data');
    expect(String(told)).toContain('emptied');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const isFree = () =>
      pool()
        .query('SELECT FROM customer WHERE id = $1 FOR UPDATE NOWAIT', [customer.id])
        .then(
          () => true,
          () => false,
        );
    await expect.poll(isFree).toBe(true);
    expect(await dump(pool())).toEqual(before);
    expect(await removeAsOf(await betweenNow())).toMatchObject({ removed: 1 });
    expect(await isThere(customer.id)).toBe(false);
  });
});

const REMOVES_AND_HANGS = `
  import { compose } from './server/compose.ts';
  import { createKeyRing } from './server/kernel/key-ring.ts';
  import { createLogger } from './server/logging.ts';
  import { removeOldCustomers } from './server/test-clock/removal.ts';
  import { reportSteps } from './test/support/failpoints.ts';
  const { deps } = await compose({
    databaseUrl: process.env.TEST_DATABASE_URL,
    keyRing: createKeyRing([Buffer.from(process.env.TEST_KEY, 'base64')]),
    publicUrl: 'http://127.0.0.1:3000',
    trustProxy: 0,
    rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
    webhookAllowedNetworks: [],
    logger: createLogger({ level: 'silent', process: 'worker' }),
  });
  reportSteps(deps, async (name) => {
    if (name !== 'removal.emptied') return;
    console.log('emptied');
    await new Promise(() => {});
  });
  setInterval(() => {}, 1_000);
  await removeOldCustomers(deps, { told: () => {}, nowMs: Number(process.env.TEST_NOW_MS) });
`;
