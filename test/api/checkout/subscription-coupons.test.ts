import type { CouponCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { redeemTyped } from '../../../server/checkout/typed-code.ts';
import { byCard } from '../../support/cards.ts';
import { newPrice, unique } from '../../support/factories.ts';
import { newMonthly, passUntil, renew } from '../../support/subscriptions.ts';
import { buyer, cardOf, PageScene, pathOf } from './page-scene.ts';
import type { SessionOverrides } from './session-scene.ts';

const scene = new PageScene();
const DAY = 86_400;

const fatura = () => scene.merchant.fatura;
const newCoupon = (more: Partial<CouponCreate> = {}) =>
  fatura().coupons.create({ name: 'Dez', type: 'percentage', percentage: 10, ...more } as CouponCreate); // one of the two forms
const newCode = async (coupon: Partial<CouponCreate> = {}, more: object = {}) =>
  fatura().promotionCodes.create({ coupon_id: (await newCoupon(coupon)).id, code: `A-${unique()}`, ...more });
const timesOf = async (id: string) => (await fatura().coupons.retrieve(id)).times_redeemed;

const sell = (overrides: SessionOverrides = {}) => scene.create({ mode: 'subscription', amount: 10_000, ...overrides });

async function type(id: string, text: string): Promise<void> {
  const { accountId } = scene.merchant;
  await redeemTyped(scene.deps, await readScope(scene.deps.pool, { accountId, liveMode: false }), { id, text });
}

async function subscriptionOf(session: string) {
  const { subscription } = await scene.session(session);
  return fatura().subscriptions.retrieve(subscription ?? '');
}

/** What the bills of a subscription come to, oldest first. */
const totalsOf = async (id: string) =>
  (await fatura().invoices.list({ subscription_id: id }).all({ max: 100 })).toReversed().map(({ total }) => total);

const collected = (id: string) => ({ api: scene.api, merchant: scene.merchant, id });

describe('a coupon of a session in mode subscription', () => {
  test('is taken over by its subscription, for as many bills as the coupon says and for its items alone', async () => {
    const plan = await newMonthly(scene.merchant, { unit_amount: 10_000 });
    const extra = await newMonthly(scene.merchant, { unit_amount: 3_000 });
    const fee = await newPrice(scene.merchant, { unit_amount: 5_000 });
    const coupon = await newCoupon({ cycles: 2, applies_to: { price_ids: [plan.id, fee.id] } });
    const line_items = [plan, extra, fee].map(({ id: price_id }) => ({ price_id, quantity: 1 }));
    const session = await sell({ line_items, coupon_id: coupon.id, customer_id: null });
    expect([session.discounts?.data[0]?.coupon, await timesOf(coupon.id)]).toEqual([coupon.id, 1]);
    const filled = await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    expect(filled.purchase).toMatchObject({ amount: 16_500, discounts: [{ description: 'Dez', amount: 1_500 }] });
    const { id, discounts } = await subscriptionOf(session.id);
    expect(discounts.data).toMatchObject([
      { coupon: coupon.id, description: 'Dez', cycles: 2, applies_to: { products: [], prices: [plan.id, fee.id] } },
    ]);
    await fatura().subscriptions.checkout(id, byCard());
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', amount: 16_500 });
    await renew(collected(id));
    await renew(collected(id));
    expect(await totalsOf(id)).toEqual([16_500, 12_000, 13_000]);
    expect(await timesOf(coupon.id)).toBe(1);
  });

  test('is given back with the deadline, whether its buyer is known or not, also of a trial', async () => {
    const coupon = await newCoupon({ max_redemptions: 1 });
    for (const overrides of [{}, { customer_id: null }, { subscription: { trial: { days: 14 } } }] as const) {
      const session = await sell({ ...overrides, coupon_id: coupon.id });
      expect(await timesOf(coupon.id)).toBe(1);
      await scene.pass(session, 30);
      await scene.decide(session.id);
      expect(await scene.session(session.id)).toMatchObject({ status: 'expired' });
      expect(await timesOf(coupon.id)).toBe(0);
    }
  });
});

describe('a code that the buyer of a subscription types', () => {
  test('takes something off the first bill and those to come', async () => {
    const session = await sell({ allow_promotion_codes: true, discounts: [{ type: 'fixed', amount_cents: 500 }] });
    const code = await newCode({ cycles: 2 });
    const page = await scene.send(`${pathOf(session)}/code`, { body: { promotion_code: code.code } });
    expect(page).toMatchObject({ status: 200, purchase: { amount: 8_500, takesCode: false } });
    expect(await scene.session(session.id)).toMatchObject({ amount: 8_500, status: 'open' });
    expect(await scene.told(session)).toEqual([
      ...['subscription.created', 'invoice.created', 'checkout_session.created'],
      ...['subscription.updated', 'invoice.updated'],
    ]);
    const { id, discounts } = await subscriptionOf(session.id);
    expect(discounts.data).toMatchObject([{ promotion_code: code.id, cycles: 2 }, { amount: 500 }]);
    await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    await renew(collected(id));
    await renew(collected(id));
    expect([await totalsOf(id), await timesOf(code.coupon)]).toEqual([[8_500, 8_500, 9_500], 1]);
  });

  test('completes a session that comes to nothing by it, and the subscription is active', async () => {
    const session = await sell({ allow_promotion_codes: true });
    await type(session.id, (await newCode({ percentage: 100, cycles: 1 })).code);
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', amount: 0 });
    const { id, ...active } = await subscriptionOf(session.id);
    expect(active).toMatchObject({ status: 'active', current_period_start: scene.api.clock.now() });
    await passUntil(collected(id), active.current_period_end ?? 0);
    expect(await totalsOf(id)).toEqual([0, 10_000]);
  });

  test('counts from the first bill behind a trial', async () => {
    const trial = { days: 14 };
    const session = await sell({ allow_promotion_codes: true, subscription: { trial } });
    const code = await newCode({ cycles: 1 });
    await type(session.id, code.code);
    expect(await scene.session(session.id)).toMatchObject({ amount: 0, status: 'open', invoice: null });
    const { id } = await subscriptionOf(session.id);
    await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    await passUntil(collected(id), scene.api.clock.now() + 14 * DAY);
    expect([await totalsOf(id), await timesOf(code.coupon)]).toEqual([[9_000], 1]);
  });

  test('is refused where it leaves less than the other discounts take off', async () => {
    const session = await sell({ allow_promotion_codes: true, discounts: [{ type: 'fixed', amount_cents: 5_000 }] });
    const code = await newCode({ percentage: 60 });
    await expect(type(session.id, code.code)).rejects.toMatchObject({ code: 'PROMOTION_CODE_INVALID' });
    expect([await timesOf(code.coupon), await scene.session(session.id)]).toMatchObject([0, { amount: 5_000 }]);
  });

  test('is one of many who type the last one', async () => {
    const code = await newCode({}, { max_redemptions: 1 });
    const open = (more: SessionOverrides = {}) => sell({ allow_promotion_codes: true, ...more });
    const trial = { trial: { days: 14 } };
    const sessions = [await open(), await open({ customer_id: null }), await open({ subscription: trial })];
    const typed = await Promise.allSettled(sessions.map(({ id }) => type(id, code.code)));
    expect(typed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await timesOf(code.coupon)).toBe(1);
  });

  test('and a card that is charged at the same moment come one after the other', async () => {
    for (const [delay, first] of [
      [0, 'code'],
      [20, 'card'],
    ] as const) {
      const session = await sell({ allow_promotion_codes: true });
      const code = await newCode();
      const { id } = await subscriptionOf(session.id);
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const [typed] = await Promise.allSettled([
        wait(delay).then(() => type(session.id, code.code)),
        wait(20 - delay).then(() => fatura().subscriptions.checkout(id, byCard())),
      ]);
      const isRedeemed = typed.status === 'fulfilled';
      expect([first, await totalsOf(id)]).toEqual([first, [isRedeemed ? 9_000 : 10_000]]);
      expect(await timesOf(code.coupon)).toBe(isRedeemed ? 1 : 0);
    }
  });
});
