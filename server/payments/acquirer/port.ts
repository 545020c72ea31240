import type { DeclineReason } from '../../../contract/errors.ts';
import type { CardBrand } from '../../../contract/payment-methods.ts';
import type { RefundReason } from '../../../contract/refunds.ts';
import type { Timestamp } from '../../kernel/time.ts';

/** Whose money an acquirer moves, and what the buyer's bank shows of the merchant. */
export interface Merchant {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly name: string;
  readonly city: string;
  /** The account's instant, which the sandbox follows; a real acquirer has its own. */
  readonly now: Timestamp;
}

/** The acquirer answered or it did not: an answer that never came says nothing of what happened. */
export type AcquirerAnswer<T> =
  | { readonly known: true; readonly value: T }
  /**
   * `unreachable`: the call never got there; `refused`: it got there, and nothing came of it; `timeout`: no answer in
   * time; `fault`: an answer that explains nothing.
   */
  | { readonly known: false; readonly why: 'unreachable' | 'refused' | 'timeout' | 'fault' };

export interface PixRequest {
  /** The reference that makes the call idempotent: the acquirer keeps one charge for each. */
  readonly txid: string;
  readonly amount: number;
  readonly expiresAt: Timestamp;
  /** Whether it may have been asked for before: what the acquirer made then stands. */
  readonly isRepeat: boolean;
}

/** Why money of a payment went back: it was asked for (by us or at the bank itself), or the bank took it by its own rules (MED). */
export type ReturnNature = 'requested' | 'fraud' | 'operational_error' | 'automatic_debit';

/** Money of a payment that goes back, as the acquirer's books have it, whoever asked for it. */
export interface PixReturn {
  /** Our reference, or an id of the bank's own. */
  readonly id: string;
  readonly amount: number;
  readonly nature: ReturnNature;
  readonly status: 'processing' | 'completed' | 'refused';
}

/** A payment as the acquirer's books have it. */
export interface PixPayment {
  readonly endToEndId: string;
  readonly txid: string;
  readonly amount: number;
  readonly paidAt: Timestamp;
  /** False while the acquirer has confirmed the payment and not settled it. */
  readonly settled: boolean;
  readonly returns: readonly PixReturn[];
}

/** A PIX charge as the acquirer's books have it, with every payment it ever received. */
export interface PixCob {
  readonly txid: string;
  readonly status: 'active' | 'concluded' | 'removed';
  readonly payments: readonly PixPayment[];
}

/** A card and its holder, on the one way they take: to `tokenizeCard`. Never stored, never logged. */
export interface CardDetails {
  /** Digits alone. */
  readonly number: string;
  readonly brand: CardBrand;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
  /** As printed on the card. */
  readonly holderName: string;
  /** CPF of the holder: 11 digits. */
  readonly holderDocument: string;
  readonly address: BillingAddress | null;
}

/** Where the holder is billed; it helps the issuer to approve. */
export interface BillingAddress {
  readonly street?: string | null | undefined;
  readonly number?: string | null | undefined;
  readonly complement?: string | null | undefined;
  readonly neighborhood?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly state?: string | null | undefined;
  readonly postalCode?: string | null | undefined;
}

/** A card as we know it: the acquirer's token, and what a buyer recognises it by. */
export interface CardToken {
  readonly token: string;
  readonly brand: CardBrand;
  readonly last4: string;
}

/** Who began a charge: the buyer in a checkout, or the merchant by the schedule of a renewal with a stored card. */
export type Initiator = 'customer' | 'merchant';

export interface ChargeRequest {
  /** Our attempt's id, which makes the call idempotent: the acquirer makes one charge for each. */
  readonly reference: string;
  /** Our invoice's id: every charge of it, by whichever card and reference, is of one order. */
  readonly orderId: string;
  /** Issuers decide otherwise on what the buyer is not there for, and are told which it is. */
  readonly initiator: Initiator;
  readonly token: string;
  /** Of a buyer who is there: issuers approve more with it. Never stored; null where the merchant begins the charge. */
  readonly cvc: string | null;
  readonly amount: number;
  readonly installments: number;
  /** Real time: nobody waits for an answer after it. An acquirer whose absence is proved by it charges nothing later. Milliseconds. */
  readonly deadlineMs: number;
}

export interface Decline {
  readonly status: 'declined';
  readonly reason: DeclineReason;
  /** The acquirer's own code; never shown. */
  readonly code: string;
  /** Whether the issuer may decide otherwise later (ABECS: reversible). */
  readonly isReversible: boolean;
}

/** Whether a card may be charged some day. */
export type Verification = { readonly status: 'verified' } | Decline;

export type ChargeOutcome = { readonly status: 'approved' } | Decline;

/** What an acquirer says of a charge when it is asked for: it may take it in and decide later. */
export type ChargeAnswer = ChargeOutcome | { readonly status: 'processing' };

/** What the acquirer's books have under the reference of an attempt; what is not found may still be on its way. */
export type ChargeFinding = ChargeAnswer | { readonly status: 'not_found' };

/**
 * What proves that a charge which is not found was never made and never will be.
 * `deadline`: the acquirer charges nothing that reaches it after the deadline of the request.
 * `quiet`: it has not been found for so many seconds after the deadline.
 * `cancel`: the acquirer has cancelled it by our reference, and makes none under that reference any more.
 */
