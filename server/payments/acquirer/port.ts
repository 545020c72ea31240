import type { RefundReason } from '../../../contract/refunds.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { CardAcquirer, CardRefundRequest } from './card-port.ts';
import type { MandateAcquirer } from './mandate-port.ts';

export type * from './card-port.ts';
export type * from './mandate-port.ts';

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

export interface RefundCore {
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

export type RefundRequest = PixRefundRequest | CardRefundRequest;

export type RefundStatus =
  | { readonly status: 'processing' }
  | { readonly status: 'completed'; readonly at: Timestamp }
  | { readonly status: 'refused' }
  | { readonly status: 'unknown_to_acquirer' };

/** What a notice of the acquirer is about: nothing of it is believed, and the acquirer is asked. */
export interface NoticeReferences {
  readonly txids?: readonly string[];
  /** Charges by card, by our references. */
  readonly charges?: readonly string[];
  /** Stored cards, by the acquirer's tokens. */
  readonly cards?: readonly string[];
  /** Mandates, by the acquirer's references. */
  readonly mandates?: readonly string[];
  /** Debits by mandate, by our txids. */
  readonly debits?: readonly string[];
}

/** A call that a PSP did not do, in words for an operator: nothing of the request is in them. */
export interface PspRefusal {
  readonly call: string;
  readonly why: string;
  readonly isKeyRefused: boolean;
  /** For how many seconds it wants to be asked less often; null: it does not. */
  readonly slowDownSeconds: number | null;
}

/** What every half of an acquirer says of itself. */
export interface AcquirerCore {
  readonly name: string;
  /** How long after it was first asked for a return may be asked for again under its reference; later it is only looked for. Milliseconds. */
  readonly repeatableForMs: number;
  /** Reads what a notice is about; null: it is none of this acquirer. Absent where the acquirer tells nothing by itself. */
  receive?(notice: unknown): NoticeReferences | null;
  /** How often a second runs may ask it now; absent: as often as they like. */
  readonly rate?: { readonly perSecond: number };
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

/** Money by PIX and QR code. Outcomes are data; what a notice says is confirmed by asking. Every adapter passes the suite in `conformance.ts`. */
export interface PixCharges extends AcquirerCore {
  /** Idempotent by txid: a repeat answers the charge made first. */
  createPix(merchant: Merchant, request: PixRequest): Promise<AcquirerAnswer<{ copyPaste: string }>>;
  /** Null: the acquirer knows no such charge. */
  findPix(merchant: Merchant, txid: string): Promise<AcquirerAnswer<PixCob | null>>;
  /** Ends a QR code, unless it is paid (or confirmed) already. A txid that the acquirer does not know is expired. */
  expirePix(merchant: Merchant, txid: string): Promise<AcquirerAnswer<'expired' | 'alreadyPaid'>>;
  /** Idempotent by reference. */
  refundPix(merchant: Merchant, request: PixRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  findRefund(merchant: Merchant, request: PixRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  /** `refused`: the acquirer has no such list; absent where it never has. */
  findReceived?(merchant: Merchant, query: ReceivedQuery): Promise<AcquirerAnswer<ReceivedPix>>;
}

/** Money by PIX, by QR code and by mandate. */
export interface PixAcquirer extends PixCharges, MandateAcquirer {}

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
