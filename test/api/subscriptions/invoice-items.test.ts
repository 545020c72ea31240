import type { InvoiceItemCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

const DAY = 86_400;

type Waiting = Omit<Extract<InvoiceItemCreate, object>, 'type' | 'customer_id' | 'subscription_id'>;
const visit: Waiting = { amount: 15_000, description: 'Visita técnica' };
const courtesy: Waiting = { amount: 1_500, description: 'Um dia sem serviço' };

const charge = (owner: Pick<InvoiceItemCreate, 'customer_id' | 'subscription_id'>, item: Waiting = visit) =>
  scene.fatura.invoiceItems.create({ ...owner, type: 'charge', ...item });
const credit = (owner: Pick<InvoiceItemCreate, 'customer_id' | 'subscription_id'>, item: Waiting = courtesy) =>
  scene.fatura.invoiceItems.create({ ...owner, type: 'credit', ...item });

/** An active one of R$ 49,90 a month, by card or by PIX. */
async function active(method: 'card' | 'pix' = 'card', customerId?: string) {
  const {
    id,
    customer,
    latest_invoice: first,
  } = await scene.subscribe({
    amount: 4_990,
    ...(customerId !== undefined && { customer_id: customerId }),
  });
  if (method === 'card') await scene.subscriptions.checkout(id, byCard());
  else await payByPix(scene.merchant, first ?? '');
  return { id, customer, owner: { subscription_id: id } };
}

describe('what waits for a bill', () => {
  test('is told as it is created, read and listed', async () => {
    const { id, customer, owner } = await active();
    const made = await charge(owner);
    expect(made).toMatchObject({
      object: 'invoice_item',
      ...{ type: 'charge', kind: 'one_time', status: 'pending', customer, subscription: id, invoice: null },
      ...{ amount: 15_000, amount_remaining: 15_000, quantity: 1, unit_amount: 15_000, description: 'Visita técnica' },
    });
    const price = await scene.fatura.prices.retrieve(made.price ?? '');
    expect(price).toMatchObject({ active: false, type: 'one_time', unit_amount: 15_000 });
    expect(await scene.fatura.invoiceItems.retrieve(made.id)).toEqual(made);
    const given = await credit({ customer_id: customer });
    expect(given).toMatchObject({ type: 'credit', kind: 'granted', price: null, subscription: null });
    const listed = await scene.fatura.invoiceItems.list({ customer_id: customer, status: 'pending' }).page();
    expect(listed.data.map((item) => item.id)).toEqual([given.id, made.id]);
    expect((await scene.fatura.invoiceItems.list({ subscription_id: id }).page()).data).toEqual([made]);
  });

  test('is billed by a price and its quantity', async () => {
    const { id, owner } = await active();
    const price = await newPrice(scene.merchant, { unit_amount: 700 });
    const made = await charge(owner, { price_id: price.id, quantity: 3 });
    expect(made).toMatchObject({ amount: 2_100, price: price.id, quantity: 3, unit_amount: 700 });
    const bill = await scene.renew(id);
    expect(bill.total).toBe(4_990 + 2_100);
    expect(bill.line_items.data[1]).toMatchObject({ price: price.id, quantity: 3, amount: 2_100, kind: 'one_time' });
    expect(await scene.fatura.invoiceItems.retrieve(made.id)).toMatchObject({
      ...{ status: 'billed', invoice: bill.id, amount_remaining: 0 },
    });
    expect((await scene.renew(id)).total).toBe(4_990);
  });

  test.each(['card', 'pix'] as const)('comes with the next bill, by %s, as the preview says', async (method) => {
    const { id, owner } = await active(method);
    await charge(owner);
    const given = await credit(owner);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ credit_balance: 1_500 });
    const preview = await scene.subscriptions.upcomingInvoice(id);
    const bill = await scene.renew(id);
    const { line_items, credits, credit_amount, subtotal, total } = bill;
    expect({ line_items, credits, credit_amount, subtotal, total }).toEqual({
      line_items: preview.line_items,
      credits: preview.credits,
      credit_amount: preview.credit_amount,
      subtotal: preview.subtotal,
      total: preview.total,
    });
    expect({ credit_amount, subtotal, total }).toEqual({
      ...{ credit_amount: 1_500, subtotal: 19_990, total: 18_490 },
    });
    expect(credits.data).toEqual([
      {
        ...{ object: 'invoice_credit', type: 'granted', amount: 1_500 },
        ...{ description: 'Um dia sem serviço', invoice_item: given.id },
      },
    ]);
    expect(preview.credit_after).toBe(0);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ credit_balance: 0 });
  });

  test('is not discounted, and a credit that a bill cannot use waits for the next one', async () => {
    const { id, latest_invoice: first } = await scene.subscribe({
      amount: 10_000,
      discounts: [{ type: 'percentage', percentage: 50 }],
    });
    await payByPix(scene.merchant, first ?? '');
    await charge({ subscription_id: id }, { amount: 1_000, description: 'Frete' });
    const given = await credit({ subscription_id: id }, { amount: 8_000, description: 'Cortesia' });
    const bill = await scene.renew(id);
    expect(bill).toMatchObject({ subtotal: 11_000, credit_amount: 6_000, total: 0, status: 'paid' });
    expect(await scene.fatura.invoiceItems.retrieve(given.id)).toMatchObject({
      ...{ status: 'pending', amount_remaining: 2_000 },
    });
    expect(await scene.renew(id)).toMatchObject({ credit_amount: 2_000, total: 3_000 });
    expect(await scene.fatura.invoiceItems.retrieve(given.id)).toMatchObject({ status: 'billed' });
  });

  test('of a customer is taken once, by whichever subscription is billed first', async () => {
    const { id: customer } = await newCustomer(scene.merchant);
    const one = await active('card', customer);
    const other = await active('card', customer);
    const made = await charge({ customer_id: customer });
    const first = await scene.renew(one.id);
    const second = await scene.renew(other.id);
    expect([first.total, second.total].toSorted((a, b) => a - b)).toEqual([4_990, 19_990]);
    const billed = first.total > second.total ? first.id : second.id;
    expect((await scene.fatura.invoiceItems.retrieve(made.id)).invoice).toBe(billed);
  });

  test('comes with the first bill of a subscription, beside its setup fee', async () => {
    const { id: customer } = await newCustomer(scene.merchant);
    await credit({ customer_id: customer });
    const monthly = await newMonthly(scene.merchant, { unit_amount: 4_990 });
    const fee = await newPrice(scene.merchant, { unit_amount: 20_000 });
    const made = await scene.subscriptions.create({
      ...{ customer_id: customer, price_id: monthly.id, setup: [{ price_id: fee.id }] },
      discounts: [{ type: 'percentage', percentage: 10 }],
    });
    const bill = await scene.invoice(made.latest_invoice ?? '');
    expect(bill.line_items.data.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['recurring', 4_990],
      ['setup', 20_000],
    ]);
    expect(bill).toMatchObject({ subtotal: 24_990, credit_amount: 1_500, total: 24_990 - 499 - 1_500 });
    await payByPix(scene.merchant, bill.id);
    expect((await scene.renew(made.id)).total).toBe(4_491);
  });
});

