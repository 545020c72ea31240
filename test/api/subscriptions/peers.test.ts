import type { Subscription } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

/** What users of other billing systems reported in public; each is named by its thread. */
const scene = new SubscriptionScene();

const DAY = 86_400;

async function active(cents = 4_990, method: 'card' | 'pix' = 'card'): Promise<Subscription> {
  const { id, latest_invoice: first } = await scene.subscribe({ amount: cents });
  if (method === 'card') await scene.subscriptions.checkout(id, byCard());
  else await payByPix(scene.merchant, first ?? '');
  return scene.subscriptions.retrieve(id);
}

const priced = (cents: number, months = 1) =>
  newPrice(scene.merchant, {
    type: 'recurring',
    recurring: { interval: 'month', interval_count: months },
    unit_amount: cents,
  });

/** Has the item of a subscription billed by another price, at once. */
async function to({ id, item }: Subscription, cents: number, months = 1) {
  const items = [{ item: item.id, price_id: (await priced(cents, months)).id }];
  return scene.fatura.subscriptionChanges.create(id, { items, ...(months === 1 && { effective: 'now' }) });
}

test('a year to a month is no upgrade, whatever it costs: getlago/lago#170, getlago/lago-api#1834', async () => {
  for (const cents of [9_990, 990_000]) {
    const yearly = await scene.subscribe({ price_id: (await priced(119_880, 12)).id });
    await scene.subscriptions.checkout(yearly.id, byCard());
    const { current_period_end: end } = await scene.subscriptions.retrieve(yearly.id);
    const monthly = { items: [{ item: yearly.item.id, price_id: (await priced(cents)).id }] };
    const made = await scene.fatura.subscriptionChanges.create(yearly.id, monthly);
    expect(made).toMatchObject({ effective: 'period_end', effective_at: end, charge: 0, credit: 0 });
  }
});

test('two upgrades in one period credit each day once: getlago/lago-api#1778', async () => {
  const subscription = await active();
  const first = await to(subscription, 9_990);
  const second = await to(subscription, 19_990);
  // All on the first day: what is left to pay is the difference of the plans.
  expect(first.total).toBe(5_000);
  expect([second.charge, second.credit]).toEqual([19_990, first.charge]);
  expect((await scene.renew(subscription.id)).total).toBe(19_990 + 15_000);
});

test('a preview is the invoice: getlago/lago-api#4770, stripe/stripe-node#1843', async () => {
  const subscription = await active(4_990, 'pix');
  await scene.pass(subscription.id, 7 * DAY);
  const items = [{ item: subscription.item.id, quantity: 3 }];
  const { next_invoice: shown, total } = await scene.fatura.subscriptionChanges.preview(subscription.id, { items });
  await scene.fatura.subscriptionChanges.create(subscription.id, { items, expected_total: total });
  const made = await scene.renew(subscription.id);
  expect(made.line_items).toEqual(shown.line_items);
  expect(made.credits.data.map(({ amount }) => amount)).toEqual(shown.credits.data.map(({ amount }) => amount));
  expect(made.total).toBe(shown.total);
});

test('charge and credit count the same days: getlago/lago-api#6194, #1179', async () => {
  const subscription = await active(3_333);
  await scene.pass(subscription.id, 11 * DAY);
  const same = await to(subscription, 3_333);
  expect(same.charge).toBe(same.credit);
  expect(same.charge).toBeGreaterThan(0);
});

test('many changes leave no odd cents: killbill/killbill#1533', async () => {
  const subscription = await active(2_003);
  for (let days = 1; days <= 6; days += 1) {
    await scene.pass(subscription.id, DAY);
    await to(subscription, days % 2 === 1 ? 3_337 : 2_003);
  }
  await to(subscription, 3_337);
  await to(subscription, 2_003);
  const { charge, credit } = await sumOf(subscription.id);
  // Three days of the six were of the higher price.
  const days = Math.round(((subscription.current_period_end ?? 0) - (subscription.current_period_start ?? 0)) / DAY);
  expect(Math.abs(charge - credit - (3 * (3_337 - 2_003)) / days)).toBeLessThan(6);
  expect((await scene.renew(subscription.id)).total).toBe(2_003 + charge - credit);
});

