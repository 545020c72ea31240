import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CouponCreate } from '../../../sdk/src/index.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { factsOf, refusalOf, send, violationsOf } from '../requests.ts';

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const post = (path: string, body: unknown) => send(api, { method: 'POST', path, key: merchant.sandboxKey, body });
const patch = (path: string, body: unknown) => send(api, { method: 'PATCH', path, key: merchant.sandboxKey, body });

const tenPercent = { name: 'Boas-vindas', type: 'percentage', percentage: 10 } as const;
const newCoupon = (more: Partial<CouponCreate> = {}) =>
  merchant.fatura.coupons.create({ ...tenPercent, ...more } as CouponCreate); // one of the two forms

describe('a coupon', () => {
  test('is answered whole: of a percentage, with the defaults', async () => {
    const coupon = await newCoupon();
    expect(coupon).toEqual({
      id: expect.stringMatching(/^cpn_[0-9a-z]{26}$/),
      object: 'coupon',
      active: true,
      amount_cents: null,
      applies_to: null,
      created: api.clock.now(),
      cycles: null,
      external_code: null,
      live_mode: false,
      max_redemptions: null,
      minimum_amount: null,
      name: 'Boas-vindas',
      percentage: 10,
      redeem_by: null,
      times_redeemed: 0,
      type: 'percentage',
    });
    expect(await merchant.fatura.coupons.retrieve(coupon.id)).toEqual(coupon);
  });

  test('is answered whole: of a fixed amount, with everything set', async () => {
    const { id: price, product } = await newPrice(merchant);
    const fields = {
      name: 'Verão',
      cycles: 3,
      max_redemptions: 100,
      redeem_by: api.clock.now() + 86_400,
      minimum_amount: 5_000,
      active: false,
      external_code: 'verao',
    };
    const coupon = await merchant.fatura.coupons.create({
      ...fields,
      type: 'fixed',
      amount_cents: 1_000,
      applies_to: { product_ids: [product, product], price_ids: [price] },
    });
    expect(coupon).toMatchObject({
      ...fields,
      type: 'fixed',
      amount_cents: 1_000,
      percentage: null,
      applies_to: { products: [product], prices: [price] },
    });
    expect(await merchant.fatura.coupons.retrieve(coupon.id)).toEqual(coupon);
  });

  test('changes its name, end, code and activity, and tells of each change once', async () => {
    const { id } = await newCoupon();
    const { coupons } = merchant.fatura;
    const redeem_by = api.clock.now() + 60;
    const changed = await coupons.update(id, { name: 'Volte', active: false, redeem_by, external_code: 'volte' });
    expect(changed).toMatchObject({ name: 'Volte', active: false, redeem_by, external_code: 'volte', percentage: 10 });
    await coupons.update(id, { name: 'Volte' });
    const cleared = await coupons.update(id, { redeem_by: null, external_code: null });
    expect(cleared).toMatchObject({ redeem_by: null, external_code: null });
    const told = (await factsOf(merchant)).filter(({ object }) => (object as { id: string }).id === id);
    expect(told.map(({ type }) => type).toSorted()).toEqual(['coupon.created', 'coupon.updated', 'coupon.updated']);
  });

  test('never changes what it takes off', async () => {
    const { id } = await newCoupon();
    for (const field of [
      'type',
      'percentage',
      'amount_cents',
      'cycles',
      'applies_to',
      'max_redemptions',
      'minimum_amount',
    ])
      expect(refusalOf(await patch(`/coupons/${id}`, { coupon: { [field]: 1 } }))).toMatchObject({
        status: 400,
        code: 'PARAMETER_UNKNOWN',
        param: `coupon.${field}`,
      });
  });

  test('is refused with each field that is wrong', async () => {
    const wrong = {
      name: ' ',
      type: 'percentage',
      percentage: 100.01,
      cycles: 0,
      max_redemptions: 1_000_001,
      minimum_amount: 0,
      applies_to: {},
    };
    expect(violationsOf(await post('/coupons', { coupon: wrong })).toSorted()).toEqual([
      400,
      'coupon.applies_to.product_ids PARAMETER_MISSING',
      'coupon.cycles PARAMETER_INVALID',
      'coupon.max_redemptions PARAMETER_INVALID',
      'coupon.minimum_amount PARAMETER_INVALID',
      'coupon.name PARAMETER_INVALID',
      'coupon.percentage PARAMETER_INVALID',
    ]);
    const fixed = { name: 'Verão', type: 'fixed', percentage: 10 };
    expect(violationsOf(await post('/coupons', { coupon: fixed }))).toEqual([
      400,
      'coupon.amount_cents PARAMETER_MISSING',
      'coupon.percentage PARAMETER_UNKNOWN',
    ]);
  });

  test('ends ahead, and applies to what there is', async () => {
    const now = api.clock.now();
    expect(refusalOf(await post('/coupons', { coupon: { ...tenPercent, redeem_by: now } }))).toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
      param: 'coupon.redeem_by',
    });
    const { id } = await newCoupon();
    expect(refusalOf(await patch(`/coupons/${id}`, { coupon: { redeem_by: now - 1 } }))).toMatchObject({ status: 400 });
    const nothing = 'price_00000000000000000000000000';
    const other = await newPrice(await api.newMerchant());
    for (const price of [nothing, other.id])
      expect(
        refusalOf(await post('/coupons', { coupon: { ...tenPercent, applies_to: { price_ids: [price] } } })),
      ).toMatchObject({ status: 404, code: 'RESOURCE_MISSING', param: 'coupon.applies_to.price_ids[0]' });
  });

  test('has a code of its own, and is found by it', async () => {
    const { id } = await newCoupon({ external_code: 'unico' });
    expect(refusalOf(await post('/coupons', { coupon: { ...tenPercent, external_code: 'unico' } }))).toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      message: expect.stringContaining(id),
    });
    expect((await merchant.fatura.coupons.list({ external_code: 'unico' }).page()).data.map((one) => one.id)).toEqual([
      id,
    ]);
    const off = await newCoupon({ active: false });
    const inactive = await merchant.fatura.coupons.list({ active: false, limit: 1 }).page();
    expect(inactive.data.map((one) => one.id)).toEqual([off.id]);
  });
});

