import type { CouponCreate, Subscription, SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newPrice, unique } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

const newCoupon = (more: Partial<CouponCreate> = {}) =>
  scene.fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10, ...more } as CouponCreate); // one of the two forms
const newCode = async (more: object = {}, coupon: Partial<CouponCreate> = {}) =>
  scene.fatura.promotionCodes.create({ coupon_id: (await newCoupon(coupon)).id, code: `ASSINE-${unique()}`, ...more });
const timesOf = async (id: string): Promise<number> => (await scene.fatura.coupons.retrieve(id)).times_redeemed;

const invoicesOf = async (id: string) =>
  (await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 })).toReversed();
const totalsOf = async (id: string) => (await invoicesOf(id)).map(({ total }) => total);
const redemptionOf = ({ discounts }: Subscription): string => discounts.data[0]?.redemption ?? '';

/** What was told of the coupon of a subscription. */
const toldOf = async (subscription: Subscription): Promise<unknown[]> => {
  const rows = await scene.rows(
    `SELECT type FROM event WHERE related @> ARRAY[$1] AND type LIKE 'discount.%' ORDER BY id`,
    redemptionOf(subscription),
  );
  return rows.map(({ type }) => type);
};

const post = async (subscription: object): Promise<RawAnswer> => {
  const body = { subscription: { customer_id: (await newCustomer(scene.merchant)).id, ...subscription } };
  return send(scene.api, { method: 'POST', path: '/subscriptions', key: scene.merchant.sandboxKey, body });
};

const renewed = async (id: string) => {
  await scene.renew(id);
  return totalsOf(id);
};

