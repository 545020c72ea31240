import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { eventually, keepHistory, workerFor } from '../support.ts';
import { CollectionScene, type Pace } from './collection-scene.ts';

const TEST_MS = 60_000;
const DAY = 86_400;
/** Beyond the end of any test. Seconds. */
const LATER = 3_600;
const PATIENT: Pace = { charges: [LATER], overdue: LATER, suspend: 2 * LATER, cancel: 3 * LATER };

const scene = new CollectionScene();

const attempted = ['payment_intent.processing', 'payment_intent.failed', 'invoice.payment_failed'];

describe('the case of a subscription in trouble', { timeout: TEST_MS, concurrent: true }, () => {
  test('begins with the first declined charge, charges again by its schedule, and ends with the payment', async () => {
    const merchant = await scene.merchant({ charges: [4, 14], overdue: 6, suspend: LATER, cancel: 2 * LATER });
    const { subscription, invoice } = await scene.renewedByCard(merchant, cards.renewals_delayed);
    const id = `collection/${subscription.id}`;
    const declined = await scene.untilShown(id, 'charge declined');
    expect(declined).toEqual({
      type: 'collection',
      account: merchant.accountId,
      object: subscription.id,
      status: 'charge declined',
      nextDue: expect.any(Date),
      note: expect.stringMatching(
        new RegExp(
          `^${invoice.id} of R\\$ 99,90, due at .* UTC, is unpaid after 1 scheduled charge, ` +
            'the last declined for insufficient_funds. Next, at .* UTC: the stored card is charged again.$',
        ),
      ),
    });
    const overdue = await scene.untilShown(id, 'overdue');
    expect(overdue.note).toMatch(/after 2 scheduled charges, .*: the stored card is charged again\.$/);
    expect(overdue.nextDue).toEqual(expect.any(Date));
    expect(await scene.result(id)).toBe('Regular again.');
    expect(await scene.shown(id)).toMatchObject({ status: 'over', note: 'Regular again.' });
    expect(await scene.activitiesOf(id)).toEqual(['chargeAgain', 'markOverdue', 'chargeAgain']);
    expect(await scene.runsOf(id)).toBe(1);
    await keepHistory(scene.client, id, 'collection');
    expect(await scene.eventsSince(subscription, invoice)).toEqual([
      'payment_intent.created',
      ...attempted,
      ...attempted,
      'invoice.overdue',
      'subscription.overdue',
      'payment_intent.processing',
      'payment_intent.paid',
      'invoice.paid',
    ]);
  });

  test('begins with the first overdue bill by PIX, reminds, suspends and at last cancels', async () => {
    const pace = { charges: [], overdue: 1, suspend: DAY + 6, cancel: DAY + 16 };
    const merchant = await scene.merchant(pace);
    const { subscription, invoice } = await scene.dueByPix(merchant);
    const id = `collection/${subscription.id}`;
    await sleep(1_500);
    expect(await scene.run('billing-run')).toMatchObject({ mark_overdue: 1 });
    const overdue = await scene.untilShown(id, 'overdue');
    expect(overdue.note).toMatch(/the buyer is reminded by e-mail\.$/);
    expect(overdue.object).toBe(subscription.id);
    await scene.advance(merchant, invoice.due_at + DAY - 2);
    const suspended = await scene.untilShown(id, 'suspended');
    expect(suspended.note).toMatch(/the invoice is given up and the subscription cancelled\.$/);
    expect(await scene.result(id)).toBe('The subscription ended.');
    expect(await scene.activitiesOf(id)).toEqual(['remindBuyer', 'suspendSubscription', 'cancelSubscription']);
    expect(await scene.runsOf(id)).toBe(1);
    expect(await scene.eventsSince(subscription, invoice)).toEqual([
      'payment_intent.created',
      'subscription.period_started',
      'invoice.overdue',
      'subscription.overdue',
      'subscription.suspended',
      'payment_intent.discarded',
      'invoice.marked_uncollectible',
      'subscription.canceled',
    ]);
  });

  test('ends when the subscription is reactivated', async () => {
    const merchant = await scene.merchant({ charges: [], overdue: 1, suspend: 2, cancel: LATER });
    const { subscription } = await scene.renewedByCard(merchant, cards.renewals_declined);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'suspended');
    await merchant.fatura.subscriptions.reactivate(subscription.id);
    expect(await scene.result(id)).toBe('Reactivated: it waits seven days for its payment.');
    expect(await scene.activitiesOf(id)).toEqual(['markOverdue', 'suspendSubscription']);
  });

  test('is woken and ends when the invoice is voided by hand', async () => {
    const merchant = await scene.merchant(PATIENT);
    const { subscription, invoice } = await scene.renewedByCard(merchant, cards.renewals_declined);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'charge declined');
    await merchant.fatura.invoices.void(invoice.id);
    expect(await scene.result(id)).toBe('Regular again.');
    expect(await scene.activitiesOf(id)).toEqual([]);
  });

  test('is woken by a later due date, and waits for the charge of that', async () => {
    const merchant = await scene.merchant({ ...PATIENT, charges: [LATER] });
    const { subscription, invoice } = await scene.renewedByCard(merchant, cards.renewals_declined);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'charge declined');
    await merchant.fatura.invoices.extend(invoice.id, { due_at: invoice.due_at + 10 * DAY });
    await eventually('the case to wait for the new date', async () => {
      const { nextDue } = await scene.shown(id);
      return nextDue !== undefined && nextDue.getTime() > Date.now() + 9 * DAY * 1_000;
    });
    await merchant.fatura.invoices.void(invoice.id);
    expect(await scene.result(id)).toBe('Regular again.');
    expect(await scene.activitiesOf(id)).toEqual([]);
  });

  test('is woken and ends when the buyer pays', async () => {
    const merchant = await scene.merchant(PATIENT);
    const { subscription, invoice } = await scene.renewedByCard(merchant, cards.renewals_declined);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'charge declined');
    await merchant.fatura.invoices.checkout(invoice.id, byCard());
    expect(await scene.result(id)).toBe('Regular again.');
    expect(await scene.activitiesOf(id)).toEqual([]);
  });

  test('is woken and ends when the subscription is cancelled by hand', async () => {
    const merchant = await scene.merchant(PATIENT);
    const { subscription } = await scene.renewedByCard(merchant, cards.renewals_declined);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'charge declined');
    await merchant.fatura.subscriptions.cancel(subscription.id);
    expect(await scene.result(id)).toBe('The subscription ended.');
  });

  test('is woken by another card, which is charged at the instants that are left', async () => {
    const merchant = await scene.merchant({ charges: [25], overdue: 1, suspend: LATER, cancel: 2 * LATER });
    const { id: subscribed, current_period_end: end } = await scene.subscribed(merchant);
    await scene.pool.query(`UPDATE sandbox_bank.card SET scenario = 'expired_card' WHERE account_id = $1`, [
      merchant.accountId,
    ]);
    const { subscription, invoice } = await scene.renewed(merchant, { id: subscribed, at: end ?? 0 });
    const id = `collection/${subscription.id}`;
    const irreversible = await scene.untilShown(id, 'overdue');
    expect(irreversible.note).toMatch(/the last declined for expired_card.*: the subscription is suspended\.$/);
    await merchant.fatura.subscriptions.updatePaymentMethod(subscription.id, byCard(cards.mastercard));
    expect(await scene.result(id)).toBe('Regular again.');
    expect(await scene.activitiesOf(id)).toEqual(['markOverdue', 'chargeAgain']);
    expect(await merchant.fatura.invoices.retrieve(invoice.id)).toMatchObject({ status: 'paid' });
  });
});

