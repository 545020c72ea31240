import type { Subscription, SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { passUntil, payByPix } from '../../support/subscriptions.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

/** What a request was refused with; null: it was not. */
const refused = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  );

type Trial = NonNullable<SubscriptionCreate['trial']>;

const FREE = { days: 14, requires_payment_method: false } as const satisfies Trial;

const retrieve = (id: string) => scene.subscriptions.retrieve(id);
const invoicesOf = (id: string) => scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
const tryOut = (trial: Trial, more: Partial<SubscriptionCreate> = {}) => scene.subscribe({ trial, ...more });

/** Lets the trial of one pass, and what comes at its end be done. */
async function passTrial({ id, trial_end: end }: Pick<Subscription, 'id' | 'trial_end'>): Promise<Subscription> {
  await scene.pass(id, (end ?? 0) - scene.now());
  return retrieve(id);
}

/** One on a trial with a card stored. */
async function tryByCard(card: string = cards.approved, more: Partial<SubscriptionCreate> = {}): Promise<Subscription> {
  const { id } = await tryOut({ days: 14 }, more);
  return scene.subscriptions.checkout(id, byCard(card));
}

describe('a trial without a card', () => {
  test('begins at once, has no invoice, and is told of three days before its end', async () => {
    const made = await tryOut(FREE);
    const now = scene.now();
    expect(made).toMatchObject({
      ...{ status: 'trialing', trial_start: now, trial_end: now + 14 * DAY, trial_end_behavior: 'invoice' },
      ...{ latest_invoice: null, current_period_start: null, payment_method_type: null, default_payment_method: null },
    });
    await scene.pass(made.id, 14 * DAY - 1);
    expect(await retrieve(made.id)).toEqual(made);
    expect(await scene.story(made.id, now)).toEqual([
      [0, 'subscription.created'],
      [0, 'subscription.trial_started'],
      [11, 'subscription.trial_will_end'],
    ]);
    expect(await invoicesOf(made.id)).toEqual([]);
  });

  test('that is shorter than three days is told of at once', async () => {
    const { id } = await tryOut({ ...FREE, days: 2 });
    expect(await scene.types(id)).toEqual([
      'subscription.created',
      'subscription.trial_started',
      'subscription.trial_will_end',
    ]);
  });

  test('ends at an instant that is said', async () => {
    const end = scene.now() + 5 * DAY + 1;
    expect(await tryOut({ end, requires_payment_method: false })).toMatchObject({ trial_end: end });
  });

  test('ends with the first bill, which waits seven days and whose payment is the anchor', async () => {
    const made = await tryOut(FREE);
    const asked = await passTrial(made);
    expect(asked).toMatchObject({ status: 'pending', trial_end: made.trial_end, current_period_start: null });
    const invoice = await scene.invoice(asked.latest_invoice ?? '');
    expect(invoice).toMatchObject({
      ...{ status: 'open', billing_reason: 'subscription_create', cycle: 1, due_at: scene.now() + 7 * DAY },
      period_start: null,
    });
    const [mail] = await scene.rows(`SELECT occasion FROM mail WHERE invoice_id = $1`, invoice.id);
    expect(mail).toEqual({ occasion: 'sent' });
    scene.api.clock.advance(2 * DAY);
    await payByPix(scene.merchant, invoice.id);
    expect(await retrieve(made.id)).toMatchObject({ status: 'active', billing_cycle_anchor: scene.now() });
  });

  test('ends in the end of the subscription where that bill is not paid', async () => {
    const made = await tryOut(FREE);
    await passTrial(made);
    await scene.pass(made.id, 7 * DAY);
    expect(await retrieve(made.id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'void' }]);
  });

  test('ends the subscription where that is asked for', async () => {
    const made = await tryOut({ ...FREE, end_behavior: 'cancel' });
    const told = await scene.told(made.id, () => passTrial(made));
    expect(told).toEqual(['subscription.trial_will_end', 'subscription.canceled']);
    expect(await retrieve(made.id)).toMatchObject({
      ...{ status: 'inactive', canceled_reason: 'trial_ended', ended: made.trial_end, latest_invoice: null },
    });
  });

  test('pauses the subscription where that is asked for, until a checkout stores a card', async () => {
    const made = await tryOut({ ...FREE, end_behavior: 'pause' });
    const told = await scene.told(made.id, () => passTrial(made));
    expect(told).toEqual(['subscription.trial_will_end', 'subscription.paused']);
    const pause = { since: made.trial_end, resumes_at: null, days_left: 0 };
    expect(await retrieve(made.id)).toMatchObject({ status: 'paused', pause, latest_invoice: null });
    await scene.pass(made.id, 60 * DAY);
    expect(await refused(scene.subscriptions.resume(made.id))).toMatchObject({ code: 'INVALID_STATE' });
    const resumed = await scene.told(made.id, () => scene.subscriptions.checkout(made.id, byCard()));
    expect(resumed.slice(0, 4)).toEqual(['subscription.resumed', ...ACTIVATED, 'invoice.created']);
    expect(await retrieve(made.id)).toMatchObject({ status: 'active', pause: null, billing_cycle_anchor: scene.now() });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'paid', cycle: 1 }]);
  });

  test('of what costs nothing ends in an active subscription', async () => {
    const made = await tryOut(FREE, { discounts: [{ type: 'percentage', percentage: 100 }] });
    expect(await passTrial(made)).toMatchObject({ status: 'active', billing_cycle_anchor: made.trial_end });
  });

  test('charges a card that is stored meanwhile, in the installments of its checkout', async () => {
    const made = await tryOut(FREE, {});
    const told = await scene.told(made.id, () => scene.subscriptions.checkout(made.id, byCard(cards.approved)));
    expect(told).toEqual(['subscription.updated']);
    await scene.subscriptions.updatePaymentMethod(made.id, byCard(cards.mastercard));
    expect(await passTrial(made)).toMatchObject({ status: 'active', payment_method_type: 'card' });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'paid' }]);
  });
});

