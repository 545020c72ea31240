import assert from 'node:assert/strict';
import type { AcquirerAnswer, CardAcquirer, CardDetails, CardToken, Decline, Merchant, PixAcquirer } from '../port.ts';

/** A card whose charges are declined, and whether it is verified all the same: what it lacks may be there later. */
export interface DeclinedCard extends Pick<Decline, 'reason' | 'isReversible'> {
  readonly card: CardDetails;
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
  readonly approved: readonly { readonly card: CardDetails; readonly brand: CardToken['brand'] }[];
  readonly declined: readonly DeclinedCard[];
}

export interface PixSubject extends SubjectCore {
  readonly acquirer: PixAcquirer;
  /** The buyer pays a QR code in full, and the acquirer has settled it. */
  readonly payQrCode: (merchant: Merchant, txid: string) => Promise<void>;
}

export interface ConformanceCase<Subject extends SubjectCore> {
  readonly name: string;
  run(subject: Subject): Promise<void>;
}

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
