import { describe, expect, test } from 'vitest';
import { cards } from '../../support/cards.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { PAID, refusal, SENT } from '../payments/payment-scene.ts';
import { ChangeScene, DAY, noon } from './change-scene.ts';

const scene = new ChangeScene();
const now = { effective: 'now' } as const;

describe('a change of the interval now, to the cent,', () => {
  test('from a month to a year bills the year less what is left of the month', async () => {
    const subscription = await scene.activeSince('2027-01-31', { cents: 4_990 });
    const { id } = subscription;
    await scene.passTo(id, '2027-02-10');
    const yearly = { ...(await scene.toPrice(subscription, 49_900, 12)), ...now };
    const shown = await scene.preview(id, yearly);
    expect(shown).toMatchObject({
      ...{ charge: 49_900, credit: 3_208, total: 46_692, due_now: 46_692, proration: 'invoice_now' },
      next_invoice: { total: 49_900, cycle: 3, period_start: noon('2028-02-10'), period_end: noon('2029-02-10') },
    });
    const told = await scene.told(id, () => scene.change(id, { ...yearly, expected_total: 46_692 }));
    expect(told).toEqual([
      ...['invoice.created', 'subscription.updated', ...SENT, ...PAID],
      ...['subscription.changed', 'subscription.period_started'],
    ]);
    const after = await scene.subscriptions.retrieve(id);
    expect(after).toMatchObject({
      ...{ billing_cycle_anchor: scene.now(), current_period_start: scene.now() },
      ...{ current_period_end: noon('2028-02-10'), credit_balance: 0, pending_change: null },
      item: { id: subscription.item.id, price: { unit_amount: 49_900 } },
    });
    expect(await scene.invoice(after.latest_invoice ?? '')).toMatchObject({
      ...{ billing_reason: 'subscription_change', status: 'paid', total: 46_692, cycle: 2 },
      ...{ period_start: scene.now(), period_end: noon('2028-02-10') },
      line_items: { data: [{ kind: 'recurring', amount: 49_900, period_end: noon('2028-02-10') }] },
      credits: { data: [{ type: 'proration', amount: 3_208 }] },
    });
    expect(await scene.renew(id)).toMatchObject({ total: 49_900, cycle: 3, period_start: noon('2028-02-10') });
  });

  test('from a year to a month leaves a credit that pays the months to come', async () => {
    const subscription = await scene.activeSince('2027-03-15', { cents: 239_880, months: 12 });
    const { id } = subscription;
    await scene.passTo(id, '2027-03-15');
    // As in the worked example, the year cost R$ 1.198,80.
    const cheap = await scene.activeSince('2027-03-15', { cents: 119_880, months: 12 });
    await scene.passTo(cheap.id, '2027-07-01');
    const monthly = { ...(await scene.toPrice(cheap, 9_990)), ...now };
    const shown = await scene.preview(cheap.id, monthly);
    expect(shown).toMatchObject({ charge: 9_990, credit: 84_506, total: -74_516, due_now: 0 });
    expect(shown.next_invoice).toMatchObject({ total: 0, credit_amount: 9_990, credit_after: 64_526 });
    const made = await scene.change(cheap.id, monthly);
    expect(made).toMatchObject({ status: 'applied', total: -74_516, invoice: expect.any(String), lapses_at: null });
    expect(await scene.invoice(made.invoice ?? '')).toMatchObject({
      status: 'paid',
      total: 0,
      cycle: 2,
      subtotal: 9_990,
    });
    expect((await scene.subscriptions.retrieve(cheap.id)).credit_balance).toBe(74_516);
    const totals: number[] = [];
    for (let month = 2; month <= 9; month += 1) totals.push((await scene.renew(cheap.id)).total);
    expect(totals).toEqual([0, 0, 0, 0, 0, 0, 0, 5_404]);
  });

  test('is credited once, whatever changes come after it', async () => {
    const subscription = await scene.activeSince('2027-01-31', { cents: 4_990 });
    const { id } = subscription;
    await scene.passTo(id, '2027-02-10');
    await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
    // Back on the same day: the year is credited whole, and the month charged whole.
    const back = await scene.change(id, { ...(await scene.toPrice(subscription, 4_990)), ...now });
    expect(back).toMatchObject({ charge: 4_990, credit: 49_900, total: -44_910 });
    expect((await scene.subscriptions.retrieve(id)).credit_balance).toBe(44_910);
  });
});

