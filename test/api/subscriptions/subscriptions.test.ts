import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { newMonthly as monthly, subscribe as subscribeTo } from '../../support/subscriptions.ts';
import { PaymentScene, refusal } from '../payments/payment-scene.ts';

const scene = new PaymentScene();
const DAY = 86_400;

const fatura = () => scene.merchant.fatura;
const now = () => scene.api.clock.now();

const newMonthly = () => monthly(scene.merchant);
const subscribe = (overrides: Parameters<typeof subscribeTo>[1] = {}) => subscribeTo(scene.merchant, overrides);

const types = async (id: string) => (await scene.facts(id)).map(({ type }) => type);
const activated = ['subscription.activated', 'subscription.period_started'];

describe('a subscription', () => {
  test('is created pending, with its first invoice open for seven days', async () => {
    const price = await newMonthly();
    const customer = await newCustomer(scene.merchant);
    const made = await subscribe({ customer_id: customer.id, price_id: price.id, quantity: 2, external_code: 'a' });
    expect(made).toEqual({
      id: expect.stringMatching(/^sub_[0-9a-z]{26}$/),
      object: 'subscription',
      live_mode: false,
      external_code: 'a',
      status: 'pending',
      trial_start: null,
      trial_end: null,
      trial_end_behavior: null,
      default_payment_method: null,
      mandate: null,
      start_date: now(),
      cancel_at: null,
      cancel_at_period_end: false,
      ended: null,
      canceled_reason: null,
      credit_balance: 0,
      pending_change: null,
      pause: null,
      cancellation: null,
      consent: null,
      collection: {
        overdue_days: null,
        suspend_days: null,
        cancel_days: null,
        retry_days: null,
        reminder_days: null,
      },
      late_fees: null,
      minimum_term: null,
      billing_cycle_anchor: now(),
      current_period_start: null,
      current_period_end: null,
      created: now(),
      customer: customer.id,
      payment_method_type: null,
      installments: 1,
      latest_invoice: expect.stringMatching(/^in_/),
      update_payment_url: scene.api.composition.deps.links.updatePayment({ id: made.id, liveMode: false }),
      discounts: { object: 'list', data: [] },
      items: { object: 'list', data: [made.item] },
      item: {
        id: expect.stringMatching(/^si_[0-9a-z]{26}$/),
        object: 'subscription_item',
        created: now(),
        current_period_start: null,
        current_period_end: null,
        quantity: 2,
        subscription: made.id,
        price: {
          id: price.id,
          object: 'price',
          active: true,
          created: price.created,
          currency: 'brl',
          product: price.product,
          type: 'recurring',
          interval: 'month',
          interval_count: 1,
          unit_amount: 9_990,
          unit_amount_decimal: '9990',
          nickname: null,
        },
      },
    });
    expect(await fatura().invoices.retrieve(made.latest_invoice ?? '')).toMatchObject({
      status: 'open',
      total: 19_980,
      billing_reason: 'subscription_create',
      due_at: now() + 7 * DAY,
      subscription: made.id,
      period_start: null,
    });
    expect(await types(made.id)).toEqual(['subscription.created', 'invoice.created']);
    expect(await fatura().subscriptions.retrieve(made.id)).toEqual(made);
    const listed = await fatura().subscriptions.list({ external_code: 'a', price_id: price.id }).page();
    expect(listed.data).toEqual([made]);
  });

  test('of a first bill of 0 is active at once, without a method', async () => {
    const made = await subscribe({ discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }] });
    expect(made).toMatchObject({ status: 'active', payment_method_type: null, current_period_start: now() });
    expect(await types(made.id)).toEqual(['subscription.created', 'invoice.created', 'invoice.paid', ...activated]);
  });

  test('needs a recurring, active price and discounts within its first bill', async () => {
    const oneTime = await newPrice(scene.merchant);
    await expect(subscribe({ price_id: oneTime.id })).rejects.toEqual(
      refusal('PRICE_TYPE_MISMATCH', { status: 422, param: 'subscription.price_id' }),
    );
    const inactive = await newMonthly();
    await fatura().prices.update(inactive.id, { active: false });
    await expect(subscribe({ price_id: inactive.id })).rejects.toEqual(refusal('PRICE_INACTIVE'));
    await expect(subscribe({ amount: 999, discounts: [{ type: 'fixed', amount: 1_000 }] })).rejects.toEqual(
      refusal('DISCOUNT_EXCEEDS_SUBTOTAL', { param: 'subscription.discounts[0]' }),
    );
    await expect(subscribe({ price_id: `price_${'0'.repeat(26)}` })).rejects.toEqual(
      refusal('RESOURCE_MISSING', { param: 'subscription.price_id' }),
    );
  });

  test('tells of a change, and of none where nothing changes', async () => {
    const made = await subscribe();
    const changed = await fatura().subscriptions.update(made.id, { quantity: 3, external_code: 'b' });
    expect(changed).toMatchObject({ external_code: 'b', item: { quantity: 3 } });
    await fatura().subscriptions.update(made.id, { quantity: 3 });
    expect(await types(made.id)).toEqual(['subscription.created', 'invoice.created', 'subscription.updated']);
  });
});

