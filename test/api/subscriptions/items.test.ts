import type { Price, SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

type Items = NonNullable<SubscriptionCreate['items']>;

const monthly = (cents: number): Promise<Price> => newMonthly(scene.merchant, { unit_amount: cents });

async function sell(items: Items, more: Partial<SubscriptionCreate> = {}) {
  const { id } = await newCustomer(scene.merchant);
  return scene.subscriptions.create({ customer_id: id, items, ...more });
}

describe('a subscription of several items', () => {
  test('bills each of them on a line of its own, in their order, less its discounts', async () => {
    const [base, seats] = [await monthly(9_990), await monthly(2_990)];
    const made = await sell([{ price_id: base.id }, { price_id: seats.id, quantity: 3 }], {
      discounts: [{ type: 'percentage', percentage: 10 }],
    });
    expect(made.items.data.map(({ price, quantity }) => [price.id, quantity])).toEqual([
      [base.id, 1],
      [seats.id, 3],
    ]);
    expect(made.item).toEqual(made.items.data[0]);
    const bill = await scene.invoice(made.latest_invoice ?? '');
    expect(bill).toMatchObject({ subtotal: 18_960, total: 17_064, cycle: 1 });
    expect(bill.line_items.data).toEqual(
      made.items.data.map(({ id, price, quantity }) => ({
        object: 'item',
        price: price.id,
        quantity,
        unit_amount: price.unit_amount,
        amount: quantity * price.unit_amount,
        description: expect.any(String),
        kind: 'recurring',
        subscription_item: id,
        period_start: null,
        period_end: null,
      })),
    );
  });

  test('renews all of them at once, each line for the period', async () => {
    const made = await sell([{ price_id: (await monthly(9_990)).id }, { price_id: (await monthly(2_990)).id }]);
    await scene.subscriptions.checkout(made.id, byCard());
    const renewal = await scene.renew(made.id);
    const { current_period_start: start, current_period_end: end } = await scene.subscriptions.retrieve(made.id);
    expect(renewal).toMatchObject({ status: 'paid', total: 12_980, cycle: 2 });
    expect(renewal.line_items.data.map((line) => [line.period_start, line.period_end])).toEqual([
      [start, end],
      [start, end],
    ]);
  });

  test('is found by each of its prices and of its items', async () => {
    const [base, seats] = [await monthly(9_990), await monthly(2_990)];
    const { id, items } = await sell([{ price_id: base.id }, { price_id: seats.id }]);
    for (const price of [base, seats]) {
      const found = await scene.subscriptions.list({ price_id: price.id }).page();
      expect(found.data.map((one) => one.id)).toEqual([id]);
    }
    for (const item of items.data) {
      const { subscriptions } = await scene.fatura.search.retrieve({ query: item.id });
      expect(subscriptions.map((one) => one.id)).toEqual([id]);
    }
  });

  test.each<[string, () => Promise<Items>, string, { status?: number; param: string }]>([
    [
      'prices of two recurrences',
      async () => [
        { price_id: (await monthly(9_990)).id },
        { price_id: (await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'week' } })).id },
      ],
      'INTERVALS_DIFFER',
      { status: 422, param: 'subscription.items[1].price_id' },
    ],
    [
      'a price that is paid once',
      async () => [{ price_id: (await monthly(9_990)).id }, { price_id: (await newPrice(scene.merchant)).id }],
      'PRICE_TYPE_MISMATCH',
      { status: 422, param: 'subscription.items[1].price_id' },
    ],
    [
      'a price that does not exist',
      async () => [{ price_id: (await monthly(9_990)).id }, { price_id: `price_${'0'.repeat(26)}` }],
      'RESOURCE_MISSING',
      { param: 'subscription.items[1].price_id' },
    ],
    [
      'a price twice',
      async () => {
        const { id } = await monthly(9_990);
        return [{ price_id: id }, { price_id: id }];
      },
      'PARAMETER_INVALID',
      { param: 'subscription.items[1].price_id' },
    ],
    ['no item', async () => [], 'PARAMETER_INVALID', { param: 'subscription.items' }],
    [
      'more than twenty items',
      async () => Array.from({ length: 21 }, (_, nth) => ({ price_id: `price_${String(nth).padStart(26, '0')}` })),
      'PARAMETER_INVALID',
      { param: 'subscription.items' },
    ],
  ])('is not made of %s', async (_, items, code, more) => {
    await expect(sell(await items())).rejects.toEqual(refusal(code, more));
  });

  test('says its items in one way', async () => {
    const { id } = await monthly(9_990);
    const items = [{ price_id: id }];
    await expect(sell(items, { price_id: id })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'subscription.items' }),
    );
    await expect(sell(items, { quantity: 2 })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'subscription.quantity' }),
    );
  });
});

