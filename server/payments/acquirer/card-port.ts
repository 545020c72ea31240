import type { DeclineReason } from '../../../contract/errors.ts';
import type { CardBrand } from '../../../contract/payment-methods.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { AcquirerAnswer, AcquirerCore, Merchant, RefundCore, RefundStatus } from './port.ts';

/** A card as its buyer typed it, on the one way it takes: to the acquirer. Never stored, never logged. */
export interface CardNumber {
  /** Digits alone. */
  readonly number: string;
  readonly brand: CardBrand;
  readonly expMonth: number;
  readonly expYear: number;
  readonly cvc: string;
}

/** A card that the buyer's browser gave to the acquirer itself, under the acquirer's name for it. */
export interface BrowserCard {
  /** Good once and for a short while. Never stored, never logged. */
  readonly browserToken: string;
}

/** Where cards are typed: `own`: they pass through this service; `direct`: the browser sends them to the acquirer. */
export type CardEntry =
  | { readonly kind: 'own' }
  | {
      readonly kind: 'direct';
      /** Where the browser sends the card. */
      readonly url: string;
      /** Names the merchant there, and opens nothing else. */
      readonly publicKey: string;
      /** What is sent and answered, by the name of who speaks so. */
      readonly shape: 'pagarme-v5';
      /** Whether cards may pass through this service all the same. */
      readonly takesNumbers: boolean;
    };

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

/** Who is charged. */
export interface CardBuyer {
  /** Our customer's id. */
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** CPF or CNPJ without punctuation. */
  readonly document: string | null;
  /** In E.164 form. */
  readonly phone: string | null;
  readonly address: BillingAddress | null;
}

/** A card that an acquirer is to take in, with its holder and whose it is. */
export interface CardRequest {
  readonly card: CardNumber | BrowserCard;
  /** As printed on the card. */
  readonly holderName: string;
  /** CPF of the holder: 11 digits. */
  readonly holderDocument: string;
  readonly address: BillingAddress | null;
  readonly buyer: CardBuyer;
}

/** A card as we know it: the acquirer's token, and what a buyer recognises it by. */
export interface CardToken {
  readonly token: string;
  readonly brand: CardBrand;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
}

/** `closed`: it is charged no more, and never will be. */
export type CardState =
  | ({ readonly status: 'open' } & Pick<CardToken, 'expMonth' | 'expYear'>)
  | { readonly status: 'closed' };

/** `token_gone`: the browser's token is used, too old or not of this merchant. */
export type CardIntake = ({ readonly status: 'taken' } & CardToken) | { readonly status: 'token_gone' } | Decline;

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
  /** Null: it is of no subscription. */
  readonly series: ChargeSeries | null;
  /** Real time: nobody waits for an answer after it. An acquirer whose absence is proved by it charges nothing later. Milliseconds. */
  readonly deadlineMs: number;
}

/** Charges of one card that follow from one agreement: its network wants to know of each which was the first. */
export interface ChargeSeries {
  /** What the acquirer answered as the origin of the first; null: this is the first. */
  readonly origin: string | null;
  /** Whether a charge by schedule of the same order was declined before. */
  readonly isRetry: boolean;
}

export interface Decline {
  readonly status: 'declined';
  readonly reason: DeclineReason;
  /** The acquirer's own code; never shown. */
  readonly code: string;
  /** Whether the issuer may decide otherwise later (ABECS: reversible). */
  readonly isReversible: boolean;
}

export type ChargeOutcome =
  | {
      readonly status: 'approved';
      /** Names this charge to the network as the first of a series; absent where the acquirer keeps track itself. */
      readonly origin?: string;
    }
  | Decline;

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

export interface CardRefundRequest extends RefundCore {
  readonly method: 'card';
  /** The reference of the charge that is returned. */
  readonly charge: string;
}

/** Money of a charge that the bank of its holder took back, as the acquirer's books have it. */
export interface Chargeback {
  /** The acquirer's own. */
  readonly id: string;
  readonly amount: number;
}

/** Money by card. Outcomes are data; what a notice says is confirmed by asking. Every adapter passes the suite in `conformance.ts`. */
export interface CardAcquirer extends AcquirerCore {
  readonly absence: Absence;
  readonly cardEntry: CardEntry;
  /** Takes a card in and moves no money. */
  tokenizeCard(merchant: Merchant, request: CardRequest): Promise<AcquirerAnswer<CardIntake>>;
  /** Takes a card in if its issuer calls it good; moves no money. */
  verifyCard(merchant: Merchant, request: CardRequest): Promise<AcquirerAnswer<CardIntake>>;
  /** A stored card as it is now: its issuer may have given it another expiry, or closed it. */
  findCard(merchant: Merchant, request: { token: string }): Promise<AcquirerAnswer<CardState>>;
  /** Lets a stored card go, which is charged no more; one that is gone is forgotten. */
  forgetCard(merchant: Merchant, request: { token: string }): Promise<AcquirerAnswer<'forgotten'>>;
  /** Idempotent by reference: a repeat answers the outcome of the first. The service sends each reference once. */
  chargeCard(merchant: Merchant, request: ChargeRequest): Promise<AcquirerAnswer<ChargeAnswer>>;
  /** By our reference. "Not found" is final once `absence` is proved. */
  findCharge(merchant: Merchant, reference: string): Promise<AcquirerAnswer<ChargeFinding>>;
  /** Idempotent by reference. */
  refundCard(merchant: Merchant, request: CardRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  findRefund(merchant: Merchant, request: CardRefundRequest): Promise<AcquirerAnswer<RefundStatus>>;
  /** All that its holder's bank took back of a charge. Absent where the acquirer tells nothing of it. */
  findChargebacks?(merchant: Merchant, reference: string): Promise<AcquirerAnswer<readonly Chargeback[]>>;
  /** References of the charges made since an instant of which money was taken back: what a lost notice would have told. */
  findChargedBack?(merchant: Merchant, since: Timestamp): Promise<AcquirerAnswer<readonly string[]>>;
}
