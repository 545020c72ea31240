import type { AcquirerAnswer, Merchant, PixPayment } from './port.ts';

/** A civil day in Brasília: `2026-12-10`. */
export type CivilDay = string;

/** How often a mandate is charged: nothing else exists. */
export type MandatePeriod = 'week' | 'month' | 'quarter' | 'half' | 'year';

/** What a payer is asked to authorise. */
export interface MandateRequest {
  /** Where the acquirer serves it, by `placeMandate`: a place serves one mandate, which makes the call idempotent. */
  readonly place: string;
  /** Our id for it, which the payer's bank shows: up to 35 characters. */
  readonly contract: string;
  /** What the payer recognises it by: up to 35 characters. */
  readonly title: string;
  /** CPF or CNPJ without punctuation. */
  readonly debtor: { readonly name: string; readonly document: string };
  /** The charge that is paid in the act of authorising; null: it is authorised alone. */
  readonly firstTxid: string | null;
  readonly startsOn: CivilDay;
  readonly period: MandatePeriod;
  /** Cents. Null: each charge has an amount of its own. */
  readonly fixed: number | null;
  /** Cents: no maximum of the payer's lies below it. Null: there is none. */
  readonly minimum: number | null;
  /** Whether it may have been asked for before. */
  readonly isRepeat: boolean;
}

/** A mandate as the acquirer's books have it. */
export interface MandateFinding {
  readonly bankRef: string;
  readonly status: 'created' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** Who cancelled it; null: nobody did, or it is not told. `bank`: the merchant's own. */
  readonly endedBy: 'payer' | 'payer_bank' | 'merchant' | 'bank' | null;
  /** ISPB of the payer's bank; null before it is approved, or where it is not told. */
  readonly payerBank: string | null;
}

export interface DebitRequest {
  /** The reference that makes the call idempotent. */
  readonly txid: string;
  readonly bankRef: string;
  readonly amount: number;
  /** 10 to 2 days ahead. */
  readonly dueOn: CivilDay;
  /** What the payer's bank shows beside it: up to 140 characters. */
  readonly note: string;
  readonly isRepeat: boolean;
}

/** One day on which a debit is tried. */
export interface DebitTry {
  readonly date: CivilDay;
  readonly status: 'asked' | 'scheduled' | 'paid' | 'refused' | 'cancelled' | 'expired';
  /** Why it was refused, in the code of the payer's bank. */
  readonly code: string | null;
}

/** A debit as the acquirer's books have it. `unpaid`: a try failed, and another day may be asked for. */
export interface DebitFinding {
  readonly txid: string;
  readonly status: 'waiting' | 'scheduled' | 'unpaid' | 'paid' | 'refused' | 'expired' | 'cancelled';
  readonly payments: readonly PixPayment[];
  readonly tries: readonly DebitTry[];
}

/** Money that payers authorised once for all that follows (Pix Automático). Every adapter passes `mandateCases`. */
export interface MandateAcquirer {
  /** Whether it offers that here: a PSP wants to know the account that debits are paid into. */
  readonly offersMandates: boolean;
  /** A place that serves one mandate; one that serves none costs nothing. */
  placeMandate(merchant: Merchant): Promise<AcquirerAnswer<string>>;
  /** Idempotent by place: a repeat answers the mandate made first. */
  createMandate(
    merchant: Merchant,
    request: MandateRequest,
  ): Promise<AcquirerAnswer<{ bankRef: string; copyPaste: string }>>;
  /** Null: the place serves none. */
  findMandate(
    merchant: Merchant,
    of: { place: string; bankRef: string | null },
  ): Promise<AcquirerAnswer<MandateFinding | null>>;
  cancelMandate(merchant: Merchant, bankRef: string): Promise<AcquirerAnswer<'cancelled' | 'ended_already'>>;
  /** Idempotent by txid. */
  instruct(merchant: Merchant, request: DebitRequest): Promise<AcquirerAnswer<DebitFinding>>;
  /** Null: the acquirer knows no such debit. */
  findDebit(merchant: Merchant, txid: string): Promise<AcquirerAnswer<DebitFinding | null>>;
  /** `too_late`: its day is too near, or it was tried already. One that the acquirer does not know is cancelled. */
  cancelDebit(merchant: Merchant, txid: string): Promise<AcquirerAnswer<'cancelled' | 'too_late' | 'paid' | 'ended'>>;
  /** Asks for a try on another day, until 22:00 of the day before; idempotent by txid and day. */
  retryDebit(merchant: Merchant, of: { txid: string; date: CivilDay }): Promise<AcquirerAnswer<'asked' | 'refused'>>;
}
