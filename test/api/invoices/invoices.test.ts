import { FaturaError, type InvoiceCreate } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { CPF, eventTypes, newCustomer, newInvoice, newPrice, newProduct, ofNoCoupon } from '../../support/factories.ts';
import { refusalOf, send } from '../requests.ts';

const DAY = 86_400;
const UNKNOWN = '0'.repeat(26);

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const refusal = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });
const events = (id: string) => eventTypes(api.composition.deps.pool, id);

describe('creating an invoice', () => {
  test('opens it for an existing customer with every field of the contract', async () => {
    const customer = await newCustomer(merchant, { name: 'João Souza' });
    const product = await newProduct(merchant, { name: 'Curso' });
    const price = await newPrice(merchant, { product_id: product.id, unit_amount: 2500 });
    const invoice = await merchant.fatura.invoices.create({
      customer_id: customer.id,
      line_items: [{ price_id: price.id, quantity: 3 }],
      discounts: [{ type: 'percentage', percentage: 10, description: 'Boas-vindas' }],
      external_code: 'order-1',
      description: '  Pedido 1  ',
      metadata: [{ order: '1' }],
    });
    const now = api.clock.now();
    expect(invoice).toEqual({
      id: expect.stringMatching(/^in_[0-9a-z]{26}$/),
      object: 'invoice',
      amount_due: 6750,
      amount_paid: 0,
      amount_refunded: 0,
      amount_disputed: 0,
      amount_late: 0,
      amount_remaining: 6750,
      subtotal: 7500,
      total: 6750,
      billing_reason: 'manual',
      created: now,
      credit_amount: 0,
      credits: { object: 'list', data: [] },
      currency: 'brl',
      customer: customer.id,
      cycle: null,
      customer_email: customer.email,
      customer_name: 'João Souza',
      description: 'Pedido 1',
      discounts: {
        object: 'list',
        data: [
          {
            type: 'percentage',
            percentage: 10,
            amount_cents: null,
            cycles: null,
            description: 'Boas-vindas',
            ...ofNoCoupon,
          },
        ],
      },
      due_at: now + 3 * DAY,
      external_code: 'order-1',
      late_fees: null,
      line_items: {
        object: 'list',
        data: [
          {
            ...{ object: 'item', price: price.id, quantity: 3, unit_amount: 2500, amount: 7500, description: 'Curso' },
            ...{ kind: 'one_time', subscription_item: null, period_start: null, period_end: null },
          },
        ],
      },
      live_mode: false,
      metadata: [{ order: '1' }],
      paid: false,
      payment_intent: null,
      payment_url: api.composition.deps.links.payment({ id: invoice.id, liveMode: false }),
      period_end: null,
      period_start: null,
      receipt_url: null,
      status: 'open',
      status_transitions: { finalized_at: now, paid_at: null, marked_uncollectible_at: null, voided_at: null },
      subscription: null,
    });
    expect(await merchant.fatura.invoices.retrieve(invoice.id)).toEqual(invoice);
    expect(await events(invoice.id)).toEqual(['invoice.created']);
  });

  test('creates the customer along with it', async () => {
    const price = await newPrice(merchant);
    const invoice = await merchant.fatura.invoices.create({
      customer: { name: 'Ana Lima', identifier: CPF, email: 'ana@example.com' },
      line_items: [{ price_id: price.id, quantity: 1 }],
    });
    const customer = await merchant.fatura.customers.retrieve(invoice.customer);
    expect(customer.name).toBe('Ana Lima');
    expect(await events(customer.id)).toEqual(['customer.created', 'invoice.created']);
  });

  test('pays it at once when its total is 0, without a charge', async () => {
    const invoice = await newInvoice(merchant, { amount: 1000, discounts: [{ type: 'fixed', amount_cents: 1000 }] });
    expect(invoice).toMatchObject({ status: 'paid', paid: true, total: 0, amount_paid: 0, payment_intent: null });
    expect(invoice.status_transitions.paid_at).toBe(api.clock.now());
    expect(await events(invoice.id)).toEqual(['invoice.created', 'invoice.paid']);
  });

  test('refuses a customer and a price that do not exist, in that order', async () => {
    const price = await newPrice(merchant);
    const customer = await newCustomer(merchant);
    const lines = [{ price_id: price.id, quantity: 1 }];
    await expect(merchant.fatura.invoices.create({ customer_id: `cus_${UNKNOWN}`, line_items: lines })).rejects.toEqual(
      refusal('RESOURCE_MISSING', { wireParam: 'invoice.customer_id' }),
    );
    const unknown = [...lines, { price_id: `price_${UNKNOWN}`, quantity: 1 }];
    await expect(merchant.fatura.invoices.create({ customer_id: customer.id, line_items: unknown })).rejects.toEqual(
      refusal('RESOURCE_MISSING', { wireParam: 'invoice.line_items[1].price_id' }),
    );
  });

  test('tells of a price that does not exist before a customer that cannot be billed', async () => {
    const customer = await newCustomer(merchant);
    await merchant.fatura.customers.anonymize(customer.id);
    const of = (priceId: string) =>
      merchant.fatura.invoices.create({ customer_id: customer.id, line_items: [{ price_id: priceId, quantity: 1 }] });
    await expect(of(`price_${UNKNOWN}`)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
    await expect(of((await newPrice(merchant)).id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  });

  test('refuses inactive and recurring prices', async () => {
    const inactive = await newPrice(merchant, { active: false });
    const withdrawn = await newPrice(merchant, { product_id: (await newProduct(merchant, { active: false })).id });
    const recurring = await newPrice(merchant, { type: 'recurring', recurring: { interval: 'month' } });
    const of = (id: string) => newInvoice(merchant, { line_items: [{ price_id: id, quantity: 1 }] });
    await expect(of(inactive.id)).rejects.toEqual(
      refusal('PRICE_INACTIVE', { wireParam: 'invoice.line_items[0].price_id' }),
    );
    await expect(of(withdrawn.id)).rejects.toEqual(refusal('PRICE_INACTIVE'));
    await expect(of(recurring.id)).rejects.toEqual(refusal('PRICE_TYPE_MISMATCH'));
  });

  test('refuses discounts above the subtotal and due dates out of range', async () => {
    await expect(
      newInvoice(merchant, { amount: 100, discounts: [{ type: 'fixed', amount_cents: 101 }] }),
    ).rejects.toEqual(refusal('DISCOUNT_EXCEEDS_SUBTOTAL', { wireParam: 'invoice.discounts[0]', status: 422 }));
    const now = api.clock.now();
    for (const dueAt of [now - 1, now + 365 * DAY + 1]) {
      await expect(newInvoice(merchant, { due_at: dueAt })).rejects.toEqual(
        refusal('PARAMETER_INVALID', { wireParam: 'invoice.due_at' }),
      );
    }
    expect((await newInvoice(merchant, { due_at: now + 365 * DAY })).due_at).toBe(now + 365 * DAY);
  });

  test('tells all violations of a body at once', async () => {
    const noBuyer = {
      line_items: [{ price_id: 'price_1', quantity: 1000 }],
      discounts: [{ type: 'percentage', percentage: 10.001 }],
    };
    const failed = merchant.fatura.invoices.create(noBuyer as unknown as InvoiceCreate); // as a program without types may
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FaturaError);
    const { errors } = error as FaturaError;
    expect(errors.map(({ wireParam, code }) => `${wireParam} ${code}`).sort()).toEqual([
      'invoice.customer_id PARAMETER_MISSING',
      'invoice.discounts[0].percentage PARAMETER_INVALID',
      'invoice.line_items[0].price_id PARAMETER_INVALID',
      'invoice.line_items[0].quantity PARAMETER_INVALID',
    ]);
  });

  test('with one external_code 50 times at once makes one invoice and 49 clear conflicts', async () => {
    const customer = await newCustomer(merchant);
    const price = await newPrice(merchant);
    const body = { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }], external_code: 'race' };
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => merchant.fatura.invoices.create(body)));
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(made).toHaveLength(1);
    expect(refused).toHaveLength(49);
    for (const error of refused) {
      expect(error).toEqual(refusal('EXTERNAL_CODE_TAKEN', { status: 409, wireParam: 'invoice.external_code' }));
      expect(error.message).toContain(made[0]?.id);
    }
    expect(await merchant.fatura.invoices.list({ customer_id: customer.id }).all({ max: 10 })).toEqual(made);
  });

  test('50 times at once under one Idempotency-Key has one effect', async () => {
    const customer = await newCustomer(merchant);
    const price = await newPrice(merchant);
    const body = { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] };
    const send = () => merchant.fatura.invoices.create(body, { idempotencyKey: 'one-sale' });
    const results = await Promise.allSettled(Array.from({ length: 50 }, send));
    const ids = new Set(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : [])));
    expect(ids.size).toBe(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toEqual(refusal('IDEMPOTENCY_KEY_IN_USE', { status: 409 }));
    }
    const replayed = await send().withResponse();
    expect(ids.has(replayed.data.id)).toBe(true);
    expect(replayed.response.headers.get('idempotent-replayed')).toBe('true');
    expect(await merchant.fatura.invoices.list({ customer_id: customer.id }).all({ max: 10 })).toHaveLength(1);
  });
});

