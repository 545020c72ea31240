import type { Subscription } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { byCard } from '../../support/cards.ts';
import { leaveUnpaid, subscribe, subscribeUnfunded } from '../../support/subscriptions.ts';
import { refusalOf, send, violationsOf } from '../requests.ts';

let api: TestApi;
let merchant: Merchant;
/** By status, as they are retrieved. */
let made: Record<'pending' | 'active' | 'suspended' | 'inactive', Subscription>;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  const { subscriptions } = merchant.fatura;
  const suspended = await subscribeUnfunded(merchant);
  await leaveUnpaid({ api, merchant, id: suspended.id });
  api.clock.advance(10);
  const active = await subscribe(merchant, { external_code: 'a' });
  await subscriptions.checkout(active.id, byCard());
  api.clock.advance(10);
  const inactive = await subscribe(merchant, { external_code: 'b', customer_id: active.customer });
  await subscriptions.cancel(inactive.id);
  api.clock.advance(10);
  const pending = await subscribe(merchant, { external_code: 'a', price_id: active.item.price.id });
  const now = (id: string) => subscriptions.retrieve(id);
  made = {
    suspended: await now(suspended.id),
    active: await now(active.id),
    inactive: await now(inactive.id),
    pending: await now(pending.id),
  };
});
afterAll(() => api.stop());

type Query = NonNullable<Parameters<Merchant['fatura']['subscriptions']['list']>[0]>;

const listed = (query: Query = {}, of = merchant.fatura): Promise<Subscription[]> =>
  of.subscriptions.list(query).all({ max: 100 });

describe('a list of subscriptions', () => {
  test('shows the newest first, each as its retrieval does', async () => {
    expect(await listed()).toEqual([made.pending, made.inactive, made.active, made.suspended]);
    const answer = await send(api, { method: 'GET', path: '/subscriptions?limit=1', key: merchant.sandboxKey });
    expect(answer.body).toEqual({ object: 'list', url: '/api/v1/subscriptions', has_more: true, data: [made.pending] });
  });

  test('is read page by page, both ways', async () => {
    const { subscriptions } = merchant.fatura;
    const pages = await subscriptions.list({ limit: 1 }).all({ max: 100 });
    expect(pages).toEqual(await listed());
    const older = await subscriptions.list({ starting_after: made.inactive.id, limit: 1 }).page();
    expect([older.data, older.hasMore]).toEqual([[made.active], true]);
    const newer = await subscriptions.list({ ending_before: made.active.id, limit: 1 }).page();
    expect([newer.data, newer.hasMore]).toEqual([[made.inactive], true]);
  });

  test.each(['pending', 'active', 'suspended', 'inactive'] as const)('of those that are %s', async (status) => {
    expect(await listed({ status })).toEqual([made[status]]);
  });

  test('of a customer, a price, a code, or all of them', async () => {
    const { active, inactive, pending } = made;
    expect(await listed({ customer_id: active.customer })).toEqual([inactive, active]);
    expect(await listed({ price_id: active.item.price.id })).toEqual([pending, active]);
    expect(await listed({ external_code: 'a' })).toEqual([pending, active]);
    const price_id = active.item.price.id;
    expect(await listed({ customer_id: active.customer, price_id, external_code: 'a', status: 'active' })).toEqual([
      active,
    ]);
    expect(await listed({ customer_id: pending.customer, status: 'active' })).toEqual([]);
    expect(await listed({ external_code: 'c' })).toEqual([]);
  });

  test('of a time', async () => {
    const { active, inactive, pending } = made;
    expect(await listed({ created_gte: active.created, created_lte: inactive.created })).toEqual([inactive, active]);
    expect(await listed({ created_gte: pending.created + 1 })).toEqual([]);
  });

  test('of what is not there is empty', async () => {
    const NOTHING = '0'.repeat(26);
    expect(await listed({ customer_id: `cus_${NOTHING}` })).toEqual([]);
    expect(await listed({ price_id: `price_${NOTHING}` })).toEqual([]);
  });

  test('is of one account and one mode', async () => {
    const other = await api.newMerchant();
    const theirs = await subscribe(other, { external_code: 'a' });
    expect(await listed({}, other.fatura)).toEqual([theirs]);
    expect(await listed({}, merchant.live)).toEqual([]);
    expect(await listed({ customer_id: made.active.customer }, other.fatura)).toEqual([]);
    const answer = await send(api, {
      method: 'GET',
      path: `/subscriptions?starting_after=${made.active.id}`,
      key: other.sandboxKey,
    });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'CURSOR_INVALID', param: 'starting_after' });
  });

  test.each([
    ['status=overdue', 'status PARAMETER_INVALID'],
    ['customer_id=x', 'customer_id PARAMETER_INVALID'],
    ['price_id=prod_00000000000000000000000000', 'price_id PARAMETER_INVALID'],
    ['limit=101', 'limit PARAMETER_INVALID'],
    ['created_gte=x', 'created_gte PARAMETER_INVALID'],
    ['invoice_id=x', 'invoice_id PARAMETER_UNKNOWN'],
  ])('refuses ?%s', async (search, violation) => {
    const answer = await send(api, { method: 'GET', path: `/subscriptions?${search}`, key: merchant.sandboxKey });
    expect(violationsOf(answer)).toEqual([400, violation]);
  });
});

test('one of another account or mode is not found', async () => {
  const other = await api.newMerchant();
  for (const { subscriptions } of [other.fatura, merchant.live]) {
    const { id } = made.pending;
    const missing = { status: 404, code: 'RESOURCE_MISSING' };
    await expect(subscriptions.retrieve(id)).rejects.toMatchObject(missing);
    await expect(subscriptions.update(id, { quantity: 2 })).rejects.toMatchObject(missing);
    await expect(subscriptions.checkout(id, byCard())).rejects.toMatchObject(missing);
    await expect(subscriptions.checkout(id, { payment_method_type: 'pix' })).rejects.toMatchObject(missing);
    await expect(subscriptions.reactivate(id)).rejects.toMatchObject(missing);
  }
  expect(await merchant.fatura.subscriptions.retrieve(made.pending.id)).toEqual(made.pending);
});

test('its invoices, charges and events are found by it', async () => {
  const { fatura } = merchant;
  const { id, latest_invoice: latest } = made.suspended;
  const invoices = await fatura.invoices.list({ subscription_id: id }).all({ max: 10 });
  expect(invoices.map(({ id: invoice, status }) => [invoice, status])).toEqual([
    [latest, 'open'],
    [invoices[1]?.id, 'paid'],
  ]);
  const first = invoices[1]?.payment_intent ?? '';
  expect(await fatura.paymentIntents.retrieve(first)).toMatchObject({
    subscription: id,
    customer: made.suspended.customer,
  });
  const events = await fatura.events.list({ related_object: made.pending.id, limit: 100 }).all({ max: 100 });
  expect(events.map(({ type }) => type)).toEqual(['invoice.created', 'subscription.created']);
  const ofCustomer = await fatura.events.list({
    related_object: made.pending.customer,
    type: ['subscription.created'],
  });
  expect((await ofCustomer.all({ max: 10 })).map(({ data }) => data.object)).toMatchObject([{ id: made.pending.id }]);
});
