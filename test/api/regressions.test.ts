import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { newCustomer, newInvoice, newPrice } from '../support/factories.ts';

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const post = (path: string, body: Uint8Array<ArrayBuffer> | string, headers: Record<string, string> = {}) =>
  fetch(`${api.baseUrl}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${merchant.sandboxKey}`, 'content-type': 'application/json', ...headers },
    body,
  });

test('regression-1-checkouts and an anonymization of the same customer do not deadlock', async () => {
  const customer = await newCustomer(merchant);
  const invoices = [];
  for (let made = 0; made < 6; made += 1) {
    const invoice = await newInvoice(merchant, { customer_id: customer.id });
    invoices.push(await merchant.fatura.invoices.markUncollectible(invoice.id));
  }
  const results = await Promise.allSettled([
    ...invoices.map(({ id }) => merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' })),
    merchant.fatura.customers.anonymize(customer.id),
    ...invoices.map(({ id }) => merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' })),
  ]);
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refusals.filter(({ status }) => status >= 500)).toEqual([]);
  const { rows } = await api.composition.deps.pool.query(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

test('regression-2-an answer stored while an anonymization waits is erased with the rest', async () => {
  const customer = await newCustomer(merchant, { name: 'Maria Visível' });
  const invoice = await newInvoice(merchant, { customer_id: customer.id });
  await merchant.fatura.invoices.markUncollectible(invoice.id);
  const blocker = await api.composition.deps.pool.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT 1 FROM invoice WHERE id = $1 FOR UPDATE', [invoice.id]);
  const voided = merchant.fatura.invoices.void(invoice.id, { idempotencyKey: 'void-it' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const anonymized = merchant.fatura.customers.anonymize(customer.id);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await blocker.query('COMMIT');
  blocker.release();
  await Promise.all([voided, anonymized]);
  const repeat = merchant.fatura.invoices.void(invoice.id, { idempotencyKey: 'void-it' });
  await expect(repeat).rejects.toEqual(expect.objectContaining({ code: 'INVALID_STATE' }));
});

test('regression-3-a damaged compressed body and bytes that are no UTF-8 are malformed JSON', async () => {
  const damaged = await post('/customers', '{}', { 'content-encoding': 'gzip' });
  expect([damaged.status, (await damaged.json()).error.code]).toEqual([400, 'MALFORMED_JSON']);
  const latin1 = await post('/products', new Uint8Array(Buffer.from('{"product":{"name":"Açaí"}}', 'latin1')));
  expect([latin1.status, (await latin1.json()).error.code]).toEqual([400, 'MALFORMED_JSON']);
  const whole = await post('/products', new Uint8Array(gzipSync('{"product":{"name":"Açaí"}}')), {
    'content-encoding': 'gzip',
  });
  expect(whole.status).toBe(201);
});

test('regression-4-a taken external_code is told before the rules of the lines', async () => {
  const recurring = await newPrice(merchant, { type: 'recurring', recurring: { interval: 'month' } });
  const first = await newInvoice(merchant, { external_code: 'taken-first' });
  const line_items = [{ price_id: recurring.id, quantity: 1 }];
  const second = newInvoice(merchant, { external_code: 'taken-first', line_items });
  await expect(second).rejects.toEqual(expect.objectContaining({ code: 'EXTERNAL_CODE_TAKEN' }));
  const draft = await newInvoice(merchant, { draft: true });
  const patch = merchant.fatura.invoices.update(draft.id, { external_code: 'taken-first', line_items });
  await expect(patch).rejects.toEqual(
    expect.objectContaining({ code: 'EXTERNAL_CODE_TAKEN', message: expect.stringContaining(first.id) }),
  );
  const unknown = [{ price_id: `price_${'0'.repeat(26)}`, quantity: 1 }];
  await expect(merchant.fatura.invoices.update(first.id, { line_items: unknown })).rejects.toEqual(
    expect.objectContaining({ code: 'RESOURCE_MISSING' }),
  );
});

test('regression-5-null clears the optional fields of a draft', async () => {
  const draft = await newInvoice(merchant, {
    draft: true,
    amount: 1000,
    discounts: [{ type: 'fixed', amount_cents: 100 }],
    metadata: [{ a: 1 }],
    due_at: api.clock.now() + 10,
  });
  const cleared = await merchant.fatura.invoices.update(draft.id, { discounts: null, metadata: null, due_at: null });
  expect(cleared).toMatchObject({ total: 1000, metadata: [], due_at: api.clock.now() + 3 * 86_400 });
  expect(cleared.discounts.data).toEqual([]);
});

test('regression-6-metadata and discounts come back with their keys in the order sent, and no number is changed', async () => {
  const metadata = [{ zz: 1, a: 'b', m: [1.5] }];
  const invoice = await newInvoice(merchant, { metadata, discounts: [{ type: 'percentage', percentage: 10 }] });
  const read = await merchant.fatura.invoices.retrieve(invoice.id);
  expect(JSON.stringify(read)).toBe(JSON.stringify(invoice));
  expect(JSON.stringify(read.metadata)).toBe(JSON.stringify(metadata));
  const big = await post(
    '/invoices',
    `{"invoice":{"customer_id":"${invoice.customer}","line_items":[],"metadata":[{"a":12345678901234567890}]}}`,
  );
  expect((await big.json()).error.errors).toContainEqual(expect.objectContaining({ param: 'invoice.metadata' }));
});