describe('a coupon on a subscription', () => {
  test('is a copy of its terms before the other discounts, counted from the first bill, which redeems it', async () => {
    const coupon = await newCoupon({ cycles: 2 });
    const made = await scene.subscribe({
      amount: 10_000,
      coupon_id: coupon.id,
      discounts: [{ type: 'fixed', amount: 500 }],
    });
    expect(made.discounts.data).toEqual([
      {
        type: 'percentage',
        percentage: 10,
        amount: null,
        cycles: 2,
        description: 'Dez',
        redemption: expect.stringMatching(/^rdm_/),
        coupon: coupon.id,
        promotion_code: null,
        applies_to: null,
      },
      expect.objectContaining({ type: 'fixed', amount: 500, coupon: null, redemption: null, description: null }),
    ]);
    const first = await scene.invoice(made.latest_invoice ?? '');
    expect(first).toMatchObject({ total: 8_500, discounts: { data: [{ redemption: redemptionOf(made) }, {}] } });
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([1, []]);
    await scene.fatura.coupons.update(coupon.id, { active: false, name: 'Outro' });
    const paid = await scene.subscriptions.checkout(made.id, byCard());
    expect(paid.discounts).toEqual(made.discounts);
    expect(await toldOf(made)).toEqual(['discount.redeemed']);
    expect(await renewed(made.id)).toEqual([8_500, 8_500]);
    expect(await renewed(made.id)).toEqual([8_500, 8_500, 9_500]);
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([1, ['discount.redeemed']]);
  });

  test('is told of with its subscription and first invoice', async () => {
    const code = await newCode({}, { percentage: 100, cycles: 1 });
    const made = await scene.subscribe({ promotion_code: code.code.toLowerCase() });
    expect(made.status).toBe('active');
    const [event] = await scene.fatura.events
      .list({ type: ['discount.redeemed'], related_object: made.id })
      .all({ max: 2 });
    expect(event?.data.object).toEqual({
      id: redemptionOf(made),
      object: 'discount',
      amount_cents: null,
      coupon: code.coupon,
      created: made.created,
      customer: made.customer,
      cycles: 1,
      description: 'Dez',
      invoice: made.latest_invoice,
      live_mode: false,
      percentage: 100,
      promotion_code: code.id,
      status: 'redeemed',
      subscription: made.id,
      type: 'percentage',
    });
  });

  test('takes something off the items it applies to, and off the setup fees that it names', async () => {
    const [plan, extra] = [await newMonthly(scene.merchant), await newMonthly(scene.merchant, { unit_amount: 3_000 })];
    const fee = await newPrice(scene.merchant, { unit_amount: 5_000 });
    const other = await newPrice(scene.merchant, { unit_amount: 700 });
    const sold = {
      items: [{ price_id: plan.id }, { price_id: extra.id }],
      setup: [{ price_id: fee.id }, { price_id: other.id }],
    };
    const whole = 9_990 + 3_000 + 5_000 + 700;
    const { id: customer_id } = await newCustomer(scene.merchant);
    const all = await scene.subscriptions.create({ customer_id, ...sold, coupon_id: (await newCoupon()).id });
    expect(await totalsOf(all.id)).toEqual([whole - 1_299]);
    const named = await newCoupon({ applies_to: { product_ids: [fee.product], price_ids: [extra.id] } });
    const made = await scene.subscriptions.create({ customer_id, ...sold, coupon_id: named.id });
    expect(await totalsOf(made.id)).toEqual([whole - 800]);
    const page = (await scene.invoice(made.latest_invoice ?? '')).payment_url ?? '';
    const html = await (await fetch(`${scene.api.baseUrl}${new URL(page).pathname}`)).text();
    expect(html.replaceAll('\u00a0', ' ')).toContain('− R$ 8,00');
    await scene.subscriptions.checkout(made.id, byCard());
    expect(await renewed(made.id)).toEqual([whole - 800, 12_990 - 300]);
  });

  test('is previewed as it is billed, and redeemed by no preview', async () => {
    const { id: price_id, product } = await newMonthly(scene.merchant);
    const other = await newMonthly(scene.merchant, { unit_amount: 3_333 });
    const coupon = await newCoupon({ percentage: 33.33, max_redemptions: 1, applies_to: { product_ids: [product] } });
    const { id: customer_id } = await newCustomer(scene.merchant);
    const asked = { customer_id, items: [{ price_id }, { price_id: other.id }], coupon_id: coupon.id };
    const shown = await scene.subscriptions.preview(asked);
    expect([shown.total, await timesOf(coupon.id)]).toEqual([9_990 - 3_330 + 3_333, 0]);
    const { latest_invoice: first } = await scene.subscriptions.create(asked);
    const { total, discounts } = await scene.invoice(first ?? '');
    expect(shown).toMatchObject({
      total,
      discounts: { data: [{ ...discounts.data[0], redemption: expect.stringMatching(/^rdm_/) }] },
    });
  });

  test('never takes something off what else waits for the bill', async () => {
    const customer = await newCustomer(scene.merchant);
    const { id: price } = await newMonthly(scene.merchant, { unit_amount: 10_000 });
    await scene.fatura.invoiceItems.create({
      ...{ customer_id: customer.id, type: 'charge', amount: 2_000, description: 'Frete' },
    });
    const { id: coupon_id } = await newCoupon({ minimum_amount: 10_000 });
    const made = await scene.subscribe({ customer_id: customer.id, price_id: price, coupon_id });
    expect(await totalsOf(made.id)).toEqual([11_000]);
  });

  test('takes nothing off items of another product, and something once they are of its product again', async () => {
    const [plan, other] = [await newMonthly(scene.merchant), await newMonthly(scene.merchant, { unit_amount: 4_000 })];
    const { id: coupon_id } = await newCoupon({ percentage: 50, applies_to: { product_ids: [plan.product] } });
    const made = await scene.subscribe({ price_id: plan.id, coupon_id });
    const { id, item } = await scene.subscriptions.checkout(made.id, byCard());
    const to = (price: string) =>
      scene.fatura.subscriptionChanges.create(id, {
        items: [{ item: item.id, price_id: price }],
        effective: 'period_end',
      });
    await to(other.id);
    expect(await scene.subscriptions.upcomingInvoice(id)).toMatchObject({ total: 4_000, subtotal: 4_000 });
    expect(await renewed(id)).toEqual([4_995, 4_000]);
    const page = await scene.fatura.invoices.retrieve((await scene.subscriptions.retrieve(id)).latest_invoice ?? '');
    const html = await (await fetch(`${scene.api.baseUrl}${new URL(page.payment_url ?? '').pathname}`)).text();
    expect(html).not.toContain('Dez');
    await to(plan.id);
    expect(await renewed(id)).toEqual([4_995, 4_000, 4_995]);
  });
});

