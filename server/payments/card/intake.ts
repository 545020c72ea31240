import type { CardHolding } from '../../../contract/payment-methods.ts';
import type { Deps } from '../../deps.ts';
import { isCardExpired } from '../../kernel/brazil.ts';
import { BillingError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import {
  ACQUIRER_DEADLINE_MS,
  acquirerUnavailable,
  cardDeclined,
  requireAcquirer,
  timeBudget,
} from '../acquirer/ask.ts';
import type { CardDetails } from '../acquirer/port.ts';
import { paymentMethods } from '../intents/rows.ts';
import type { ChargedCard } from './attempts.ts';
import { brandOfCard, cardDigits } from './number.ts';

/** The card as the acquirer takes it; refuses one that no acquirer would. `now` is on the account's clock. */
export function checkCard({ card, billing_details: holder }: CardHolding, now: number): CardDetails {
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
  return { number, brand, expMonth, expYear, cvc, holderName, holderDocument, address: addressOf(holder) };
}

function addressOf({ address }: CardHolding['billing_details']): CardDetails['address'] {
  if (address == null) return null;
  const { postal_code: postalCode, ...rest } = address;
  return { ...rest, postalCode };
}

/** The card goes to the acquirer and nowhere else; an acquirer that does not take it in now has done nothing. */
export async function tokenizeCard(
  deps: Deps,
  scope: Scope,
  { card, deadlineMs }: { card: CardDetails; deadlineMs: number },
): Promise<ChargedCard> {
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.tokenizeCard(merchant, card), {
    deadlineMs,
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not take the card in');
  return { ...answer.value, paymentMethodId: newId('txn') };
}

/**
 * A card that the issuer calls good, with nothing charged. Refuses one that is declined; an acquirer that does not tell
 * has moved no money either. A declined card is verified again by a repeat under the same Idempotency-Key: there is no
 * attempt whose outcome would be its answer, and to ask again costs nothing.
 */
export async function takeVerifiedCard(
  deps: Deps,
  scope: Scope,
  { holding, subscriptionId: verifiedFor }: { holding: CardHolding; subscriptionId: string },
): Promise<ChargedCard> {
  const details = checkCard(holding, deps.clock.now(scope));
  await requireAcquirer(deps, scope, 'card');
  return deps.cardTesting.watch(scope, {
    number: details.number,
    verifiedFor,
    charge: () => verifyCard(deps, scope, details),
  });
}

async function verifyCard(deps: Deps, scope: Scope, details: CardDetails): Promise<ChargedCard> {
  const remainingMs = timeBudget(ACQUIRER_DEADLINE_MS);
  const card = await tokenizeCard(deps, scope, { card: details, deadlineMs: remainingMs() });
  const { token } = card;
  const answer = await deps.ask(scope, 'card', (acquirer, merchant) => acquirer.verifyCard(merchant, { token }), {
    deadlineMs: remainingMs(),
  });
  if (!answer.known) throw acquirerUnavailable('The acquirer does not verify the card');
  if (answer.value.status === 'declined') throw cardDeclined(answer.value.reason);
  return card;
}

/** Keeps a card for renewals, which are charged by its token. */
export function keepCard(tx: Tx, customerId: string, { paymentMethodId: id, token, brand, last4 }: ChargedCard): void {
  tx.insert(paymentMethods, { id, customerId, token, brand, last4 });
}
