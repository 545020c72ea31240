import type { CheckoutByCard, CheckoutByPix } from '../../index.ts';
import { Refusal } from './refusal.ts';

/** Cards of the sandbox by what its bank does with them; their numbers are no secrets. */
const testCards = {
  approved: '4242424242424242',
  issuer_declined: '4000000000000002',
  insufficient_funds: '4000000000009995',
  expired_card: '4000000000000069',
  renewals_declined: '4000000000000341',
  outcome_unknown: '4000000000004087',
} as const;

type TestCard = keyof typeof testCards;

const isTestCard = (name: unknown): name is TestCard => typeof name === 'string' && Object.hasOwn(testCards, name);

const WHY =
  'A card number must never pass through a model: its host keeps the conversation. Give the buyer the payment_url of the invoice, or of the checkout session, where they type it themselves.';

/** What a checkout takes from a model: PIX, or in the sandbox the name of a test card. */
export function checkoutFields(live: boolean): Readonly<Record<string, object>> {
  if (live) return { payment_method_type: { const: 'pix', description: `How to charge: by PIX alone. ${WHY}` } };
  return {
    payment_method_type: { enum: ['pix', 'card'], description: `How to charge; a card is a test card alone. ${WHY}` },
    ...cardFields,
    installments: { type: 'integer', minimum: 1, maximum: 12, description: 'Of a card; default 1.' },
  };
}

/** What another card of a subscription is, in the sandbox. */
export const cardFields: Readonly<Record<string, object>> = {
  test_card: { enum: Object.keys(testCards), description: 'A card of the sandbox, by what its bank does with it.' },
};

/** Tells why a card is not taken, where a schema could only say that a field is unknown. */
export function refuseCards(args: Readonly<Record<string, unknown>>): void {
  const isGiven = ['card', 'number', 'cvc', 'billing_details', 'card_number'].some((name) => name in args);
  if (isGiven) throw new Refusal('CARD_NUMBER_REFUSED', WHY);
}

function byCard(test_card: unknown, installments: unknown): CheckoutByCard {
  if (!isTestCard(test_card)) {
    throw new Refusal(
      'PARAMETER_INVALID',
      `a card is a test_card, one of ${Object.keys(testCards).join(', ')}. ${WHY}`,
    );
  }
  return {
    payment_method_type: 'card',
    card: { number: testCards[test_card], exp_month: 12, exp_year: 2099, cvc: '123' },
    billing_details: { name: 'CARTAO DE TESTE', document: '52998224725' },
    ...(typeof installments === 'number' ? { installments } : {}),
  };
}

/** The body of a checkout, or of another card, from what the model gave. */
export function checkoutOf(args: Readonly<Record<string, unknown>>): CheckoutByCard | CheckoutByPix {
  const { payment_method_type: type = 'card', test_card, installments } = args;
  return type === 'pix' ? { payment_method_type: 'pix' } : byCard(test_card, installments);
}