describe('a trial with a card', () => {
  test('waits for it without an invoice, and begins with it', async () => {
    const made = await tryOut({ days: 14 });
    expect(made).toMatchObject({ status: 'pending', trial_start: null, trial_end: null, latest_invoice: null });
    expect(await invoicesOf(made.id)).toEqual([]);
    scene.api.clock.advance(2 * DAY);
    const begun = await scene.subscriptions.checkout(made.id, byCard());
    const now = scene.now();
    expect(begun).toMatchObject({
      ...{ status: 'trialing', trial_start: now, trial_end: now + 14 * DAY, payment_method_type: 'card' },
    });
    expect(begun.default_payment_method).toMatch(/^txn_/);
    expect(await scene.types(made.id)).toEqual(['subscription.created', 'subscription.trial_started']);
  });

  test('ends unpaid after seven days without one', async () => {
    const { id } = await tryOut({ days: 14 });
    await scene.pass(id, 7 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid', trial_start: null });
  });

  test('waits no longer for it than to its own end', async () => {
    const end = scene.now() + DAY;
    const { id } = await tryOut({ end });
    await scene.pass(id, DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'inactive', ended: end });
  });

  test('refuses PIX and a declined card', async () => {
    const { id } = await tryOut({ days: 14 });
    const byPix = await refused(scene.subscriptions.checkout(id, { payment_method_type: 'pix' }));
    expect(byPix).toMatchObject({ status: 422, code: 'PAYMENT_METHOD_NEEDED' });
    const declined = await refused(scene.subscriptions.checkout(id, byCard(cards.issuer_declined)));
    expect(declined).toMatchObject({ code: 'CARD_DECLINED' });
    expect(await retrieve(id)).toMatchObject({ status: 'pending' });
  });

  test('is followed by the first cycle, charged at once', async () => {
    const begun = await tryByCard();
    const told = await scene.told(begun.id, () => passTrial(begun));
    expect(told).toEqual([
      'subscription.trial_will_end',
      ...ACTIVATED,
      'invoice.created',
      'payment_intent.created',
      'payment_intent.processing',
      'payment_intent.paid',
      'invoice.paid',
    ]);
    const active = await retrieve(begun.id);
    expect(active).toMatchObject({
      ...{ status: 'active', billing_cycle_anchor: begun.trial_end, current_period_start: begun.trial_end },
    });
    expect(await invoicesOf(begun.id)).toMatchObject([
      { status: 'paid', cycle: 1, billing_reason: 'subscription_create', period_start: begun.trial_end },
    ]);
    const { cycle, invoices } = await scene.cycles(begun.id);
    expect([cycle, invoices.length]).toEqual([1, 1]);
    const second = await scene.renew(begun.id);
    expect(second).toMatchObject({ cycle: 2, billing_reason: 'subscription_cycle', status: 'paid' });
    expect(second.period_start).toBe(active.current_period_end);
  });

  test('whose charge is declined is followed by an active subscription that is collected', async () => {
    const begun = await tryByCard(cards.renewals_declined);
    const active = await passTrial(begun);
    expect(active).toMatchObject({ status: 'active' });
    expect(await scene.openInvoices(begun.id)).toMatchObject([{ cycle: 1, due_at: begun.trial_end }]);
    await scene.suspend(begun.id);
    expect(await scene.status(begun.id)).toBe('suspended');
    const paid = await scene.subscriptions.checkout(begun.id, byCard());
    expect(paid).toMatchObject({ status: 'active', billing_cycle_anchor: scene.now() });
  });

  test('begins at once with a card that is stored already', async () => {
    const { customer, default_payment_method: card } = await tryByCard();
    const made = await tryOut({ days: 30 }, { customer_id: customer, default_payment_method: card ?? '' });
    expect(made).toMatchObject({ status: 'trialing', default_payment_method: card });
  });
});

