import type { CardHolding } from '../../../contract/payment-methods.ts';
import { openedCustomer, type Personal } from '../../customers/personal.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { isCardExpired } from '../../kernel/brazil.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE_MS, acquirerUnavailable, cardDeclined, requireAcquirer } from '../acquirer/ask.ts';
import type { BillingAddress, CardBuyer, CardIntake, CardNumber, CardRequest } from '../acquirer/port.ts';
import { paymentMethods } from '../intents/rows.ts';
import type { ChargedCard } from './attempts.ts';
import { brandOfCard, cardDigits } from './number.ts';

/** A card with its holder, as a request gives them. */
export type CheckedCard = Omit<CardRequest, 'buyer' | 'card'> & { readonly card: CardNumber };

/** The card as the acquirer takes it; refuses one that no acquirer would. `now` is on the account's clock. */
export function checkCard({ card, billing_details: holder }: CardHolding, now: number): CheckedCard {
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
  const { name: holderName, document: holderDocument } = holder;
  return { card: { number, brand, expMonth, expYear, cvc }, holderName, holderDocument, address: addressOf(holder) };
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
): Promise<ChargedCard> {
  const request = { ...card, buyer: await buyerOf(deps, scope, customerId) };
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.tokenizeCard(merchant, request), {
    deadlineMs,
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not take the card in');
  return takenCard(answer.value);
}

function takenCard(intake: CardIntake): ChargedCard {
  if (intake.status === 'declined') throw cardDeclined(intake.reason);
  if (intake.status === 'token_gone') throw new Error('a card that came by its number has no token of a browser');
  const { token, brand, last4 } = intake;
  return { token, brand, last4, paymentMethodId: newId('txn'), origin: null };
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
): Promise<ChargedCard> {
  const card = checkCard(holding, deps.clock.now(scope));
  await requireAcquirer(deps, scope, 'card');
  return deps.cardTesting.watch(scope, {
    number: card.card.number,
    verifiedFor,
    charge: () => verifyCard(deps, scope, { card, customerId, deadlineMs: ACQUIRER_DEADLINE_MS }),
  });
}

async function verifyCard(
  deps: Deps,
  scope: Scope,
  { card, customerId, deadlineMs }: CardHandover,
): Promise<ChargedCard> {
  const request = { ...card, buyer: await buyerOf(deps, scope, customerId) };
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.verifyCard(merchant, request), {
    deadlineMs,
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not verify the card');
  return takenCard(answer.value);
}

/** Keeps a card for renewals, which are charged by its token. */
export function keepCard(tx: Tx, customerId: string, { paymentMethodId: id, token, brand, last4 }: ChargedCard): void {
  tx.insert(paymentMethods, { id, customerId, token, brand, last4 });
}