describe('a draft', () => {
  test('changes until it is finalized, then is frozen', async () => {
    const draft = await newInvoice(merchant, { draft: true, amount: 1000 });
    expect(draft).toMatchObject({ status: 'draft', total: 1000 });
    const price = await newPrice(merchant, { unit_amount: 500 });
    const changed = await merchant.fatura.invoices.update(draft.id, {
      line_items: [{ price_id: price.id, quantity: 4 }],
      discounts: [{ type: 'fixed', amount_cents: 100 }],
      description: 'Nova',
    });
    expect(changed).toMatchObject({ status: 'draft', total: 1900, amount_remaining: 1900, description: 'Nova' });
    expect(await merchant.fatura.invoices.update(draft.id, { description: null })).toMatchObject({
      total: 1900,
      description: null,
    });
    const open = await merchant.fatura.invoices.finalize(draft.id);
    expect(open).toMatchObject({ status: 'open', total: 1900 });
    expect(open.status_transitions.finalized_at).toBe(api.clock.now());
    await expect(merchant.fatura.invoices.update(draft.id, { description: 'x' })).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409 }),
    );
    await expect(merchant.fatura.invoices.finalize(draft.id)).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await events(draft.id)).toEqual(['invoice.created', 'invoice.finalized']);
  });

  test('of nothing is paid when it is finalized', async () => {
    const draft = await newInvoice(merchant, { draft: true, amount: 0 });
    expect(draft.status).toBe('draft');
    expect(await merchant.fatura.invoices.finalize(draft.id)).toMatchObject({ status: 'paid', total: 0 });
    expect(await events(draft.id)).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  });
});

