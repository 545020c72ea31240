import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly, subscribe } from '../../support/subscriptions.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';

let api: TestApi;
let merchant: Merchant;
let references: { customer_id: string; price_id: string };
let pendingId: string;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  references = {
    customer_id: (await newCustomer(merchant)).id,
    price_id: (await newMonthly(merchant, { unit_amount: 999_999 })).id,
  };
  pendingId = (await subscribe(merchant)).id;
});
afterAll(() => api.stop());

type Fields = Record<string, unknown>;

const post = (subscription: unknown): Promise<RawAnswer> =>
  send(api, { method: 'POST', path: '/subscriptions', key: merchant.sandboxKey, body: { subscription } });
const patch = (subscription: unknown): Promise<RawAnswer> =>
  send(api, { method: 'PATCH', path: `/subscriptions/${pendingId}`, key: merchant.sandboxKey, body: { subscription } });

/** What is refused, each violation with its code; the object where nothing is. */
function verdictOn(answer: RawAnswer): unknown {
  if (answer.status < 300) return answer.body;
  const { status, code, errors } = refusalOf(answer);
  return errors === undefined ? [`${status} ${code}`] : errors.map((one) => `${one.param} ${one.code}`);
}
const created = async (fields: Fields) => verdictOn(await post({ ...references, ...fields }));
const changed = async (fields: Fields) => verdictOn(await patch(fields));

const text = (length: number): string => 'x'.repeat(length);
const percentage = (value: unknown, more: Fields = {}) => ({ type: 'percentage', percentage: value, ...more });
const fixed = (amount: unknown, more: Fields = {}) => ({ type: 'fixed', amount, ...more });
const shown = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'absent';
  return json.length > 60 ? `${json.slice(0, 30)}… (${json.length})` : json;
};

type Case = readonly [path: string, value: unknown, title: string];
const cases = (path: string, ...values: unknown[]): Case[] => values.map((value) => [path, value, shown(value)]);

describe('a new subscription may have', () => {
  test.each([
    ...cases('quantity', undefined, 1, 999),
    ...cases('external_code', undefined, null, 'a', text(255), '\u{1f99c}'.repeat(255), ` ${text(255)} `),
    ...cases(
      'discounts',
      undefined,
      [],
      Array.from({ length: 10 }, () => percentage(1)),
    ),
    ...cases('discounts', [percentage(0.01)], [percentage(100)], [percentage(12.34)], [percentage(99.99)]),
    ...cases('discounts', [fixed(1)], [fixed(999_999)], [fixed(1), percentage(50), fixed(2)]),
    ...cases('discounts', [percentage(1, { cycles: 1 })], [fixed(1, { cycles: 9_999 })], [fixed(1, { cycles: null })]),
  ])('%s %3$s', async (path, value) => {
    expect(await created({ [path]: value })).toMatchObject({ object: 'subscription' });
  });
});

describe('a new subscription may not have', () => {
  test.each<Case>([
    ...cases('customer_id', 'cus_x', '', null, 5, `sub_${text(26)}`, `cus_${'A'.repeat(26)}`),
    ...cases('price_id', 'price_x', '', null, 5, `prod_${text(26)}`),
    ...cases('quantity', 0, 1_000, -1, 1.5, '1', null, true),
    ...cases('external_code', '', ' ', text(256), '\u{1f99c}'.repeat(256), 'a\0', '\ud83dx', 5, true),
    ...cases(
      'discounts',
      null,
      {},
      'x',
      Array.from({ length: 11 }, () => percentage(1)),
    ),
  ])('%s %3$s', async (path, value) => {
    expect(await created({ [path]: value })).toEqual([`subscription.${path} PARAMETER_INVALID`]);
  });

  test.each<Case>([
    ...cases('type', percentage(1, { type: 'boleto' }), percentage(1, { type: null })),
    ...cases('percentage', percentage(0), percentage(-1), percentage(100.01), percentage(0.001), percentage(12.345)),
    ...cases('percentage', percentage('10'), percentage(null)),
    ...cases('amount', fixed(0), fixed(-1), fixed(1.5), fixed('1'), fixed(null), fixed(2 ** 53)),
    ...cases('cycles', fixed(1, { cycles: 0 }), fixed(1, { cycles: 10_000 }), fixed(1, { cycles: 1.5 })),
    ...cases('cycles', percentage(1, { cycles: '1' })),
  ])('a discount of the %s in %3$s', async (path, discount) => {
    expect(await created({ discounts: [discount] })).toEqual([`subscription.discounts[0].${path} PARAMETER_INVALID`]);
  });

  test.each<Case>([
    ...cases('description', percentage(1, { description: 'x' })),
    ...cases('amount_cents', fixed(1, { amount_cents: 1 })),
    ...cases('amount', percentage(1, { amount: 1 })),
    ...cases('percentage', fixed(1, { percentage: 1 })),
  ])('%s in a discount %3$s', async (path, discount) => {
    expect(await created({ discounts: [discount] })).toEqual([`subscription.discounts[0].${path} PARAMETER_UNKNOWN`]);
  });

  test.each(['status', 'installments', 'price', 'trial_days', 'billing_cycle_anchor'])('%s', async (field) => {
    expect(await created({ [field]: 1 })).toEqual([`subscription.${field} PARAMETER_UNKNOWN`]);
  });
});

