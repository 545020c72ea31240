import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PriceCreate } from '../../sdk/src/index.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { factsOf, outcomesOf, refusalOf, send, violationsOf } from './requests.ts';

let api: TestApi;
let merchant: Merchant;
let productId: string;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  productId = (await merchant.fatura.products.create({ name: 'Plano Ouro' })).id;
});

afterAll(() => api.stop());

const post = (path: string, body: unknown) => send(api, { method: 'POST', path, key: merchant.sandboxKey, body });
const patch = (path: string, body: unknown) => send(api, { method: 'PATCH', path, key: merchant.sandboxKey, body });

const oneTime = (overrides: Partial<PriceCreate> = {}): PriceCreate => ({
  product_id: productId,
  unit_amount: 9990,
  type: 'one_time',
  ...overrides,
});

const monthly = (overrides: Partial<PriceCreate> = {}): PriceCreate =>
  oneTime({ type: 'recurring', recurring: { interval: 'month' }, ...overrides });

describe('a product', () => {
  test('is answered whole, with and without its optional fields', async () => {
    const shop = await api.newMerchant();
    const bare = await shop.fatura.products.create({ name: 'Plano Ouro' });
    expect(bare).toEqual({
      id: expect.stringMatching(/^prod_[0-9a-z]{26}$/),
      object: 'product',
      active: true,
      created: api.clock.now(),
      live_mode: false,
      name: 'Plano Ouro',
      description: null,
      external_code: null,
    });
    const full = { name: 'Plano Prata', description: 'Acesso completo', active: false, external_code: 'prata' };
    const rich = await shop.fatura.products.create(full);
    expect(rich).toEqual({ ...bare, id: rich.id, ...full });
    expect(await shop.fatura.products.retrieve(rich.id)).toEqual(rich);
    expect(await factsOf(api, shop)).toEqual([
      { type: 'product.created', object: bare },
      { type: 'product.created', object: rich },
    ]);
  });

  test('changes in the fields sent: absent keeps, null clears, no change is no fact', async () => {
    const shop = await api.newMerchant();
    const { products } = shop.fatura;
    const created = await products.create({
      name: 'Plano Ouro',
      description: 'Acesso completo',
      external_code: 'ouro',
    });
    const renamed = await products.update(created.id, { name: ' Plano Diamante ' });
    expect(renamed).toEqual({ ...created, name: 'Plano Diamante' });
    const cleared = await products.update(created.id, { description: null, external_code: null, active: false });
    expect(cleared).toEqual({ ...renamed, description: null, external_code: null, active: false });
    expect(await products.update(created.id, {})).toEqual(cleared);
    expect(await products.update(created.id, { name: 'Plano Diamante', active: false })).toEqual(cleared);
    expect(await factsOf(api, shop)).toEqual([
      { type: 'product.created', object: created },
      { type: 'product.updated', object: renamed },
      { type: 'product.updated', object: cleared },
    ]);
  });

  test('keeps its limits: all violations in one answer', async () => {
    const product = { description: 'x'.repeat(1_001), active: 'yes', external_code: '', colour: 'red' };
    expect(violationsOf(await post('/products', { product }))).toEqual([
      400,
      'product.name PARAMETER_MISSING',
      'product.description PARAMETER_INVALID',
      'product.active PARAMETER_INVALID',
      'product.external_code PARAMETER_INVALID',
      'product.colour PARAMETER_UNKNOWN',
    ]);
    const longest = { name: '🦜'.repeat(250), description: '🦜'.repeat(1_000) };
    expect(await merchant.fatura.products.create(longest)).toMatchObject(longest);
    expect(violationsOf(await post('/products', { product: { name: `${longest.name}x` } }))).toEqual([
      400,
      'product.name PARAMETER_INVALID',
    ]);
    expect(violationsOf(await patch(`/products/${productId}`, { product: { name: null, active: null } }))).toEqual([
      400,
      'product.name PARAMETER_INVALID',
      'product.active PARAMETER_INVALID',
    ]);
  });

  test('has its external_code alone in account and mode', async () => {
    const shop = await api.newMerchant();
    const holder = await shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' });
    const other = await shop.fatura.products.create({ name: 'Plano Prata' });
    const taken = {
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'product.external_code',
      message: `product.external_code "ouro" is taken by ${holder.id}`,
    };
    await expect(shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' })).rejects.toMatchObject(
      taken,
    );
    await expect(shop.fatura.products.update(other.id, { external_code: 'ouro' })).rejects.toMatchObject(taken);
    expect(await shop.live.products.create({ name: 'Plano Ouro', external_code: 'ouro' })).toMatchObject({
      live_mode: true,
    });
    await shop.fatura.products.update(holder.id, { external_code: null });
    expect(await shop.fatura.products.update(other.id, { external_code: 'ouro' })).toMatchObject({
      external_code: 'ouro',
    });
  });

  test('wins its external_code among 50 at once, and the others learn of it', async () => {
    const shop = await api.newMerchant();
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) => shop.fatura.products.create({ name: `Plano ${i}`, external_code: 'ouro' })),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `product.external_code "ouro" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
    expect(await factsOf(api, shop)).toEqual([{ type: 'product.created', object: done[0] }]);
  });

  test('is found by active and external_code', async () => {
    const shop = await api.newMerchant();
    const on = await shop.fatura.products.create({ name: 'Plano Ouro', external_code: 'ouro' });
    const off = await shop.fatura.products.create({ name: 'Plano Prata', active: false });
    const ids = async (filter: { active?: boolean; external_code?: string }) =>
      (await shop.fatura.products.list(filter).all({ max: 10 })).map(({ id }) => id);
    expect(await ids({})).toEqual([off.id, on.id]);
    expect(await ids({ active: true })).toEqual([on.id]);
    expect(await ids({ active: false })).toEqual([off.id]);
    expect(await ids({ external_code: ' ouro ' })).toEqual([on.id]);
    expect(await ids({ external_code: 'ouro', active: false })).toEqual([]);
    const answer = await send(api, { method: 'GET', path: '/products?active=yes', key: shop.sandboxKey });
    expect(violationsOf(answer)).toEqual([400, 'active PARAMETER_INVALID']);
  });
});

describe('a price', () => {
  test('is answered whole: one-time, with the defaults', async () => {
    const price = await merchant.fatura.prices.create(oneTime());
    expect(price).toEqual({
      id: expect.stringMatching(/^price_[0-9a-z]{26}$/),
      object: 'price',
      active: true,
      live_mode: false,
      created: api.clock.now(),
      currency: 'brl',
      product: productId,
      type: 'one_time',
      unit_amount: 9990,
      unit_amount_decimal: '9990',
      description: null,
      external_code: null,
      card_installments_enabled: false,
      max_card_installments: 12,
      effective_max_card_installments: 1,
      installment_selection_available: false,
    });
    expect(await merchant.fatura.prices.retrieve(price.id)).toEqual(price);
  });

  test('is answered whole: recurring, with everything set', async () => {
    const input = monthly({
      recurring: { interval: 'month', interval_count: 6 },
      description: 'Semestral',
      external_code: 'semestral',
      active: false,
      card_installments_enabled: true,
      max_card_installments: 10,
    });
    const price = await merchant.fatura.prices.create(input);
    const { product_id: product, ...rest } = input;
    expect(price).toEqual({
      id: price.id,
      object: 'price',
      live_mode: false,
      created: api.clock.now(),
      currency: 'brl',
      product,
      ...rest,
      unit_amount_decimal: '9990',
      effective_max_card_installments: 6,
      installment_selection_available: true,
    });
    expect(await merchant.fatura.prices.retrieve(price.id)).toEqual(price);
  });

  test('shows what the rules leave of its installments, and keeps the settings as sent', async () => {
    const settings = { card_installments_enabled: true, max_card_installments: 12 };
    const shown = async (price: PriceCreate) => {
      const { max_card_installments, effective_max_card_installments, installment_selection_available } =
        await merchant.fatura.prices.create(price);
      return [max_card_installments, effective_max_card_installments, installment_selection_available];
    };
    expect(await shown(oneTime(settings))).toEqual([12, 12, true]);
    expect(await shown(oneTime({ ...settings, card_installments_enabled: false }))).toEqual([12, 1, false]);
    expect(await shown(oneTime({ ...settings, unit_amount: 1_499 }))).toEqual([12, 2, true]);
    expect(await shown(oneTime({ ...settings, unit_amount: 999 }))).toEqual([12, 1, false]);
    expect(await shown(oneTime({ ...settings, unit_amount: 0 }))).toEqual([12, 1, false]);
    expect(await shown(monthly(settings))).toEqual([12, 1, false]);
    expect(await shown(monthly({ ...settings, recurring: { interval: 'month', interval_count: 2 } }))).toEqual([
      12,
      2,
      true,
    ]);
    expect(await shown(monthly({ ...settings, recurring: { interval: 'month', interval_count: 36 } }))).toEqual([
      12,
      12,
      true,
    ]);
    expect(await shown(monthly({ ...settings, recurring: { interval: 'week', interval_count: 52 } }))).toEqual([
      12,
      1,
      false,
    ]);
    expect(await shown(monthly({ ...settings, recurring: { interval: 'day', interval_count: 365 } }))).toEqual([
      12,
      1,
      false,
    ]);
  });

  test('changes in the fields sent, and the rules follow', async () => {
    const shop = await api.newMerchant();
    const product = await shop.fatura.products.create({ name: 'Plano Ouro' });
    const { prices } = shop.fatura;
    const created = await prices.create(
      oneTime({ product_id: product.id, description: 'À vista', external_code: 'vista' }),
    );
    const split = await prices.update(created.id, { card_installments_enabled: true, max_card_installments: 3 });
    expect(split).toEqual({
      ...created,
      card_installments_enabled: true,
      max_card_installments: 3,
      effective_max_card_installments: 3,
      installment_selection_available: true,
    });
    const cleared = await prices.update(created.id, { description: null, external_code: null, active: false });
    expect(cleared).toEqual({ ...split, description: null, external_code: null, active: false });
    expect(await prices.update(created.id, {})).toEqual(cleared);
    expect(await prices.update(created.id, { max_card_installments: 3, description: null })).toEqual(cleared);
    expect(await factsOf(api, shop)).toEqual([
      { type: 'product.created', object: product },
      { type: 'price.created', object: created },
      { type: 'price.updated', object: split },
      { type: 'price.updated', object: cleared },
    ]);
  });

  test('never changes its amount, type, recurrence, product or currency', async () => {
    const { id } = await merchant.fatura.prices.create(oneTime());
    const immutable = { unit_amount: 1, type: 'recurring', recurring: null, product_id: productId, currency: 'brl' };
    expect(
      violationsOf(
        await patch(`/prices/${id}`, { price: { ...immutable, description: 5, max_card_installments: 13 } }),
      ),
    ).toEqual([
      400,
      'price.description PARAMETER_INVALID',
      'price.max_card_installments PARAMETER_INVALID',
      ...Object.keys(immutable).map((field) => `price.${field} PARAMETER_UNKNOWN`),
    ]);
  });

  test.each([0, 1, 999_999])('may cost %d cents', async (unit_amount) => {
    expect(await merchant.fatura.prices.create(oneTime({ unit_amount }))).toMatchObject({
      unit_amount,
      unit_amount_decimal: String(unit_amount),
    });
  });

  test.each([-1, 1_000_000, 99.9, '9990', null, 2 ** 53])('cannot cost %j', async (unit_amount) => {
    expect(violationsOf(await post('/prices', { price: { ...oneTime(), unit_amount } }))).toEqual([
      400,
      'price.unit_amount PARAMETER_INVALID',
    ]);
  });

  test('recurs every unit unless told otherwise, and 36 months at most', async () => {
    const recurring = async (recurring: PriceCreate['recurring']) =>
      (await merchant.fatura.prices.create(monthly(recurring ? { recurring } : {}))).recurring;
    expect(await recurring({ interval: 'month' })).toEqual({ interval: 'month', interval_count: 1 });
    for (const [interval, most] of [
      ['day', 1_098],
      ['week', 156],
      ['month', 36],
    ] as const) {
      expect(await recurring({ interval, interval_count: most })).toEqual({ interval, interval_count: most });
      const beyond = monthly({ recurring: { interval, interval_count: most + 1 } });
      expect(violationsOf(await post('/prices', { price: beyond }))).toEqual([
        400,
        'price.recurring.interval_count PARAMETER_INVALID',
      ]);
    }
  });

  test.each<[string, object, string[]]>([
    ['recurring without its recurrence', { type: 'recurring' }, ['price.recurring PARAMETER_MISSING']],
    ['one-time with a recurrence', { recurring: { interval: 'month' } }, ['price.recurring PARAMETER_INVALID']],
    ['one-time with an empty recurrence', { recurring: null }, ['price.recurring PARAMETER_INVALID']],
    [
      'a recurrence of years',
      { type: 'recurring', recurring: { interval: 'year' } },
      ['price.recurring.interval PARAMETER_INVALID'],
    ],
    [
      'a recurrence of nothing',
      { type: 'recurring', recurring: { interval: 'month', interval_count: 0 } },
      ['price.recurring.interval_count PARAMETER_INVALID'],
    ],
    [
      'a recurrence counted in text',
      { type: 'recurring', recurring: { interval: 'month', interval_count: '99' } },
      ['price.recurring.interval_count PARAMETER_INVALID'],
    ],
    ['another type', { type: 'lifetime' }, ['price.type PARAMETER_INVALID']],
    ['no installment at all', { max_card_installments: 0 }, ['price.max_card_installments PARAMETER_INVALID']],
    ['thirteen installments', { max_card_installments: 13 }, ['price.max_card_installments PARAMETER_INVALID']],
    ['a product id of a wrong form', { product_id: 'prod_1' }, ['price.product_id PARAMETER_INVALID']],
    [
      'several of these at once',
      { type: 'recurring', unit_amount: -1, product_id: 5, colour: 'red' },
      [
        'price.product_id PARAMETER_INVALID',
        'price.unit_amount PARAMETER_INVALID',
        'price.colour PARAMETER_UNKNOWN',
        'price.recurring PARAMETER_MISSING',
      ],
    ],
  ])('cannot be %s', async (_, fields, violations) => {
    expect(violationsOf(await post('/prices', { price: { ...oneTime(), ...fields } }))).toEqual([400, ...violations]);
  });

  test('needs what its body cannot do without', async () => {
    expect(violationsOf(await post('/prices', { price: {} }))).toEqual([
      400,
      'price.product_id PARAMETER_MISSING',
      'price.unit_amount PARAMETER_MISSING',
      'price.type PARAMETER_MISSING',
    ]);
  });

  test('is of a product of the same account and mode', async () => {
    const stranger = await api.newMerchant();
    const theirs = (await stranger.fatura.products.create({ name: 'Plano Prata' })).id;
    const live = (await merchant.live.products.create({ name: 'Plano Ouro' })).id;
    for (const id of [theirs, live, 'prod_00000000000000000000000000', 'prod_zzzzzzzzzzzzzzzzzzzzzzzzzz']) {
      expect(refusalOf(await post('/prices', { price: oneTime({ product_id: id }) }))).toMatchObject({
        status: 404,
        code: 'RESOURCE_MISSING',
        param: 'price.product_id',
        message: `No such product: ${id}`,
      });
    }
  });

  test('is found by active, product, type and external_code', async () => {
    const shop = await api.newMerchant();
    const [first, second] = await Promise.all([
      shop.fatura.products.create({ name: 'Plano Ouro' }),
      shop.fatura.products.create({ name: 'Plano Prata' }),
    ]);
    const a = await shop.fatura.prices.create(oneTime({ product_id: first.id, external_code: 'a' }));
    const b = await shop.fatura.prices.create(monthly({ product_id: first.id, active: false }));
    const c = await shop.fatura.prices.create(monthly({ product_id: second.id }));
    const ids = async (filter: Parameters<typeof shop.fatura.prices.list>[0]) =>
      (await shop.fatura.prices.list(filter).all({ max: 10 })).map(({ id }) => id);
    expect(await ids({})).toEqual([c.id, b.id, a.id]);
    expect(await ids({ active: true })).toEqual([c.id, a.id]);
    expect(await ids({ active: false })).toEqual([b.id]);
    expect(await ids({ product_id: first.id })).toEqual([b.id, a.id]);
    expect(await ids({ type: 'recurring' })).toEqual([c.id, b.id]);
    expect(await ids({ type: 'one_time' })).toEqual([a.id]);
    expect(await ids({ external_code: 'a' })).toEqual([a.id]);
    expect(await ids({ type: 'recurring', active: true, product_id: second.id })).toEqual([c.id]);
    expect(await ids({ product_id: 'prod_00000000000000000000000000' })).toEqual([]);
    const wrong = await send(api, {
      method: 'GET',
      path: '/prices?product_id=prod_1&type=all&active=1',
      key: shop.sandboxKey,
    });
    expect(violationsOf(wrong)).toEqual([
      400,
      'active PARAMETER_INVALID',
      'product_id PARAMETER_INVALID',
      'type PARAMETER_INVALID',
    ]);
  });
});

describe('a price created again under its external_code', () => {
  const again = async (first: object, second: object) => {
    const created = await post('/prices', { price: first });
    expect(created.status).toBe(201);
    return { created, repeated: await post('/prices', { price: second }) };
  };

  test.each<[string, object, object]>([
    ['word for word', {}, {}],
    [
      'with the defaults spelt out',
      {},
      { description: null, active: true, card_installments_enabled: false, max_card_installments: 12 },
    ],
    ['with blanks around text', { description: 'Mensal' }, { description: ' Mensal ' }],
  ])('%s answers 200 and the existing price, and is no fact', async (name, first, second) => {
    const external_code = `again ${name}`;
    const { created, repeated } = await again(
      { ...oneTime(), external_code, ...first },
      { ...oneTime(), external_code, ...second },
    );
    const factsBefore = await factsOf(api, merchant);
    expect(repeated).toMatchObject({ status: 200, body: created.body });
    expect((await post('/prices', { price: { ...oneTime(), external_code, ...second } })).status).toBe(200);
    expect(await factsOf(api, merchant)).toEqual(factsBefore);
  });

  test('with the interval count spelt out answers the existing price', async () => {
    const price = { ...monthly(), external_code: 'monthly' };
    const { created, repeated } = await again(price, { ...price, recurring: { interval: 'month', interval_count: 1 } });
    expect(repeated).toMatchObject({ status: 200, body: created.body });
  });

  test('answers the price as it is by now, also when it was changed since', async () => {
    const price = oneTime({ external_code: 'changed', description: 'Mensal' });
    const { id } = await merchant.fatura.prices.create(price);
    const changed = await merchant.fatura.prices.update(id, { description: 'Anual', active: false });
    expect(await merchant.fatura.prices.create(price)).toEqual(changed);
    await expect(
      merchant.fatura.prices.create({ ...price, description: 'Anual', active: false }),
    ).rejects.toMatchObject({
      code: 'EXTERNAL_CODE_TAKEN',
    });
  });

  test.each<[string, object]>([
    ['amount', { unit_amount: 9991 }],
    ['type', { type: 'recurring', recurring: { interval: 'month' } }],
    ['description', { description: 'Mensal' }],
    ['activity', { active: false }],
    ['installments', { card_installments_enabled: true }],
    ['maximum of installments', { max_card_installments: 6 }],
  ])('with another %s is refused', async (name, difference) => {
    const external_code = `other ${name}`;
    const { created, repeated } = await again(
      { ...oneTime(), external_code },
      { ...oneTime(), external_code, ...difference },
    );
    const { id } = created.body as { id: string };
    expect(refusalOf(repeated)).toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'price.external_code',
      message: `price.external_code "${external_code}" is taken by ${id}`,
    });
  });

  test('for another product is refused, for an unknown one missing', async () => {
    const other = await merchant.fatura.products.create({ name: 'Plano Prata' });
    const price = oneTime({ external_code: 'product' });
    await merchant.fatura.prices.create(price);
    await expect(merchant.fatura.prices.create({ ...price, product_id: other.id })).rejects.toMatchObject({
      code: 'EXTERNAL_CODE_TAKEN',
    });
    await expect(
      merchant.fatura.prices.create({ ...price, product_id: 'prod_00000000000000000000000000' }),
    ).rejects.toMatchObject({
      code: 'RESOURCE_MISSING',
    });
  });

  test('is another price in live mode, and a new one once the code is free', async () => {
    const price = oneTime({ external_code: 'free' });
    const { id } = await merchant.fatura.prices.create(price);
    const live = await merchant.live.products.create({ name: 'Plano Ouro' });
    expect(await merchant.live.prices.create({ ...price, product_id: live.id })).toMatchObject({ live_mode: true });
    await merchant.fatura.prices.update(id, { external_code: null });
    expect((await merchant.fatura.prices.create(price)).id).not.toBe(id);
  });

  test('50 times at once with one body is one price, answered to all', async () => {
    const factsBefore = await factsOf(api, merchant);
    const price = oneTime({ external_code: 'fifty alike' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/prices', { price })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    const [first] = answers;
    for (const { body } of answers) expect(body).toEqual(first?.body);
    expect(await factsOf(api, merchant)).toEqual([...factsBefore, { type: 'price.created', object: first?.body }]);
  });

  test('50 times at once with different bodies is one price, and 49 refusals that name it', async () => {
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) =>
        merchant.fatura.prices.create(oneTime({ external_code: 'fifty', unit_amount: i })),
      ),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `price.external_code "fifty" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
  });
});
