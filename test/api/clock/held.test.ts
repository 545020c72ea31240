import { expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { lockForChange } from '../../../server/customers/customers.ts';
import { lockInvoice } from '../../../server/invoices/life.ts';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { lockSubscription } from '../../../server/subscriptions/rows.ts';
import { finishAdvance, rewake } from '../../../server/test-clock/asleep.ts';
import type { Scope } from '../../../server/unit-of-work/tx.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from '../subscriptions/subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

/** Longer than a clock that was read is taken to stand. */
const ANSWER_MS = 150;

/** As an advance leaves the clock on its way; `target` is where it stands if it is about to arrive. */
async function hold({ target = scene.now() } = {}): Promise<void> {
  await scene.rows(
    'UPDATE account SET clock_held_at = $2, clock_target = $3, clock_moved_at = now() WHERE id = $1',
    ...[scene.merchant.accountId, scene.now(), target],
  );
}

const arrive = () => finishAdvance(scene.deps, scene.merchant.accountId);

const heldScope = (): Promise<Scope> =>
  readScope(scene.deps.pool, { accountId: scene.merchant.accountId, liveMode: false });

/** Whether each delivery to an endpoint may be made by now. */
const deliveries = async (endpoint: string) =>
  (await scene.rows('SELECT claimable_at <= now() AS ready FROM delivery WHERE endpoint_id = $1', endpoint)).map(
    ({ ready }) => ready,
  );

const endpoint = async () =>
  (await scene.fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', event_types: ['customer.updated'] })).id;

/** When it is waked, beside when it is due on an account's clock that runs with real time. */
const wakes = (table: 'subscription' | 'invoice', due: string, id: string) =>
  scene.rows(`SELECT ${due} AS due, wake_at AS wake FROM ${table} WHERE id = $1`, id);

test('regression-19-what a bank answers across the end of an advance is written with the clock as it stands', async () => {
  const { id, latest_invoice: invoice } = await scene.subscribe();
  const lost = scene.subscriptions.checkout(id, byCard(cards.answer_lost));
  await expect(lost).rejects.toEqual(refusal('ACQUIRER_TIMEOUT'));
  const { payment_intent: intent } = await scene.invoice(invoice ?? '');
  await hold();
  scene.failpoints.meanwhile('reconciliation.after-asking', async () => {
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    await arrive();
  });
  await chargeReconciliationStep(scene.deps, intent ?? '');
  const { current_period_end: end } = await scene.subscriptions.retrieve(id);
  expect(await wakes('subscription', 'due_at', id)).toEqual([{ due: end, wake: end }]);
});

test('regression-20-an event that was held back for the clock is sent once the clock arrives', async () => {
  const to = await endpoint();
  const customer = await newCustomer(scene.merchant);
  await hold();
  await scene.deps.transaction(await heldScope(), async (tx) => {
    await lockForChange(tx, customer.id);
    tx.record('customer.updated', customer);
  });
  expect(await deliveries(to)).toEqual([false]);
  await arrive();
  expect(await deliveries(to)).toEqual([true]);
  await scene.fatura.webhookEndpoints.delete(to);
});

test('regression-21-what was written for a held clock and stored after its release is waked', async () => {
  const to = await endpoint();
  const { id, customer } = await scene.subscribe();
  const { id: renewed } = await scene.subscribeUnfunded();
  const { id: invoice } = await scene.renew(renewed);
  const told = await scene.fatura.customers.retrieve(customer);
  await hold();
  await scene.deps.transaction(await heldScope(), async (tx) => {
    await arrive();
    (await lockSubscription(tx, id)).subscription.externalCode = 'held';
    (await lockInvoice(tx, invoice)).reminders += 1;
    await lockForChange(tx, customer);
    tx.record('customer.updated', told);
  });
  expect(await wakes('subscription', 'due_at', id)).toMatchObject([{ wake: null }]);
  expect(await wakes('invoice', 'step_at', invoice)).toMatchObject([{ wake: null }]);
  expect(await deliveries(to)).toEqual([false]);
  expect(await rewake(scene.deps.pool)).toEqual({
    subscriptionsWoken: 1,
    invoicesWoken: 1,
    sessionsWoken: 0,
    deliveriesWoken: 1,
  });
  for (const [woken] of [await wakes('subscription', 'due_at', id), await wakes('invoice', 'step_at', invoice)])
    expect(woken).toEqual({ due: expect.any(Number), wake: woken?.due });
  expect(await deliveries(to)).toEqual([true]);
});

test('what a clock that is still held keeps asleep sleeps on', async () => {
  const { id } = await scene.subscribe();
  await hold();
  await scene.deps.transaction(await heldScope(), async (tx) => {
    (await lockSubscription(tx, id)).subscription.externalCode = 'held';
  });
  expect(await rewake(scene.deps.pool)).toEqual({
    subscriptionsWoken: 0,
    invoicesWoken: 0,
    sessionsWoken: 0,
    deliveriesWoken: 0,
  });
  await arrive();
  const [woken] = await wakes('subscription', 'due_at', id);
  expect(woken).toEqual({ due: expect.any(Number), wake: woken?.due });
});

test('regression-22-a payment page makes no QR code while the clock is advanced', async () => {
  const invoice = await scene.newInvoice();
  const { pathname } = new URL(scene.deps.links.payment({ id: invoice, liveMode: false }));
  const before = await scene.books(invoice);
  await hold({ target: scene.now() + DAY });
  const { status } = await fetch(`${scene.api.baseUrl}${pathname}`, { method: 'POST', redirect: 'manual' });
  expect(status).toBe(409);
  expect(await scene.books(invoice)).toEqual(before);
  await hold();
  await arrive();
  expect((await fetch(`${scene.api.baseUrl}${pathname}`, { method: 'POST', redirect: 'manual' })).status).toBe(303);
});
