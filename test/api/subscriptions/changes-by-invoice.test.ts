import type { SubscriptionChangeInput } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newPrice } from '../../support/factories.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { DECLINED, PAID, refusal, SENT, SURPLUS } from '../payments/payment-scene.ts';
import { ChangeScene, DAY, noon, worked } from './change-scene.ts';

const scene = new ChangeScene();

const ASKED = ['invoice.created', 'subscription.updated'];
const now = { proration: 'invoice_now', effective: 'now' } as const;

type Invoiced = SubscriptionChangeInput & typeof now;

/** One of a month whose change from R$ 49,90 to 99,90 waits for its payment since its sixth day. */
async function waiting({ method = 'pix', ...more }: Partial<Parameters<ChangeScene['activeSince']>[1]> = {}) {
  const subscription = await scene.activeSince(null, { cents: 4_990, method, ...more });
  const { id } = subscription;
  await scene.pass(id, 5 * DAY);
  const asked: Invoiced = { ...(await scene.toPrice(subscription, 9_990)), ...now };
  const change = await scene.change(id, asked);
  return { id, subscription, asked, change, invoice: change.invoice ?? '' };
}

const amountOf = async (id: string): Promise<number> => (await scene.subscriptions.retrieve(id)).item.price.unit_amount;

describe('the worked examples, each by an invoice of its own', () => {
  test.each(worked)('$name', async ({ sold, paid, changed, to, credit, charge }) => {
    const subscription = await scene.activeSince(paid, sold);
    const { id, item } = subscription;
    await scene.passTo(id, changed);
    const priced =
      to.cents === sold.cents
        ? { items: [{ item: item.id }] }
        : await scene.toPrice(subscription, to.cents, sold.months);
    const items = priced.items.map((one) => ({ ...one, ...(to.quantity !== undefined && { quantity: to.quantity }) }));
    const shown = await scene.preview(id, { items, ...now });
    const total = charge - credit;
    expect(shown).toMatchObject({ charge, credit, total, due_now: Math.max(0, total) });
    const made = await scene.change(id, { items, ...now, expected_total: total });
    expect(made).toMatchObject({ charge, credit, total, status: 'applied', proration: 'invoice_now' });
    if (total <= 0) expect(made).toMatchObject({ invoice: null, lapses_at: null });
    else
      expect(await scene.invoice(made.invoice ?? '')).toMatchObject({
        ...{ status: 'paid', billing_reason: 'subscription_change', total, amount_paid: total, credit_amount: credit },
        ...{ cycle: null, subtotal: charge },
      });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ pending_change: null });
    const bill = await scene.renew(id);
    expect(bill.total).toBe(shown.next_invoice.total);
    expect(bill.line_items.data.map(({ amount }) => amount)).toEqual(
      shown.next_invoice.line_items.data.map(({ amount }) => amount),
    );
  });
});

