// A sale by PIX with openapi-fetch on the types that openapi-typescript makes: sale-by-fetch.ts <base URL> <sandbox key>
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type ErrorCode = components['schemas']['ErrorCode'];

const [, , baseUrl, key] = process.argv;
if (baseUrl === undefined || key === undefined) throw new Error('give the base URL and a sandbox key');
const fatura = createClient<paths>({ baseUrl, headers: { Authorization: `ApiKey ${key}` } });

function answered<T>({ data, error }: { data?: T; error?: components['schemas']['Error'] }): T {
  if (data === undefined) throw new Error(`refused: ${error?.error.code}`);
  return data;
}

const product = answered(await fatura.POST('/api/v1/products', { body: { product: { name: 'Plano Ouro' } } }));
const price = answered(
  await fatura.POST('/api/v1/prices', {
    body: { price: { product_id: product.id, unit_amount: 9990, type: 'one_time' } },
  }),
);
const customer = answered(
  await fatura.POST('/api/v1/customers', {
    body: { customer: { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@example.com' } },
  }),
);
const invoice = answered(
  await fatura.POST('/api/v1/invoices', {
    params: { header: { 'Idempotency-Key': 'sale-1' } },
    body: { invoice: { customer_id: customer.id, line_items: [{ price_id: price.id, quantity: 1 }] } },
  }),
);

const byPix = { params: { path: { invoice_id: invoice.id } }, body: { payment_method_type: 'pix' } } as const;
const charged = answered(await fatura.POST('/api/v1/invoices/{invoice_id}/checkout', byPix));
const method = charged.payment_method;
if (method?.type !== 'pix' || charged.payment_intent === null) throw new Error('no QR code');
answered(
  await fatura.POST('/api/v1/test_helpers/payment_intents/{payment_intent_id}/pay_pix', {
    params: { path: { payment_intent_id: charged.payment_intent } },
    body: { scenario: 'paid' },
  }),
);

const sold = answered(
  await fatura.GET('/api/v1/invoices/{invoice_id}', { params: { path: { invoice_id: invoice.id } } }),
);
if (sold.status !== 'paid') throw new Error(`not paid: ${sold.status}`);
const { error } = await fatura.POST('/api/v1/invoices/{invoice_id}/checkout', byPix);
const refused: ErrorCode | undefined = error?.error.code;
console.log(
  JSON.stringify({
    invoice: sold.id,
    status: sold.status,
    copy_paste: method.pix.pix_copy_paste,
    paid_again: refused,
  }),
);
