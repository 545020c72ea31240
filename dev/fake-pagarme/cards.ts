import { type Answer, notFound, Refused, read } from './answer.ts';
import type { Card, CardData, Customer, Merchant } from './books.ts';
import { CardForm, type CustomerBody, CustomerForm, TokenForm } from './forms.ts';
import { brandOf, isNumber, verdictOf } from './issuer.ts';
import type { Desk } from './operations.ts';
import { viewCard, viewCustomer, viewPage, viewToken } from './views.ts';

const TOKEN_MS = 60_000;
const FIRST = 6;
const LAST = 4;

interface Opened {
  readonly number: string;
  readonly holder_name: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly cvv?: string | undefined;
}

/** What stays of a card; refuses a number that is none, and an end that has passed. */
function dataOf(desk: Desk, card: Opened, root: string): CardData {
  const { number, holder_name: holderName, exp_month: expMonth, cvv } = card;
  const brand = brandOf(number);
  if (brand === null || !isNumber(number))
    throw new Refused(422, 'The request is invalid.', { [`${root}.number`]: ['The card number is not valid.'] });
  const expYear = card.exp_year < 100 ? 2_000 + card.exp_year : card.exp_year;
  const now = new Date(desk.now());
  if (expYear * 12 + expMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1)
    throw new Refused(422, 'The request is invalid.', { [root]: ['Card expired.'] });
  const verdict = verdictOf({ number, cvv }, desk.issuerCodes);
  return { first6: number.slice(0, FIRST), last4: number.slice(-LAST), brand, holderName, expMonth, expYear, verdict };
}

export function createToken(desk: Desk, merchant: Merchant, body: unknown): Answer {
  const { card } = read(TokenForm, body, 'request');
  const token = {
    id: merchant.id('token'),
    createdMs: desk.now(),
    isUsed: false,
    ...dataOf(desk, card, 'request.card'),
  };
  merchant.tokens.set(token.id, token);
  return { status: 200, body: viewToken(token) };
}

/** A customer with the e-mail of another is that one, with what is said of it now. */
export function takeCustomer(desk: Desk, merchant: Merchant, given: CustomerBody): Customer {
  const known = [...merchant.customers.values()].find((one) => one.body.email === given.email);
  const customer: Customer = known ?? { id: merchant.id('cus'), createdMs: desk.now(), body: given };
  customer.body = given;
  merchant.customers.set(customer.id, customer);
  return customer;
}

export const createCustomer = (desk: Desk, merchant: Merchant, body: unknown): Answer => ({
  status: 200,
  body: viewCustomer(takeCustomer(desk, merchant, read(CustomerForm, body, 'customer'))),
});

export function listCustomers(_desk: Desk, merchant: Merchant, query: URLSearchParams): Answer {
  const code = query.get('code');
  const found = [...merchant.customers.values()].filter(({ body }) => code === null || body.code === code);
  return { status: 200, body: viewPage(found.reverse(), query, viewCustomer) };
}

export function customerOf(merchant: Merchant, id: string): Customer {
  const customer = merchant.customers.get(id);
  if (customer === undefined) throw notFound('Customer');
  return customer;
}

export function cardOf(merchant: Merchant, customer: string, id: string): Card {
  const card = merchant.cards.get(id);
  if (card === undefined || card.customer !== customer || card.status === 'deleted') throw notFound('Card');
  return card;
}

function takenToken(desk: Desk, merchant: Merchant, id: string): CardData {
  const token = merchant.tokens.get(id);
  if (token === undefined || token.isUsed || desk.now() - token.createdMs > TOKEN_MS) throw notFound('Token');
  token.isUsed = true;
  return token;
}

export function createCard(desk: Desk, merchant: Merchant, customerId: string, body: unknown): Answer {
  const customer = customerOf(merchant, customerId);
  const form = read(CardForm, body, 'card');
  const data = 'token' in form ? takenToken(desk, merchant, form.token) : dataOf(desk, form, 'card');
  const lacksFunds = data.verdict.kind === 'declined' && data.verdict.code === '51';
  const isGood = data.verdict.kind === 'approved' || data.verdict.kind === 'processing' || lacksFunds;
  if (form.options?.verify_card === true && !isGood)
    throw new Refused(412, 'Could not create credit card. The card verification failed.');
  const { first6, last4, brand, holderName, expMonth, expYear, verdict } = data;
  const billingAddress = form.billing_address ?? null;
  const kept = { first6, last4, brand, holderName, expMonth, expYear, verdict, billingAddress };
  const card: Card = {
    id: merchant.id('card'),
    customer: customer.id,
    createdMs: desk.now(),
    status: 'active',
    ...kept,
  };
  merchant.cards.set(card.id, card);
  return { status: 200, body: viewCard(card) };
}

export function listCards(_desk: Desk, merchant: Merchant, customerId: string, query: URLSearchParams): Answer {
  const customer = customerOf(merchant, customerId);
  const cards = [...merchant.cards.values()].filter((one) => one.customer === customer.id && one.status !== 'deleted');
  return { status: 200, body: viewPage(cards.reverse(), query, viewCard) };
}

export function deleteCard(_desk: Desk, merchant: Merchant, customerId: string, id: string): Answer {
  const card = cardOf(merchant, customerId, id);
  card.status = 'deleted';
  return { status: 200, body: viewCard(card) };
}