describe('a checkout of a subscription', () => {
  test('by card activates it in the answer, and keeps the card for its renewals', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    const paid = await fatura().subscriptions.checkout(id, byCard(cards.mastercard));
    expect(paid).toMatchObject({
      id,
      status: 'active',
      payment_method_type: 'card',
      billing_cycle_anchor: now(),
      current_period_start: now(),
      payment_method: { type: 'card', card: { brand: 'mastercard', last4: '4444' } },
    });
    const [kept] = await scene.rows(
      'SELECT id, brand, last4, sealed_token AS token FROM payment_method WHERE id = $1',
      paid.payment_method?.id,
    );
    expect(kept).toMatchObject({ brand: 'mastercard', last4: '4444', token: expect.any(Buffer) });
    const { payment_method: _, ...rest } = paid;
    expect(await fatura().subscriptions.retrieve(id)).toEqual(rest);
    expect(await fatura().invoices.retrieve(invoice ?? '')).toMatchObject({
      status: 'paid',
      period_start: paid.current_period_start,
      period_end: paid.current_period_end,
    });
    expect(await types(id)).toEqual([
      'subscription.created',
      'invoice.created',
      'payment_intent.created',
      'payment_intent.processing',
      'payment_intent.paid',
      'invoice.paid',
      ...activated,
    ]);
  });

  test('that is declined leaves it pending, for another try', async () => {
    const { id } = await subscribe();
    await expect(fatura().subscriptions.checkout(id, byCard(cards.issuer_declined))).rejects.toEqual(
      refusal('CARD_DECLINED', { declineReason: 'issuer_declined' }),
    );
    expect(await fatura().subscriptions.retrieve(id)).toMatchObject({ status: 'pending', payment_method_type: null });
    expect(await fatura().subscriptions.checkout(id, byCard())).toMatchObject({ status: 'active' });
  });

  test('by PIX answers the QR code, and activates it with the payment', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    const waiting = await fatura().subscriptions.checkout(id, { payment_method_type: 'pix' });
    expect(waiting).toMatchObject({ status: 'pending', payment_method_type: null, payment_method: { type: 'pix' } });
    const again = await fatura().subscriptions.checkout(id, { payment_method_type: 'pix' });
    expect(again.payment_method).toEqual(waiting.payment_method);
    const { payment_intent: intent } = await fatura().invoices.retrieve(invoice ?? '');
    await scene.payPix(intent ?? '');
    expect(await fatura().subscriptions.retrieve(id)).toMatchObject({ status: 'active', payment_method_type: 'pix' });
    expect((await types(id)).slice(-4)).toEqual(['payment_intent.paid', 'invoice.paid', ...activated]);
  });

  test('is refused once it is active, and repeated under its key it answers the same', async () => {
    const { id } = await subscribe();
    const options = { idempotencyKey: `pay-${id}` };
    const paid = await fatura().subscriptions.checkout(id, byCard(), options);
    expect(await fatura().subscriptions.checkout(id, byCard(), options)).toEqual(paid);
    await expect(fatura().subscriptions.checkout(id, byCard())).rejects.toEqual(
      refusal('SUBSCRIPTION_NOT_PENDING', { status: 409 }),
    );
  });

  test('whose answer was lost is answered by the key once the charge is known', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    const options = { idempotencyKey: `lost-${id}` };
    const lost = () => fatura().subscriptions.checkout(id, byCard(cards.answer_lost), options);
    await expect(lost()).rejects.toEqual(refusal('ACQUIRER_TIMEOUT', { status: 504 }));
    await expect(fatura().subscriptions.cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    const { payment_intent: intent } = await fatura().invoices.retrieve(invoice ?? '');
    await scene.reconcile(intent ?? '');
    expect(await lost()).toMatchObject({ id, status: 'active', payment_method: { type: 'card' } });
  });
});

describe('cancelling', () => {
  test('voids the open invoice, ends the QR code and the subscription', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    await fatura().subscriptions.checkout(id, { payment_method_type: 'pix' });
    const canceled = await fatura().subscriptions.cancel(id);
    expect(canceled).toMatchObject({ status: 'inactive', ended: now() });
    expect(await fatura().invoices.retrieve(invoice ?? '')).toMatchObject({ status: 'void' });
    expect((await types(id)).slice(-3)).toEqual([
      'payment_intent.discarded',
      'invoice.voided',
      'subscription.canceled',
    ]);
    const told = await types(id);
    expect(await fatura().subscriptions.cancel(id)).toEqual(canceled);
    expect(await types(id)).toEqual(told);
    await expect(fatura().subscriptions.update(id, { quantity: 2 })).rejects.toEqual(refusal('INVALID_STATE'));
  });

  test('is refused when the PIX is paid meanwhile, which activates it', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    await fatura().subscriptions.checkout(id, { payment_method_type: 'pix' });
    const { payment_intent: intent } = await fatura().invoices.retrieve(invoice ?? '');
    scene.failpoints.meanwhile('ending.after-retiring', () => scene.payPix(intent ?? ''));
    await expect(fatura().subscriptions.cancel(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await fatura().subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
  });

  test('is the way to end the invoice that a pending subscription waits for', async () => {
    const { id, latest_invoice: invoice } = await subscribe();
    for (const close of ['void', 'markUncollectible'] as const) {
      await expect(fatura().invoices[close](invoice ?? '')).rejects.toEqual(
        refusal('INVALID_STATE', { message: expect.stringContaining(`DELETE /api/v1/subscriptions/${id}`) }),
      );
    }
  });

  test('keeps the data of a customer until then', async () => {
    const customer = await newCustomer(scene.merchant);
    const { id } = await subscribe({ customer_id: customer.id });
    await fatura().subscriptions.checkout(id, byCard());
    await expect(fatura().customers.anonymize(customer.id)).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining(id) }),
    );
    await fatura().subscriptions.cancel(id);
    expect(await fatura().customers.anonymize(customer.id)).toMatchObject({ name: 'Anonimizado' });
  });
});
