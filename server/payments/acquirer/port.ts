import type { Timestamp } from '../../kernel/time.ts';

/** Whose money an acquirer moves, and what the buyer's bank shows of the merchant. */
export interface Merchant {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly name: string;
  readonly city: string;
  /** The account's instant, which the sandbox follows; a real bank has its own. */
  readonly now: Timestamp;
}

export interface PixRequest {
  /** The reference that makes the call idempotent: the bank keeps one charge for each. */
  readonly txid: string;
  readonly amount: number;
  readonly expiresAt: Timestamp;
}

/** A payment as the bank's books have it. */
export interface PixPayment {
  readonly endToEndId: string;
  readonly txid: string;
  readonly amount: number;
  readonly paidAt: Timestamp;
  /** False while the bank has confirmed the payment and not settled it. */
  readonly settled: boolean;
}

/** A PIX charge as the bank's books have it, with every payment it ever received. */
export interface PixCob {
  readonly txid: string;
  readonly status: 'active' | 'concluded' | 'removed';
  readonly payments: readonly PixPayment[];
}

/** The bank answered or it did not: an answer that never came says nothing of what happened. */
export type BankAnswer<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: 'unreachable' | 'timeout' };

export interface RefundRequest {
  /** The reference that makes the call idempotent. */
  readonly reference: string;
  readonly endToEndId: string;
  readonly amount: number;
}

export type RefundStatus =
  | { readonly status: 'processing' }
  | { readonly status: 'completed'; readonly at: Timestamp }
  | { readonly status: 'refused' }
  | { readonly status: 'unknown_to_bank' };

/** What moves money for the service. Outcomes are data; what a bank's notice says is confirmed by asking the bank. */
export interface Acquirer {
  readonly name: string;
  /** Idempotent by txid: a repeat answers the charge made first. */
  createPix(merchant: Merchant, request: PixRequest): Promise<BankAnswer<{ copyPaste: string }>>;
  /** Null: the bank knows no such charge. */
  findPix(merchant: Merchant, txid: string): Promise<BankAnswer<PixCob | null>>;
  /** Ends a QR code, unless it is paid (or confirmed) already. A txid that the bank does not know is expired. */
  expirePix(merchant: Merchant, txid: string): Promise<BankAnswer<'expired' | 'alreadyPaid'>>;
  /** Idempotent by reference. */
  refundPix(merchant: Merchant, request: RefundRequest): Promise<BankAnswer<RefundStatus>>;
  findRefund(merchant: Merchant, request: RefundRequest): Promise<BankAnswer<RefundStatus>>;
}

/** The acquirer of each mode; live mode has none until a provider is configured. */
export interface Acquirers {
  readonly sandbox: Acquirer;
  readonly live: Acquirer | null;
}