describe('a quantity', () => {
  test('is changed of the first item, from the next bill on; what held before stays in the history', async () => {
    const made = await sell([{ price_id: (await monthly(9_990)).id }, { price_id: (await monthly(2_990)).id }]);
    await scene.subscriptions.checkout(made.id, byCard());
    const changed = await scene.subscriptions.update(made.id, { quantity: 4 });
    expect(changed.items.data.map(({ id, quantity }) => [id, quantity])).toEqual([
      [made.items.data[0]?.id, 4],
      [made.items.data[1]?.id, 1],
    ]);
    expect(await scene.renew(made.id)).toMatchObject({ total: 4 * 9_990 + 2_990 });
    const terms = await scene.rows(
      'SELECT seq, position, quantity FROM subscription_term WHERE subscription_id = $1 ORDER BY seq, position',
      made.id,
    );
    expect(terms.map(({ seq, position, quantity }) => [seq, position, quantity])).toEqual([
      [1, 0, 1],
      [1, 1, 1],
      [2, 0, 4],
      [2, 1, 1],
    ]);
  });

  test('that is the same adds nothing to the history and tells nothing', async () => {
    const made = await sell([{ price_id: (await monthly(9_990)).id, quantity: 2 }]);
    expect(await scene.told(made.id, () => scene.subscriptions.update(made.id, { quantity: 2 }))).toEqual([]);
  });
});

test('no login of a program changes a term, and none of them removes a live one', async () => {
  const granted = await scene.rows(
    `SELECT r.rolname, p.privilege FROM pg_roles r CROSS JOIN (VALUES ('UPDATE'), ('TRUNCATE')) AS p (privilege)
     WHERE r.rolname IN ('fatura_api', 'fatura_worker', 'fatura_admin', 'fatura_audit')
       AND has_table_privilege(r.rolname, 'subscription_term', p.privilege)`,
  );
  expect(granted).toEqual([]);
  const policies = await scene.rows(
    `SELECT polname FROM pg_policy WHERE polrelid = 'subscription_term'::regclass AND polcmd = 'd' AND NOT polpermissive`,
  );
  expect(policies.map(({ polname }) => polname)).toEqual(['removed_in_sandbox']);
});

describe('the customer', () => {
  test('is created with the subscription, and told of first', async () => {
    const { id: price } = await monthly(9_990);
    const customer = { name: 'Ana Souza', identifier: '529.982.247-25', email: 'ana@example.com' };
    const made = await scene.subscriptions.create({ customer, price_id: price });
    expect(await scene.fatura.customers.retrieve(made.customer)).toMatchObject({ name: 'Ana Souza' });
    const told = await scene.rows('SELECT type FROM event WHERE related @> ARRAY[$1] ORDER BY id', made.customer);
    expect(told.map(({ type }) => type).slice(0, 2)).toEqual(['customer.created', 'subscription.created']);
  });

  test('is one or the other', async () => {
    const { id: price } = await monthly(9_990);
    const { id } = await newCustomer(scene.merchant);
    const customer = { name: 'Ana Souza', identifier: '529.982.247-25', email: 'ana@example.com' };
    await expect(scene.subscriptions.create({ customer, customer_id: id, price_id: price })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'subscription.customer' }),
    );
  });

  test('whose code is taken is refused, and no subscription is made', async () => {
    const { id: price } = await monthly(9_990);
    await newCustomer(scene.merchant, { external_code: 'taken' });
    const customer = {
      name: 'Ana Souza',
      identifier: '529.982.247-25',
      email: 'ana@example.com',
      external_code: 'taken',
    };
    await expect(scene.subscriptions.create({ customer, price_id: price })).rejects.toEqual(
      refusal('EXTERNAL_CODE_TAKEN', { status: 409, param: 'subscription.customer.external_code' }),
    );
    expect((await scene.subscriptions.list({ price_id: price }).page()).data).toEqual([]);
  });
});
