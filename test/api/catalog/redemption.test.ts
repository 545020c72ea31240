import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CouponCreate, Invoice } from '../../../sdk/src/index.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { eventTypes, newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';

let api: TestApi;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

let made = 0;
const textOf = (): string => {
  made += 1;
  return `CODIGO-${made}`;
};
const newCoupon = (more: Partial<CouponCreate> = {}) =>
  shop.fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10, ...more } as CouponCreate); // one of the two forms
const newCode = async (more: object = {}, coupon: Partial<CouponCreate> = {}) =>
  shop.fatura.promotionCodes.create({ coupon_id: (await newCoupon(coupon)).id, code: textOf(), ...more });
const timesOf = async (id: string): Promise<number> => (await shop.fatura.coupons.retrieve(id)).times_redeemed;

async function post(invoice: object): Promise<RawAnswer> {
  const body = { invoice: { customer_id: (await newCustomer(shop)).id, ...invoice } };
  return send(api, { method: 'POST', path: '/invoices', key: shop.sandboxKey, body });
}
const change = (id: string, invoice: object) =>
  send(api, { method: 'PATCH', path: `/invoices/${id}`, key: shop.sandboxKey, body: { invoice } });
const lineOf = async (unit_amount = 10_000) => [{ price_id: (await newPrice(shop, { unit_amount })).id, quantity: 1 }];

const ofCoupon = ({ discounts }: Invoice) => discounts.data[0];

describe('a coupon on an invoice', () => {
  test('is a copy of its terms before the other discounts, reserved until the payment redeems it', async () => {
    const coupon = await newCoupon({ cycles: 1 });
    const discounts = [{ type: 'fixed' as const, amount_cents: 500 }];
    const invoice = await newInvoice(shop, { amount: 10_000, coupon_id: coupon.id, discounts });
    expect(invoice.total).toBe(8_500);
    expect(invoice.discounts.data).toEqual([
      {
        type: 'percentage',
        percentage: 10,
        amount_cents: null,
        cycles: 1,
        description: 'Dez',
        redemption: expect.stringMatching(/^rdm_/),
        coupon: coupon.id,
        promotion_code: null,
      },
      {
        type: 'fixed',
        percentage: null,
        amount_cents: 500,
        cycles: null,
        description: null,
        redemption: null,
        coupon: null,
        promotion_code: null,
      },
    ]);
    expect(await timesOf(coupon.id)).toBe(1);
    await shop.fatura.coupons.update(coupon.id, { active: false, name: 'Outro' });
    await payByCard(shop, invoice.id);
    const paid = await shop.fatura.invoices.retrieve(invoice.id);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 8_500, discounts: invoice.discounts });
    const types = await eventTypes(api.composition.deps.pool, ofCoupon(paid)?.redemption ?? '');
    expect(types).toEqual(['discount.redeemed']);
    await shop.fatura.refunds.create({ payment_intent: paid.payment_intent ?? '' });
    expect(await timesOf(coupon.id)).toBe(1);
  });

  test('is redeemed at once where nothing is left to pay', async () => {
    const code = await newCode({}, { percentage: 100 });
    const invoice = await newInvoice(shop, { promotion_code: code.code.toLowerCase() });
    expect(invoice).toMatchObject({ status: 'paid', total: 0 });
    const [event] = await shop.fatura.events
      .list({ type: ['discount.redeemed'], related_object: invoice.id })
      .all({ max: 2 });
    expect(event?.data.object).toEqual({
      id: ofCoupon(invoice)?.redemption,
      object: 'discount',
      amount_cents: null,
      coupon: code.coupon,
      created: invoice.created,
      customer: invoice.customer,
      cycles: null,
      description: 'Dez',
      invoice: invoice.id,
      live_mode: false,
      percentage: 100,
      promotion_code: code.id,
      status: 'redeemed',
      subscription: null,
      type: 'percentage',
    });
  });

  test('is released when the invoice is void, and not when it is uncollectible', async () => {
    const code = await newCode();
    const { id } = await newInvoice(shop, { promotion_code: code.code });
    await shop.fatura.invoices.markUncollectible(id);
    expect(await shop.fatura.promotionCodes.retrieve(code.id)).toMatchObject({ times_redeemed: 1 });
    const voided = await shop.fatura.invoices.void(id);
    expect(await shop.fatura.promotionCodes.retrieve(code.id)).toMatchObject({ times_redeemed: 0 });
    expect(await timesOf(code.coupon)).toBe(0);
    const types = await eventTypes(api.composition.deps.pool, ofCoupon(voided)?.redemption ?? '');
    expect(types).toEqual(['discount.released']);
  });

  test('takes something off the lines it applies to alone', async () => {
    const plan = await newPrice(shop, { unit_amount: 10_000 });
    const shirt = await newPrice(shop, { unit_amount: 3_000 });
    const coupon = await newCoupon({ applies_to: { product_ids: [shirt.product] } });
    const line_items = [plan, shirt].map(({ id: price_id }) => ({ price_id, quantity: 1 }));
    const invoice = await newInvoice(shop, { line_items, coupon_id: coupon.id });
    expect(invoice.total).toBe(12_700);
    const page = await (await fetch(`${api.baseUrl}${new URL(invoice.payment_url ?? '').pathname}`)).text();
    expect(page.replaceAll('\u00a0', ' ')).toContain('− R$ 3,00');
  });
});