async function sumOf(id: string): Promise<{ charge: number; credit: number }> {
  const waiting = await scene.fatura.invoiceItems.list({ subscription_id: id, status: 'pending' }).all({ max: 100 });
  const of = (type: string) => waiting.reduce((sum, item) => sum + (item.type === type ? item.amount : 0), 0);
  return { charge: of('charge'), credit: of('credit') };
}

test('an invoice that was issued is not decided again: killbill/killbill#159, #57, #1862, #1887', async () => {
  const subscription = await active();
  const issued = await scene.invoice(subscription.latest_invoice ?? '');
  await to(subscription, 9_990);
  await scene.renew(subscription.id);
  expect(await scene.invoice(issued.id)).toEqual(issued);
});

test('a quantity in a trial is not billed: stripe/stripe-node#1246, stripe/stripe-dotnet#1166', async () => {
  const trial = { days: 10, requires_payment_method: false };
  const { id, item } = await scene.subscribe({ amount: 4_990, trial });
  await scene.fatura.subscriptionChanges.create(id, { items: [{ item: item.id, quantity: 5 }] });
  expect(await sumOf(id)).toEqual({ charge: 0, credit: 0 });
  await scene.pass(id, 11 * DAY);
  const { latest_invoice: first } = await scene.subscriptions.retrieve(id);
  expect((await scene.invoice(first ?? '')).total).toBe(24_950);
});

test('the anchor stays where a plan changes: polarsource/polar#6369, #10664', async () => {
  const subscription = await active();
  await scene.pass(subscription.id, 9 * DAY);
  await to(subscription, 9_990);
  const changed = await scene.subscriptions.retrieve(subscription.id);
  expect(changed.billing_cycle_anchor).toBe(subscription.billing_cycle_anchor);
  expect(changed.current_period_end).toBe(subscription.current_period_end);
});

test('a cycle that is asked for twice at once is billed once: Vexa-ai/vexa#330, #350', async () => {
  const { id } = await active();
  await scene.untilDue(id);
  await Promise.all([scene.pass(id, 0), scene.pass(id, 0), scene.pass(id, 0)]);
  const invoices = await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 10 });
  expect(invoices.map(({ cycle }) => cycle).toSorted()).toEqual([1, 2]);
});

test('a cap of a coupon holds however many ask: useautumn/autumn#250, #1816, #1939', async () => {
  const { fatura } = scene.merchant;
  const coupon = await fatura.coupons.create({ name: 'Dez', type: 'percentage', percentage: 10, max_redemptions: 3 });
  const { id: customer } = await newCustomer(scene.merchant);
  const line_items = [{ price_id: (await newPrice(scene.merchant)).id, quantity: 1 }];
  const asked = Array.from({ length: 12 }, () =>
    fatura.invoices.create({ customer_id: customer, line_items, coupon_id: coupon.id }).then(
      () => 'redeemed',
      ({ code }: { code: string }) => code,
    ),
  );
  const answers = await Promise.all(asked);
  expect(answers.filter((answer) => answer === 'redeemed')).toHaveLength(3);
  expect(new Set(answers)).toEqual(new Set(['redeemed', 'COUPON_EXHAUSTED']));
});

test('a term can be fixed: killbill/killbill#501', async () => {
  const price = await newMonthly(scene.merchant, { unit_amount: 8_990 });
  const minimum_term = { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;
  const { id } = await scene.subscribe({ price_id: price.id, minimum_term });
  await scene.subscriptions.checkout(id, byCard());
  for (let cycle = 2; cycle <= 4; cycle += 1) await scene.renew(id);
  const { minimum_term: term } = await scene.subscriptions.retrieve(id);
  expect(term?.penalty_now).toBe(14_384);
});
