import { describe, expect, test } from 'vitest';
import { performDue } from '../../../../server/subscriptions/billing/due.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { newPrice } from '../../../support/factories.ts';
import { newMonthly } from '../../../support/subscriptions.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const BEGUN = 'subscription.period_started';
const CREATED = 'invoice.created';

const totals = async (id: string) => {
  const invoices = await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  return invoices.toReversed().map(({ total }) => total);
};

/** Lets so many renewals be billed. */
async function renewTimes(id: string, times: number): Promise<void> {
  for (let time = 1; time <= times; time += 1) await scene.renew(id);
}

describe('a renewal of nothing', () => {
  const free = { type: 'fixed', amount: 9_990 } as const;

  test('by card is paid as its cycle begins, without a charge', async () => {
    const { id } = await scene.subscribe({ amount: 0 });
    await scene.subscriptions.updatePaymentMethod(id, byCard());
    await scene.untilDue(id);
    const told = await scene.told(id, async () => expect(await performDue(scene.deps, id)).toBe('free'));
    expect(told).toEqual([BEGUN, CREATED, 'invoice.paid']);
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
    expect(await scene.invoice(invoice ?? '')).toMatchObject({ status: 'paid', total: 0, payment_intent: null });
  });

  test('without a method is paid ahead, and its cycle begins in its time', async () => {
    const { id } = await scene.subscribe({ discounts: [free] });
    await scene.untilDue(id);
    const told = await scene.told(id, async () => expect(await performDue(scene.deps, id)).toBe('free'));
    expect(told).toEqual([CREATED, 'invoice.paid']);
    expect(await scene.told(id, () => scene.pass(id, 3 * DAY))).toEqual([BEGUN]);
    expect(await scene.told(id, () => scene.pass(id, 20 * DAY))).toEqual([]);
    expect(await scene.cycles(id)).toMatchObject({ cycle: 2 });
  });
});

describe('what a renewal bills', () => {
  test('is less the discounts for as many bills as they last', async () => {
    const price = await newMonthly(scene.merchant, { unit_amount: 10_000 });
    const { id } = await scene.subscribe({
      price_id: price.id,
      discounts: [
        { type: 'percentage', percentage: 50, cycles: 2 },
        { type: 'fixed', amount: 1_000, cycles: 3 },
        { type: 'fixed', amount: 1 },
      ],
    });
    await scene.subscriptions.checkout(id, byCard());
    await renewTimes(id, 3);
    expect(await totals(id)).toEqual([3_999, 3_999, 8_999, 9_999]);
  });

  test('takes no more off than there is', async () => {
    const price = await newMonthly(scene.merchant, { unit_amount: 1_000 });
    const { id } = await scene.subscribe({
      price_id: price.id,
      quantity: 2,
      discounts: [{ type: 'fixed', amount: 1_500 }],
    });
    await scene.subscriptions.checkout(id, byCard());
    await scene.subscriptions.update(id, { quantity: 1 });
    const invoice = await scene.renew(id);
    expect(invoice).toMatchObject({ total: 0, status: 'paid', discounts: { data: [{ amount_cents: 1_000 }] } });
  });

  test('counts the bills of its discounts, also after a suspension that left out cycles', async () => {
    const weekly = await newPrice(scene.merchant, {
      type: 'recurring',
      recurring: { interval: 'week' },
      unit_amount: 10_000,
    });
    const discounts = [{ type: 'percentage', percentage: 10, cycles: 4 } as const];
    const { id } = await scene.subscribe({ price_id: weekly.id, discounts });
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    await scene.renew(id);
    await scene.suspend(id);
    // Three were billed: the first, the one that is paid now, and one that was voided.
    await scene.subscriptions.checkout(id, byCard());
    await renewTimes(id, 2);
    expect(await totals(id)).toEqual([9_000, 9_000, 9_000, 9_000, 10_000]);
    expect((await scene.cycles(id)).invoices.map(([cycle, status]) => [cycle, status])).toEqual([
      [1, 'paid'],
      [3, 'void'],
      [4, 'paid'],
      [5, 'paid'],
      [6, 'paid'],
    ]);
  });

  test('is in the quantity that was asked for before its cycle', async () => {
    const { id } = await scene.subscribeByCard();
    await scene.renew(id);
    await scene.subscriptions.update(id, { quantity: 3 });
    await renewTimes(id, 1);
    await scene.subscriptions.update(id, { quantity: 2 });
    expect(await totals(id)).toEqual([9_990, 9_990, 29_970]);
    await renewTimes(id, 1);
    expect(await totals(id)).toEqual([9_990, 9_990, 29_970, 19_980]);
  });

  test('ahead is in the quantity of its instant', async () => {
    const { id } = await scene.subscribePaidByPix();
    const { payment_intent: intent } = await scene.renew(id);
    await scene.subscriptions.update(id, { quantity: 3 });
    expect(await totals(id)).toEqual([9_990, 9_990]);
    await scene.payPix(intent ?? '');
    await scene.renew(id);
    expect(await totals(id)).toEqual([9_990, 9_990, 29_970]);
  });

  test('is charged in the installments of the first payment, as far as they are still allowed', async () => {
    const price = await newPrice(scene.merchant, {
      type: 'recurring',
      recurring: { interval: 'month', interval_count: 6 },
      unit_amount: 600,
      card_installments_enabled: true,
    });
    const { id } = await scene.subscribe({ price_id: price.id, quantity: 5 });
    await scene.subscriptions.checkout(id, byCard(cards.approved, { installments: 6 }));
    const installments: unknown[] = [];
    for (const change of [{ quantity: 5 }, { quantity: 2 }, { quantity: 9 }]) {
      await scene.subscriptions.update(id, change);
      const { payment_intent: intent } = await scene.renew(id);
      installments.push((await scene.intent(intent ?? '')).installments);
    }
    expect(installments).toEqual([6, 2, 6]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ installments: 6 });
  });
});
