import type { SubscriptionChangeInput } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { newPrice } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { ChangeScene, DAY, noon, worked } from './change-scene.ts';

const scene = new ChangeScene();

const change: ChangeScene['change'] = (id, input) => scene.change(id, input);
const preview: ChangeScene['preview'] = (id, input) => scene.preview(id, input);
const passTo: ChangeScene['passTo'] = (id, date) => scene.passTo(id, date);
const toPrice: ChangeScene['toPrice'] = (...to) => scene.toPrice(...to);
const activeSince: ChangeScene['activeSince'] = (...since) => scene.activeSince(...since);

describe('a change now', () => {
  test('of a month is charged and credited by the next bill, and back again: the worked example', async () => {
    const subscription = await activeSince('2027-01-31', { cents: 4_990 });
    const { id } = subscription;
    await passTo(id, '2027-02-10');
    const up = await toPrice(subscription, 9_990);
    const shown = await preview(id, up);
    expect(shown).toMatchObject({ effective: 'now', credit: 3_208, charge: 6_422, total: 3_214, due_now: 0 });
    const made = await change(id, { ...up, expected_total: 3_214 });
    expect(made).toMatchObject({ status: 'applied', credit: 3_208, charge: 6_422, total: 3_214, cycle: null });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ item: { id: subscription.item.id, price: { unit_amount: 9_990 } }, credit_balance: 3_208 },
    });
    await passTo(id, '2027-02-20');
    const back = { ...(await toPrice(subscription, 4_990)), effective: 'now' as const };
    expect(await change(id, back)).toMatchObject({ credit: 2_854, charge: 1_426, total: -1_428 });
    const next = await scene.subscriptions.upcomingInvoice(id);
    const bill = await scene.renew(id);
    expect(bill.total).toBe(4_990 + 3_214 - 1_428);
    expect(bill.total).toBe(next.total);
    expect(bill.line_items.data.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['recurring', 4_990],
      ['proration', 6_422],
      ['proration', 1_426],
    ]);
    expect(bill.credits.data.map(({ type, amount }) => [type, amount])).toEqual([
      ['proration', 3_208],
      ['proration', 2_854],
    ]);
    expect((await scene.renew(id)).total).toBe(4_990);
  });
});

describe('the worked examples', () => {
  test.each(worked)('$name', async ({ sold, paid, changed, to, credit, charge }) => {
    const subscription = await activeSince(paid, sold);
    const { id, item } = subscription;
    await passTo(id, changed);
    const priced =
      to.cents === sold.cents ? { items: [{ item: item.id }] } : await toPrice(subscription, to.cents, sold.months);
    const items = priced.items.map((one) => ({ ...one, ...(to.quantity !== undefined && { quantity: to.quantity }) }));
    const wanted = { items, effective: 'now' as const };
    const shown = await preview(id, wanted);
    const made = await change(id, { ...wanted, expected_total: charge - credit });
    expect(made).toMatchObject({ credit, charge, total: charge - credit });
    expect(shown).toMatchObject({ credit, charge, total: charge - credit });
    const bill = await scene.renew(id);
    expect(bill.total).toBe(shown.next_invoice.total);
    expect(bill.line_items.data.map(({ amount }) => amount)).toEqual(
      shown.next_invoice.line_items.data.map(({ amount }) => amount),
    );
  });
});

