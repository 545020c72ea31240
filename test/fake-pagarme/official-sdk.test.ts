import {
  ApiError,
  ChargesController,
  Client,
  CustomersController,
  OrdersController,
  TokensController,
} from '@pagarme/pagarme-nodejs-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, type PagarmeMerchant, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';

const DECLINED = '4000000000000002';

let fake: FakePagarme;
let merchant: PagarmeMerchant;
let client: Client;

interface SdkRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly data?: string;
}

/** The SDK knows one address; what it sends there goes to the fake instead, as it is. */
async function toFake(request: SdkRequest) {
  const { method = 'GET', url = '', auth, data } = request;
  const headers = new Headers(Object.entries(request.headers ?? {}).map(([name, value]) => [name, String(value)]));
  if (auth !== undefined) headers.set('authorization', `Basic ${btoa(`${auth.username}:${auth.password}`)}`);
  headers.delete('content-length');
  const there = url.replace('https://api.pagar.me/core/v5', fake.baseUrl);
  const answer = await fetch(there, { method, headers, ...(data === undefined ? {} : { body: data }) });
  return {
    data: await answer.text(),
    status: answer.status,
    statusText: answer.statusText,
    headers: Object.fromEntries(answer.headers),
    config: request,
    request: null,
  };
}

beforeAll(async () => {
  fake = await startFakePagarme({ issuerCodes: { [DECLINED]: '05' } });
  merchant = fake.newMerchant();
  client = new Client({
    basicAuthCredentials: { username: merchant.secretKey, password: '' },
    serviceRefererName: 'fatura',
    unstable_httpClientOptions: { adapter: toFake },
  });
});
afterAll(() => fake.close());

const address = {
  street: '',
  number: '',
  zipCode: '01310100',
  neighborhood: '',
  city: 'São Paulo',
  state: 'SP',
  country: 'BR',
  complement: '',
  line1: '1578, Avenida Paulista',
  line2: '',
};

const customerBody = (code: string) => ({
  name: 'Maria da Silva',
  email: `${code}@example.com`,
  code,
  document: '52998224725',
  documentType: 'CPF',
  type: 'individual',
  address,
  phones: { mobilePhone: { countryCode: '55', areaCode: '11', number: '987654321' } },
  metadata: {},
});

async function newCard(number: string) {
  const customers = new CustomersController(client);
  const { result: customer } = await customers.createCustomer(customerBody(`c${number.slice(-4)}`));
  const { result: token } = await new TokensController(client).createToken(merchant.publicKey, {
    type: 'card',
    card: { number, holderName: 'MARIA DA SILVA', expMonth: 12, expYear: 2030, cvv: '123', brand: 'Visa', label: '' },
  });
  expect(token).toMatchObject({ type: 'card', card: { lastFourDigits: number.slice(-4), brand: 'Visa' } });
  const { result: card } = await customers.createCard(customer.id ?? '', { token: token.id ?? '' });
  return { customer: customer.id ?? '', card: card.id ?? '' };
}

async function order(code: string, { customer, card }: { customer: string; card: string }, installments = 1) {
  const { result } = await new OrdersController(client).createOrder(
    {
      code,
      customerId: customer,
      customer: customerBody(code),
      items: [{ amount: 10_000, description: 'Plano', quantity: 1, category: 'servico' }],
      payments: [
        {
          paymentMethod: 'credit_card',
          creditCard: { cardId: card, installments, operationType: 'auth_and_capture', statementDescriptor: 'LOJA' },
        },
      ],
      closed: true,
      metadata: { order: 'in_1' },
    },
    code,
  );
  return result;
}

test('the official SDK reads what comes of an order, and finds it by its code', async () => {
  const stored = await newCard('4000000000000010');
  const made = await order('ca_1', stored, 3);
  expect(made).toMatchObject({ code: 'ca_1', status: 'paid', charges: [{ status: 'paid', amount: 10_000 }] });
  const [charge] = made.charges ?? [];
  expect(charge?.lastTransaction).toMatchObject({
    transactionType: 'credit_card',
    status: 'captured',
    installments: 3,
  });
  const orders = new OrdersController(client);
  const { result: listed } = await orders.getOrders(1, 10, 'ca_1');
  expect(listed.data?.map(({ id }) => id)).toEqual([made.id]);
  expect((await orders.getOrder(made.id ?? '')).result).toMatchObject({ id: made.id });
  expect((await order('ca_1', stored, 3)).id).toBe(made.id);
});

test('the official SDK reads a decline, refunds and transactions', async () => {
  const declined = await order('ca_2', await newCard(DECLINED));
  const { lastTransaction } = declined.charges?.[0] ?? {};
  expect(lastTransaction).toMatchObject({ status: 'not_authorized', success: false, acquirerReturnCode: '05' });
  const paid = await order('ca_3', await newCard('4111111111111111'));
  const id = paid.charges?.[0]?.id ?? '';
  const charges = new ChargesController(client);
  const refunded = await charges.cancelCharge(id, { amount: 4_000, operationReference: 'r1' }, 'r1');
  expect(refunded.result).toMatchObject({ status: 'paid', canceledAmount: 4_000 });
  const { result: transactions } = await charges.getChargeTransactions(id, 1, 10);
  expect(transactions.data?.map(({ status }) => status)).toEqual(['partial_refunded', 'captured']);
  const { result: found } = await charges.getCharges(1, 10, 'ca_3');
  expect(found.data).toMatchObject([{ id, canceledAmount: 4_000 }]);
  expect((await charges.getCharge(id)).result).toMatchObject({ id, order: { code: 'ca_3' } });
  const beyond = charges.cancelCharge(id, { amount: 6_001, operationReference: 'r2' });
  await expect(beyond).rejects.toMatchObject({ statusCode: 412 });
});

test('the official SDK reads cards and their end', async () => {
  const customers = new CustomersController(client);
  const { customer, card } = await newCard('4000000000000010');
  const { result: listed } = await customers.getCards(customer, 1, 10);
  expect(listed.data?.map(({ id }) => id)).toContain(card);
  expect((await customers.getCard(customer, card)).result).toMatchObject({ status: 'active', expMonth: 12 });
  expect((await customers.deleteCard(customer, card)).result).toMatchObject({ status: 'deleted' });
  await expect(customers.getCard(customer, card)).rejects.toBeInstanceOf(ApiError);
  expect((await customers.getCustomers('', '', 1, 10)).result.data?.length).toBeGreaterThan(0);
});

test('what the SDK calls otherwise than the page is refused', async () => {
  const { customer, card } = await newCard('4000000000000010');
  const asked = new OrdersController(client).createOrder({
    code: 'ca_4',
    customerId: customer,
    customer: customerBody('ca_4'),
    items: [{ amount: 100, description: 'Plano', quantity: 1, category: 'servico' }],
    payments: [{ paymentMethod: 'credit_card', creditCard: { cardId: card, recurrencyCycle: 'first' } }],
    closed: true,
  });
  await expect(asked).rejects.toMatchObject({ statusCode: 422 });
});