describe('a change by an invoice of its own, to the cent,', () => {
  test('is charged to the stored card within the request, and holds from then on', async () => {
    const subscription = await scene.activeSince('2027-01-31', { cents: 4_990 });
    const { id } = subscription;
    await scene.passTo(id, '2027-02-10');
    const up = await scene.toPrice(subscription, 9_990);
    const told = await scene.told(id, () => scene.change(id, { ...up, ...now }));
    expect(told).toEqual([...ASKED, ...SENT, ...PAID, 'subscription.changed']);
    const { latest_invoice: invoice, item, credit_balance: left } = await scene.subscriptions.retrieve(id);
    expect([item.id, item.price.unit_amount, left]).toEqual([subscription.item.id, 9_990, 0]);
    const end = subscription.current_period_end;
    expect(await scene.invoice(invoice ?? '')).toMatchObject({
      line_items: {
        data: [
          { kind: 'proration', amount: 6_422, subscription_item: item.id, period_start: scene.now(), period_end: end },
        ],
      },
      credits: { data: [{ type: 'proration', amount: 3_208, invoice_item: null }] },
    });
    // A change back on the same day credits what was charged, by the next bill.
    await scene.change(id, { ...(await scene.toPrice(subscription, 4_990)), ...now });
    expect((await scene.renew(id)).total).toBe(4_990 - 3_214);
  });

  test('is charged in no more installments than its new price allows', async () => {
    const yearly = { type: 'recurring', recurring: { interval: 'month', interval_count: 12 } } as const;
    const inTwelve = { card_installments_enabled: true, max_card_installments: 12 };
    const [old, fresh] = [
      await newPrice(scene.merchant, { ...yearly, unit_amount: 119_880, ...inTwelve }),
      await newPrice(scene.merchant, { ...yearly, unit_amount: 239_880, ...inTwelve }),
    ];
    const few = await newPrice(scene.merchant, { ...yearly, unit_amount: 479_760, card_installments_enabled: false });
    scene.api.clock.advance(noon('2027-03-15') - scene.now());
    const made = await scene.subscribe({ price_id: old.id });
    const subscription = await scene.subscriptions.checkout(made.id, byCard(cards.approved, { installments: 12 }));
    await scene.passTo(made.id, '2027-07-01');
    const installmentsOf = async (price: string) => {
      const items = [{ item: subscription.item.id, price_id: price }];
      const { invoice, total } = await scene.change(made.id, { items, ...now });
      const { payment_intent: intent } = await scene.invoice(invoice ?? '');
      return [total, (await scene.intent(intent ?? '')).installments];
    };
    expect(await installmentsOf(fresh.id)).toEqual([84_590, 12]);
    expect((await installmentsOf(few.id))[1]).toBe(1);
  });

  test('is credited by an end with all that was paid', async () => {
    const subscription = await scene.activeSince('2027-01-15', { cents: 4_990 });
    const { id, customer } = subscription;
    await scene.passTo(id, '2027-01-20');
    await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
    await scene.subscriptions.cancelAt(id, { at: 'now', unused: 'credit' });
    const [credit] = await scene.fatura.invoiceItems
      .list({ customer_id: customer, status: 'pending' })
      .all({ max: 10 });
    // 26 of the 31 days are left, at R$ 99,90.
    expect(credit?.amount).toBe(8_379);
  });
});

describe('a change by an invoice of its own', () => {
  test('takes nothing else that waits for a bill', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990 });
    const { id } = subscription;
    const granted = { subscription_id: id, type: 'credit', amount: 500, description: 'Um dia sem serviço' } as const;
    await scene.fatura.invoiceItems.create(granted);
    const { invoice, total } = await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
    expect(await scene.invoice(invoice ?? '')).toMatchObject({ total, subtotal: 9_990, credit_amount: 4_990 });
    expect((await scene.subscriptions.retrieve(id)).credit_balance).toBe(500);
  });

  test('whose card is declined waits, and is paid on its page', async () => {
    const { id, change, invoice } = await waiting({ method: 'card', paying: [cards.renewals_declined] });
    expect(change).toMatchObject({ status: 'awaiting_payment', lapses_at: scene.now() + DAY });
    const { payment_url: url, status } = await scene.invoice(invoice);
    expect([status, url]).toEqual(['open', expect.stringContaining(invoice)]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({
      ...{ status: 'active', pending_change: change, item: { price: { unit_amount: 4_990 } } },
    });
    expect((await scene.types(id)).slice(-4)).toEqual([...SENT, ...DECLINED]);
    await payByPix(scene.merchant, invoice);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ pending_change: null, payment_method_type: 'pix' });
    expect(await amountOf(id)).toBe(9_990);
  });

  test('by PIX waits for its QR code to be paid, and holds since it was asked for', async () => {
    const { id, change, invoice } = await waiting();
    const asked = scene.now();
    await scene.pass(id, DAY / 2);
    expect(await amountOf(id)).toBe(4_990);
    const told = await scene.told(id, () => payByPix(scene.merchant, invoice));
    expect(told.slice(-3)).toEqual([...PAID, 'subscription.changed']);
    const terms = await scene.rows(
      'SELECT effective_at FROM subscription_term WHERE subscription_id = $1 ORDER BY seq',
      id,
    );
    expect(terms.at(-1)).toEqual({ effective_at: asked });
    expect(await scene.invoice(invoice)).toMatchObject({ total: change.total, billing_reason: 'subscription_change' });
    expect(await scene.renew(id)).toMatchObject({ total: 9_990, cycle: 2 });
  });

  test('that is repeated under its Idempotency-Key is answered as the first time, and charges nothing', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990 });
    const asked = { ...(await scene.toPrice(subscription, 9_990)), ...now };
    const key = { idempotencyKey: 'uma-so-mudanca' };
    const first = await scene.fatura.subscriptionChanges.create(subscription.id, asked, key);
    expect(await scene.fatura.subscriptionChanges.create(subscription.id, asked, key)).toEqual(first);
    expect(await scene.chargesAtBank(first.invoice ?? '')).toHaveLength(1);
  });
});

