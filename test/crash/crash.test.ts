import { setTimeout as sleep } from 'node:timers/promises';
import type { Fatura, Invoice } from '@fatura/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Merchant } from '../support/api.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Stack, startStack, until } from '../support/stack.ts';

const TEST_MS = 180_000;
const SETTLE_MS = 120_000;

let stack: Stack;
let receiver: Receiver;
let shop: { merchant: Merchant; customerId: string; priceId: string };

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);
afterAll(() => stack.stop(), TEST_MS);

beforeEach(async () => {
  const merchant = await stack.newMerchant();
  const { fatura } = merchant;
  receiver = await startReceiver();
  const endpoint = await fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['invoice.paid'] });
  receiver.secret = endpoint.secret ?? '';
  const product = await fatura.products.create({ name: 'Plano' });
  const price = await fatura.prices.create({ product_id: product.id, unit_amount: 5000, type: 'one_time' });
  const customer = await fatura.customers.create({
    name: 'Maria',
    identifier: '52998224725',
    email: 'm@example.com',
  });
  shop = { merchant, customerId: customer.id, priceId: price.id };
}, TEST_MS);

afterEach(() => receiver.stop());

/** One sale as a merchant's script makes it; the client repeats under its keys until it gets an answer. */
async function sell(fatura: Fatura): Promise<Invoice> {
  const invoice = await fatura.invoices.create({
    customer_id: shop.customerId,
    line_items: [{ price_id: shop.priceId, quantity: 1 }],
  });
  const charged = await fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(charged.payment_intent ?? '', { scenario: 'paid' });
  return charged;
}

/** Sells without a pause on several connections until told to stop; counts the sales that ended well and collects refusals. */
function sellOn(lanes: number) {
  const sold: string[] = [];
  const refused: { code: string }[] = [];
  let open = true;
  const lane = async (): Promise<void> => {
    while (open) {
      try {
        sold.push((await sell(shop.merchant.fatura)).id);
      } catch (error) {
        refused.push(error as { code: string });
        await sleep(50);
      }
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  return {
    sold,
    refused,
    async stop() {
      open = false;
      await running;
    },
  };
}

const paidInvoices = (): Promise<Invoice[]> =>
  shop.merchant.fatura.invoices.list({ status: 'paid', limit: 100 }).all({ max: 10_000 });

/** Afterwards every paid invoice has one event, its endpoint got it, nothing is stuck and the books agree. */
async function expectAllDelivered(sold: readonly string[]): Promise<void> {
  await stack.untilReady();
  // What the bank booked and the killed process did not is settled by a case: the paid ones are counted after it.
  await until('the end of every case', async () => (await stack.audit()).length === 0, SETTLE_MS).catch(() => {});
  const paid = await paidInvoices();
  expect(paid.map(({ id }) => id)).toEqual(expect.arrayContaining([...sold]));
  const received = () => new Set(receiver.accepted.map((event) => event.object.id));
  await until(`${paid.length} deliveries`, async () => paid.every(({ id }) => received().has(id)), SETTLE_MS);
  await stack.withDatabase(async ({ pool }) => {
    const { rows } = await pool.query(
      "SELECT object_id, count(*)::int AS events FROM event WHERE type = 'invoice.paid' AND account_id = $1 GROUP BY 1",
      [shop.merchant.accountId],
    );
    expect(rows).toHaveLength(paid.length);
    expect(rows.filter((row) => row.events !== 1)).toEqual([]);
    const waiting = async () => {
      const left = await pool.query("SELECT count(*)::int AS n FROM delivery WHERE status = 'pending'");
      return left.rows[0].n === 0;
    };
    await until('no pending delivery', waiting, SETTLE_MS);
    await until(
      'an empty outbox',
      async () => (await pool.query('SELECT count(*)::int AS n FROM outbox')).rows[0].n === 0,
      SETTLE_MS,
    );
  });
  // A case that was begun may still be at work when the outbox is empty.
  await until('the end of every case', async () => (await stack.audit()).length === 0, SETTLE_MS).catch(() => {});
  expect(await stack.audit()).toEqual([]);
}

test(
  'an API killed between commit and delivery loses no event',
  async () => {
    await stack.worker.kill9();
    const shift = sellOn(4);
    for (let kills = 0; kills < 3; kills += 1) {
      await sleep(1_000);
      await stack.api.kill9();
      await stack.api.start();
    }
    await sleep(500);
    await shift.stop();
    await stack.api.kill9();
    expect(receiver.requests).toBe(0);
    await Promise.all([stack.api.start(), stack.worker.start()]);
    expect(shift.sold.length).toBeGreaterThan(0);
    await expectAllDelivered(shift.sold);
  },
  TEST_MS,
);

test(
  'a worker killed during a delivery repeats it',
  async () => {
    receiver.answer = () => sleep(2_000).then(() => 200);
    const sold = [(await sell(shop.merchant.fatura)).id, (await sell(shop.merchant.fatura)).id];
    await until('a delivery under way', async () => receiver.requests > 0);
    await stack.worker.kill9();
    receiver.answer = () => 200;
    await stack.worker.start();
    await expectAllDelivered(sold);
  },
  TEST_MS,
);

test(
  'sales and first deliveries go on without Temporal, and failed ones climb their ladder afterwards',
  async () => {
    await stack.temporal.kill9();
    await stack.untilReady({ degraded: ['temporal'] });
    const good = (await sell(shop.merchant.fatura)).id;
    await until('the first delivery', async () => receiver.accepted.some((event) => event.object.id === good));
    receiver.answer = () => 500;
    const failed = (await sell(shop.merchant.fatura)).id;
    await until('a failed attempt', async () => receiver.requests >= 2);
    receiver.answer = () => 200;
    await stack.temporal.start();
    await expectAllDelivered([good, failed]);
  },
  TEST_MS,
);

test(
  'PostgreSQL restarted under load costs clear refusals and no money',
  async () => {
    const shift = sellOn(4);
    await sleep(1_500);
    await stack.postgres.kill9();
    const during = await fetch(`${stack.baseUrl}/api/v1/invoices`, { headers: { authorization: 'ApiKey none' } });
    expect([401, 503]).toContain(during.status);
    await sleep(500);
    await stack.postgres.start();
    await sleep(2_000);
    await shift.stop();
    for (const error of shift.refused)
      expect(['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE', 'CONNECTION_FAILED', 'ACQUIRER_TIMEOUT']).toContain(
        error.code,
      );
    expect(shift.sold.length).toBeGreaterThan(0);
    await expectAllDelivered(shift.sold);
  },
  TEST_MS,
);