describe('a coupon of a subscription that is not billed yet', () => {
  const FREE = { days: 14, requires_payment_method: false } as const;

  test('waits for the end of the trial, with the items of then', async () => {
    const coupon = await newCoupon({ cycles: 1 });
    const { id } = await scene.subscribe({ trial: { days: 14 }, coupon_id: coupon.id, quantity: 2, amount: 5_000 });
    const begun = await scene.subscriptions.checkout(id, byCard());
    expect([await timesOf(coupon.id), await toldOf(begun)]).toEqual([1, []]);
    await scene.subscriptions.update(id, { quantity: 1 });
    await scene.pass(id, 14 * DAY);
    expect([await totalsOf(id), await toldOf(begun)]).toEqual([[4_500], ['discount.redeemed']]);
    expect(await renewed(id)).toEqual([4_500, 5_000]);
  });

  test('waits for the first payment behind a trial without a card', async () => {
    const coupon = await newCoupon();
    const made = await scene.subscribe({ trial: FREE, coupon_id: coupon.id, amount: 10_000 });
    await scene.pass(made.id, 14 * DAY);
    const [first] = await invoicesOf(made.id);
    expect(first).toMatchObject({ status: 'open', total: 9_000 });
    await payByPix(scene.merchant, first?.id ?? '');
    expect(await toldOf(made)).toEqual(['discount.redeemed']);
  });

  test('waits for the start that is to come, and is redeemed by a bill of nothing', async () => {
    const coupon = await newCoupon({ percentage: 100 });
    const made = await scene.subscribe({ start_date: scene.now() + 5 * DAY, coupon_id: coupon.id });
    await scene.pass(made.id, 5 * DAY);
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'paid', total: 0 }]);
    expect(await toldOf(made)).toEqual(['discount.redeemed']);
  });

  test.each<[string, () => Partial<SubscriptionCreate>]>([
    ['in its trial', () => ({ trial: FREE })],
    ['before its card', () => ({ trial: { days: 14 } })],
    ['before its start', () => ({ start_date: scene.now() + DAY })],
    ['before its first payment', () => ({})],
  ])('is given back when it ends %s', async (_, more) => {
    const coupon = await newCoupon({ max_redemptions: 1 });
    const made = await scene.subscribe({ ...more(), coupon_id: coupon.id });
    expect((await scene.subscriptions.cancel(made.id)).discounts).toEqual(made.discounts);
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([0, ['discount.released']]);
    expect(await scene.subscribe({ coupon_id: coupon.id })).toMatchObject({ status: 'pending' });
  });

  test('is given back when nobody pays in time', async () => {
    const coupon = await newCoupon();
    const made = await scene.subscribe({ coupon_id: coupon.id });
    await scene.pass(made.id, 8 * DAY);
    expect(await scene.status(made.id)).toBe('inactive');
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([0, ['discount.released']]);
  });
});

describe('the first bill of an active subscription', () => {
  /** One whose first bill, at the end of its trial, the card did not pay. */
  async function unpaid() {
    const coupon = await newCoupon();
    const price = {
      unit_amount: 10_000,
      type: 'recurring',
      recurring: { interval: 'day', interval_count: 2 },
    } as const;
    const { id: price_id } = await newPrice(scene.merchant, price);
    const { id } = await scene.subscribe({ trial: { days: 3 }, coupon_id: coupon.id, price_id });
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    await scene.pass(id, 3 * DAY);
    const [first] = await invoicesOf(id);
    expect(first).toMatchObject({ status: 'open', total: 9_000 });
    return { coupon, id, first: first?.id ?? '' };
  }

  test('redeems its coupon when it is paid late, beside younger bills', async () => {
    const { coupon, id, first } = await unpaid();
    await scene.renew(id);
    const made = await scene.subscriptions.retrieve(id);
    expect([await totalsOf(id), await toldOf(made)]).toEqual([[9_000, 9_000], []]);
    await payByPix(scene.merchant, made.latest_invoice ?? '');
    expect(await toldOf(made)).toEqual([]);
    await payByPix(scene.merchant, first);
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([1, ['discount.redeemed']]);
  });

  test('gives its coupon back when it is voided by hand, and later bills are without it', async () => {
    const { coupon, id, first } = await unpaid();
    const made = await scene.subscriptions.retrieve(id);
    const told = await scene.told(id, () => scene.fatura.invoices.void(first));
    expect(told).toEqual(['payment_intent.discarded', 'invoice.voided', 'discount.released', 'subscription.updated']);
    expect([await timesOf(coupon.id), await toldOf(made)]).toEqual([0, ['discount.released']]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ discounts: { data: [] } });
    expect(await renewed(id)).toEqual([9_000, 10_000]);
  });

  test('keeps its coupon reserved when it is uncollectible, until the subscription ends', async () => {
    const { coupon, id, first } = await unpaid();
    await scene.fatura.invoices.markUncollectible(first);
    expect(await timesOf(coupon.id)).toBe(1);
    await scene.subscriptions.cancel(id);
    expect(await timesOf(coupon.id)).toBe(0);
    await payByPix(scene.merchant, first);
    expect(await scene.invoice(first)).toMatchObject({ status: 'paid', total: 9_000 });
    expect(await timesOf(coupon.id)).toBe(0);
  });
});

