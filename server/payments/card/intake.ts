import type { CardHolding, CardInput } from '../../../contract/payment-methods.ts';
import { openedCustomer, type Personal } from '../../customers/personal.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { isCardExpired } from '../../kernel/brazil.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE_MS, acquirerUnavailable, cardDeclined, requireAcquirer } from '../acquirer/ask.ts';
import type { BillingAddress, CardBuyer, CardIntake, CardNumber, CardRequest, CardToken } from '../acquirer/port.ts';
import type { ChargedCard } from './attempts.ts';
import { brandOfCard, cardDigits } from './number.ts';

/** A card with its holder, as a request gives them. */
export type CheckedCard = Omit<CardRequest, 'buyer'>;

/** The card as the acquirer takes it; refuses one that no acquirer would. `now` is on the account's clock. */
export function checkCard(holding: CardHolding, now: number): CheckedCard {
  const { billing_details: holder } = holding;
  const { name: holderName, document: holderDocument } = holder;
  return { card: cardIn(holding, now), holderName, holderDocument, address: addressOf(holder) };
}

function cardIn({ card, card_token: browserToken }: CardHolding, now: number): CheckedCard['card'] {
  if (browserToken !== undefined) return { browserToken };
  if (card === undefined) throw new Error('a card came neither by its number nor by a token');
  return checkCardNumber(card, now);
}

/** A card by its number; refuses a brand that is not charged, and a card that has expired. */
export function checkCardNumber(card: CardInput, now: number): CardNumber {
  const number = cardDigits(card.number);
  const brand = brandOfCard(number);
  if (brand === null) {
    const message = 'card.number is of a brand that is not accepted: visa, mastercard, amex, elo and hipercard are';
    throw new BillingError('CARD_BRAND_NOT_SUPPORTED', { message, param: 'card.number' });
  }
  const { exp_month: expMonth, exp_year: expYear, cvc } = card;
  if (isCardExpired({ expMonth, expYear }, now)) {
    const message = `the card expired at the end of ${expMonth}/${expYear} (card.exp_month, card.exp_year)`;
    throw new BillingError('CARD_EXPIRED', { message, param: 'card.exp_year' });
  }
  return { number, brand, expMonth, expYear, cvc };
}

/** The acquirer of the account for a card; refuses a number where cards go to it straight from the browser. */
export async function requireCardAcquirer(deps: Deps, scope: Scope, { card }: CheckedCard): Promise<void> {
  const { cardEntry } = await requireAcquirer(deps, scope, 'card');
  if (!scope.liveMode || 'browserToken' in card || cardEntry.kind === 'own' || cardEntry.takesNumbers) return;
  const message =
    'card.number is not taken here: have the browser send the card to the acquirer, and send what it answers as card_token';
  throw new BillingError('CARD_NUMBER_REFUSED', { message, param: 'card' });
}

function addressOf({ address }: CardHolding['billing_details']): CardRequest['address'] {
  if (address == null) return null;
  const { postal_code: postalCode, ...rest } = address;
  return { ...rest, postalCode };
}

type PostalAddress = NonNullable<Personal['address']>;

interface BuyerRow {
  readonly id: string;
  readonly accountId: string;
  readonly personal: Buffer | null;
}

const readBuyer = statement<BuyerRow>(
  'read_buyer',
  `SELECT u.id, u.account_id AS "accountId", u.personal FROM customer u WHERE u.id = :customerId AND ${mine('u')}`,
);

/** Who is charged, as acquirers are told. */
async function buyerOf(deps: Deps, scope: Scope, customerId: string): Promise<CardBuyer> {
  const [row] = await readIn(deps.pool, scope, readBuyer, { customerId });
  if (row === undefined) throw missing('customer', customerId);
  const { id, name, email, identifier: document, phone, address } = openedCustomer(row, deps.secretBox);
  return { id, name, email, document, phone, address: address === null ? null : billingAddressOf(address) };
}

function billingAddressOf(address: PostalAddress): BillingAddress {
  const { zip_code: postalCode, district: neighborhood, ...rest } = address;
  return { ...rest, postalCode, neighborhood };
}

/** A card that is given to the acquirer, and for how long it is waited. */
export interface CardHandover {
  readonly card: CheckedCard;
  readonly customerId: string;
  readonly deadlineMs: number;
}

/** The card goes to the acquirer and nowhere else; an acquirer that does not take it in now has done nothing. */
export async function tokenizeCard(
  deps: Deps,
  scope: Scope,
  { card, customerId, deadlineMs }: CardHandover,
): Promise<TakenCard> {
  const request = { ...card, buyer: await buyerOf(deps, scope, customerId) };
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.tokenizeCard(merchant, request), {
    deadlineMs,
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not take the card in');
  return takenCard(answer.value);
}

/** A card that the acquirer took in just now. */
export type TakenCard = ChargedCard & Pick<CardToken, 'expMonth' | 'expYear'>;

function takenCard(intake: CardIntake): TakenCard {
  if (intake.status === 'declined') throw cardDeclined(intake.reason);
  if (intake.status === 'token_gone') {
    const message =
      'card_token is used, too old or not known to the acquirer of this account: have the browser make another';
    throw new BillingError('CARD_TOKEN_EXPIRED', { message, param: 'card_token' });
  }
  const { status: _, ...taken } = intake;
  return { ...taken, paymentMethodId: newId('txn'), origin: null };
}

/**
 * A card that the issuer calls good, with nothing charged. Refuses one that is declined; an acquirer that does not tell
 * has moved no money either. A declined card is verified again by a repeat under the same Idempotency-Key: there is no
 * attempt whose outcome would be its answer, and to ask again costs nothing.
 */
export async function takeVerifiedCard(
  deps: Deps,
  scope: Scope,
  {
    holding,
    customerId,
    subscriptionId: verifiedFor,
  }: { holding: CardHolding; customerId: string; subscriptionId: string },
): Promise<TakenCard> {
  const card = checkCard(holding, deps.clock.now(scope));
  await requireCardAcquirer(deps, scope, card);
  return deps.cardTesting.watch(scope, {
    number: 'number' in card.card ? card.card.number : null,
    verifiedFor,
    charge: () => verifyCard(deps, scope, { card, customerId, deadlineMs: ACQUIRER_DEADLINE_MS }),
  });
}

async function verifyCard(
  deps: Deps,
  scope: Scope,
  { card, customerId, deadlineMs }: CardHandover,
): Promise<TakenCard> {
  const request = { ...card, buyer: await buyerOf(deps, scope, customerId) };
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.verifyCard(merchant, request), {
    deadlineMs,
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not verify the card');
  return takenCard(answer.value);
}
