import assert from 'node:assert/strict';
import { newId, newSuffix } from '../../../kernel/ids.ts';
import { realTimeMs, SECOND_MS } from '../../../kernel/time.ts';
import type {
  AcquirerAnswer,
  CardAcquirer,
  CardIntake,
  CardRequest,
  CardToken,
  ChargeRequest,
  CivilDay,
  Decline,
  MandateAcquirer,
  Merchant,
  PixCharges,
} from '../port.ts';

/** A card of a test; a token of a browser is made anew for each request. */
export interface TestCard {
  readonly number: string;
  readonly request: (merchant: Merchant) => Promise<CardRequest>;
}

/** A card whose charges are declined, and whether it is verified all the same: what it lacks may be there later. */
export interface DeclinedCard extends Pick<Decline, 'reason' | 'isReversible'> {
  readonly card: TestCard;
  readonly isVerified: boolean;
}

/** An adapter under test with a quiet acquirer behind it: no trouble but what a case makes. */
export interface SubjectCore {
  readonly newMerchant: () => Promise<Merchant>;
  /** The merchant once a return that was asked before has ended: real time or the account's clock has passed. */
  readonly afterReturn: (merchant: Merchant) => Promise<Merchant>;
}

export interface CardSubject extends SubjectCore {
  readonly acquirer: CardAcquirer;
  readonly approved: readonly { readonly card: TestCard; readonly brand: CardToken['brand'] }[];
  readonly declined: readonly DeclinedCard[];
}

export interface PixSubject extends SubjectCore {
  readonly acquirer: PixCharges;
  /** The buyer pays a QR code in full, and the acquirer has settled it. */
  readonly payQrCode: (merchant: Merchant, txid: string) => Promise<void>;
}

/** What the buyer's bank answers to a debit: it is paid, or refused by a code. */
export type DebitOutcome = 'paid' | { readonly code: string };

export interface MandateSubject extends SubjectCore {
  readonly acquirer: Omit<MandateAcquirer, 'offersMandates'> & Pick<PixCharges, 'createPix' | 'findPix'>;
  /** The merchant once a day and hour in Brasília has come; the buyer's bank has done what it was time for. */
  readonly at: (merchant: Merchant, day: CivilDay, hour: number) => Promise<Merchant>;
  /** The buyer authorises, and pays the charge that belongs to it. */
  readonly approve: (merchant: Merchant, bankRef: string) => Promise<void>;
  readonly reject: (merchant: Merchant, bankRef: string) => Promise<void>;
  readonly endAtBank: (merchant: Merchant, bankRef: string, by: 'payer' | 'payer_bank') => Promise<void>;
  /** What becomes of the next try of a debit; it is paid where nothing was decided. */
  readonly decide: (merchant: Merchant, txid: string, outcome: DebitOutcome) => Promise<void>;
}

export interface ConformanceCase<Subject extends SubjectCore> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

/** Of every card of the suite. */
export const EXPIRY = { month: 12, year: 2030 } as const;

/** Of every payment and charge of the suite. */
export const AMOUNT = 4_000;
export const AT_ONCE = 20;

export const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

export async function knownValue<T>(answer: Promise<AcquirerAnswer<T>>): Promise<T> {
  const known = await answer;
  assert.ok(known.known, 'a quiet acquirer answers');
  return known.value;
}

/** The card that an acquirer took in. */
export async function takenCard(answer: Promise<AcquirerAnswer<CardIntake>>): Promise<CardToken> {
  const intake = await knownValue(answer);
  assert.ok(intake.status === 'taken', 'the card is taken in');
  const { status: _, ...card } = intake;
  return card;
}

export const tokenOf = async ({ acquirer }: CardSubject, merchant: Merchant, card: TestCard): Promise<string> =>
  (await takenCard(acquirer.tokenizeCard(merchant, await card.request(merchant)))).token;

const CHARGE_MS = 20 * SECOND_MS;

/** A buyer's charge, for an order of its own. */
export const chargeOf = (token: string, overrides: Partial<ChargeRequest> = {}): ChargeRequest => ({
  reference: newSuffix(),
  orderId: newId('in'),
  initiator: 'customer',
  token,
  cvc: null,
  amount: AMOUNT,
  installments: 1,
  series: null,
  deadlineMs: realTimeMs() + CHARGE_MS,
  ...overrides,
});
