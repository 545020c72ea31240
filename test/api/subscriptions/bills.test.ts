import type { SubscriptionDiscountInput } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice, ofNoCoupon, subscribedWithoutCoupon } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

/** The first bill of a subscription of one unit. */
async function firstBill(amount: number, discounts: SubscriptionDiscountInput[], quantity = 1) {
  const subscription = await scene.subscribe({ amount, discounts, quantity });
  return { subscription, invoice: await scene.invoice(subscription.latest_invoice ?? '') };
}

const shown = (one: object) => ({
  percentage: null,
  amount_cents: null,
  cycles: null,
  description: null,
  ...ofNoCoupon,
  ...one,
});

describe('the first bill', () => {
  test('is of the price as often as it is taken', async () => {
    const { subscription, invoice } = await firstBill(9_990, [], 3);
    expect(subscription.item).toMatchObject({ quantity: 3, price: { unit_amount: 9_990 } });
    expect(invoice).toMatchObject({
      status: 'open',
      subscription: subscription.id,
      billing_reason: 'subscription_create',
      total: 29_970,
      amount_due: 29_970,
      amount_remaining: 29_970,
      paid: false,
      payment_intent: null,
      external_code: null,
      metadata: [],
      due_at: scene.now() + 7 * 86_400,
      period_start: null,
      period_end: null,
      status_transitions: { finalized_at: scene.now(), paid_at: null },
      line_items: {
        object: 'list',
        data: [{ object: 'item', price: subscription.item.price.id, quantity: 3, unit_amount: 9_990, amount: 29_970 }],
      },
      discounts: { object: 'list', data: [] },
    });
  });

  test('carries the name and e-mail of the customer, and of the product', async () => {
    const customer = await newCustomer(scene.merchant, { name: 'Ana', email: 'ana@example.com' });
    const product = await scene.fatura.products.create({ name: 'Clube' });
    const price = await newMonthly(scene.merchant, { product_id: product.id, description: 'Mensal' });
    const made = await scene.subscribe({ customer_id: customer.id, price_id: price.id });
    expect(made.item.price).toMatchObject({ nickname: 'Mensal', product: product.id });
    expect(await scene.invoice(made.latest_invoice ?? '')).toMatchObject({
      customer: customer.id,
      customer_name: 'Ana',
      customer_email: 'ana@example.com',
      line_items: { data: [{ description: 'Clube' }] },
    });
  });

  test.each<[string, SubscriptionDiscountInput[], number, object[]]>([
    [
      'a percentage',
      [{ type: 'percentage', percentage: 33.33 }],
      6_660,
      [shown({ type: 'percentage', percentage: 33.33 })],
    ],
    ['cents', [{ type: 'fixed', amount: 990 }], 9_000, [shown({ type: 'fixed', amount_cents: 990 })]],
    [
      'a percentage, then cents',
      [
        { type: 'percentage', percentage: 50, cycles: 2 },
        { type: 'fixed', amount: 995, cycles: 1 },
      ],
      4_000,
      [
        shown({ type: 'percentage', percentage: 50, cycles: 2 }),
        shown({ type: 'fixed', amount_cents: 995, cycles: 1 }),
      ],
    ],
    [
      'cents, then a percentage',
      [
        { type: 'fixed', amount: 990 },
        { type: 'percentage', percentage: 50 },
      ],
      4_500,
      [shown({ type: 'fixed', amount_cents: 990 }), shown({ type: 'percentage', percentage: 50 })],
    ],
  ])('takes %s off', async (_, discounts, total, listed) => {
    const { subscription, invoice } = await firstBill(9_990, discounts);
    expect(invoice).toMatchObject({ total, discounts: { object: 'list', data: listed } });
    expect(subscription.discounts).toEqual({
      object: 'list',
      data: discounts.map((one) => ({
        amount: null,
        percentage: null,
        cycles: null,
        ...subscribedWithoutCoupon,
        ...one,
      })),
    });
    expect(await scene.subscriptions.checkout(subscription.id, byCard())).toMatchObject({
      status: 'active',
      discounts: subscription.discounts,
    });
    expect(await scene.invoice(invoice.id)).toMatchObject({ amount_paid: total });
  });

  test('may come to nothing: the subscription is active at once, and its first cycle begins', async () => {
    const before = scene.now();
    const { subscription, invoice } = await firstBill(9_990, [{ type: 'fixed', amount: 9_990, cycles: 1 }]);
    expect(subscription).toMatchObject({
      status: 'active',
      payment_method_type: null,
      installments: 1,
      billing_cycle_anchor: before,
      current_period_start: before,
      ended: null,
    });
    expect(invoice).toMatchObject({
      status: 'paid',
      total: 0,
      payment_intent: null,
      period_start: before,
      period_end: subscription.current_period_end,
    });
    expect(await scene.types(subscription.id)).toEqual([
      'subscription.created',
      'invoice.created',
      'invoice.paid',
      ...ACTIVATED,
    ]);
    expect((await scene.facts(subscription.id)).map(({ object }) => (object as { status: string }).status)).toEqual([
      'pending',
      'open',
      'paid',
      'active',
      'active',
    ]);
    expect(await scene.cycles(subscription.id)).toMatchObject({ cycle: 1, anchorCycle: 1 });
    await expect(scene.subscriptions.checkout(subscription.id, byCard())).rejects.toEqual(
      refusal('SUBSCRIPTION_NOT_PENDING'),
    );
  });

  test('of a price of nothing is such a one', async () => {
    const { subscription } = await firstBill(0, []);
    expect(subscription).toMatchObject({ status: 'active', payment_method_type: null });
  });

  test('may not be exceeded by its discounts, the first of which is named', async () => {
    const exceeding: SubscriptionDiscountInput[] = [
      { type: 'percentage', percentage: 50 },
      { type: 'fixed', amount: 4_996 },
    ];
    await expect(firstBill(9_990, exceeding)).rejects.toEqual(
      refusal('DISCOUNT_EXCEEDS_SUBTOTAL', { status: 422, param: 'subscription.discounts[1]' }),
    );
  });

  test('is not changed by a quantity to come', async () => {
    const { subscription, invoice } = await firstBill(9_990, []);
    await scene.subscriptions.update(subscription.id, { quantity: 5 });
    expect(await scene.invoice(invoice.id)).toEqual(invoice);
    expect(await scene.subscriptions.retrieve(subscription.id)).toMatchObject({ item: { quantity: 5 } });
  });

  test('takes the whole of what a merchant may ask for', async () => {
    const { invoice } = await firstBill(999_999, [], 999);
    expect(invoice.total).toBe(998_999_001);
  });
});

