import type { Invoice } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

/** What is billed with the end of a subscription. */
async function endBills(id: string): Promise<Invoice[]> {
  const invoices = await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 20 });
  return invoices.filter(({ billing_reason: reason }) => reason === 'subscription_end');
}

const add = (subscription_id: string, type: 'charge' | 'credit', amount: number) =>
  scene.fatura.invoiceItems.create({ subscription_id, type, amount, description: 'Aula avulsa' });

/** Lets it end with its period. */
async function endInTime(id: string): Promise<void> {
  const { cancel_at: end } = await scene.subscriptions.cancelAt(id, { at: 'period_end' });
  await scene.pass(id, (end ?? 0) - scene.now());
  expect(await scene.status(id)).toBe('inactive');
}

describe('behind its last period', () => {
  test('a change that waits for a bill is charged to the card', async () => {
    const { id, item } = await scene.subscribeByCard();
    await scene.pass(id, 10 * DAY);
    const { charge, credit, total } = await scene.fatura.subscriptionChanges.create(id, {
      items: [{ item: item.id, quantity: 2 }],
      effective: 'now',
    });
    await endInTime(id);
    const [bill, ...others] = await endBills(id);
    expect(others).toEqual([]);
    expect(bill).toMatchObject({ status: 'paid', total, subtotal: charge, credit_amount: credit, cycle: null });
    expect(bill?.line_items.data.map(({ kind }) => kind)).toEqual(['proration']);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ credit_balance: 0, canceled_reason: 'requested' });
  });

  test('a charge is billed by an invoice that waits for its payment', async () => {
    const { id } = await scene.subscribePaidByPix();
    const { id: item } = await add(id, 'charge', 500);
    await endInTime(id);
    const [bill] = await endBills(id);
    expect(bill).toMatchObject({ status: 'open', total: 500, due_at: scene.now() + 3 * DAY });
    expect(await scene.fatura.invoiceItems.retrieve(item)).toMatchObject({ status: 'billed', invoice: bill?.id });
    const { intent } = await scene.checkoutByPix(bill?.id ?? '');
    await scene.payPix(intent);
    expect((await scene.invoice(bill?.id ?? '')).status).toBe('paid');
    expect(await scene.status(id)).toBe('inactive');
  });

  test('a credit is used, and what is left of it waits', async () => {
    const { id } = await scene.subscribePaidByPix();
    await add(id, 'credit', 800);
    await add(id, 'charge', 500);
    await endInTime(id);
    expect(await endBills(id)).toMatchObject([{ status: 'paid', total: 0, credit_amount: 500 }]);
    expect((await scene.subscriptions.retrieve(id)).credit_balance).toBe(300);
  });

  test('nothing is billed where nothing waits, or a credit alone', async () => {
    const { id } = await scene.subscribePaidByPix();
    await add(id, 'credit', 800);
    await endInTime(id);
    expect(await endBills(id)).toEqual([]);
  });
});

test('an end at once bills nothing more', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { id: item } = await add(id, 'charge', 500);
  await scene.subscriptions.cancel(id);
  expect(await endBills(id)).toEqual([]);
  expect((await scene.fatura.invoiceItems.retrieve(item)).status).toBe('pending');
});

test('credits that no subscription has to itself are those of the customer', async () => {
  const { id, customer } = await scene.subscribePaidByPix();
  const balance = async () => (await scene.fatura.customers.retrieve(customer)).credit_balance;
  await add(id, 'credit', 800);
  expect(await balance()).toBe(0);
  await scene.subscriptions.cancelAt(id, { at: 'now', unused: 'credit' });
  expect(await balance()).toBeGreaterThan(800);
});
