import type { CouponCreate } from '@fatura/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

const RUNS = Number(process.env.PROPERTY_RUNS ?? 20);
const RUNS_MS = 10_000 * RUNS;
const DAY = 86_400;

const terms = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }).map((points) => ({ type: 'percentage' as const, percentage: points / 100 })),
  fc.integer({ min: 1, max: 12_000 }).map((amount_cents) => ({ type: 'fixed' as const, amount_cents })),
);
const step = fc.record({
  days: fc.integer({ min: 0, max: 27 }),
  /** Of the product that the coupon applies to. */
  isOfCoupon: fc.boolean(),
  cents: fc.constantFrom(990, 2_495, 9_990),
  effective: fc.constantFrom('now' as const, 'period_end' as const),
  isChanging: fc.boolean(),
});
const history = fc.record({
  terms,
  cycles: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});
type History = typeof history extends fc.Arbitrary<infer One> ? One : never;

/** What the coupon takes off what recurs of its product, in exact arithmetic. */
function offOf({ terms: { type, ...off } }: History, base: number): number {
  if (type === 'fixed' && 'amount_cents' in off) return Math.min(off.amount_cents, base);
  const points = BigInt(Math.round(('percentage' in off ? off.percentage : 0) * 100));
  return Number((BigInt(base) * points * 2n + 10_000n) / 20_000n);
}

async function live(drawn: History): Promise<void> {
  const [plan, extra, other] = [
    await newMonthly(scene.merchant, { unit_amount: 4_990 }),
    await newMonthly(scene.merchant, { unit_amount: 3_333 }),
    await scene.fatura.products.create({ name: 'Outro' }),
  ];
  const { id: customer_id } = await newCustomer(scene.merchant);
  const applies_to = { product_ids: [plan.product] };
  const { cycles } = drawn;
  const coupon = await scene.fatura.coupons.create({
    ...{ name: 'Um produto', ...drawn.terms, applies_to },
    ...(cycles !== undefined && { cycles }),
  } as CouponCreate); // one of the two forms
  const asked = { customer_id, items: [{ price_id: plan.id }, { price_id: extra.id }], coupon_id: coupon.id };
  const shown = await scene.subscriptions.preview(asked);
  const { id, latest_invoice: first } = await scene.subscriptions.create(asked);
  expect(shown.total).toBe((await scene.invoice(first ?? '')).total);
  if (shown.total > 0) await scene.subscriptions.checkout(id, byCard(cards.approved, { card: { exp_year: 2099 } }));
  else await scene.subscriptions.updatePaymentMethod(id, byCard(cards.approved, { card: { exp_year: 2099 } }));
  let bill = 1;
  for (const { days, isOfCoupon, cents, effective, isChanging } of drawn.steps) {
    await scene.pass(id, days * DAY);
    const subscription = await scene.subscriptions.retrieve(id);
    const item = subscription.items.data[0];
    if (isChanging && item !== undefined) {
      const product_id = isOfCoupon ? plan.product : other.id;
      const { id: price_id } = await newMonthly(scene.merchant, { product_id, unit_amount: cents });
      const change = { items: [{ item: item.id, price_id }], effective };
      const preview = await scene.fatura.subscriptionChanges.preview(id, change);
      await scene.fatura.subscriptionChanges.create(id, { ...change, expected_total: preview.total });
      expect((await scene.subscriptions.upcomingInvoice(id)).total).toBe(preview.next_invoice?.total);
    }
    const { total, subtotal, discounts, credit_amount } = await scene.subscriptions.upcomingInvoice(id);
    const made = await scene.renew(id);
    bill += 1;
    expect(made).toMatchObject({ total, subtotal, discounts, credit_amount });
    const renewed = await scene.subscriptions.retrieve(id);
    const base = renewed.items.data
      .filter(({ price }) => price.product === plan.product)
      .reduce((sum, { price, quantity }) => sum + price.unit_amount * quantity, 0);
    const off = bill <= (cycles ?? bill) ? offOf(drawn, base) : 0;
    expect(total).toBe(subtotal - off - credit_amount);
  }
}

test(
  'each bill takes off what the coupon is of, and is what its preview said, whatever the items were changed to',
  () => fc.assert(fc.asyncProperty(history, live), { numRuns: RUNS }),
  RUNS_MS,
);