describe('while a change waits for its payment', () => {
  test('no other is made, and no other quantity and no pause', async () => {
    const { id, asked } = await waiting();
    const pending = refusal('CHANGE_PENDING');
    await expect(scene.change(id, asked)).rejects.toEqual(pending);
    await expect(scene.preview(id, asked)).rejects.toEqual(pending);
    await expect(scene.change(id, { items: asked.items, effective: 'period_end' })).rejects.toEqual(pending);
    await expect(scene.subscriptions.update(id, { quantity: 3 })).rejects.toEqual(pending);
    for (const at of ['now', 'period_end'] as const)
      await expect(scene.subscriptions.pause(id, { at })).rejects.toEqual(pending);
  });

  test('its invoice is neither voided nor extended by hand', async () => {
    const { invoice } = await waiting();
    for (const act of ['void', 'markUncollectible'] as const)
      await expect(scene.fatura.invoices[act](invoice)).rejects.toEqual(refusal('INVALID_STATE'));
    await expect(scene.fatura.invoices.extend(invoice, { due_at: scene.now() + 10 * DAY })).rejects.toEqual(
      refusal('INVALID_STATE'),
    );
  });

  test('it is taken back, and its QR code is ended', async () => {
    const { id, change, invoice } = await waiting();
    const { intent } = await scene.checkoutByPix(invoice);
    const told = await scene.told(id, () => scene.takeBack(id, change.id));
    expect(told).toEqual(['payment_intent.discarded', 'invoice.voided', 'subscription.updated']);
    expect(await scene.takeBack(id, change.id)).toMatchObject({ status: 'canceled' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ pending_change: null });
    expect((await scene.invoice(invoice)).status).toBe('void');
    expect(await scene.told(id, () => scene.payPix(intent, 'paid_late'))).toEqual(SURPLUS);
    expect(await amountOf(id)).toBe(4_990);
  });

  test('it is not taken back once its PIX is confirmed, nor once it holds', async () => {
    const { id, change, invoice } = await waiting();
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.payPix(intent, 'confirmed_not_settled');
    await expect(scene.takeBack(id, change.id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    await scene.payPix(intent);
    await expect(scene.takeBack(id, change.id)).rejects.toEqual(refusal('INVALID_STATE'));
    expect(await amountOf(id)).toBe(9_990);
  });

  test('a PIX that nobody heard of is found before it is taken back', async () => {
    const { id, change, invoice } = await waiting();
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.payPixUnheard(intent);
    await expect(scene.takeBack(id, change.id)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED'));
    expect(await amountOf(id)).toBe(9_990);
  });

  test('it lapses after a day, and what is paid later goes back', async () => {
    const { id, change, invoice } = await waiting();
    const { intent } = await scene.checkoutByPix(invoice);
    expect(await scene.pass(id, DAY)).toEqual(['change_lapsed']);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', pending_change: null });
    expect((await scene.types(id)).slice(-3)).toEqual([
      ...['payment_intent.discarded', 'invoice.voided', 'subscription.change_lapsed'],
    ]);
    await expect(scene.takeBack(id, change.id)).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining('lapsed') }),
    );
    expect(await scene.told(id, () => scene.payPix(intent, 'paid_late'))).toEqual(SURPLUS);
    expect(await scene.renew(id)).toMatchObject({ total: 4_990, cycle: 2 });
  });

  test('a lapse waits for a PIX that is confirmed, and the change holds', async () => {
    const { id, invoice } = await waiting();
    const { intent } = await scene.checkoutByPix(invoice);
    await scene.payPix(intent, 'confirmed_not_settled');
    expect((await scene.pass(id, DAY)).at(-1)).toBe('postponed');
    await scene.payPix(intent);
    expect(await amountOf(id)).toBe(9_990);
    expect(await scene.renew(id)).toMatchObject({ total: 9_990, cycle: 2 });
  });

  test.each(['card', 'pix'] as const)('it has lapsed before the next cycle, by %s', async (method) => {
    const subscription = await scene.activeSince(null, {
      ...{ cents: 4_990, method },
      ...(method === 'card' && { paying: [cards.renewals_delayed] as [string] }),
    });
    const { id, current_period_end: end } = subscription;
    // By PIX the next period was billed ahead; with the change that bill comes anew.
    await scene.pass(id, (end ?? 0) - 0.9 * DAY - scene.now());
    const change = await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
    expect(change).toMatchObject({ status: 'awaiting_payment', lapses_at: end });
    expect(await scene.openInvoices(id)).toEqual([expect.objectContaining({ id: change.invoice })]);
    const done = await scene.pass(id, 0.9 * DAY);
    expect(done).toEqual(
      method === 'card' ? ['change_lapsed', 'declined'] : ['change_lapsed', 'billed', 'remind', 'period_started'],
    );
    expect(await scene.openInvoices(id)).toEqual([expect.objectContaining({ total: 4_990, cycle: 2 })]);
  });

  test('the next period is billed ahead once it is decided', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
    const { id, current_period_end: end } = subscription;
    await scene.pass(id, (end ?? 0) - 3.5 * DAY - scene.now());
    const { invoice } = await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
    expect(await scene.pass(id, 0.75 * DAY)).toEqual([]);
    await payByPix(scene.merchant, invoice ?? '');
    expect((await scene.pass(id, 60))[0]).toBe('billed');
    expect(await scene.openInvoices(id)).toEqual([expect.objectContaining({ total: 9_990, cycle: 2 })]);
  });

  test('of a next period that is paid ahead it charges both', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, method: 'pix' });
    const { id } = subscription;
    await payByPix(scene.merchant, (await scene.renew(id)).id);
    const change = await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
    await payByPix(scene.merchant, change.invoice ?? '');
    expect((await scene.invoice(change.invoice ?? '')).line_items.data).toHaveLength(2);
    await scene.pass(id, 4 * DAY);
    const back = { ...(await scene.toPrice(subscription, 4_990)), effective: 'now' as const };
    expect((await scene.preview(id, back)).credit).toBeGreaterThan(9_000);
    expect((await scene.renew(id)).total).toBe(9_990);
  });

  test('the subscription ends, and its invoice with it', async () => {
    const { id, invoice } = await waiting();
    await scene.checkoutByPix(invoice);
    const told = await scene.told(id, () => scene.subscriptions.cancel(id));
    expect(told).toEqual(['payment_intent.discarded', 'invoice.voided', 'subscription.canceled']);
    expect((await scene.subscriptions.retrieve(id)).pending_change).toBeNull();
  });

  test('an end that was said before voids it, and forgives nothing of it', async () => {
    const { id, invoice } = await waiting();
    await scene.subscriptions.cancelAt(id, { at: scene.now() + DAY / 2 });
    expect(await scene.pass(id, DAY)).toEqual(['ended']);
    expect((await scene.invoice(invoice)).status).toBe('void');
  });

  test('a suspension lapses it', async () => {
    const subscription = await scene.activeSince(null, { cents: 4_990, paying: [cards.renewals_declined] });
    const { id } = subscription;
    await scene.withDays('overdue_days = 1, suspend_days = 2', async () => {
      await scene.renew(id);
      await scene.pass(id, 1.5 * DAY);
      const { invoice } = await scene.change(id, { ...(await scene.toPrice(subscription, 9_990)), ...now });
      await scene.suspend(id);
      expect((await scene.invoice(invoice ?? '')).status).toBe('void');
      expect((await scene.types(id)).slice(-3)).toEqual([
        ...['payment_intent.discarded', 'invoice.voided', 'subscription.change_lapsed'],
      ]);
    });
  });

  test('it is no invoice that the subscription is overdue with', async () => {
    const { id } = await waiting({ method: 'card', paying: [cards.renewals_declined] });
    await scene.pass(id, 3 * DAY);
    expect(await scene.types(id)).not.toContain('subscription.overdue');
  });
});