describe('a promotion code', () => {
  test('is answered whole, in capitals', async () => {
    const coupon = await newCoupon();
    const customer = await newCustomer(merchant);
    const code = await merchant.fatura.promotionCodes.create({
      coupon_id: coupon.id,
      code: ' inteiro-10 ',
      customer_id: customer.id,
      first_time_only: true,
      max_redemptions: 5,
      expires_at: api.clock.now() + 60,
    });
    expect(code).toEqual({
      id: expect.stringMatching(/^promo_[0-9a-z]{26}$/),
      object: 'promotion_code',
      active: true,
      code: 'INTEIRO-10',
      coupon: coupon.id,
      created: api.clock.now(),
      customer: customer.id,
      expires_at: api.clock.now() + 60,
      first_time_only: true,
      live_mode: false,
      max_redemptions: 5,
      times_redeemed: 0,
    });
    expect(await merchant.fatura.promotionCodes.retrieve(code.id)).toEqual(code);
  });

  test('is one among the active ones, whatever case it is written in', async () => {
    const { id: coupon_id } = await newCoupon();
    const { promotionCodes } = merchant.fatura;
    const first = await promotionCodes.create({ coupon_id, code: 'UNICO' });
    const again = await post('/promotion_codes', { promotion_code: { coupon_id, code: 'unico' } });
    expect(refusalOf(again)).toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'promotion_code.code',
      message: expect.stringContaining(first.id),
    });
    await promotionCodes.update(first.id, { active: false });
    const second = await promotionCodes.create({ coupon_id, code: 'unico' });
    expect(refusalOf(await patch(`/promotion_codes/${first.id}`, { promotion_code: { active: true } }))).toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      message: expect.stringContaining(second.id),
    });
    const found = await promotionCodes.list({ code: 'Unico' }).page();
    expect(found.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await promotionCodes.list({ code: 'UNICO', active: true }).page()).data).toEqual([second]);
    expect((await promotionCodes.list({ coupon_id }).page()).data).toHaveLength(2);
    const other = await api.newMerchant();
    const theirs = await other.fatura.coupons.create(tenPercent);
    await other.fatura.promotionCodes.create({ coupon_id: theirs.id, code: 'UNICO' });
  });

  test('goes to one of many who create it at once', async () => {
    const { id: coupon_id } = await newCoupon();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/promotion_codes', { promotion_code: { coupon_id, code: 'CORRIDA' } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(9).fill(409)]);
  });

  test('is refused for a coupon or a customer of another account, and with a text that is none', async () => {
    const other = await api.newMerchant();
    const theirs = await other.fatura.coupons.create(tenPercent);
    const { id: coupon_id } = await newCoupon();
    const create = async (code: object) => refusalOf(await post('/promotion_codes', { promotion_code: code }));
    expect(await create({ coupon_id: theirs.id, code: 'ALHEIO' })).toMatchObject({
      status: 404,
      param: 'promotion_code.coupon_id',
    });
    const { id: customer_id } = await newCustomer(other);
    expect(await create({ coupon_id, code: 'ALHEIO', customer_id })).toMatchObject({
      status: 404,
      param: 'promotion_code.customer_id',
    });
    for (const code of ['AB', 'A'.repeat(41), 'COM ESPAÇO', 'ÁGUA'])
      expect(await create({ coupon_id, code })).toMatchObject({ status: 400, param: 'promotion_code.code' });
  });

  test('is switched off and loses its text with the customer whose alone it is', async () => {
    const { id: coupon_id } = await newCoupon();
    const { id: customer_id } = await newCustomer(merchant);
    const { promotionCodes, customers } = merchant.fatura;
    const code = await promotionCodes.create({ coupon_id, code: 'MARIA-SILVA', customer_id });
    await customers.anonymize(customer_id);
    const erased = await promotionCodes.retrieve(code.id);
    expect(erased).toEqual({ ...code, active: false, code: code.id.toUpperCase().replace('_', '-') });
    expect((await promotionCodes.list({ customer_id }).page()).data).toEqual([erased]);
  });
});
