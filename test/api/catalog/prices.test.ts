import { describe, expect, test } from 'vitest';
import type { PriceCreate } from '../../../sdk/src/index.ts';
import { factsOf, refusalOf, send, violationsOf } from '../requests.ts';
import { CatalogScene } from './catalog-scene.ts';

const scene = new CatalogScene();
const { post, patch, oneTime, monthly } = scene;

describe('a price', () => {
  test('is answered whole: one-time, with the defaults', async () => {
    const price = await scene.merchant.fatura.prices.create(oneTime());
    expect(price).toEqual({
      id: expect.stringMatching(/^price_[0-9a-z]{26}$/),
      object: 'price',
      active: true,
      live_mode: false,
      created: scene.api.clock.now(),
      currency: 'brl',
      product: scene.productId,
      type: 'one_time',
      unit_amount: 9990,
      unit_amount_decimal: '9990',
      description: null,
      external_code: null,
      card_installments_enabled: false,
      max_card_installments: 12,
      effective_max_card_installments: 1,
      installment_selection_available: false,
      payment_url: expect.stringMatching(/\/buy\/price_\w+\/[\w-]{43}$/),
    });
    expect(await scene.merchant.fatura.prices.retrieve(price.id)).toEqual(price);
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
    const price = await scene.merchant.fatura.prices.create(input);
    const { product_id: product, ...rest } = input;
    expect(price).toEqual({
      id: price.id,
      object: 'price',
      live_mode: false,
      created: scene.api.clock.now(),
      currency: 'brl',
      product,
      ...rest,
      unit_amount_decimal: '9990',
      effective_max_card_installments: 6,
      installment_selection_available: true,
      payment_url: expect.stringMatching(/\/buy\/price_\w+\/[\w-]{43}$/),
    });
    expect(await scene.merchant.fatura.prices.retrieve(price.id)).toEqual(price);
  });

  test('shows what the rules leave of its installments, and keeps the settings as sent', async () => {
    const settings = { card_installments_enabled: true, max_card_installments: 12 };
    const shown = async (price: PriceCreate) => {
      const { max_card_installments, effective_max_card_installments, installment_selection_available } =
        await scene.merchant.fatura.prices.create(price);
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
    const shop = await scene.api.newMerchant();
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
    expect(await factsOf(shop)).toEqual([
      { type: 'product.created', object: product },
      { type: 'price.created', object: created },
      { type: 'price.updated', object: split },
      { type: 'price.updated', object: cleared },
    ]);
  });

  test('never changes its amount, type, recurrence, product or currency', async () => {
    const { id } = await scene.merchant.fatura.prices.create(oneTime());
    const immutable = {
      unit_amount: 1,
      type: 'recurring',
      recurring: null,
      product_id: scene.productId,
      currency: 'brl',
    };
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
    expect(await scene.merchant.fatura.prices.create(oneTime({ unit_amount }))).toMatchObject({
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
      (await scene.merchant.fatura.prices.create(monthly(recurring ? { recurring } : {}))).recurring;
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
    const stranger = await scene.api.newMerchant();
    const theirs = (await stranger.fatura.products.create({ name: 'Plano Prata' })).id;
    const live = (await scene.merchant.live.products.create({ name: 'Plano Ouro' })).id;
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
    const shop = await scene.api.newMerchant();
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
    const wrong = await send(scene.api, {
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