test('what a new subscription needs is named, all of it', async () => {
  expect(verdictOn(await post({}))).toEqual([
    'subscription.customer_id PARAMETER_MISSING',
    'subscription.price_id PARAMETER_MISSING',
  ]);
  for (const [discount, param] of [
    [{}, 'type'],
    [{ type: 'percentage' }, 'percentage'],
    [{ type: 'fixed' }, 'amount'],
  ] as const) {
    expect(await created({ discounts: [discount] })).toEqual([`subscription.discounts[0].${param} PARAMETER_MISSING`]);
  }
});

test('every fault of a body is told in one answer, the first of them in param and code', async () => {
  const answer = await post({
    customer_id: 'x',
    quantity: 0,
    discounts: [fixed(0), percentage(101, { cycles: 0, description: 'x' })],
    surprise: 1,
  });
  expect(verdictOn(answer)).toEqual([
    'subscription.customer_id PARAMETER_INVALID',
    'subscription.quantity PARAMETER_INVALID',
    'subscription.discounts[0].amount PARAMETER_INVALID',
    'subscription.discounts[1].percentage PARAMETER_INVALID',
    'subscription.discounts[1].cycles PARAMETER_INVALID',
    'subscription.discounts[1].description PARAMETER_UNKNOWN',
    'subscription.surprise PARAMETER_UNKNOWN',
    'subscription.price_id PARAMETER_MISSING',
  ]);
  expect(refusalOf(answer)).toMatchObject({
    status: 400,
    param: 'subscription.customer_id',
    code: 'PARAMETER_INVALID',
  });
});

test('a limit is told with what came', async () => {
  const { message } = refusalOf(await post({ ...references, quantity: 1_000 }));
  expect(message).toBe('subscription.quantity must be at most 999, got 1000');
});

describe('a change may be of', () => {
  test.each([...cases('quantity', undefined, 1, 999), ...cases('external_code', 'a', text(255), ' b ')])(
    '%s %3$s',
    async (path, value) => {
      const kept = value === undefined ? {} : { [path]: typeof value === 'string' ? value.trim() : value };
      const { quantity, ...others } = kept as { quantity?: number };
      const expected = quantity === undefined ? others : { item: { quantity } };
      expect(await changed({ [path]: value })).toMatchObject({ id: pendingId, ...expected });
    },
  );

  test('external_code null, which clears it, and nothing, which keeps all', async () => {
    await changed({ external_code: 'a', quantity: 7 });
    expect(await changed({ external_code: null })).toMatchObject({ external_code: null, item: { quantity: 7 } });
    const kept = await merchant.fatura.subscriptions.retrieve(pendingId);
    expect(await changed({})).toEqual(kept);
  });
});

describe('a change may not be of', () => {
  test.each([...cases('quantity', 0, 1_000, 1.5, '1', null), ...cases('external_code', '', text(256), 5)])(
    '%s %3$s',
    async (path, value) => {
      expect(await changed({ [path]: value })).toEqual([`subscription.${path} PARAMETER_INVALID`]);
    },
  );

  test.each(['customer_id', 'price_id', 'discounts', 'status'])('%s', async (field) => {
    expect(await changed({ [field]: 'x' })).toEqual([`subscription.${field} PARAMETER_UNKNOWN`]);
  });

  test('several things that are wrong, all of which are told', async () => {
    expect(await changed({ quantity: 0, external_code: '', price_id: 'x' })).toEqual([
      'subscription.external_code PARAMETER_INVALID',
      'subscription.quantity PARAMETER_INVALID',
      'subscription.price_id PARAMETER_UNKNOWN',
    ]);
  });
});

test('a checkout is held to the rules of an invoice’s', async () => {
  const request = { method: 'POST', path: `/subscriptions/${pendingId}/checkout`, key: merchant.sandboxKey };
  const verdict = async (body: unknown) => verdictOn(await send(api, { ...request, body }));
  expect(await verdict({})).toEqual(['payment_method_type PARAMETER_MISSING']);
  expect(await verdict({ payment_method_type: 'pix', card: {} })).toEqual(['card PARAMETER_UNKNOWN']);
  expect(await verdict({ payment_method_type: 'card', installments: 13, billing_details: {} })).toEqual([
    'installments PARAMETER_INVALID',
    'billing_details.name PARAMETER_MISSING',
    'billing_details.document PARAMETER_MISSING',
    'card PARAMETER_MISSING',
  ]);
});