describe('listing invoices', () => {
  test('filters by customer, status and external_code, newest first', async () => {
    const customer = await newCustomer(merchant);
    const first = await newInvoice(merchant, { customer_id: customer.id, external_code: 'list-1' });
    const second = await newInvoice(merchant, { customer_id: customer.id, draft: true });
    const ids = async (filter: object) =>
      (await merchant.fatura.invoices.list({ customer_id: customer.id, ...filter }).all({ max: 10 })).map(
        ({ id }) => id,
      );
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ status: 'draft' })).toEqual([second.id]);
    expect(await ids({ external_code: 'list-1' })).toEqual([first.id]);
    const stranger = await newInvoice(await api.newMerchant());
    expect(await ids({ ids: [first.id, stranger.id] })).toEqual([first.id]);
    expect(await ids({ ids: [first.id], status: 'void' })).toEqual([]);
    const tooMany = merchant.fatura.invoices.list({ ids: Array.from({ length: 101 }, () => first.id) }).page();
    await expect(tooMany).rejects.toThrow('ids must have at most 100 entries, has 101');
    expect(await ids({ created_gte: api.clock.now() + 1 })).toEqual([]);
  });
});

test('a list by when something was made shows what a clock that is behind by days has made', async () => {
  const shop = await api.newMerchant();
  const behind = 'UPDATE account SET sandbox_offset_seconds = $2 WHERE id = $1';
  await api.composition.deps.pool.query(behind, [shop.accountId, -3 * DAY]);
  const { id, created } = await newInvoice(shop, {});
  const listed = await shop.fatura.invoices.list({ created_gte: created, created_lte: created }).all({ max: 9 });
  expect(listed.map((one) => one.id)).toEqual([id]);
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
  expect(cleared).toMatchObject({ total: 1000, metadata: [], due_at: api.clock.now() + 3 * DAY });
  expect(cleared.discounts.data).toEqual([]);
});

test('regression-6-metadata and discounts come back with their keys in the order sent, and no number is changed', async () => {
  const metadata = [{ zz: 1, a: 'b', m: [1.5] }];
  const invoice = await newInvoice(merchant, { metadata, discounts: [{ type: 'percentage', percentage: 10 }] });
  const read = await merchant.fatura.invoices.retrieve(invoice.id);
  expect(JSON.stringify(read)).toBe(JSON.stringify(invoice));
  expect(JSON.stringify(read.metadata)).toBe(JSON.stringify(metadata));
  const body = `{"invoice":{"customer_id":"${invoice.customer}","line_items":[],"metadata":[{"a":12345678901234567890}]}}`;
  const big = await send(api, { method: 'POST', path: '/invoices', key: merchant.sandboxKey, body });
  expect(refusalOf(big).errors).toContainEqual(expect.objectContaining({ param: 'invoice.metadata[0].a' }));
});
