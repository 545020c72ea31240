import { isAbsent, isRefusal, isSuccess, type PspExchange, unknownBy } from '../http.ts';
import type {
  AcquirerAnswer,
  BillingAddress,
  CardBuyer,
  CardIntake,
  CardRequest,
  CardState,
  Decline,
} from '../port.ts';
import type { PagarmeClient } from './client.ts';
import {
  type ReadCard,
  readCustomer,
  readCustomerPage,
  readStoredCard,
  refusedFields,
  tokenOfParts,
} from './reading.ts';

const COUNTRY = 'BR';
const COUNTRY_CODE = '55';
const CPF_DIGITS = 11;

/** In Pagar.me's order: number, street, neighborhood. Null: what it must have is not all known. */
function addressOf(address: BillingAddress | null): object | null {
  if (address === null) return null;
  const { street, number, complement, neighborhood, city, state, postalCode } = address;
  if (!(street && city && state && postalCode)) return null;
  return {
    line_1: [number, street, neighborhood].filter(Boolean).join(', '),
    ...(complement ? { line_2: complement } : {}),
    zip_code: postalCode.replace(/\D/g, ''),
    city,
    state,
    country: COUNTRY,
  };
}

/** Brazilian numbers alone: the area code has 2 digits, and the rest is the number. */
function phonesOf(phone: string | null): object | null {
  const [, area, number] = /^\+55(\d{2})(\d{8,9})$/.exec(phone ?? '') ?? [];
  if (area === undefined || number === undefined) return null;
  const kind = number.length === 9 ? 'mobile_phone' : 'home_phone';
  return { [kind]: { country_code: COUNTRY_CODE, area_code: area, number } };
}

const given = (name: string, value: object | null): object => (value === null ? {} : { [name]: value });

function customerBody(buyer: CardBuyer, holder: Pick<CardRequest, 'holderDocument' | 'address'>): object {
  const { id, name, email, phone } = buyer;
  const document = buyer.document ?? holder.holderDocument;
  const isPerson = document.length === CPF_DIGITS;
  return {
    code: id,
    name,
    email,
    document,
    document_type: isPerson ? 'CPF' : 'CNPJ',
    type: isPerson ? 'individual' : 'company',
    ...given('phones', phonesOf(phone)),
    ...given('address', addressOf(buyer.address ?? holder.address)),
  };
}

/** The buyer as Pagar.me's customer, made once for our customer's id. */
async function customerOf(client: PagarmeClient, request: CardRequest): Promise<AcquirerAnswer<string>> {
  const { buyer } = request;
  const found = await client.call({ method: 'GET', path: ['customers'], query: { code: buyer.id, size: '1' } });
  const [known] = isSuccess(found) ? (readCustomerPage(found.body)?.data ?? []) : [];
  if (known !== undefined) return { known: true, value: known.id };
  if (!isSuccess(found) && !isAbsent(found)) return unknownBy(found);
  const made = await client.call({ method: 'POST', path: ['customers'], body: customerBody(buyer, request) });
  const customer = isSuccess(made) ? readCustomer(made.body) : null;
  return customer === null ? unknownBy(made) : { known: true, value: customer.id };
}

function cardBody({ card, holderName, holderDocument, address, buyer }: CardRequest, verifies: boolean): object {
  const data =
    'browserToken' in card
      ? { token: card.browserToken }
      : {
          number: card.number,
          exp_month: card.expMonth,
          exp_year: card.expYear,
          cvv: card.cvc,
          holder_name: holderName,
        };
  return {
    ...data,
    holder_document: holderDocument,
    ...given('billing_address', addressOf(address ?? buyer.address)),
    options: { verify_card: verifies },
  };
}

const refused = (code: string): Decline => ({
  status: 'declined',
  reason: 'invalid_card_data',
  code,
  isReversible: false,
});

/** The issuer's code does not come with it. */
const UNVERIFIED: Decline = { status: 'declined', reason: 'issuer_declined', code: 'unverified', isReversible: true };

/** Takes a card in, for good: a browser's token is good once, so a second try of one is no repeat. */
export async function storeCard(
  client: PagarmeClient,
  request: CardRequest,
  { verifies }: { verifies: boolean },
): Promise<AcquirerAnswer<CardIntake>> {
  const customer = await customerOf(client, request);
  if (!customer.known) return customer;
  const path = ['customers', customer.value, 'cards'];
  const exchange = await client.call({ method: 'POST', path, body: cardBody(request, verifies) });
  const card = isSuccess(exchange) ? readStoredCard(exchange.body) : null;
  if (card !== null) return { known: true, value: takenCard(customer.value, card) };
  const refusal = refusalOf(exchange, request);
  return refusal === null ? unknownBy(exchange) : { known: true, value: refusal };
}

function takenCard(customer: string, card: ReadCard): CardIntake {
  const { id, brand, last_four_digits: last4, exp_month: expMonth, exp_year: expYear } = card;
  if (brand == null) return refused('brand');
  return { status: 'taken', token: tokenOfParts({ customer, card: id }), brand, last4, expMonth, expYear };
}

const PRECONDITION_FAILED = 412;

/** Null: what came of it is not known. */
function refusalOf(exchange: PspExchange, { card }: CardRequest): CardIntake | null {
  if (exchange.kind !== 'answered') return null;
  const { status, body } = exchange;
  const namesToken = isAbsent(exchange) || refusedFields(body).some((field) => /token/i.test(field));
  if ('browserToken' in card && isRefusal(exchange) && namesToken) return { status: 'token_gone' };
  if (status === PRECONDITION_FAILED) return UNVERIFIED;
  return isRefusal(exchange) ? refused(String(status)) : null;
}

/** Where a stored card is there. */
interface CardPlace {
  readonly customer: string;
  readonly card: string;
}

/** An expired card is open: its issuer gives it another expiry, or declines it. */
export async function readCardThere(
  client: PagarmeClient,
  { customer, card }: CardPlace,
): Promise<AcquirerAnswer<CardState>> {
  const exchange = await client.call({ method: 'GET', path: ['customers', customer, 'cards', card] });
  if (isAbsent(exchange)) return { known: true, value: { status: 'closed' } };
  const found = isSuccess(exchange) ? readStoredCard(exchange.body) : null;
  if (found === null) return unknownBy(exchange);
  const { status, exp_month: expMonth, exp_year: expYear } = found;
  return { known: true, value: status === 'deleted' ? { status: 'closed' } : { status: 'open', expMonth, expYear } };
}

/** The card is forgotten there too; one that is not there is. */
export async function deleteCardThere(
  client: PagarmeClient,
  { customer, card }: CardPlace,
): Promise<AcquirerAnswer<'forgotten'>> {
  const exchange = await client.call({ method: 'DELETE', path: ['customers', customer, 'cards', card] });
  return isSuccess(exchange) || isAbsent(exchange) ? { known: true, value: 'forgotten' } : unknownBy(exchange);
}