describe('a change', () => {
  test('without proration moves no money, and a later one credits no more than was charged', async () => {
    const subscription = await activeSince('2027-01-31', { cents: 4_990 });
    const { id } = subscription;
    await passTo(id, '2027-02-10');
    const free = { ...(await toPrice(subscription, 9_990)), proration: 'none' as const };
    expect(await change(id, free)).toMatchObject({ status: 'applied', charge: 0, credit: 0, total: 0 });
    await passTo(id, '2027-02-11');
    const back = { ...(await toPrice(subscription, 4_990)), effective: 'now' as const };
    // What was charged for these days is the old price still.
    expect(await change(id, back)).toMatchObject({ charge: 3_030, credit: 3_030, total: 0 });
    expect((await scene.renew(id)).total).toBe(4_990);
  });

  test.each(['card', 'pix'] as const)('for less waits for the end of the period, by %s', async (method) => {
    const subscription = await activeSince('2027-01-15', { cents: 9_990, method });
    const { id, current_period_end: end } = subscription;
    const down = await toPrice(subscription, 4_990);
    const made = await change(id, down);
    expect(made).toMatchObject({ status: 'scheduled', effective: 'period_end', effective_at: end, cycle: 2, total: 0 });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ item: { price: { unit_amount: 9_990 } }, pending_change: { id: made.id } },
    });
    expect((await scene.subscriptions.upcomingInvoice(id)).total).toBe(4_990);
    const bill = await scene.renew(id);
    expect(bill.total).toBe(4_990);
    // A bill ahead tells what will hold once its period begins.
    if (method === 'pix') expect((await scene.subscriptions.retrieve(id)).item.price.unit_amount).toBe(9_990);
    await scene.pass(id, 5 * DAY);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ item: { id: subscription.item.id, price: { unit_amount: 4_990 } }, pending_change: null },
    });
    expect((await scene.types(id)).filter((type) => String(type).includes('change'))).toEqual([
      'subscription.change_scheduled',
      'subscription.changed',
    ]);
  });

  test('has a bill that was made ahead made anew', async () => {
    const subscription = await activeSince('2027-01-15', { cents: 4_990, method: 'pix' });
    const { id } = subscription;
    const first = await scene.renew(id);
    expect(first).toMatchObject({ status: 'open', total: 4_990 });
    const up = await toPrice(subscription, 9_990);
    const shown = await preview(id, up);
    const made = await change(id, up);
    expect((await scene.invoice(first.id)).status).toBe('void');
    const anew = await scene.renew(id);
    expect(anew).toMatchObject({ cycle: first.cycle, total: shown.next_invoice.total });
    expect(anew.total).toBe(9_990 + made.total);
    expect(anew.id).not.toBe(first.id);
  });

  test('charges and credits the whole of a next period that was paid ahead', async () => {
    const subscription = await activeSince('2027-01-15', { cents: 4_990, method: 'pix' });
    const { id } = subscription;
    await payByPix(scene.merchant, (await scene.renew(id)).id);
    const up = await toPrice(subscription, 9_990);
    const shown = await preview(id, up);
    const made = await change(id, up);
    expect(made.charge - 9_990).toBeGreaterThan(0);
    expect(made.total).toBe(shown.total);
    const bill = await scene.renew(id);
    expect(bill.total).toBe(9_990 + made.total);
    expect(bill.line_items.data.filter(({ kind }) => kind === 'proration')).toHaveLength(2);
  });

  test('of the interval begins a year where the month ends', async () => {
    const subscription = await activeSince('2027-01-31', { cents: 4_990 });
    const { id, current_period_end: end } = subscription;
    const yearly = await toPrice(subscription, 49_900, 12);
    expect(await change(id, yearly)).toMatchObject({ effective: 'period_end', effective_at: end, cycle: 2 });
    expect(await scene.renew(id)).toMatchObject({ total: 49_900, cycle: 2 });
    const now = await scene.subscriptions.retrieve(id);
    expect(now.current_period_start).toBe(end);
    expect(now.current_period_end).toBe(noon('2028-02-28'));
    for (const proration of ['next_invoice', 'none'] as const)
      await expect(change(id, { ...(await toPrice(now, 4_990)), effective: 'now', proration })).rejects.toEqual(
        refusal('PARAMETER_INVALID', { param: 'proration' }),
      );
  });

  test('adds items, and takes others away', async () => {
    const subscription = await scene.subscribeByCard();
    const extra = await newMonthly(scene.merchant, { unit_amount: 2_000 });
    const added = await change(subscription.id, { items: [{ price_id: extra.id, quantity: 2 }] });
    const { items } = await scene.subscriptions.retrieve(subscription.id);
    expect(items.data.map(({ price, quantity }) => [price.id, quantity])).toEqual([
      [subscription.item.price.id, 1],
      [extra.id, 2],
    ]);
    expect(added.items_after.data.map(({ item }) => item)).toEqual(items.data.map(({ id }) => id));
    const gone = { items: [{ item: subscription.item.id, removed: true as const }], effective: 'now' as const };
    await change(subscription.id, gone);
    expect(await scene.subscriptions.retrieve(subscription.id)).toMatchObject({ item: { price: { id: extra.id } } });
  });

  test('that waits is taken back, or replaced by another', async () => {
    const subscription = await scene.subscribeByCard();
    const { id } = subscription;
    const one = await change(id, { ...(await toPrice(subscription, 1_000)), effective: 'period_end' });
    const other = await change(id, { ...(await toPrice(subscription, 2_000)), effective: 'period_end' });
    expect((await scene.subscriptions.retrieve(id)).pending_change?.id).toBe(other.id);
    await expect(scene.fatura.subscriptionChanges.cancel(id, other.id)).resolves.toMatchObject({ status: 'canceled' });
    await expect(scene.fatura.subscriptionChanges.cancel(id, one.id)).resolves.toMatchObject({ status: 'canceled' });
    expect((await scene.subscriptions.retrieve(id)).pending_change).toBeNull();
    expect((await scene.renew(id)).total).toBe(subscription.item.price.unit_amount);
  });
});