describe('the first cycle', () => {
  const at = (text: string) => Date.parse(text) / 1_000;

  test.each([
    ['a month', { interval: 'month' }, '2041-01-31T15:00:00Z', '2041-02-28T15:00:00Z'],
    ['three days', { interval: 'day', interval_count: 3 }, '2041-03-30T02:59:59Z', '2041-04-02T02:59:59Z'],
    ['two weeks', { interval: 'week', interval_count: 2 }, '2041-04-20T12:00:00Z', '2041-05-04T12:00:00Z'],
    ['a year', { interval: 'month', interval_count: 12 }, '2044-02-29T12:00:00Z', '2045-02-28T12:00:00Z'],
  ] as const)('of %s ends by the calendar', async (_, recurring, from, to) => {
    const price = await newPrice(scene.merchant, { type: 'recurring', recurring });
    const { id } = await scene.subscribe({ price_id: price.id });
    scene.api.clock.advance(at(from) - scene.now());
    const paid = await scene.subscriptions.checkout(id, byCard('4242 4242 4242 4242', { card: { exp_year: 2099 } }));
    expect(paid).toMatchObject({
      billing_cycle_anchor: at(from),
      current_period_start: at(from),
      current_period_end: at(to),
      item: { current_period_start: at(from), current_period_end: at(to) },
    });
  });
});

