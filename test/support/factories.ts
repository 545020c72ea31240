import type { Customer, Invoice, InvoiceCreate, Price, PriceCreate, Product } from '@fatura/sdk';
import type pg from 'pg';
import type * as wire from '../../sdk/src/generated/types.ts';
import type { Merchant } from './api.ts';

/** Longer than a security code: a number of a factory is never taken for one that was kept. */
let counter = 10_000;

/** A number that no other factory of this process gave. */
export const unique = (): number => {
  counter += 1;
  return counter;
};

/** A CPF with right check digits. */
export const CPF = '52998224725';

export function newCustomer(
  { fatura }: Merchant,
  overrides: Partial<Parameters<Merchant['fatura']['customers']['create']>[0]> = {},
): Promise<Customer> {
  return fatura.customers.create({
    name: 'Maria da Silva',
    identifier: CPF,
    email: `maria${unique()}@example.com`,
    ...overrides,
  });
}

export function newProduct(
  { fatura }: Merchant,
  overrides: { name?: string; active?: boolean } = {},
): Promise<Product> {
  return fatura.products.create({ name: `Plano ${unique()}`, ...overrides });
}

export async function newPrice(merchant: Merchant, overrides: Partial<wire.PriceCreate> = {}): Promise<Price> {
  const productId = overrides.product_id ?? (await newProduct(merchant)).id;
  const price = { unit_amount: 9990, type: 'one_time', ...overrides, product_id: productId };
  return merchant.fatura.prices.create(price as PriceCreate); // a recurring price comes with its recurrence
}

/** What a discount that no coupon gives says of coupons. */
export const ofNoCoupon = { redemption: null, coupon: null, promotion_code: null };
/** The same of a subscription. */
export const subscribedWithoutCoupon = { ...ofNoCoupon, description: null, applies_to: null };

/** An open invoice of one line; `amount` is the price of that line in cents. */
export async function newInvoice(
  merchant: Merchant,
  overrides: Partial<wire.InvoiceCreate> & { amount?: number } = {},
): Promise<Invoice> {
  const { amount, ...rest } = overrides;
  const price =
    rest.line_items === undefined
      ? await newPrice(merchant, amount === undefined ? {} : { unit_amount: amount })
      : null;
  const buyer =
    rest.customer === undefined && rest.customer_id === undefined
      ? { customer_id: (await newCustomer(merchant)).id }
      : {};
  const invoice = {
    ...buyer,
    ...rest,
    line_items: rest.line_items ?? [{ price_id: price?.id ?? '', quantity: 1 }],
  };
  return merchant.fatura.invoices.create(invoice as InvoiceCreate); // one of the two names the buyer
}

/** Types of all events of an object and those around it, in the order they were recorded. */
export async function eventTypes(pool: pg.Pool, relatedObject: string): Promise<string[]> {
  const { rows } = await pool.query<{ type: string }>('SELECT type FROM event WHERE related @> ARRAY[$1] ORDER BY id', [
    relatedObject,
  ]);
  return rows.map((row) => row.type);
}