describe('a coupon of a subscription is refused', () => {
  const refused = async (more: object) => {
    const { id: price_id } = await newMonthly(scene.merchant, { unit_amount: 10_000 });
    const { status, code, param, message } = refusalOf(await post({ price_id, ...more }));
    return [status, code, param, /(active|redeem_by|applies_to|minimum_amount|first_time_only):/.exec(message)?.[1]];
  };

  test('by the rule that its message names, and then counts nothing', async () => {
    const fee = await newPrice(scene.merchant, { unit_amount: 5_000 });
    const setup = [{ price_id: fee.id }];
    const off = await newCoupon({ active: false });
    // What the first bill asks for beside is not of what it applies to.
    const dear = await newCoupon({ minimum_amount: 10_001 });
    const other = await newCoupon({ applies_to: { product_ids: [(await newPrice(scene.merchant)).product] } });
    for (const [{ id: coupon_id }, rule] of [
      [off, 'active'],
      [dear, 'minimum_amount'],
      [other, 'applies_to'],
    ] as const) {
      const answer = [422, 'COUPON_NOT_APPLICABLE', 'subscription.coupon_id', rule];
      expect(await refused({ coupon_id, setup })).toEqual(answer);
      expect(await timesOf(coupon_id)).toBe(0);
    }
    const named = await newCoupon({ minimum_amount: 5_000, applies_to: { price_ids: [fee.id] } });
    const { id: price_id } = await newMonthly(scene.merchant, { unit_amount: 10_000 });
    expect((await post({ price_id, setup, coupon_id: named.id })).status).toBe(201);
  });

  test('by a code that is none, and to who has paid before', async () => {
    const answer = [422, 'PROMOTION_CODE_INVALID', 'subscription.promotion_code', undefined];
    expect(await refused({ promotion_code: 'NUNCA-VISTO' })).toEqual(answer);
    const { code: promotion_code } = await newCode({ first_time_only: true });
    const { customer: customer_id } = await scene.subscribeByCard();
    expect(await refused({ promotion_code, customer_id })).toEqual([
      ...[422, 'COUPON_NOT_APPLICABLE', 'subscription.promotion_code', 'first_time_only'],
    ]);
  });

  test('with another coupon, with ten discounts, of another account, and not for what it takes off', async () => {
    const { id: coupon_id } = await scene.fatura.coupons.create({ name: 'Tudo', type: 'fixed', amount_cents: 99_999 });
    const both = await refused({ coupon_id, promotion_code: 'DOIS' });
    expect(both).toEqual([400, 'PARAMETER_INVALID', 'subscription.promotion_code', undefined]);
    const discounts = Array.from({ length: 10 }, () => ({ type: 'fixed', amount: 1 }));
    const many = await refused({ coupon_id, discounts });
    expect(many).toEqual([400, 'PARAMETER_INVALID', 'subscription.discounts', undefined]);
    const other = await scene.api.newMerchant();
    const theirs = await other.fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10 });
    const foreign = await refused({ coupon_id: theirs.id });
    expect(foreign).toEqual([404, 'RESOURCE_MISSING', 'subscription.coupon_id', undefined]);
    const excess = await refused({ coupon_id, discounts: discounts.slice(1) });
    expect(excess).toEqual([422, 'DISCOUNT_EXCEEDS_SUBTOTAL', 'subscription.discounts[0]', undefined]);
    expect(await timesOf(coupon_id)).toBe(0);
    const free = await scene.subscribe({ coupon_id });
    expect(free).toMatchObject({ status: 'active' });
  });
});

describe('many who subscribe at once', () => {
  test('get a coupon of ten ten times, and once more when one is given back', async () => {
    const coupon = await newCoupon({ max_redemptions: 10 });
    const { id: price_id } = await newMonthly(scene.merchant);
    const { id: customer_id } = await newCustomer(scene.merchant);
    const ask = () => post({ customer_id, price_id, coupon_id: coupon.id });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(10);
    const others = answers.filter(({ status }) => status !== 201).map(refusalOf);
    expect(new Set(others.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['422 COUPON_EXHAUSTED']));
    expect(await timesOf(coupon.id)).toBe(10);
    await scene.subscriptions.cancel((won[0]?.body as Subscription | undefined)?.id ?? '');
    const again = await Promise.all(Array.from({ length: 20 }, ask));
    expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await timesOf(coupon.id)).toBe(10);
  });
});