describe('what a void bill took', () => {
  test('waits for the next bill again', async () => {
    const { id, owner } = await active('pix');
    const made = await charge(owner);
    const given = await credit(owner, { amount: 1_000, description: 'Cortesia' });
    const bill = await scene.renew(id);
    expect(bill.status).toBe('open');
    await scene.fatura.invoices.void(bill.id);
    expect(await scene.fatura.invoiceItems.retrieve(made.id)).toMatchObject({ status: 'pending', invoice: null });
    expect(await scene.fatura.invoiceItems.retrieve(given.id)).toMatchObject({ amount_remaining: 1_000 });
    expect((await scene.renew(id)).total).toBe(4_990 + 15_000 - 1_000);
  });

  test('is told with the end of the subscription', async () => {
    const { id, owner } = await active('pix');
    await credit(owner);
    await scene.renew(id);
    const ended = await scene.subscriptions.cancel(id);
    expect(ended.credit_balance).toBe(1_500);
  });
});

describe('taking back', () => {
  test('is for what no bill took anything of', async () => {
    const { id, owner } = await active();
    const dropped = await charge(owner);
    const kept = await credit(owner, { amount: 9_000, description: 'Cortesia' });
    expect(await scene.fatura.invoiceItems.delete(dropped.id)).toMatchObject({
      ...{ status: 'deleted', amount_remaining: 0 },
    });
    expect(await scene.fatura.invoiceItems.delete(dropped.id)).toMatchObject({ status: 'deleted' });
    expect(await scene.renew(id)).toMatchObject({ total: 0, credit_amount: 4_990 });
    await expect(scene.fatura.invoiceItems.delete(kept.id)).rejects.toMatchObject({
      ...{ status: 409, code: 'INVALID_STATE' },
    });
  });
});