describe('a change of the interval', () => {
  test('by default waits for the end of the period, and begins at once with an invoice of its own', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990 });
    const { id } = subscription;
    const yearly = await scene.toPrice(subscription, 49_900, 12);
    expect(await scene.preview(id, yearly)).toMatchObject({ effective: 'period_end', proration: 'none' });
    expect(await scene.preview(id, { ...yearly, proration: 'invoice_now' })).toMatchObject({ effective: 'now' });
    for (const proration of ['next_invoice', 'none'] as const)
      await expect(scene.change(id, { ...yearly, ...now, proration })).rejects.toEqual(
        refusal('PARAMETER_INVALID', { param: 'proration' }),
      );
  });

  test('is refused now while the bill of the period is open', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, paying: [cards.renewals_declined] });
    const { id } = subscription;
    await scene.renew(id);
    const yearly = { ...(await scene.toPrice(subscription, 49_900, 12)), ...now };
    await expect(scene.change(id, yearly)).rejects.toEqual(refusal('INVOICE_UNPAID'));
    await expect(scene.preview(id, yearly)).rejects.toEqual(refusal('INVOICE_UNPAID'));
  });

  test('is refused now while a pause is to come', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990 });
    await scene.subscriptions.pause(subscription.id, { at: 'period_end' });
    const yearly = { ...(await scene.toPrice(subscription, 49_900, 12)), ...now };
    await expect(scene.change(subscription.id, yearly)).rejects.toEqual(refusal('INVALID_STATE'));
  });

  test('by PIX begins its period with its payment, as of the instant at which it was asked for', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
    const { id } = subscription;
    await scene.pass(id, 10 * DAY);
    const asked = scene.now();
    const made = await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
    expect(made).toMatchObject({ status: 'awaiting_payment', effective_at: asked });
    expect(await scene.invoice(made.invoice ?? '')).toMatchObject({ status: 'open', cycle: null, period_start: null });
    await scene.pass(id, DAY / 2);
    await payByPix(scene.merchant, made.invoice ?? '');
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      current_period_start: asked,
      billing_cycle_anchor: asked,
    });
    expect(await scene.invoice(made.invoice ?? '')).toMatchObject({ cycle: 2, period_start: asked });
    expect(await scene.renew(id)).toMatchObject({ cycle: 3, total: 49_900 });
  });

  test('that is not paid in time leaves everything as it was', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
    const { id, current_period_end: end } = subscription;
    const made = await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
    expect(await scene.pass(id, DAY)).toEqual(['change_lapsed']);
    expect((await scene.invoice(made.invoice ?? '')).status).toBe('void');
    expect(await scene.renew(id)).toMatchObject({ cycle: 2, total: 4_990, period_start: end });
  });

  test('voids a bill that was made ahead, and credits one that is paid', async () => {
    for (const isPaid of [false, true]) {
      const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
      const { id } = subscription;
      const ahead = await scene.renew(id);
      if (isPaid) await payByPix(scene.merchant, ahead.id);
      const made = await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
      expect((await scene.invoice(ahead.id)).status).toBe(isPaid ? 'paid' : 'void');
      if (isPaid) expect(made.credit).toBeGreaterThan(4_990);
      else expect(made.credit).toBeLessThan(4_990);
      await payByPix(scene.merchant, made.invoice ?? '');
      expect(await scene.invoice(made.invoice ?? '')).toMatchObject({ cycle: isPaid ? 3 : 2 });
      expect(await scene.renew(id)).toMatchObject({ cycle: isPaid ? 4 : 3, total: 49_900 });
    }
  });

  test('counts the bill that it makes as one of its discounts', async () => {
    const half = { type: 'percentage', percentage: 50, amount: null, cycles: 2 } as never;
    const subscription = await scene.activeSince(null, { cents: 4_990, discounts: [half] });
    const { id } = subscription;
    const yearly = { ...(await scene.toPrice(subscription, 49_900, 12)), ...now };
    const shown = await scene.preview(id, yearly);
    expect(shown).toMatchObject({ charge: 24_950, credit: 2_495, next_invoice: { total: 49_900 } });
    const made = await scene.change(id, yearly);
    expect(await scene.invoice(made.invoice ?? '')).toMatchObject({
      total: 22_455,
      discounts: { data: [{ percentage: 50 }] },
    });
    expect((await scene.renew(id)).total).toBe(49_900);
  });

  test('keeps an end with the period, which is another one then', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
    const { id } = subscription;
    const made = await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
    await scene.subscriptions.cancelAt(id, { at: 'period_end' });
    await payByPix(scene.merchant, made.invoice ?? '');
    const { cancel_at: ends, current_period_end: end } = await scene.subscriptions.retrieve(id);
    expect(ends).toBe(end);
  });

  test('whose card is declined waits, and the card that pays on the page renews it', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, paying: [cards.renewals_declined] });
    const { id } = subscription;
    const made = await scene.change(id, { ...(await scene.toPrice(subscription, 49_900, 12)), ...now });
    expect(made.status).toBe('awaiting_payment');
    await scene.payByCard(made.invoice ?? '');
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ item: { price: { unit_amount: 49_900 } } });
    expect(await scene.renew(id)).toMatchObject({ cycle: 3, status: 'paid' });
  });
});