export type Absence =
  | { readonly proof: 'deadline' }
  | { readonly proof: 'quiet'; readonly seconds: number }
  | {
      readonly proof: 'cancel';
      /** Answers `not_found` once it is cancelled, else what became of the charge. Idempotent by reference. */
      readonly cancel: (merchant: Merchant, reference: string) => Promise<AcquirerAnswer<ChargeFinding>>;
    };

interface RefundCore {
  /** The reference that makes the call idempotent. */
  readonly reference: string;
  readonly amount: number;
  /** What the payer is told; a surplus is money that no charge asked for. */
  readonly reason: RefundReason | 'surplus';
}

export interface PixRefundRequest extends RefundCore {
  readonly method: 'pix';
  readonly endToEndId: string;
  /** The account's instant at which it was asked for, which the sandbox follows; the call may come later. */
  readonly askedAt: Timestamp;
}

export interface CardRefundRequest extends RefundCore {
  readonly method: 'card';
  /** The reference of the charge that is returned. */
  readonly charge: string;
}

export type RefundRequest = PixRefundRequest | CardRefundRequest;

export type RefundStatus =
  | { readonly status: 'processing' }
  | { readonly status: 'completed'; readonly at: Timestamp }
  | { readonly status: 'refused' }
  | { readonly status: 'unknown_to_acquirer' };

/** What every half of an acquirer says of itself. */
interface AcquirerCore {
  readonly name: string;
  /** How long after it was first asked for a return may be asked for again under its reference; later it is only looked for. Milliseconds. */
  readonly repeatableForMs: number;
}

/** What a notice of the acquirer is about: nothing of it is believed, and the acquirer is asked. */
export interface NoticeReferences {
  readonly txids: readonly string[];
}

/** Payments that the acquirer received within a time, found without their txids: what a lost notice would have told. */
export interface ReceivedPix {
  /** False where the time has more payments than one answer brings. */
  readonly isWhole: boolean;
  readonly payments: readonly Pick<PixPayment, 'txid' | 'endToEndId' | 'returns'>[];
}

/** What of a payment period is asked for. */
export interface ReceivedQuery {
  readonly from: Timestamp;
  readonly to: Timestamp;
  /** Only payments of which money went back. */
  readonly withReturns: boolean;
  /** Real time: what was not listed by then is not. Milliseconds. */
  readonly untilMs: number;
}

/** Money by PIX. Outcomes are data; what a notice says is confirmed by asking. Every adapter passes the suite in `conformance.ts`. */
export interface PixAcquirer extends AcquirerCore {
  /** Idempotent by txid: a repeat answers the charge made first. */
  createPix(merchant: Merchant, request: PixRequest): Promise<AcquirerAnswer<{ copyPaste: string }>>;
  /** Null: the acquirer knows no such charge. */
  findPix(merchant: Merchant, txid: string): Promise<AcquirerAnswer<PixCob | null>>;
  /** Ends a QR code, unless it is paid (or confirmed) already. A txid that the acquirer does not know is expired. */
  expirePix(merchant: Merchant, txid: string): Promise<AcquirerAnswer<'expired' | 'alreadyPaid'>>;
  /** Idempotent by reference. */
  refundPix(merchant: Merchant, request: PixRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  findRefund(merchant: Merchant, request: PixRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  /** Reads what a notice is about; null: it is none of this acquirer. Absent where the acquirer tells nothing by itself. */
  receive?(notice: unknown): NoticeReferences | null;
  /** `refused`: the acquirer has no such list; absent where it never has. */
  findReceived?(merchant: Merchant, query: ReceivedQuery): Promise<AcquirerAnswer<ReceivedPix>>;
}

/** Money by card. Outcomes are data; what a notice says is confirmed by asking. Every adapter passes the suite in `conformance.ts`. */
export interface CardAcquirer extends AcquirerCore {
  readonly absence: Absence;
  /** Takes a card in and moves no money. */
  tokenizeCard(merchant: Merchant, card: CardDetails): Promise<AcquirerAnswer<CardToken>>;
  /** Asks the issuer whether the card is good; moves no money, so it may be asked any number of times. */
  verifyCard(merchant: Merchant, request: { token: string }): Promise<AcquirerAnswer<Verification>>;
  /** Idempotent by reference: a repeat answers the outcome of the first. The service sends each reference once. */
  chargeCard(merchant: Merchant, request: ChargeRequest): Promise<AcquirerAnswer<ChargeAnswer>>;
  /** By our reference. "Not found" is final once `absence` is proved. */
  findCharge(merchant: Merchant, reference: string): Promise<AcquirerAnswer<ChargeFinding>>;
  /** Idempotent by reference. */
  refundCard(merchant: Merchant, request: CardRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  findRefund(merchant: Merchant, request: CardRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
}

/** What moves the money of each payment method. */
export interface AcquirerHalves {
  readonly pix: PixAcquirer;
  readonly card: CardAcquirer;
}

export type Method = keyof AcquirerHalves;

/** The acquirer of an account and a method; null: none is configured. */
export type LiveAcquirers = { readonly [M in Method]: (accountId: string) => Promise<AcquirerHalves[M] | null> };

/** An acquirer of every method. */
export interface Acquirer extends Omit<PixAcquirer, 'findRefund'>, Omit<CardAcquirer, 'findRefund'> {
  findRefund(merchant: Merchant, request: RefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
}

/** The acquirers of each mode: one bank for every sandbox, and for live money what each account has configured. */
export interface Acquirers {
  readonly sandbox: Acquirer;
  readonly live: LiveAcquirers;
}
