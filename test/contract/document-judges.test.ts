import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { AccountUpdate } from '../../contract/account.ts';
import { PriceCreate } from '../../contract/catalog.ts';
import { CheckoutSessionCreate } from '../../contract/checkout-sessions.ts';
import { CustomerCreate } from '../../contract/customers.ts';
import { InvoiceCreate } from '../../contract/invoice-inputs.ts';
import { exampleId } from '../../contract/kernel.ts';
import { DiscountInput } from '../../contract/lines.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { BillingDetailsInput } from '../../contract/payment-methods.ts';
import { DisputeBody } from '../../contract/sandbox.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 });
ajv.addSchema(buildOpenApi(), 'document');

const price = { product_id: exampleId('prod'), unit_amount: 9990 };
const month = (count: number) => ({ interval: 'month', interval_count: count });
const line_items = [{ price_id: exampleId('price'), quantity: 1 }];
const customer = { name: 'Maria', identifier: '529.982.247-25', email: 'maria@example.com' };
const customer_id = exampleId('cus');
const session = { success_url: 'https://a.example', return_url: 'https://a.example', line_items, mode: 'payment' };
const holder = { document: '52998224725' };
const percent = (percentage: number) => ({ type: 'percentage', percentage });

const cases = {
  PriceCreate: {
    schema: PriceCreate,
    taken: [
      { ...price, type: 'one_time' },
      { ...price, type: 'recurring', recurring: month(36) },
      { ...price, type: 'recurring', recurring: { interval: 'week', interval_count: 156 } },
      { ...price, type: 'recurring', recurring: { interval: 'day', interval_count: 1_098 } },
      { ...price, type: 'recurring', recurring: { interval: 'month' } },
    ],
    refused: [
      { ...price, type: 'recurring' },
      { ...price, type: 'one_time', recurring: month(1) },
      { ...price, type: 'recurring', recurring: month(37) },
      { ...price, type: 'recurring', recurring: { interval: 'week', interval_count: 157 } },
      { ...price, type: 'recurring', recurring: { interval: 'day', interval_count: 1_099 } },
    ],
  },
  InvoiceCreate: {
    schema: InvoiceCreate,
    taken: [
      { customer_id, line_items },
      { customer, line_items },
    ],
    refused: [{ line_items }, { customer_id, customer, line_items }],
  },
  CheckoutSessionCreate: {
    schema: CheckoutSessionCreate,
    taken: [session, { ...session, customer_id }, { ...session, customer }],
    refused: [{ ...session, customer_id, customer }],
  },
  DisputeBody: {
    schema: DisputeBody,
    taken: [{ scenario: 'fraud' }, { scenario: 'fraud', amount: 1 }, { scenario: 'reversed' }],
    refused: [{ scenario: 'reversed', amount: 1 }],
  },
  DiscountInput: {
    schema: DiscountInput,
    taken: [percent(0.01), percent(33.33), percent(99.99), percent(100)],
    refused: [percent(0), percent(0.001), percent(33.333), percent(100.01)],
  },
  CustomerCreate: {
    schema: CustomerCreate,
    taken: [
      { ...customer, name: ' M\n' },
      { ...customer, email: "o'brien.x+y@a-b.example" },
    ],
    refused: [
      { ...customer, name: '' },
      { ...customer, name: ' \t\n' },
      { ...customer, email: 'a..b@a.example' },
      { ...customer, email: '.a@a.example' },
      { ...customer, email: 'a@localhost' },
      { ...customer, email: 'a b@a.example' },
    ],
  },
  AccountUpdate: {
    schema: AccountUpdate,
    taken: [{ name: 'Loja do João' }, { name: 'x' }],
    refused: [{ name: '   ' }, { name: 'a\u0007b' }, { name: 'a\u0085b' }, { name: '\u0001' }],
  },
  BillingDetailsInput: {
    schema: BillingDetailsInput,
    taken: [
      { ...holder, name: 'A B' },
      { ...holder, name: 'MARIA DA SILVA' },
    ],
    refused: [
      { ...holder, name: 'A  ' },
      { ...holder, name: ' AB ' },
    ],
  },
} as const;

test.each(Object.entries(cases))('the document and the service judge alike: %s', (name, { schema, taken, refused }) => {
  const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
  for (const body of taken) {
    expect(schema.safeParse(body).success, `the service takes ${JSON.stringify(body)}`).toBe(true);
    expect(validate(body), `the document takes ${JSON.stringify(body)}`).toBe(true);
  }
  for (const body of refused) {
    expect(schema.safeParse(body).success, `the service refuses ${JSON.stringify(body)}`).toBe(false);
    expect(validate(body), `the document refuses ${JSON.stringify(body)}`).toBe(false);
  }
});
