import type { CardBrand } from '../../contract/payment-methods.ts';
import type { DiscountView, LineView, LookView } from './page-data.ts';

/** Who sold, as the merchant tells buyers. */
export interface SellerView {
  readonly name: string;
  readonly logo: LookView['logo'];
  /** With its kind: `CNPJ 12.ABC.345/01DE-35`. */
  readonly taxId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  /** `#rrggbb`; null: ours. */
  readonly color: string | null;
}

/** Who bought, masked: a receipt is handed around. */
export interface BuyerView {
  readonly name: string;
  readonly taxId: string | null;
  readonly email: string | null;
}

export interface PixPayment {
  readonly method: 'pix';
  /** Our charge. */
  readonly id: string;
  /** By which the banks on both sides know the payment; null where the bank told of none. */
  readonly endToEndId: string | null;
  readonly txid: string | null;
}

export interface CardPayment {
  readonly method: 'card';
  readonly id: string;
  /** Null once the customer is anonymized, as the last digits are. */
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  /** What each installment comes to, in cents. */
  readonly installments: readonly number[];
}

/** Money that went back, or is on its way. */
export interface RefundView {
  readonly amount: number;
  readonly isDone: boolean;
  /** When it was returned; of one in process, when it was asked for. */
  readonly at: number;
}

/** What a receipt shows. Amounts are cents, instants Unix seconds; texts are of one line and keep to their direction. */
export interface ReceiptView {
  readonly invoiceId: string;
  readonly externalCode: string | null;
  readonly isSandbox: boolean;
  readonly seller: SellerView;
  /** Null once the customer is anonymized. */
  readonly buyer: BuyerView | null;
  readonly description: string | null;
  readonly lines: readonly LineView[];
  readonly subtotal: number;
  readonly discounts: readonly DiscountView[];
  readonly total: number;
  readonly amountPaid: number;
  readonly amountRefunded: number;
  readonly paidAt: number;
  /** Null where the invoice came to nothing, so that nobody was charged. */
  readonly payment: PixPayment | CardPayment | null;
  /** What an invoice of a subscription bills. */
  readonly period: { readonly start: number; readonly end: number } | null;
  readonly refunds: readonly RefundView[];
}

/** Where the page of a receipt leads to, relative to itself. */
export interface ReceiptLinks {
  /** The receipt as a file. */
  readonly file: string;
  readonly payment: string;
}