describe('refused is', () => {
  test('what no subscription can bill', async () => {
    const { id, customer, owner } = await active();
    const recurring = await newMonthly(scene.merchant);
    await expect(charge(owner, { price_id: recurring.id })).rejects.toMatchObject({
      ...{ code: 'PRICE_TYPE_MISMATCH', wireParam: 'invoice_item.price_id' },
    });
    await scene.subscriptions.cancel(id);
    await expect(charge(owner)).rejects.toMatchObject({ status: 409, code: 'INVALID_STATE' });
    await expect(charge({ subscription_id: `sub_${'0'.repeat(26)}` })).rejects.toMatchObject({
      ...{ code: 'RESOURCE_MISSING', wireParam: 'invoice_item.subscription_id' },
    });
    await scene.fatura.customers.anonymize(customer);
    await expect(charge({ customer_id: customer })).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  test.each([
    [{ type: 'charge', amount: 1, description: 'x' }, 'PARAMETER_MISSING', 'invoice_item.customer_id'],
    [
      {
        customer_id: `cus_${'0'.repeat(26)}`,
        subscription_id: `sub_${'0'.repeat(26)}`,
        type: 'charge',
        amount: 1,
        description: 'x',
      },
      'PARAMETER_INVALID',
      'invoice_item.subscription_id',
    ],
    [{ customer_id: `cus_${'0'.repeat(26)}`, type: 'charge' }, 'PARAMETER_MISSING', 'invoice_item.price_id'],
    [
      { customer_id: `cus_${'0'.repeat(26)}`, type: 'charge', amount: 5 },
      'PARAMETER_MISSING',
      'invoice_item.description',
    ],
    [
      { customer_id: `cus_${'0'.repeat(26)}`, type: 'charge', amount: 1_000_000, description: 'x' },
      'PARAMETER_INVALID',
      'invoice_item.amount',
    ],
  ])('what is not asked for in one way: %j', async (body, code, param) => {
    await expect(scene.fatura.invoiceItems.create(body as InvoiceItemCreate)).rejects.toMatchObject({
      ...{ status: 400, code, wireParam: param },
    });
  });
});

test('a bill takes eighty charges, and leaves the rest for the next one', async () => {
  const { id, owner } = await active();
  for (let number = 1; number <= 83; number += 1) await charge(owner, { amount: 1, description: `n.º ${number}` });
  expect((await scene.renew(id)).line_items.data).toHaveLength(81);
  expect((await scene.renew(id)).total).toBe(4_990 + 3);
});

test('a charge is billed once, however bills and its taking back meet', async () => {
  const { id: customer } = await newCustomer(scene.merchant);
  const pair = [await active('card', customer), await active('card', customer)];
  const made = await charge({ customer_id: customer });
  scene.api.clock.advance(31 * DAY);
  await Promise.allSettled([...pair.map(({ id }) => scene.pass(id, 0)), scene.fatura.invoiceItems.delete(made.id)]);
  const item = await scene.fatura.invoiceItems.retrieve(made.id);
  const invoices = await scene.fatura.invoices.list({ customer_id: customer }).all({ max: 20 });
  const billed = invoices.filter(({ total }) => total === 19_990);
  expect(billed.map(({ id }) => id)).toEqual(item.status === 'deleted' ? [] : [item.invoice]);
});
