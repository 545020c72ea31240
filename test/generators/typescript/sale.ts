// A sale by PIX with the client that @hey-api/openapi-ts makes: sale.ts <base URL> <sandbox key>

import { client } from './client/client.gen.ts';
import {
  customersCreate,
  type ErrorCode,
  invoicesCheckout,
  invoicesCreate,
  invoicesRetrieve,
  pricesCreate,
  productsCreate,
  testHelpersPaymentIntentsPayPix,
} from './client/index.ts';

const [, , baseUrl, key] = process.argv;
if (baseUrl === undefined || key === undefined) throw new Error('give the base URL and a sandbox key');
client.setConfig({ baseUrl, auth: `ApiKey ${key}`, throwOnError: true });

const throwOnError = true;
const { data: product } = await productsCreate({ throwOnError, body: { product: { name: 'Plano Ouro' } } });
const { data: price } = await pricesCreate({
  throwOnError,
  body: { price: { product_id: product.id, unit_amount: 9990, type: 'one_time' } },
});
const { data: customer } = await customersCreate({
  throwOnError,
  body: { customer: { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@example.com' } },
});
const { data: invoice } = await invoicesCreate({
  throwOnError,
  headers: { 'Idempotency-Key': 'sale-1' },
  body: { invoice: { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] } },
});

const byPix = { path: { invoice_id: invoice.id }, body: { payment_method_type: 'pix' } } as const;
const { data: charged } = await invoicesCheckout({ ...byPix, throwOnError });
const method = charged.payment_method;
if (method?.type !== 'pix' || charged.payment_intent === null) throw new Error('no QR code');
await testHelpersPaymentIntentsPayPix({
  throwOnError,
  path: { payment_intent_id: charged.payment_intent },
  body: { scenario: 'paid' },
});

const { data: sold } = await invoicesRetrieve({ throwOnError, path: { invoice_id: invoice.id } });
if (sold.status !== 'paid') throw new Error(`not paid: ${sold.status}`);
const { error } = await invoicesCheckout({ ...byPix, throwOnError: false });
const refused: ErrorCode | undefined = error?.error.code;
console.log(
  JSON.stringify({
    invoice: sold.id,
    status: sold.status,
    copy_paste: method.pix.pix_copy_paste,
    paid_again: refused,
  }),
);