describe('a coupon of a draft', () => {
  test('is exchanged, kept with other lines, dropped, and released with a void draft', async () => {
    const [first, second] = [await newCoupon(), await newCoupon({ percentage: 50, minimum_amount: 5_000 })];
    const draft = await newInvoice(shop, { amount: 10_000, coupon_id: first.id, draft: true });
    const { invoices } = shop.fatura;
    const exchanged = await invoices.update(draft.id, { coupon_id: second.id });
    expect(exchanged.total).toBe(5_000);
    expect([await timesOf(first.id), await timesOf(second.id)]).toEqual([0, 1]);
    const same = await invoices.update(draft.id, { coupon_id: second.id, line_items: await lineOf(20_000) });
    expect(same.total).toBe(10_000);
    expect(ofCoupon(same)?.redemption).toBe(ofCoupon(exchanged)?.redemption);
    expect(refusalOf(await change(draft.id, { line_items: await lineOf(4_999) }))).toMatchObject({
      status: 422,
      code: 'COUPON_NOT_APPLICABLE',
      param: 'invoice.line_items',
      message: expect.stringContaining('minimum_amount'),
    });
    const beside = await invoices.update(draft.id, { discounts: [{ type: 'fixed', amount_cents: 1_000 }] });
    expect([beside.total, beside.discounts.data.length]).toEqual([9_000, 2]);
    const none = await invoices.update(draft.id, { coupon_id: null });
    expect([none.total, none.discounts.data.length]).toEqual([19_000, 1]);
    expect(await timesOf(second.id)).toBe(0);
    await invoices.update(draft.id, { coupon_id: first.id });
    await invoices.void(draft.id);
    expect(await timesOf(first.id)).toBe(0);
  });

  test('is redeemed by the payment of the invoice that it becomes', async () => {
    const coupon = await newCoupon();
    const draft = await newInvoice(shop, { coupon_id: coupon.id, draft: true });
    await shop.fatura.invoices.finalize(draft.id);
    await payByCard(shop, draft.id);
    expect(await eventTypes(api.composition.deps.pool, ofCoupon(draft)?.redemption ?? '')).toEqual([
      'discount.redeemed',
    ]);
  });
});

