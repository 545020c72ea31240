import type { Subscription, SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newPrice } from '../../support/factories.ts';
import { subscribeByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;
const TERM = { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;
type Term = NonNullable<SubscriptionCreate['minimum_term']>;

const retrieve = (id: string) => scene.subscriptions.retrieve(id);
const invoicesOf = (id: string) => scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
const endOf = ({ current_period_end: end }: Subscription): number => end ?? 0;

async function subscribe(minimum_term: Term = TERM, card = byCard(), overrides = {}): Promise<Subscription> {
  const price = await newPrice(scene.merchant, {
    ...{ type: 'recurring', recurring: { interval: 'month' }, unit_amount: 8_990 },
  });
  const made = await scene.subscribe({ price_id: price.id, minimum_term, ...overrides });
  expect(made.minimum_term).toEqual({ ends_at: null, ...shown(minimum_term), penalty_now: 0 });
  return scene.subscriptions.checkout(made.id, card);
}

const shown = ({ penalty_type, penalty_value }: Term) => ({ penalty_type, penalty_value });

describe('the minimum term', () => {
  test('begins with the first payment, counts cycles, and is over after the last of them', async () => {
    const made = await subscribe({ ...TERM, cycles: 2 });
    const [first] = await invoicesOf(made.id);
    await scene.renew(made.id);
    const second = await retrieve(made.id);
    expect(made.minimum_term).toEqual({ ...shown(TERM), ends_at: endOf(second), penalty_now: 1_798 });
    expect(second.minimum_term).toEqual({ ...shown(TERM), ends_at: endOf(second), penalty_now: 0 });
    await scene.renew(made.id);
    expect((await retrieve(made.id)).minimum_term).toBeNull();
    expect(first).toMatchObject({ status: 'paid' });
  });

  test('begins after a trial, which costs nothing to end', async () => {
    const trial = { days: 7, requires_payment_method: true };
    const [first, other] = [
      await scene.subscribe({ trial, minimum_term: TERM }),
      await scene.subscribe({ trial, minimum_term: TERM }),
    ];
    for (const { id } of [first, other]) await scene.subscriptions.checkout(id, byCard());
    expect((await retrieve(first.id)).minimum_term).toMatchObject({ ends_at: null, penalty_now: 0 });
    await scene.subscriptions.cancel(other.id);
    expect(await invoicesOf(other.id)).toEqual([]);
    await scene.pass(first.id, 7 * DAY);
    const { status, minimum_term: term } = await retrieve(first.id);
    expect([status, term?.penalty_now]).toEqual(['active', 11 * 9_990 * 0.2]);
  });

  test('is prolonged by a pause', async () => {
    const made = await subscribe();
    await scene.pass(made.id, 5 * DAY);
    await scene.subscriptions.pause(made.id);
    await scene.pass(made.id, 31 * DAY);
    const { minimum_term: term } = await scene.subscriptions.resume(made.id);
    expect((term?.ends_at ?? 0) - (made.minimum_term?.ends_at ?? 0)).toBeGreaterThanOrEqual(28 * DAY);
  });

  test.each<[string, Term]>([
    ['above 30 percent that nobody acknowledges', { ...TERM, penalty_value: 40 }],
    ['above the whole', { ...TERM, penalty_value: 101, acknowledged: true }],
    ['of three decimals', { ...TERM, penalty_value: 1.005 }],
    ['of parts of cents', { ...TERM, penalty_type: 'declining_amount', penalty_value: 10.5 }],
  ])('with a penalty %s is refused', async (_, minimum_term) => {
    const param = 'subscription.minimum_term.penalty_value';
    await expect(scene.subscribe({ minimum_term })).rejects.toEqual(refusal('PARAMETER_INVALID', { param }));
    const acknowledged = await scene.subscribe({ minimum_term: { ...TERM, penalty_value: 40, acknowledged: true } });
    expect(acknowledged.minimum_term).toMatchObject({ penalty_value: 40 });
  });
});

test('within it a change may bring more, and not less', async () => {
  const made = await subscribe();
  const item = made.item.id;
  const priced = (unit_amount: number) =>
    newPrice(scene.merchant, { ...{ type: 'recurring', recurring: { interval: 'month' } }, unit_amount });
  const [less, more] = [await priced(4_990), await priced(12_990)];
  const change = (price_id: string) =>
    scene.fatura.subscriptionChanges.create(made.id, { items: [{ item, price_id }] });
  await expect(change(less.id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
  await change(more.id);
  expect((await retrieve(made.id)).minimum_term).toMatchObject({ penalty_now: 11 * 12_990 * 0.2 });
  await expect(change(less.id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
});

describe('a change for less within it', () => {
  const lessOf = async (
    effective: 'now' | 'period_end' | { cycle: number },
    penalty: 'apply' | 'waive',
    term: Term = TERM,
  ) => {
    const made = await subscribe(term);
    const price = await newPrice(scene.merchant, {
      ...{ type: 'recurring', recurring: { interval: 'month' }, unit_amount: 3_990 },
    });
    const asked = { items: [{ item: made.item.id, price_id: price.id }], effective, penalty };
    const shown = await scene.fatura.subscriptionChanges.preview(made.id, asked);
    await scene.fatura.subscriptionChanges.create(made.id, asked);
    return { id: made.id, shown };
  };
  const penalties = async (id: string, bills: number): Promise<number[]> => {
    const made: number[] = [];
    for (let bill = 0; bill < bills; bill += 1) {
      const { line_items: lines } = await scene.renew(id);
      made.push(...lines.data.filter(({ kind }) => kind === 'penalty').map(({ amount }) => amount));
    }
    return made;
  };

  test('now charges the percent of what the cycles left bring less', async () => {
    const { id, shown } = await lessOf('now', 'apply');
    expect(shown).toMatchObject({ penalty: 11_000, total: -5_000 });
    expect(shown.next_invoice.total).toBe(3_990 + 11_000 - 5_000);
    expect(await penalties(id, 2)).toEqual([11_000]);
  });

  test.each([
    ['with the next cycle', 'period_end', 11_000],
    ['with a later cycle', { cycle: 4 }, 9_000],
  ] as const)('%s charges it once that begins', async (_, effective, penalty) => {
    const { id, shown } = await lessOf(effective, 'apply');
    expect(shown).toMatchObject({ penalty, total: 0 });
    expect(await penalties(id, 5)).toEqual([penalty]);
  });

  test('is free of it where it is waived', async () => {
    const { id, shown } = await lessOf('period_end', 'waive');
    expect(shown.penalty).toBe(0);
    expect(await penalties(id, 2)).toEqual([]);
  });

  test('has no percent of a benefit that declines', async () => {
    const declining = { cycles: 12, penalty_type: 'declining_amount', penalty_value: 24_000 } as const;
    await expect(lessOf('period_end', 'apply', declining)).rejects.toEqual(refusal('INVALID_STATE'));
    expect((await lessOf('period_end', 'waive', declining)).shown.penalty).toBe(0);
  });
});

describe('another interval within it', () => {
  const changed = async (months: number, unit_amount: number, when: { effective: 'now' | 'period_end' }) => {
    const made = await subscribe();
    const recurring = { interval: 'month', interval_count: months } as const;
    const price = await newPrice(scene.merchant, { type: 'recurring', recurring, unit_amount });
    const items = [{ item: made.item.id, price_id: price.id }];
    await scene.fatura.subscriptionChanges.create(made.id, { items, ...when });
    if (when.effective === 'period_end') await scene.renew(made.id);
    return { made, after: await retrieve(made.id) };
  };

  test.each(['now', 'period_end'] as const)('%s keeps its end, as near as whole cycles allow', async (effective) => {
    const { made, after } = await changed(5, 49_950, { effective });
    const first = after.current_period_start ?? 0;
    const ends = after.minimum_term?.ends_at ?? 0;
    // Of five months each, three cycles reach the end of twelve or eleven months.
    expect(Math.round((ends - first) / ((365.25 * DAY) / 12))).toBe(15);
    expect(ends).toBeGreaterThanOrEqual(made.minimum_term?.ends_at ?? 0);
    expect(after.minimum_term?.penalty_now).toBe(2 * 49_950 * 0.2);
  });

  test('is over with the year that it is paid for', async () => {
    const { after } = await changed(12, 120_000, { effective: 'now' });
    expect(after.minimum_term).toMatchObject({ ends_at: after.current_period_end, penalty_now: 0 });
  });

  test('that would bring less a day is refused', async () => {
    await expect(changed(12, 89_900, { effective: 'now' })).rejects.toEqual(refusal('INVALID_STATE'));
  });
});

describe('an end before it', () => {
  test('charges the penalty on an invoice of its own, by the stored card', async () => {
    const made = await subscribe();
    for (let cycle = 2; cycle <= 4; cycle += 1) await scene.renew(made.id);
    const told = await scene.told(made.id, () => scene.subscriptions.cancel(made.id));
    expect(told).toEqual(['subscription.canceled', 'invoice.created']);
    const [last] = await invoicesOf(made.id);
    expect(last).toMatchObject({
      ...{ status: 'open', billing_reason: 'subscription_end', total: 14_384, cycle: null, due_at: scene.now() },
      line_items: { data: [{ kind: 'penalty', amount: 14_384, quantity: 1, period_start: null }] },
    });
    expect(last?.line_items.data[0]?.description).toMatch(
      /^Multa por encerrar antes de \d\d\/\d\d\/\d{4}: 20% dos 8 ciclos/,
    );
    await scene.pass(made.id, 0);
    expect(await scene.invoice(last?.id ?? '')).toMatchObject({ status: 'paid' });
    expect(await retrieve(made.id)).toMatchObject({
      ...{ status: 'inactive', canceled_reason: 'requested', latest_invoice: last?.id },
    });
  });

  test('is charged again after a decline, becomes overdue, and suspends nothing', async () => {
    const made = await subscribe(TERM, byCard(cards.renewals_declined));
    await scene.subscriptions.cancel(made.id);
    await scene.pass(made.id, 40 * DAY);
    const [last] = await invoicesOf(made.id);
    expect(last).toMatchObject({ status: 'open', billing_reason: 'subscription_end' });
    const told = await scene.types(made.id);
    expect(told.filter((type) => type === 'payment_intent.failed')).toHaveLength(4);
    expect(told).toContain('invoice.overdue');
    expect(told).not.toContain('subscription.suspended');
    expect(told).not.toContain('subscription.overdue');
    await scene.fatura.invoices.checkout(last?.id ?? '', byCard());
    expect(await retrieve(made.id)).toMatchObject({ status: 'inactive', ended: made.created });
  });

  test('by PIX waits for payment, with reminders', async () => {
    const price = await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'month' } });
    const { id } = await subscribeByPix(scene.merchant, { price_id: price.id, minimum_term: TERM });
    await scene.subscriptions.cancel(id);
    const [last] = await invoicesOf(id);
    expect(last).toMatchObject({ status: 'open', due_at: scene.now() + 3 * DAY });
    expect(await scene.pass(id, 11 * DAY)).toEqual(expect.arrayContaining(['remind', 'mark_overdue']));
  });

  test('is free where the penalty is waived, and where nobody paid', async () => {
    const made = await subscribe();
    await scene.subscriptions.cancelAt(made.id, { at: 'now', penalty: 'waive' });
    expect(await invoicesOf(made.id)).toHaveLength(1);
    const unpaid = await scene.subscribe({ minimum_term: TERM });
    await scene.subscriptions.cancel(unpaid.id);
    expect(await invoicesOf(unpaid.id)).toMatchObject([{ status: 'void' }]);
  });

  test('with the period is decided at the end', async () => {
    const [made, waived] = [await subscribe({ ...TERM, cycles: 3 }), await subscribe({ ...TERM, cycles: 3 })];
    await scene.subscriptions.cancelAt(made.id, { at: 'period_end' });
    await scene.subscriptions.cancelAt(waived.id, { at: 'period_end', penalty: 'waive' });
    expect(await invoicesOf(made.id)).toHaveLength(1);
    await scene.untilDue(made.id);
    await scene.pass(made.id, 0);
    await scene.pass(waived.id, 2 * DAY);
    expect((await invoicesOf(made.id))[0]).toMatchObject({ billing_reason: 'subscription_end', total: 3_596 });
    expect(await invoicesOf(waived.id)).toHaveLength(1);
  });

  test('for lack of payment charges none', async () => {
    const made = await subscribe(TERM, byCard(cards.renewals_declined));
    await scene.renew(made.id);
    await scene.pass(made.id, 40 * DAY);
    expect(await retrieve(made.id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
    expect((await invoicesOf(made.id)).map(({ billing_reason }) => billing_reason)).not.toContain('subscription_end');
  });

  test('for lack of payment is charged where the account says so', async () => {
    const made = await subscribe(TERM, byCard(cards.renewals_declined));
    const never = await scene.subscribe({ minimum_term: TERM });
    await scene.renew(made.id);
    await scene.withDays('penalty_on_unpaid = true', async () => {
      await scene.pass(made.id, 31 * DAY);
      await scene.pass(never.id, 0);
    });
    expect(await retrieve(made.id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
    const [end, renewal] = await invoicesOf(made.id);
    const { penalty_value: percentage, cycles } = TERM;
    expect(renewal).toMatchObject({ billing_reason: 'subscription_cycle', status: 'uncollectible' });
    expect(end).toMatchObject({ billing_reason: 'subscription_end', status: 'open' });
    expect(end?.line_items.data).toMatchObject([{ kind: 'penalty' }]);
    // Two cycles have begun.
    expect(end?.total).toBe(Math.round((8_990 * (cycles - 2) * percentage) / 100));
    expect((await scene.types(made.id)).filter((type) => type === 'subscription.canceled')).toHaveLength(1);
    expect(await retrieve(never.id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
    expect(await invoicesOf(never.id)).toMatchObject([{ status: 'void' }]);
  });
});

describe('the rest of a paid period', () => {
  test('becomes a credit of whichever subscription of the customer is billed next', async () => {
    const made = await scene.subscribeByCard();
    const days = (endOf(made) - scene.now()) / DAY;
    await scene.pass(made.id, 10 * DAY);
    await scene.subscriptions.cancelAt(made.id, { at: 'now', unused: 'credit' });
    const amount = 9_990 - Math.floor((2 * 9_990 * 10 + days) / (2 * days));
    const [item] = await scene.fatura.invoiceItems.list({ customer_id: made.customer }).all({ max: 10 });
    expect(item).toMatchObject({ type: 'credit', kind: 'unused', amount, subscription: null, status: 'pending' });
  });

  test('is refunded from the last payment', async () => {
    const made = await scene.subscribeByCard();
    const days = (endOf(made) - scene.now()) / DAY;
    await scene.pass(made.id, 10 * DAY);
    await scene.subscriptions.cancelAt(made.id, { at: 'now', unused: 'refund' });
    const amount = 9_990 - Math.floor((2 * 9_990 * 10 + days) / (2 * days));
    const { payment_intent: intent } = await scene.invoice(made.latest_invoice ?? '');
    await refundSettlementStep(scene.api.composition.deps, intent ?? '');
    expect(await scene.invoice(made.latest_invoice ?? '')).toMatchObject({ status: 'paid', amount_refunded: amount });
    expect(await scene.fatura.invoiceItems.list({ customer_id: made.customer }).all({ max: 10 })).toEqual([]);
  });

  test('after a change is what was paid for, and not what was only charged', async () => {
    const { id, item, customer } = await scene.subscribeByCard();
    const more = await newPrice(scene.merchant, {
      ...{ type: 'recurring', recurring: { interval: 'month' }, unit_amount: 99_900 },
    });
    await scene.fatura.subscriptionChanges.create(id, {
      items: [{ item: item.id, price_id: more.id }],
      effective: 'now',
    });
    await scene.subscriptions.cancelAt(id, { at: 'now', unused: 'credit' });
    const items = await scene.fatura.invoiceItems.list({ customer_id: customer }).all({ max: 10 });
    const left = items.filter(({ kind }) => kind === 'unused').map(({ amount }) => amount);
    expect(left).toEqual([9_990]);
  });

  test('of an unpaid period is nothing', async () => {
    const { id, customer } = await scene.subscribeUnfunded();
    await scene.renew(id);
    await scene.subscriptions.cancelAt(id, { at: 'now', unused: 'credit' });
    expect(await scene.fatura.invoiceItems.list({ customer_id: customer }).all({ max: 10 })).toEqual([]);
  });

  test('is not asked for at the end of the period', async () => {
    const { id } = await scene.subscribeByCard();
    await expect(scene.subscriptions.cancelAt(id, { at: 'period_end', unused: 'credit' })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'unused' }),
    );
  });
});

describe('a withdrawal', () => {
  test('within seven days of the first payment returns all, without a penalty', async () => {
    const made = await subscribe();
    await scene.pass(made.id, 7 * DAY);
    expect(await scene.subscriptions.cancelAt(made.id, { at: 'now', withdrawal: true })).toMatchObject({
      ...{ status: 'inactive', canceled_reason: 'withdrawal' },
    });
    const [only, ...others] = await invoicesOf(made.id);
    expect(others).toEqual([]);
    await refundSettlementStep(scene.api.composition.deps, only?.payment_intent ?? '');
    expect(await scene.invoice(only?.id ?? '')).toMatchObject({ status: 'paid', amount_refunded: 8_990 });
  });

  test('is refused after that, and before a payment', async () => {
    const made = await subscribe();
    await scene.pass(made.id, 7 * DAY + 1);
    const unpaid = await scene.subscribe();
    for (const { id } of [made, unpaid])
      await expect(scene.subscriptions.cancelAt(id, { at: 'now', withdrawal: true })).rejects.toEqual(
        refusal('INVALID_STATE', { status: 409 }),
      );
    expect(await retrieve(made.id)).toMatchObject({ status: 'active' });
  });
});

test('what the buyer says in leaving is kept, taken back with the end, and erased with the customer', async () => {
  const made = await scene.subscribeByCard();
  const said = { reason: 'too_expensive', comment: 'Vou mudar de cidade.' } as const;
  expect((await scene.subscriptions.cancelAt(made.id, { at: 'period_end', ...said })).cancellation).toEqual(said);
  expect((await scene.subscriptions.uncancel(made.id)).cancellation).toBeNull();
  expect((await scene.subscriptions.cancelAt(made.id, { at: 'now', ...said })).cancellation).toEqual(said);
  await scene.fatura.customers.anonymize(made.customer);
  expect((await retrieve(made.id)).cancellation).toEqual({ reason: 'too_expensive', comment: null });
});

test('two who cancel at once are charged one penalty', async () => {
  for (let round = 0; round < 4; round += 1) {
    const made = await subscribe();
    await Promise.all([
      scene.subscriptions.cancel(made.id),
      scene.subscriptions.cancelAt(made.id, { at: 'now', unused: 'credit' }),
      scene.subscriptions.cancel(made.id),
    ]);
    expect(await invoicesOf(made.id)).toHaveLength(2);
  }
});
