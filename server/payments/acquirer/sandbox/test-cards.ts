import type { ChargeOutcome, Decline, Initiator } from '../port.ts';

type DeclineReason = Decline['reason'];

/** What the bank does with a card; it keeps this in the place of the number. */
export type Scenario =
  | DeclineReason
  | 'approved'
  | 'renewals_declined'
  | 'renewals_delayed'
  | 'renewals_refused'
  | 'slow'
  | 'answer_lost';

/** The test cards (docs/product/sandbox.md#test-cards). */
export const testCardScenarios: ReadonlyMap<string, Scenario> = new Map([
  ['4242424242424242', 'approved'],
  ['4111111111111111', 'approved'],
  ['5555555555554444', 'approved'],
  ['378282246310005', 'approved'],
  ['5067766783888311', 'approved'],
  ['6062825624254001', 'approved'],
  ['4000000000000341', 'renewals_declined'],
  ['4000000000007775', 'renewals_delayed'],
  ['4000000000000226', 'renewals_refused'],
  ['4000000000005001', 'slow'],
  ['4000000000004087', 'answer_lost'],
  ['4000000000000002', 'issuer_declined'],
  ['4000000000009995', 'insufficient_funds'],
  ['4000000000000069', 'expired_card'],
  ['4000000000000127', 'invalid_card_data'],
  ['4000000000009979', 'suspected_fraud'],
  ['4000000000000119', 'processing_error'],
]);

/** A real card has no business in the sandbox: every number but the test cards' is declined as no card at all. */
export const scenarioOf = (number: string): Scenario => testCardScenarios.get(number) ?? 'invalid_card_data';

/** As the issuers' common codes have it (ABECS): only after a reversible decline may the same card be charged again. */
const declines: Readonly<Record<DeclineReason, Pick<Decline, 'code' | 'isReversible'>>> = {
  issuer_declined: { code: '05', isReversible: true },
  insufficient_funds: { code: '51', isReversible: true },
  expired_card: { code: '54', isReversible: false },
  invalid_card_data: { code: '14', isReversible: false },
  suspected_fraud: { code: '59', isReversible: true },
  processing_error: { code: '96', isReversible: true },
};

export const declined = (reason: DeclineReason): Decline => ({ status: 'declined', reason, ...declines[reason] });

/** The account behind the card is closed: of an issuer's refusals the one that is for good. */
export const ACCOUNT_CLOSED: Decline = {
  status: 'declined',
  reason: 'issuer_declined',
  code: '46',
  isReversible: false,
};

/** A decline as the books have it. */
export const declineOf = (reason: DeclineReason, code: string): Decline =>
  code === ACCOUNT_CLOSED.code ? ACCOUNT_CLOSED : { ...declined(reason), code };

const isDeclined = (scenario: Scenario): scenario is DeclineReason => scenario in declines;

/** Of an order the renewals of a delayed card are declined so often, then approved. */
const DELAYED_DECLINES = 2;

/** Whether a charge ends by how many its order had before. */
export const dependsOnOrder = (scenario: Scenario, initiator: Initiator): boolean =>
  scenario === 'renewals_delayed' && initiator === 'merchant';

/** What becomes of a charge; `renewalsBefore`: how often the merchant charged such a card for the order before. */
export function outcomeOf(
  scenario: Scenario,
  { initiator, renewalsBefore }: { initiator: Initiator; renewalsBefore: number },
): ChargeOutcome {
  if (isDeclined(scenario)) return declined(scenario);
  if (scenario === 'renewals_refused' && initiator === 'merchant') return ACCOUNT_CLOSED;
  const lacksFunds =
    initiator === 'merchant' &&
    (scenario === 'renewals_declined' || (scenario === 'renewals_delayed' && renewalsBefore < DELAYED_DECLINES));
  return lacksFunds ? declined('insufficient_funds') : { status: 'approved' };
}

/** Null: the card is good. Funds are no matter of a verification: it asks for none. */
export const declineOfVerification = (scenario: Scenario): Decline | null =>
  isDeclined(scenario) && scenario !== 'insufficient_funds' ? declined(scenario) : null;

/** A slow card's charge is at the acquirer this long, in real time (docs/product/sandbox.md#test-cards). */
const SLOW_SECONDS = 10;

export const chargeSeconds = (scenario: Scenario): number => (scenario === 'slow' ? SLOW_SECONDS : 0);
