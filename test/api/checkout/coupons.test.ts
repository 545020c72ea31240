import type { CouponCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { attachBuyer, type BuyerForm } from '../../../server/checkout/attach.ts';
import { newInvoice, unique } from '../../support/factories.ts';
import { refusalOf, send } from '../requests.ts';
import { DECISION, SessionScene, sessionBody } from './session-scene.ts';

const scene = new SessionScene();

const newCoupon = (more: Partial<CouponCreate> = {}) =>
  scene.merchant.fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10, ...more } as CouponCreate); // one of the two forms
const newCode = async (more: object = {}, coupon: Partial<CouponCreate> = {}) =>
  scene.merchant.fatura.promotionCodes.create({
    coupon_id: (await newCoupon(coupon)).id,
    code: `S-${unique()}`,
    ...more,
  });
const timesOf = async (id: string) => (await scene.merchant.fatura.coupons.retrieve(id)).times_redeemed;

const ana = (): BuyerForm => ({
  name: 'Ana Souza',
  identifier: '529.982.247-25',
  email: `ana${unique()}@loja.test`,
  phone: '(11) 98765-4321',
});
async function fill(id: string, buyer = ana()): Promise<void> {
  const { accountId } = scene.merchant;
  await attachBuyer(scene.deps, await readScope(scene.deps.pool, { accountId, liveMode: false }), { id, buyer });
}

const statusesOf = async (couponId: string) =>
  (await scene.rows('SELECT status FROM redemption WHERE coupon_id = $1 ORDER BY id', couponId)).map(
    ({ status }) => status,
  );

describe('a coupon of a checkout session', () => {
  test('is reserved with it, taken over by its invoice, and redeemed by the payment', async () => {
    const coupon = await newCoupon({ max_redemptions: 1 });
    const session = await scene.create({ amount: 10_000, coupon_id: coupon.id });
    expect(session).toMatchObject({
      amount: 9_000,
      discounts: { data: [{ coupon: coupon.id, promotion_code: null }] },
    });
    const invoice = await scene.invoice(session.invoice ?? '');
    expect([invoice.total, invoice.discounts]).toEqual([9_000, session.discounts]);
    expect(await statusesOf(coupon.id)).toEqual(['reserved']);
    await scene.payByCard(invoice.id);
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
    expect([await timesOf(coupon.id), await statusesOf(coupon.id)]).toEqual([1, ['redeemed']]);
  });

  test('is released when the session is closed or comes to its deadline, and may be redeemed again', async () => {
    const code = await newCode({ max_redemptions: 1 });
    const promotion_code = code.code.toLowerCase();
    const closed = await scene.create({ promotion_code });
    await scene.merchant.fatura.checkoutSessions.expire(closed.id);
    expect(await timesOf(code.coupon)).toBe(0);
    const nobody = await scene.create({ promotion_code, customer_id: null });
    expect(await timesOf(code.coupon)).toBe(1);
    await scene.pass(nobody, DECISION);
    await scene.decide(nobody.id);
    expect(await timesOf(code.coupon)).toBe(0);
    await scene.create({ promotion_code });
    expect(await statusesOf(code.coupon)).toEqual(['released', 'released', 'reserved']);
  });

  test('waits for its buyer, who pays the less', async () => {
    const code = await newCode({ first_time_only: true });
    const { id } = await scene.create({ amount: 10_000, promotion_code: code.code, customer_id: null });
    await fill(id);
    const { invoice, amount } = await scene.session(id);
    expect(amount).toBe(9_000);
    await scene.payByCard(invoice ?? '');
    expect(await statusesOf(code.coupon)).toEqual(['redeemed']);
  });

  test('for first purchases is given back where its buyer has paid before', async () => {
    const code = await newCode({ first_time_only: true });
    const before = await scene.create({ customer_id: null });
    const buyer = ana();
    await fill(before.id, buyer);
    await scene.payByCard((await scene.session(before.id)).invoice ?? '');
    const { id } = await scene.create({ amount: 10_000, promotion_code: code.code, customer_id: null });
    await fill(id, buyer);
    const session = await scene.session(id);
    expect([session.amount, session.discounts]).toEqual([10_000, undefined]);
    expect([await timesOf(code.coupon), await statusesOf(code.coupon)]).toEqual([0, ['released']]);
  });

  test('makes a session complete at once that comes to nothing', async () => {
    const coupon = await newCoupon({ percentage: 100 });
    const session = await scene.create({ coupon_id: coupon.id });
    expect(session).toMatchObject({ status: 'complete', amount: 0 });
    expect(await statusesOf(coupon.id)).toEqual(['redeemed']);
  });

  test('is refused as on an invoice, and of one customer alone where nobody knows who buys', async () => {
    const ask = async (overrides: Parameters<typeof sessionBody>[1]) => {
      const body = { session: await sessionBody(scene.merchant, overrides) };
      const answer = await send(scene.api, {
        method: 'POST',
        path: '/checkout/sessions',
        key: scene.merchant.sandboxKey,
        body,
      });
      const { status, code, param } = refusalOf(answer);
      return [status, code, param];
    };
    const { id: coupon_id } = await newCoupon({ minimum_amount: 20_000 });
    expect(await ask({ amount: 10_000, coupon_id })).toEqual([422, 'COUPON_NOT_APPLICABLE', 'session.coupon_id']);
    const { customer: customer_id } = await newInvoice(scene.merchant);
    const { code: promotion_code } = await newCode({ customer_id });
    expect(await ask({ customer_id: null, promotion_code })).toEqual([
      422,
      'PROMOTION_CODE_INVALID',
      'session.promotion_code',
    ]);
  });
});
