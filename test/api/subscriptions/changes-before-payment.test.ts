import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { refusal, SURPLUS } from '../payments/payment-scene.ts';
import { ChangeScene, DAY } from './change-scene.ts';

const scene = new ChangeScene();

/** Waits for its first payment of R$ 49,90. */
const pending = async (overrides: Parameters<ChangeScene['subscribe']>[0] = {}) => {
  const subscription = await scene.subscribe({ amount: 4_990, ...overrides });
  return { subscription, id: subscription.id, first: subscription.latest_invoice ?? '' };
};

const anewOf = async (id: string) => scene.invoice((await scene.subscriptions.retrieve(id)).latest_invoice ?? '');

describe('a change before the first payment', () => {
  test('has the first bill made anew, due as before, and it is paid as the first', async () => {
    const { subscription, id, first } = await pending();
    await scene.pass(id, DAY);
    const up = await scene.toPrice(subscription, 9_990);
    const shown = await scene.preview(id, up);
    expect(shown).toMatchObject({ effective: 'now', total: 0, due_now: 0, next_invoice: { total: 9_990, cycle: 1 } });
    const told = await scene.told(id, () => scene.change(id, up));
    expect(told).toEqual(['invoice.voided', 'subscription.changed', 'invoice.created']);
    const { due_at: due, status } = await scene.invoice(first);
    expect(status).toBe('void');
    const anew = await anewOf(id);
    expect(anew).toMatchObject({
      status: 'open',
      total: 9_990,
      cycle: 1,
      billing_reason: 'subscription_create',
      due_at: due,
    });
    await scene.subscriptions.checkout(id, byCard());
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', latest_invoice: anew.id });
    expect(await scene.renew(id)).toMatchObject({ cycle: 2, total: 9_990 });
  });

  test('ends its QR code, and what is paid late goes back', async () => {
    const { subscription, id, first } = await pending();
    const { intent } = await scene.checkoutByPix(first);
    await scene.change(id, await scene.toPrice(subscription, 9_990));
    expect(await scene.told(id, () => scene.payPix(intent, 'paid_late'))).toEqual(SURPLUS);
    expect(await scene.status(id)).toBe('pending');
    await payByPix(scene.merchant, (await anewOf(id)).id);
    expect(await scene.status(id)).toBe('active');
  });

  test('is refused once its PIX is paid, and changes nothing', async () => {
    const { subscription, id, first } = await pending();
    const { intent } = await scene.checkoutByPix(first);
    await scene.payPixUnheard(intent);
    const up = await scene.toPrice(subscription, 9_990);
    await expect(scene.change(id, up)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ status: 'active', latest_invoice: first, item: { price: { unit_amount: 4_990 } } },
    });
  });

  test('keeps what the first bill asked for once, and counts its discounts from it', async () => {
    const fee = await newPrice(scene.merchant, { unit_amount: 3_000 });
    const { subscription, id } = await pending({
      setup: [{ price_id: fee.id }],
      discounts: [{ type: 'percentage', percentage: 50, cycles: 1 }],
    });
    const up = await scene.toPrice(subscription, 9_990);
    const shown = await scene.preview(id, up);
    await scene.change(id, up);
    const anew = await anewOf(id);
    expect(anew.line_items.data.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['recurring', 9_990],
      ['setup', 3_000],
    ]);
    expect([anew.total, shown.next_invoice.total]).toEqual([7_995, 7_995]);
    await scene.subscriptions.checkout(id, byCard());
    expect((await scene.renew(id)).total).toBe(9_990);
  });

  test('to what costs nothing activates it', async () => {
    const { subscription, id } = await pending({ discounts: [{ type: 'fixed', amount: 1_000 }] });
    await scene.change(id, await scene.toPrice(subscription, 500));
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
    expect(await anewOf(id)).toMatchObject({ status: 'paid', total: 0 });
  });

  test('of the interval begins with the payment', async () => {
    const { subscription, id } = await pending();
    await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), proration: 'invoice_now' });
    const { current_period_start: start, current_period_end: end } = await scene.subscriptions.checkout(id, byCard());
    expect((end ?? 0) - (start ?? 0)).toBeGreaterThan(364 * DAY);
    expect(start).toBe(scene.now());
  });

  test('leaves the end that comes without a payment where it was', async () => {
    const { subscription, id } = await pending();
    await scene.pass(id, 6 * DAY);
    await scene.change(id, await scene.toPrice(subscription, 9_990));
    expect(await scene.pass(id, DAY)).toEqual(['ended']);
    expect((await anewOf(id)).status).toBe('void');
  });

  test('that waits for a card of its trial moves no money', async () => {
    const { subscription, id } = await pending({ trial: { days: 10 } });
    const up = await scene.toPrice(subscription, 9_990);
    expect((await scene.preview(id, up)).next_invoice).toMatchObject({ total: 9_990, cycle: 1 });
    expect(await scene.told(id, () => scene.change(id, up))).toEqual(['subscription.changed']);
    await scene.subscriptions.checkout(id, byCard());
    await scene.pass(id, 11 * DAY);
    expect(await anewOf(id)).toMatchObject({ total: 9_990, cycle: 1, status: 'paid' });
  });

  test('writes to its buyer again of a bill that came by itself', async () => {
    const { subscription, id } = await pending({ trial: { days: 1, requires_payment_method: false } });
    await scene.pass(id, DAY);
    const mailsOf = (invoice: string) => scene.rows('SELECT id FROM mail WHERE invoice_id = $1', invoice);
    expect(await mailsOf((await anewOf(id)).id)).toHaveLength(1);
    await scene.change(id, await scene.toPrice(subscription, 9_990));
    expect(await mailsOf((await anewOf(id)).id)).toHaveLength(1);
  });

  test('is refused while an open session offers it', async () => {
    const { id: customer } = await newCustomer(scene.merchant);
    for (const subscription of [undefined, { trial: { days: 10 } }]) {
      const price = await scene.newPriceOf(4_990);
      const session = await scene.fatura.checkoutSessions.create({
        mode: 'subscription',
        customer_id: customer,
        line_items: [{ price_id: price.id, quantity: 1 }],
        success_url: 'https://loja.test/ok',
        return_url: 'https://loja.test/volta',
        ...(subscription !== undefined && { subscription }),
      });
      const id = session.subscription ?? '';
      const up = await scene.toPrice(await scene.subscriptions.retrieve(id), 9_990);
      await expect(scene.change(id, up)).rejects.toEqual(
        refusal('INVALID_STATE', { message: expect.stringContaining(session.id) }),
      );
    }
  });

  test('is none of a reactivated one', async () => {
    const { id } = await scene.make('reactivated');
    const up = await scene.toPrice(await scene.subscriptions.retrieve(id), 9_990);
    await expect(scene.change(id, up)).rejects.toEqual(refusal('INVALID_STATE'));
  });

  test('is refused while a card is at the acquirer', async () => {
    const { subscription, id } = await pending();
    const up = await scene.toPrice(subscription, 9_990);
    const charging = scene.subscriptions.checkout(id, byCard(cards.answer_lost)).catch(() => null);
    await charging;
    await expect(scene.change(id, up)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
  });
});