test(
  'a case that was terminated begins again from the database',
  async () => {
    const merchant = await scene.merchant(PATIENT);
    const { subscription, invoice } = await scene.renewedByCard(merchant, cards.renewals_delayed);
    const id = `collection/${subscription.id}`;
    await scene.untilShown(id, 'charge declined');
    await scene.client.workflow.getHandle(id).terminate('lost');
    // As if the charge had been due ten minutes ago, with nobody to make it.
    await scene.pool.query(
      'UPDATE invoice SET next_charge_at = $2, step_at = $2, wake_at = wake_at - $3 WHERE id = $1',
      [invoice.id, invoice.due_at + 1, LATER + 600],
    );
    expect(await scene.run('case-recovery-run')).toMatchObject({ collection: 1 });
    await eventually('the charge', async () => (await scene.activitiesOf(id)).join() === 'chargeAgain');
    await scene.untilShown(id, 'charge declined');
    expect(await scene.runsOf(id)).toBe(2);
  },
  TEST_MS,
);

test(
  'two workers share the cases, and each step is done once',
  async () => {
    const second = workerFor(scene.api, { taskQueue: scene.taskQueue });
    onTestFinished(() => second.stop());
    await eventually('the second worker', async () => second.isTemporalUp);
    const merchant = await scene.merchant({ ...PATIENT, charges: [10, 12] });
    const subscribed = await Promise.all(
      Array.from({ length: 6 }, () => scene.subscribed(merchant, cards.renewals_delayed)),
    );
    await scene.advance(merchant, Math.max(...subscribed.map(({ current_period_end: end }) => end ?? 0)));
    for (const { id } of subscribed) {
      expect(await scene.result(`collection/${id}`)).toBe('Regular again.');
      const activities = await scene.activitiesOf(`collection/${id}`);
      expect(activities).toEqual(['chargeAgain', 'chargeAgain']);
    }
    const { rows } = await scene.pool.query(
      'SELECT count(*)::int AS charges FROM sandbox_bank.charge WHERE account_id = $1 GROUP BY order_id',
      [merchant.accountId],
    );
    expect(rows.map(({ charges }) => charges).sort()).toEqual([...Array(6).fill(1), ...Array(6).fill(3)]);
  },
  TEST_MS,
);