describe('a price', () => {
  test('that is deactivated later is still shown and paid', async () => {
    const made = await scene.subscribe();
    await scene.fatura.prices.update(made.item.price.id, { active: false, description: 'Antigo' });
    const paid = await scene.subscriptions.checkout(
      made.id,
      byCard('4242 4242 4242 4242', { card: { exp_year: 2099 } }),
    );
    expect(paid).toMatchObject({ status: 'active', item: { price: { active: false, nickname: 'Antigo' } } });
  });

  test('of a product that is not sold is refused', async () => {
    const price = await newMonthly(scene.merchant);
    await scene.fatura.products.update(price.product, { active: false });
    await expect(scene.subscribe({ price_id: price.id })).rejects.toEqual(
      refusal('PRICE_INACTIVE', { status: 422, param: 'subscription.price_id' }),
    );
  });
});

describe('what a new subscription refers to', () => {
  const NOTHING = '0'.repeat(26);

  test('is missing before it is refused for what it is', async () => {
    const erased = await newCustomer(scene.merchant);
    await scene.fatura.customers.anonymize(erased.id);
    const oneTime = await newPrice(scene.merchant);
    const missing = (param: string) => refusal('RESOURCE_MISSING', { status: 404, param: `subscription.${param}` });
    await expect(scene.subscribe({ customer_id: erased.id, price_id: `price_${NOTHING}` })).rejects.toEqual(
      missing('price_id'),
    );
    await expect(scene.subscribe({ customer_id: `cus_${NOTHING}`, price_id: oneTime.id })).rejects.toEqual(
      missing('customer_id'),
    );
    await expect(scene.subscribe({ customer_id: erased.id, price_id: oneTime.id })).rejects.toEqual(
      refusal('INVALID_STATE', { status: 409 }),
    );
  });

  test('belongs to the account and mode', async () => {
    const other = await scene.api.newMerchant();
    const theirs = await newMonthly(other);
    await expect(scene.subscribe({ price_id: theirs.id })).rejects.toEqual(refusal('RESOURCE_MISSING'));
    const stranger = await newCustomer(other);
    await expect(scene.subscribe({ customer_id: stranger.id })).rejects.toEqual(refusal('RESOURCE_MISSING'));
    const live = await newMonthly({ ...scene.merchant, fatura: scene.merchant.live });
    await expect(scene.subscribe({ price_id: live.id })).rejects.toEqual(refusal('RESOURCE_MISSING'));
  });
});

test('a creation is repeated under its key, and makes one subscription', async () => {
  const price = await newMonthly(scene.merchant);
  const customer = await newCustomer(scene.merchant);
  const body = { customer_id: customer.id, price_id: price.id, external_code: 'same' };
  const options = { idempotencyKey: 'create-once' };
  const first = await scene.subscriptions.create(body, options);
  expect(await scene.subscriptions.create(body, options)).toEqual(first);
  const another = await scene.subscriptions.create(body);
  expect(another.id).not.toBe(first.id);
  const listed = await scene.subscriptions.list({ external_code: 'same' }).all({ max: 10 });
  expect(listed.map(({ id }) => id)).toEqual([another.id, first.id]);
});

test('the database bills a cycle of a subscription once', async () => {
  const { id, latest_invoice: invoice } = await scene.subscribe();
  const again = scene.rows(
    `INSERT INTO invoice (id, account_id, live_mode, created, customer_id, customer_name, status, billing_reason, total, line_items, due_at,
       subscription_id, cycle, bill_number)
     SELECT left(id, -1) || 'z', account_id, live_mode, created, customer_id, customer_name, status, billing_reason, total, line_items,
       due_at, subscription_id, cycle, bill_number + 1 FROM invoice WHERE id = $1`,
    invoice,
  );
  await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'invoice_cycle_pkey' });
  expect(await scene.cycles(id)).toMatchObject({ cycle: 0, invoices: [[1, 'open', null, null]] });
});
