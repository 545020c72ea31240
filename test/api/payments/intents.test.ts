import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';

const UNKNOWN = `pi_${'0'.repeat(26)}`;

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const refusal = (code: string, more: object = {}) => expect.objectContaining({ code, ...more });

async function newCharge(customer?: string): Promise<{ invoice: string; intent: string }> {
  const invoice = await newInvoice(merchant, customer === undefined ? {} : { customer_id: customer });
  const { payment_intent: intent } = await merchant.fatura.invoices.checkout(invoice.id, {
    payment_method_type: 'pix',
  });
  return { invoice: invoice.id, intent: intent ?? '' };
}

describe('a payment intent', () => {
  test('is read by its id, in its own account and mode alone', async () => {
    const { intent, invoice } = await newCharge();
    expect(await merchant.fatura.paymentIntents.retrieve(intent)).toMatchObject({
      id: intent,
      object: 'payment_intent',
      invoice,
    });
    const stranger = await api.newMerchant();
    for (const fatura of [stranger.fatura, merchant.live]) {
      await expect(fatura.paymentIntents.retrieve(intent)).rejects.toEqual(
        refusal('RESOURCE_MISSING', { status: 404 }),
      );
    }
    await expect(merchant.fatura.paymentIntents.retrieve(UNKNOWN)).rejects.toEqual(refusal('RESOURCE_MISSING'));
  });

  test('does not show that it is surplus, nor anything else that is private', async () => {
    const { intent, invoice } = await newCharge();
    const paid = await merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid_twice' });
    const [surplus] = await merchant.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 10 });
    expect(surplus?.id).not.toBe(intent);
    expect(Object.keys(surplus ?? {}).sort()).toEqual(Object.keys(paid).sort());
    expect(surplus).not.toHaveProperty('surplus');
  });
});

describe('the list of payment intents', () => {
  test('takes customer, invoice and status, newest first', async () => {
    const customer = await newCustomer(merchant);
    const first = await newCharge(customer.id);
    const second = await newCharge(customer.id);
    await newCharge();
    await merchant.fatura.testHelpers.paymentIntents.payPix(first.intent, { scenario: 'paid' });
    const ids = async (filter: object) =>
      (await merchant.fatura.paymentIntents.list(filter).all({ max: 100 })).map(({ id }) => id);
    expect(await ids({ customer_id: customer.id })).toEqual([second.intent, first.intent]);
    expect(await ids({ invoice_id: first.invoice })).toEqual([first.intent]);
    expect(await ids({ customer_id: customer.id, status: 'paid' })).toEqual([first.intent]);
    expect(await ids({ customer_id: customer.id, status: 'pending' })).toEqual([second.intent]);
    expect(await ids({ customer_id: customer.id, created_gte: api.clock.now() + 1 })).toEqual([]);
    expect(await ids({ invoice_id: second.invoice, customer_id: `cus_${'0'.repeat(26)}` })).toEqual([]);
  });

  test('turns its pages by id', async () => {
    const customer = await newCustomer(merchant);
    const made = [await newCharge(customer.id), await newCharge(customer.id), await newCharge(customer.id)];
    const [third, second, first] = made.map(({ intent }) => intent).reverse();
    const page = await merchant.fatura.paymentIntents.list({ customer_id: customer.id, limit: 2 }).page();
    expect(page.data.map(({ id }) => id)).toEqual([third, second]);
    expect(page.hasMore).toBe(true);
    const next = merchant.fatura.paymentIntents.list({ customer_id: customer.id, starting_after: second ?? '' });
    expect((await next.page()).data.map(({ id }) => id)).toEqual([first]);
    await expect(merchant.fatura.paymentIntents.list({ starting_after: UNKNOWN }).page()).rejects.toEqual(
      refusal('CURSOR_INVALID', { status: 400 }),
    );
  });
});
