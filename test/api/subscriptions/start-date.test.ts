import type { SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

/** What a request was refused with; null: it was not. */
const refused = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  );

const retrieve = (id: string) => scene.subscriptions.retrieve(id);
const invoicesOf = (id: string) => scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
const inDays = (days: number) => scene.now() + days * DAY;
const scheduleFor = (days: number, more: Partial<SubscriptionCreate> = {}) =>
  scene.subscribe({ start_date: inDays(days), ...more });

/** A customer with a stored card. */
async function stored(card: string = cards.approved) {
  const { id } = await scene.subscribe();
  const { customer, default_payment_method: method } = await scene.subscriptions.checkout(id, byCard(card));
  return { customer_id: customer, default_payment_method: method ?? '' };
}

describe('a subscription that begins later', () => {
  test('is scheduled, then waits for the payment of its first bill', async () => {
    const made = await scheduleFor(10);
    const start = inDays(10);
    expect(made).toMatchObject({ status: 'scheduled', start_date: start, latest_invoice: null });
    await scene.pass(made.id, 10 * DAY - 1);
    expect(await retrieve(made.id)).toEqual(made);
    await scene.pass(made.id, 1);
    const pending = await retrieve(made.id);
    expect(pending).toMatchObject({ status: 'pending', start_date: start });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'open', due_at: start + 7 * DAY, cycle: 1 }]);
    expect(await scene.subscriptions.checkout(made.id, byCard())).toMatchObject({ status: 'active' });
  });

  test('begins its trial then', async () => {
    const { id } = await scheduleFor(10, { trial: { days: 5, requires_payment_method: false } });
    await scene.pass(id, 10 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'trialing', trial_start: scene.now(), trial_end: inDays(5) });
  });

  test('waits for the card of its trial from then on', async () => {
    const { id } = await scheduleFor(10, { trial: { days: 5 } });
    await scene.pass(id, 10 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'pending', trial_start: null, latest_invoice: null });
    expect(await scene.subscriptions.checkout(id, byCard())).toMatchObject({
      status: 'trialing',
      trial_end: inDays(5),
    });
  });

  test('stores a card meanwhile, with which its trial begins then', async () => {
    const { id } = await scheduleFor(10, { trial: { days: 5 } });
    expect(await scene.subscriptions.checkout(id, byCard())).toMatchObject({ status: 'scheduled' });
    await scene.pass(id, 10 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'trialing', payment_method_type: 'card' });
  });

  test('charges a stored card then for its first cycle', async () => {
    const made = await scheduleFor(10, await stored());
    const told = await scene.told(made.id, () => scene.pass(made.id, 10 * DAY));
    expect(told.slice(0, 3)).toEqual([...ACTIVATED, 'invoice.created']);
    expect(await retrieve(made.id)).toMatchObject({ status: 'active', billing_cycle_anchor: made.start_date });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'paid', cycle: 1, period_start: made.start_date }]);
  });

  test('is active and collected where that charge is declined', async () => {
    const { id } = await scheduleFor(10, await stored(cards.renewals_declined));
    await scene.pass(id, 10 * DAY);
    expect(await retrieve(id)).toMatchObject({ status: 'active' });
    expect(await scene.openInvoices(id)).toHaveLength(1);
  });

  test('is canceled without an invoice', async () => {
    const { id } = await scheduleFor(10);
    expect(await scene.subscriptions.cancel(id)).toMatchObject({ status: 'inactive', canceled_reason: 'requested' });
    await scene.pass(id, 20 * DAY);
    expect(await invoicesOf(id)).toEqual([]);
  });

  test('shows its first bill ahead', async () => {
    const { id, start_date: start } = await scheduleFor(10);
    expect(await scene.subscriptions.upcomingInvoice(id)).toMatchObject({ cycle: 1, period_start: start });
    const tried = await scheduleFor(10, { trial: { days: 5 } });
    expect(await scene.subscriptions.upcomingInvoice(tried.id)).toMatchObject({ period_start: start + 5 * DAY });
  });

  test.each([
    ['in the past', -1],
    ['now', 0],
    ['in more than two years', 731],
  ])('cannot begin %s', async (_, days) => {
    expect(await refused(scheduleFor(days))).toMatchObject({
      ...{ status: 400, code: 'PARAMETER_INVALID', wireParam: 'subscription.start_date' },
    });
  });
});

describe('a stored card at creation', () => {
  test('is charged for the first bill at once', async () => {
    const made = await scene.subscribe(await stored());
    expect(made).toMatchObject({ status: 'active', billing_cycle_anchor: scene.now(), payment_method_type: 'card' });
    expect(await invoicesOf(made.id)).toMatchObject([{ status: 'paid', cycle: 1 }]);
    expect((await scene.types(made.id)).slice(0, 3)).toEqual(['subscription.created', ...ACTIVATED]);
  });

  test('that is declined leaves the subscription active and collected', async () => {
    const { id } = await scene.subscribe(await stored(cards.renewals_declined));
    expect(await retrieve(id)).toMatchObject({ status: 'active' });
    await scene.suspend(id);
    expect(await scene.status(id)).toBe('suspended');
  });

  test('of another customer does not exist', async () => {
    const { default_payment_method } = await stored();
    expect(await refused(scene.subscribe({ default_payment_method }))).toMatchObject({
      ...{ status: 404, code: 'RESOURCE_MISSING', wireParam: 'subscription.default_payment_method' },
    });
  });
});