describe('a coupon is refused', () => {
  const refused = async (invoice: object) => {
    const { status, code, param, message } = refusalOf(await post({ line_items: await lineOf(), ...invoice }));
    return [status, code, param, /(active|redeem_by|applies_to|minimum_amount|first_time_only):/.exec(message)?.[1]];
  };

  test('by the rule that its message names', async () => {
    const day = api.clock.now() + 86_400;
    const [off, over] = [await newCoupon({ active: false }), await newCoupon({ redeem_by: day })];
    const dear = await newCoupon({ minimum_amount: 10_001 });
    const other = await newCoupon({ applies_to: { price_ids: [(await newPrice(shop)).id] } });
    api.clock.advance(86_401);
    const rules = [
      [off, 'active'],
      [over, 'redeem_by'],
      [dear, 'minimum_amount'],
      [other, 'applies_to'],
    ] as const;
    for (const [{ id: coupon_id }, rule] of rules)
      expect(await refused({ coupon_id })).toEqual([422, 'COUPON_NOT_APPLICABLE', 'invoice.coupon_id', rule]);
    const { code: promotion_code } = await newCode({}, { minimum_amount: 10_001 });
    expect(await refused({ promotion_code })).toEqual([
      422,
      'COUPON_NOT_APPLICABLE',
      'invoice.promotion_code',
      'minimum_amount',
    ]);
  });

  test('by a code that is none: unknown, switched off, over, or another customer’s', async () => {
    const expires_at = api.clock.now() + 60;
    const [off, over] = [await newCode({ active: false }), await newCode({ expires_at })];
    const theirs = await newCode({ customer_id: (await newCustomer(shop)).id });
    api.clock.advance(61);
    for (const promotion_code of ['NUNCA-VISTO', off.code, over.code, theirs.code])
      expect(await refused({ promotion_code })).toEqual([
        422,
        'PROMOTION_CODE_INVALID',
        'invoice.promotion_code',
        undefined,
      ]);
    const customer_id = theirs.customer ?? '';
    expect((await post({ line_items: await lineOf(), customer_id, promotion_code: theirs.code })).status).toBe(201);
  });

  test('to who has paid before, where it is for first purchases', async () => {
    const { code: promotion_code } = await newCode({ first_time_only: true });
    const { customer: customer_id } = await newInvoice(shop);
    expect((await post({ line_items: await lineOf(), customer_id, promotion_code })).status).toBe(201);
    await newInvoice(shop, { customer_id, amount: 0 });
    expect(await refused({ customer_id, promotion_code })).toEqual([
      422,
      'COUPON_NOT_APPLICABLE',
      'invoice.promotion_code',
      'first_time_only',
    ]);
  });

  test('with another coupon, with ten discounts, and of another account', async () => {
    const { id: coupon_id } = await newCoupon();
    expect(await refused({ coupon_id, promotion_code: 'DOIS' })).toEqual([
      400,
      'PARAMETER_INVALID',
      'invoice.promotion_code',
      undefined,
    ]);
    const discounts = Array.from({ length: 10 }, () => ({ type: 'fixed', amount_cents: 1 }));
    expect(await refused({ coupon_id, discounts })).toEqual([400, 'PARAMETER_INVALID', 'invoice.discounts', undefined]);
    const { id: draft } = await newInvoice(shop, { coupon_id, draft: true });
    expect(refusalOf(await change(draft, { discounts }))).toMatchObject({ status: 400, param: 'invoice.discounts' });
    const other = await api.newMerchant();
    const theirs = await other.fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10 });
    expect(await refused({ coupon_id: theirs.id })).toEqual([404, 'RESOURCE_MISSING', 'invoice.coupon_id', undefined]);
  });
});

describe('many who redeem at once', () => {
  test('get a coupon of ten ten times, and once more when one is released', async () => {
    const coupon = await newCoupon({ max_redemptions: 10 });
    const line_items = await lineOf();
    const { id: customer_id } = await newCustomer(shop);
    const ask = () => post({ line_items, customer_id, coupon_id: coupon.id });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const others = answers.filter(({ status }) => status !== 201).map(refusalOf);
    expect(new Set(others.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['422 COUPON_EXHAUSTED']));
    expect(await timesOf(coupon.id)).toBe(10);
    const won = answers.find(({ status }) => status === 201)?.body as Invoice | undefined;
    await shop.fatura.invoices.void(won?.id ?? '');
    const again = await Promise.all(Array.from({ length: 20 }, ask));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await timesOf(coupon.id)).toBe(10);
  });

  test('get a code with a cap of its own as often as that, however often its coupon may', async () => {
    const code = await newCode({ max_redemptions: 3 }, { max_redemptions: 50 });
    const line_items = await lineOf();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post({ line_items, promotion_code: code.code })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await timesOf(code.coupon)).toBe(3);
  });

  test('pay and void one invoice: the coupon is redeemed or released, and counted so', async () => {
    const coupon = await newCoupon();
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newInvoice(shop, { coupon_id: coupon.id });
      await Promise.allSettled([payByCard(shop, id), shop.fatura.invoices.void(id)]);
    }
    const listed = await shop.fatura.invoices.list({ limit: 20 }).page();
    const paid = listed.data.filter((one) => ofCoupon(one)?.coupon === coupon.id && one.status === 'paid');
    expect(await timesOf(coupon.id)).toBe(paid.length);
  });
});

test('a redemption that is broken off leaves nothing', async () => {
  const coupon = await newCoupon();
  const tooMuch = await post({
    line_items: await lineOf(),
    coupon_id: coupon.id,
    discounts: [{ type: 'fixed', amount_cents: 9_001 }],
  });
  expect(refusalOf(tooMuch)).toMatchObject({ code: 'DISCOUNT_EXCEEDS_SUBTOTAL', param: 'invoice.discounts[0]' });
  expect(await timesOf(coupon.id)).toBe(0);
});