describe('a change before the first cycle', () => {
  test.each([
    ['in a trial', { trial: { days: 10, requires_payment_method: false } }],
    ['before the start', { start_date: 20 * DAY }],
  ] as const)('%s holds at once and moves no money', async (_, when) => {
    const begins = 'trial' in when ? when : { start_date: scene.now() + when.start_date };
    const made = await scene.subscribe({ amount: 4_990, ...begins });
    const up = await toPrice(made, 9_990);
    const shown = await preview(made.id, up);
    expect(shown).toMatchObject({ effective: 'now', total: 0, next_invoice: { total: 9_990 } });
    expect(await change(made.id, up)).toMatchObject({ status: 'applied', charge: 0, credit: 0 });
    await expect(change(made.id, { ...(await toPrice(made, 1_000)), effective: 'period_end' })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'effective' }),
    );
    // A year in place of a month: its cycles are not counted yet.
    await change(made.id, await toPrice(made, 49_900, 12));
    await scene.pass(made.id, ('trial' in when ? 11 : 21) * DAY);
    const { latest_invoice: first, status } = await scene.subscriptions.retrieve(made.id);
    expect(status).toBe('pending');
    expect(await scene.invoice(first ?? '')).toMatchObject({ total: 49_900, cycle: 1 });
  });
});

describe('refused is a change', () => {
  test('of nothing, of another total than expected, and of what is not there', async () => {
    const subscription = await scene.subscribeByCard();
    const { id, item } = subscription;
    const up = await toPrice(subscription, 99_990);
    const refused: [SubscriptionChangeInput, string, string | null][] = [
      [{ items: [{ item: item.id, quantity: item.quantity }] }, 'NOTHING_CHANGES', 'items'],
      [{ ...up, expected_total: 1 }, 'PREVIEW_OUTDATED', 'expected_total'],
      [{ items: [{ item: `si_${'0'.repeat(26)}`, quantity: 2 }] }, 'RESOURCE_MISSING', 'items[0].item'],
      [{ items: [{ price_id: `price_${'0'.repeat(26)}` }] }, 'RESOURCE_MISSING', 'items[0].price_id'],
      [{ items: [{ item: item.id, removed: true }] }, 'PARAMETER_INVALID', 'items'],
      [{ items: [{ price_id: item.price.id }] }, 'PARAMETER_INVALID', 'items'],
      [{ items: [{ price_id: (await newPrice(scene.merchant)).id }] }, 'PRICE_TYPE_MISMATCH', 'items[0].price_id'],
    ];
    for (const [input, code, param] of refused)
      await expect(change(id, input), code).rejects.toEqual(refusal(code, { param }));
    const weekly = await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'week' } });
    await expect(change(id, { items: [{ price_id: weekly.id }] })).rejects.toEqual(refusal('INTERVALS_DIFFER'));
    await scene.subscriptions.cancel(id);
    await expect(change(id, up)).rejects.toEqual(refusal('INVALID_STATE'));
  });

  test('for less at once while the bill of the period is not paid', async () => {
    const subscription = await scene.subscribeUnfunded();
    const { id } = subscription;
    await scene.renew(id);
    const down = { ...(await toPrice(subscription, 1_000)), effective: 'now' as const };
    await expect(change(id, down)).rejects.toEqual(refusal('INVOICE_UNPAID'));
    expect(await change(id, { ...down, proration: 'none' })).toMatchObject({ status: 'applied', total: 0 });
  });
});