describe('in a trial', () => {
  test('another quantity moves no money and is what is billed at its end', async () => {
    const { id, trial_end } = await tryByCard(cards.approved, { quantity: 4 });
    await scene.subscriptions.update(id, { quantity: 2 });
    expect(await invoicesOf(id)).toEqual([]);
    await passTrial({ id, trial_end });
    const [invoice] = await invoicesOf(id);
    expect(invoice?.line_items.data).toMatchObject([{ quantity: 2 }]);
  });

  test('the next invoice is the first bill, from its end on', async () => {
    const { id, trial_end } = await tryByCard(cards.approved, {
      discounts: [{ type: 'percentage', percentage: 50, cycles: 1 }],
    });
    const { total, subtotal, ...preview } = await scene.subscriptions.upcomingInvoice(id);
    expect(preview).toMatchObject({ cycle: 1, period_start: trial_end });
    expect(total).toBe(subtotal / 2);
    await passTrial({ id, trial_end });
    expect(await invoicesOf(id)).toMatchObject([{ total, period_end: preview.period_end }]);
  });

  test('a cancellation charges nothing and leaves no invoice', async () => {
    const { id } = await tryByCard();
    expect(await scene.subscriptions.cancel(id)).toMatchObject({ status: 'inactive', canceled_reason: 'requested' });
    expect(await scene.pass(id, 60 * DAY)).toEqual([]);
    expect(await invoicesOf(id)).toEqual([]);
  });

  test('a cancellation at the end of the period ends it with the trial, wherever that is moved', async () => {
    const begun = await tryByCard();
    expect(await scene.subscriptions.cancelAt(begun.id, { at: 'period_end' })).toMatchObject({
      cancel_at: begun.trial_end,
    });
    const end = scene.now() + 20 * DAY;
    expect(await scene.subscriptions.update(begun.id, { trial_end: end })).toMatchObject({ cancel_at: end });
    expect(await passTrial({ id: begun.id, trial_end: end })).toMatchObject({ status: 'inactive', ended: end });
    expect(await invoicesOf(begun.id)).toEqual([]);
  });

  test('its end moves, and is told of anew', async () => {
    const { id, trial_start: start } = await tryOut(FREE);
    const begin = start ?? 0;
    await scene.pass(id, 12 * DAY);
    await scene.subscriptions.update(id, { trial_end: begin + 730 * DAY });
    await scene.subscriptions.update(id, { trial_end: scene.now() + DAY });
    expect(await scene.story(id, begin)).toEqual([
      [0, 'subscription.created'],
      [0, 'subscription.trial_started'],
      [11, 'subscription.trial_will_end'],
      [12, 'subscription.updated'],
      [12, 'subscription.updated'],
      [12, 'subscription.trial_will_end'],
    ]);
    for (const end of [scene.now(), begin + 730 * DAY + 1])
      expect(await refused(scene.subscriptions.update(id, { trial_end: end }))).toMatchObject({
        ...{ status: 400, code: 'PARAMETER_INVALID', wireParam: 'subscription.trial_end' },
      });
  });

  test('it ends now where that is asked for, charged to the card', async () => {
    const { id } = await tryByCard();
    scene.api.clock.advance(DAY);
    const ended = await scene.subscriptions.endTrial(id);
    const now = scene.now();
    expect(ended).toMatchObject({ status: 'active', trial_end: now, billing_cycle_anchor: now });
    expect(await invoicesOf(id)).toMatchObject([{ status: 'paid' }]);
    const again = await refused(scene.subscriptions.endTrial(id));
    expect(again).toMatchObject({ status: 409, code: 'INVALID_STATE' });
  });

  test('without a card it ends now in the first bill, or in the end of the subscription', async () => {
    const { id } = await tryOut(FREE);
    expect(await scene.subscriptions.endTrial(id)).toMatchObject({ status: 'pending', trial_end: scene.now() });
    const other = await tryOut({ ...FREE, end_behavior: 'cancel' });
    expect(await scene.subscriptions.endTrial(other.id)).toMatchObject({ status: 'inactive' });
  });

  test('the whole customer and its trials are told, ended ones too', async () => {
    const { id } = await newCustomer(scene.merchant);
    expect(await scene.fatura.customers.retrieve(id)).toMatchObject({ trials: [] });
    const made = await tryOut(FREE, { customer_id: id });
    await scene.subscriptions.cancel(made.id);
    expect(await scene.fatura.customers.retrieve(id)).toMatchObject({ trials: [made.item.price.product] });
  });

  test('a cancellation and the end of the trial at once leave one of them', async () => {
    const begun = await tryByCard();
    await scene.pass(begun.id, 14 * DAY - 1);
    scene.api.clock.advance(1);
    await Promise.allSettled([scene.subscriptions.cancel(begun.id), passUntil(scene.collected(begun.id), scene.now())]);
    const { status } = await retrieve(begun.id);
    const invoices = await invoicesOf(begun.id);
    if (status === 'inactive') expect(invoices.every((one) => one.status !== 'open')).toBe(true);
    else expect(invoices).toMatchObject([{ status: 'paid' }]);
  });
});

describe('a trial that cannot be', () => {
  test.each([
    ['with days and an end', { days: 3, end: 4_000_000_000 }, 'subscription.trial.end'],
    ['with neither', {}, 'subscription.trial.days'],
    ['of no days', { days: 0 }, 'subscription.trial.days'],
    ['of more than 730 days', { days: 731 }, 'subscription.trial.days'],
    ['that ended', { end: 1 }, 'subscription.trial.end'],
    ['that ends too late', { end: 4_000_000_000 }, 'subscription.trial.end'],
  ])('%s is refused', async (_, trial, param) => {
    expect(await refused(tryOut(trial as Trial))).toMatchObject({ status: 400, wireParam: param });
  });

  test('with a discount above its first bill is refused at once', async () => {
    const discounts = [{ type: 'fixed', amount: 900_000 } as const];
    expect(await refused(tryOut(FREE, { discounts }))).toMatchObject({ code: 'DISCOUNT_EXCEEDS_SUBTOTAL' });
  });
});
