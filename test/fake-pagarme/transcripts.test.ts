import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, type PagarmeMerchant, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';

/**
 * The fields of answers that somebody recorded of Mundipagg's core API, version 1, from which Pagar.me's version 5 came:
 * names alone, of activemerchant's unit tests (MIT, ca45b1b06).
 */
const CUSTOMER = 'id name email delinquent created_at updated_at';
const CARD = `id first_six_digits last_four_digits brand holder_name exp_month exp_year status type created_at updated_at
  billing_address`;
const TRANSACTION = `id transaction_type gateway_id amount status success acquirer_name acquirer_affiliation_code
  acquirer_return_code operation_type card created_at updated_at gateway_response`;
const CHARGE =
  'id code gateway_id amount status currency payment_method created_at updated_at customer last_transaction';

const names = (text: string): string[] => text.split(/\s+/);

let fake: FakePagarme;
let merchant: PagarmeMerchant;
let customer: Answer;
let card: Answer;

type Answer = Readonly<Record<string, unknown>> & { readonly id: string };

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(fake.baseUrl + path, {
    method,
    headers: { authorization: `Basic ${btoa(`${merchant.secretKey}:`)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Answer;
}

const opened = (number: string) => ({
  number,
  holder_name: 'Longbob Longsen',
  exp_month: 9,
  exp_year: 2039,
  billing_address: { line_1: '456, My Street', zip_code: '01310100', city: 'Osasco', state: 'SP', country: 'BR' },
});

async function charged(number: string): Promise<Answer> {
  const { id: card_id } = await call('POST', `/customers/${customer.id}/cards`, opened(number));
  const order = await call('POST', '/orders', {
    code: number,
    customer_id: customer.id,
    items: [{ amount: 100, description: 'x', quantity: 1 }],
    payments: [{ payment_method: 'credit_card', credit_card: { card_id, installments: 1 } }],
  });
  const [charge] = order.charges as [Answer];
  return charge;
}

beforeAll(async () => {
  fake = await startFakePagarme({ issuerCodes: { '4000000000000002': '92' } });
  merchant = fake.newMerchant();
  const buyer = { name: 'Longbob Longsen', email: 'l@example.com', document: '52998224725' };
  customer = await call('POST', '/customers', buyer);
  card = await call('POST', `/customers/${customer.id}/cards`, opened('4000000000000010'));
});
afterAll(() => fake.close());

const has = (answer: unknown, fields: string): void => {
  expect(Object.keys(answer as object)).toEqual(expect.arrayContaining(names(fields)));
};

test('a customer and a card have the recorded fields', () => {
  has(customer, CUSTOMER);
  has(card, CARD);
});

test('a charge that is paid has them, and the recorded words', async () => {
  const paid = await charged('4000000000000010');
  has(paid, `${CHARGE} paid_amount paid_at`);
  has(paid.last_transaction, `${TRANSACTION} installments acquirer_tid acquirer_nsu acquirer_auth_code`);
  expect(paid).toMatchObject({
    status: 'paid',
    last_transaction: { status: 'captured', success: true, operation_type: 'auth_and_capture', gateway_response: {} },
  });
});

test('a charge that is declined has them, and the recorded words', async () => {
  const failed = await charged('4000000000000002');
  has(failed, CHARGE);
  has(failed.last_transaction, `${TRANSACTION} installments acquirer_message`);
  expect(failed).toMatchObject({
    status: 'failed',
    last_transaction: { status: 'not_authorized', success: false, acquirer_return_code: '92' },
  });
});

test('a charge that is cancelled has them; a void of the same day is told as a refund here', async () => {
  const { id } = await charged('4111111111111111');
  const canceled = await call('DELETE', `/charges/${id}`);
  has(canceled, `${CHARGE} canceled_amount canceled_at`);
  has(canceled.last_transaction, `${TRANSACTION} acquirer_tid acquirer_nsu acquirer_auth_code`);
  expect(canceled).toMatchObject({
    status: 'canceled',
    last_transaction: { status: 'refunded', success: true, operation_type: 'cancel' },
  });
});

test('what is refused has the recorded form', async () => {
  expect(await call('GET', '/charges/ch_none')).toEqual({ message: 'Charge not found.' });
  expect(await call('POST', '/customers', {})).toMatchObject({ message: 'The request is invalid.', errors: {} });
});
