import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { redeemTyped } from '../../../server/checkout/typed-code.ts';
import { newInvoice, unique } from '../../support/factories.ts';
import { refusalOf, send } from '../requests.ts';
import { SessionScene, sessionBody } from './session-scene.ts';

const scene = new SessionScene();

async function newCode(more: object = {}, percentage = 10) {
  const { fatura } = scene.merchant;
  const { id: coupon_id } = await fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage });
  return fatura.promotionCodes.create({ coupon_id, code: `T-${unique()}`, ...more });
}

async function type(id: string, text: string): Promise<void> {
  const { accountId } = scene.merchant;
  await redeemTyped(scene.deps, await readScope(scene.deps.pool, { accountId, liveMode: false }), { id, text });
}

const open = (overrides: Parameters<typeof sessionBody>[1] = {}) =>
  scene.create({ amount: 10_000, allow_promotion_codes: true, ...overrides });

describe('a code that a buyer types', () => {
  test('takes something off what is charged already, and is told by invoice.updated', async () => {
    const session = await open();
    const code = await newCode();
    await type(session.id, ` ${code.code.toLowerCase()} `);
    const { amount, discounts, invoice } = await scene.session(session.id);
    expect([amount, discounts?.data[0]?.promotion_code]).toEqual([9_000, code.id]);
    expect(await scene.invoice(invoice ?? '')).toMatchObject({ total: 9_000, discounts });
    expect(await scene.told(session)).toEqual(['invoice.created', 'checkout_session.created', 'invoice.updated']);
    await scene.payByCard(invoice ?? '');
    expect(await scene.merchant.fatura.promotionCodes.retrieve(code.id)).toMatchObject({ times_redeemed: 1 });
  });

  test('completes a session that comes to nothing by it', async () => {
    const session = await open();
    const code = await newCode({}, 100);
    await type(session.id, code.code);
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', amount: 0 });
  });

  test('is one of many who type the last one', async () => {
    const code = await newCode({ max_redemptions: 1 });
    const sessions = await Promise.all([open(), open(), open({ customer_id: null }), open({ customer_id: null })]);
    const typed = await Promise.allSettled(sessions.map(({ id }) => type(id, code.code)));
    expect(typed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is refused alike, whatever is wrong: unknown, of no form, exhausted, against a rule, a second one, or not allowed', async () => {
    const session = await open();
    const [used, first] = [await newCode({ max_redemptions: 1 }), await newCode({ first_time_only: true })];
    await newInvoice(scene.merchant, { amount: 0, customer_id: session.customer ?? '' });
    await newInvoice(scene.merchant, { promotion_code: used.code });
    const invalid = { code: 'PROMOTION_CODE_INVALID', message: 'The code cannot be redeemed here' };
    for (const text of ['NUNCA-VISTO', '!', used.code, first.code])
      await expect(type(session.id, text)).rejects.toMatchObject(invalid);
    const good = await newCode();
    await type(session.id, good.code);
    await expect(type(session.id, (await newCode()).code)).rejects.toMatchObject(invalid);
    const closed = await scene.create({ amount: 10_000 });
    await expect(type(closed.id, good.code)).rejects.toMatchObject(invalid);
  });

  test('comes too late once a charge was made', async () => {
    const session = await open();
    await scene.merchant.fatura.invoices.checkout(session.invoice ?? '', { payment_method_type: 'pix' });
    await expect(type(session.id, (await newCode()).code)).rejects.toMatchObject({ code: 'PAYMENT_IN_PROGRESS' });
  });

  test('is not asked for beside a coupon', async () => {
    const { code: promotion_code } = await newCode();
    const ask = async (overrides: Parameters<typeof sessionBody>[1]) => {
      const session = { ...(await sessionBody(scene.merchant, overrides)), allow_promotion_codes: true };
      const { sandboxKey: key } = scene.merchant;
      return refusalOf(await send(scene.api, { method: 'POST', path: '/checkout/sessions', key, body: { session } }));
    };
    expect(await ask({ promotion_code })).toMatchObject({ status: 400, param: 'session.allow_promotion_codes' });
  });
});
