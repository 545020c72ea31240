import type { DeclineReason } from '@fatura/sdk';

/** What the sandbox's bank does with a card. */
export type CardScenario =
  | DeclineReason
  | 'approved'
  | 'renewals_declined'
  | 'renewals_delayed'
  | 'renewals_refused'
  | 'slow'
  | 'answer_lost';

/** The test cards (docs/product/sandbox.md#test-cards). */
export const testCards: readonly (readonly [number: string, scenario: CardScenario])[] = [
  ['4242424242424242', 'approved'],
  ['4111111111111111', 'approved'],
  ['5555555555554444', 'approved'],
  ['378282246310005', 'approved'],
  ['5067766783888311', 'approved'],
  ['6062825624254001', 'approved'],
  ['4000000000000002', 'issuer_declined'],
  ['4000000000009995', 'insufficient_funds'],
  ['4000000000000069', 'expired_card'],
  ['4000000000000127', 'invalid_card_data'],
  ['4000000000009979', 'suspected_fraud'],
  ['4000000000000119', 'processing_error'],
  ['4000000000000341', 'renewals_declined'],
  ['4000000000007775', 'renewals_delayed'],
  ['4000000000000226', 'renewals_refused'],
  ['4000000000005001', 'slow'],
  ['4000000000004087', 'answer_lost'],
];
