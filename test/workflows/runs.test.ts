import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstKeptDay } from '../../server/events/retention.ts';
import { MODES, type Mode } from '../../server/kernel/mode.ts';
import { scheduleId } from '../../workflows/run-shards.ts';
import type { RunName } from '../../workflows/runs.ts';
import { runsOf } from '../../workflows/schedules.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { openLiveShop } from '../api/live/live-shop.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../support/factories.ts';
import { configureLive } from '../support/live-settings.ts';
import { mailsOf, remindOf } from '../support/mails.ts';
import { startReceiver } from '../support/receiver.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { clientOf, eventually, register, workerFor } from './support.ts';

const MINUTE = 60;
const DAY_MS = 24 * 3_600_000;

let api: TestApi;
let mailServer: MailServer;
let client: Client;
let worker: RunningWorker;
const prefix = `test-${randomBytes(6).toString('hex')}-`;

beforeAll(async () => {
  mailServer = await startMailServer();
  api = await startApi({ mail: { smtpUrl: mailServer.url, from: { name: null, address: 'conta@loja.test' } } });
  client = clientOf(api);
  worker = workerFor(api, { schedulePrefix: prefix });
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop(); // it makes those anew that are deleted
  for (const { run, mode } of runsOf(MODES)) await client.schedule.getHandle(prefix + scheduleId(run, mode)).delete();
  await client.connection.close();
  await api.stop();
  await mailServer.stop();
});

const pool = () => api.composition.deps.pool;

/** Triggers a run by its schedule, as an operator does, and answers the counts that the UI shows. */
async function triggered(run: RunName, mode?: Mode): Promise<Record<string, number>> {
  const handle = client.schedule.getHandle(prefix + scheduleId(run, mode));
  const before = (await handle.describe()).info.recentActions.length;
  await handle.trigger();
  const action = await eventually(`${run} to begin`, async () => {
    const { recentActions } = (await handle.describe()).info;
    return recentActions.length > before && recentActions.at(-1);
  });
  const { workflowId } = action.action.workflow;
  const counts = await client.workflow.getHandle(workflowId).result();
  return counts;
}

const tables = async (pattern: string): Promise<string[]> => {
  const { rows } = await pool().query('SELECT relname FROM pg_class WHERE relname ~ $1 AND relkind = $2 ORDER BY 1', [
    pattern,
    'r',
  ]);
  return rows.map(({ relname }) => relname);
};

test('events are kept for 30 days, the 93 hours of a last ladder, and a day', () => {
  expect(firstKeptDay(Date.UTC(2027, 1, 28, 21))).toBe('2027-01-25');
  expect(firstKeptDay(Date.UTC(2027, 1, 28, 20, 59))).toBe('2027-01-24');
});

test('the retention run makes partitions ahead and deletes what has had its time', async () => {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const ahead = new Date(Date.now() + 14 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
  for (const table of ['event', 'event_delivery_status', 'delivery', 'delivery_attempt']) {
    await pool().query(
      `CREATE TABLE ${table}_20200101 PARTITION OF ${table} FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`,
    );
    await pool().query(`DROP TABLE ${table}_${ahead}`);
  }
  const shop = await api.newMerchant();
  await newProduct(shop);
  await pool().query(
    `INSERT INTO event SELECT '2019-05-05', id, account_id, live_mode, type, created, object_id, related, body, body_digest FROM event`,
  );
  // The SDK sends an Idempotency-Key with each of the three creations; two of them are too old.
  for (let made = 0; made < 2; made += 1) await newProduct(shop);
  await pool().query(`UPDATE idempotency_key SET created_at = now() - interval '71 hours'`);
  await pool().query(`UPDATE idempotency_key SET created_at = now() - interval '73 hours'
    WHERE hash IN (SELECT hash FROM idempotency_key LIMIT 2)`);
  await pool().query(`INSERT INTO rate_limit VALUES ('old', 1, 1, 0)`);
  expect(await triggered('retention-run')).toEqual({
    logsAnchored: expect.any(Number),
    partitionsMade: 4,
    partitionsDropped: 4,
    partitionsBusy: 0,
    rowsDeleted: 2,
    idempotencyKeys: 2,
    rateLimitWindows: expect.any(Number),
    exportsRemoved: 0,
    mailCounts: 0,
    workers: 0,
    mailsForgotten: 0,
    portalLinksRemoved: 0,
  });
  expect(await tables('_2020')).toEqual([]);
  expect(await tables(`^event_(${today}|${ahead})$`)).toHaveLength(2);
  expect((await pool().query(`SELECT 1 FROM rate_limit WHERE key = 'old'`)).rows).toEqual([]);
  expect((await pool().query('SELECT 1 FROM idempotency_key')).rows).toHaveLength(1);
});

test('the recovery run finds nothing to do where all is well', async () => {
  expect(await triggered('case-recovery-run', 'sandbox')).toEqual({
    'webhook-delivery': 0,
    'charge-reconciliation': 0,
    'refund-settlement': 0,
    'pix-settlement': 0,
    'pix-expiry': 0,
    'pix-mandate': 0,
    collection: 0,
    'export-file': 0,
    'stored-card': 0,
    'test-clock': 0,
    'webhook-recovery': 0,
    subscriptionsWoken: 0,
    invoicesWoken: 0,
    sessionsWoken: 0,
    deliveriesWoken: 0,
  });
});

test('the removal run leaves customers that changed within 90 days, and removes others', async () => {
  const shop = await api.newMerchant();
  const { id } = await newCustomer(shop);
  const kept = { removed: 0, kept: 0, busy: 0, failed: 0, sessions: 0 };
  expect(await triggered('sandbox-removal-run')).toEqual(kept);
  // As if it had been made in the year 2020; nothing refers to it yet.
  const old = 'cus_01dxf6dt000000000000000000';
  await pool().query(`UPDATE customer SET id = $2, last_event_id = NULL WHERE id = $1`, [id, old]);
  await pool().query(`UPDATE customer_word SET customer_id = $2 WHERE customer_id = $1`, [id, old]);
  await pool().query(`DELETE FROM event WHERE object_id = $1`, [id]);
  await pool().query(`DELETE FROM idempotency_key WHERE customer_id = $1`, [id]);
  expect(await triggered('sandbox-removal-run')).toEqual({ ...kept, removed: 1 });
  await expect(shop.fatura.customers.retrieve(old)).rejects.toMatchObject({ status: 404 });
});

test('the session run expires what came to its deadline', async () => {
  // The minute may be full at any moment.
  await client.schedule.getHandle(`${prefix}session-expiry-run-sandbox`).pause();
  const { fatura } = await api.newMerchant();
  const { id: product_id } = await fatura.products.create({ name: 'Plano' });
  const price = await fatura.prices.create({ product_id, unit_amount: 9_990, type: 'one_time' });
  const session = await fatura.checkoutSessions.create({
    mode: 'payment',
    success_url: 'https://loja.test/obrigado',
    return_url: 'https://loja.test/carrinho',
    line_items: [{ price_id: price.id, quantity: 1 }],
  });
  expect(await triggered('session-expiry-run', 'sandbox')).toEqual({ due: 0 });
  api.clock.advance(session.expires_at - api.clock.now());
  expect(await triggered('session-expiry-run', 'sandbox')).toEqual({ due: 1, expired: 1 });
  expect(await fatura.checkoutSessions.retrieve(session.id)).toMatchObject({ status: 'expired' });
});

test('the mail run sends what waits', async () => {
  // The minute may be full at any moment.
  await client.schedule.getHandle(`${prefix}mail-run-sandbox`).pause();
  const shop = await api.newMerchant();
  // A sandbox mail goes to the account's own address alone.
  const email = 'dono@loja.test';
  const { id } = await newInvoice(shop, { customer_id: (await newCustomer(shop, { email })).id });
  const voided = await newInvoice(shop);
  for (const one of [id, voided.id]) await remindOf(api, shop, { id: one, step: 3 });
  await shop.fatura.invoices.void(voided.id);
  expect(await triggered('mail-run', 'sandbox')).toEqual({
    sent: 1,
    failed: 0,
    retried: 0,
    dropped: 1,
    kept: 0,
    held: 0,
  });
  expect(mailServer.delivered).toMatchObject([{ from: 'conta@loja.test', to: [email] }]);
  expect(await mailsOf(api, id)).toMatchObject([{ status: 'sent' }]);
  expect(await mailsOf(api, voided.id)).toMatchObject([{ status: 'dropped' }]);
});

test('the health run warns of endpoints that accept nothing, and switches them off', async () => {
  // The minute may be full at any moment.
  await client.schedule.getHandle(`${prefix}endpoint-health-run-sandbox`).pause();
  const shop = await api.newMerchant();
  const receiver = await startReceiver();
  receiver.answer = () => 500;
  const { id } = await register(shop, receiver, ['product.created']);
  await newProduct(shop);
  await eventually('a failed attempt', async () => receiver.requests > 0);
  expect(await triggered('endpoint-health-run', 'sandbox')).toEqual({ due: 0 });
  api.clock.advance((3 * DAY_MS) / 1_000);
  expect(await triggered('endpoint-health-run', 'sandbox')).toEqual({ due: 1, warned: 1 });
  expect(await triggered('endpoint-health-run', 'sandbox')).toEqual({ due: 0 });
  api.clock.advance((4 * DAY_MS) / 1_000);
  expect(await triggered('endpoint-health-run', 'sandbox')).toEqual({ due: 1, disabled: 1 });
  expect(await shop.fatura.webhookEndpoints.retrieve(id)).toMatchObject({ status: 'disabled' });
  const { rows } = await api.composition.deps.pool.query(
    `SELECT action, actor FROM audit_log WHERE entry::jsonb ->> 'object' = $1 ORDER BY place DESC LIMIT 1`,
    [id],
  );
  expect(rows).toEqual([{ action: 'webhook_endpoint.disabled', actor: 'service' }]);
  await receiver.stop();
});

test('the certificate run writes to accounts whose certificate ends, and tells of those that have ended', async () => {
  await client.schedule.getHandle(`${prefix}acquirer-certificate-run`).pause();
  expect(await triggered('acquirer-certificate-run')).toEqual({ due: 0, ended: 0 });
  const [ending, ended] = [await api.newMerchant(), await api.newMerchant()];
  await configureLive(api, ending.accountId, { days: 7 });
  await configureLive(api, ended.accountId, { days: -1 });
  expect(await triggered('acquirer-certificate-run')).toEqual({ due: 1, warned: 1, ended: 1 });
  const { rows } = await pool().query(`SELECT account_id, occasion FROM mail WHERE occasion LIKE 'acquirer%'`);
  expect(rows).toEqual([{ account_id: ending.accountId, occasion: 'acquirer_certificate_ending' }]);
  expect(await triggered('acquirer-certificate-run')).toEqual({ due: 0, ended: 1 });
});

test('the sweep run finds what a PSP received and told nobody', async () => {
  // The ten minutes may be full at any moment.
  await client.schedule.getHandle(`${prefix}acquirer-sweep-run`).pause();
  const shop = await openLiveShop(api, { callbacks: false });
  const { invoice, txid } = await shop.sell();
  shop.pay(txid);
  // Whole seconds are asked for, up to the service's own instant.
  api.clock.advance(MINUTE);
  expect(await triggered('acquirer-sweep-run')).toMatchObject({ swept: expect.any(Number) });
  await eventually('the payment', async () => (await shop.fatura.invoices.retrieve(invoice)).status === 'paid');
  await shop.psp.close();
});

test('a schedule that an operator paused stays paused when a worker starts', async () => {
  const handle = client.schedule.getHandle(`${prefix}retention-run`);
  await handle.pause('maintenance');
  const second = workerFor(api, { schedulePrefix: prefix });
  await eventually('the second worker', async () => second.isTemporalUp);
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'maintenance' });
  await second.stop();
});
