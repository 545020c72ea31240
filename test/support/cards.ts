import type { Invoice, InvoiceCheckout } from '@fatura/sdk';
import type { Merchant } from './api.ts';
import { CPF } from './factories.ts';

/** The sandbox's cards (docs/product/sandbox.md#test-cards), by what comes of them. */
export const cards = {
  approved: '4242 4242 4242 4242',
  mastercard: '5555 5555 5555 4444',
  amex: '3782 822463 10005',
  elo: '5067 7667 8388 8311',
  hipercard: '6062 8256 2425 4001',
  issuer_declined: '4000 0000 0000 0002',
  insufficient_funds: '4000 0000 0000 9995',
  expired_card: '4000 0000 0000 0069',
  invalid_card_data: '4000 0000 0000 0127',
  suspected_fraud: '4000 0000 0000 9979',
  processing_error: '4000 0000 0000 0119',
  /** Approved for a buyer; every renewal is declined for `insufficient_funds`. */
  renewals_declined: '4000 0000 0000 0341',
  /** Approved for a buyer; the first two charges of each renewal are declined for `insufficient_funds`. */
  renewals_delayed: '4000 0000 0000 7775',
  /** Approved for a buyer; every renewal is declined for `issuer_declined`, irreversibly. */
  renewals_refused: '4000 0000 0000 0226',
  /** At the acquirer for 10 s of real time, then approved. */
  slow: '4000 0000 0000 5001',
  /** Charged; the answer is lost. */
  answer_lost: '4000 0000 0000 4087',
} as const;

/** Security codes that occur nowhere else, so that a scan of everything stored can look for them: no amount begins with 0. */
export const CVC = '037';
export const AMEX_CVC = '0379';

export type CardCheckout = Extract<InvoiceCheckout, { payment_method_type: 'card' }>;

/** The body of a card checkout; `overrides` are the point of a test. */
export function byCard(
  number: string = cards.approved,
  overrides: { card?: Partial<CardCheckout['card']>; installments?: number } = {},
): CardCheckout {
  const { card, ...rest } = overrides;
  const cvc = number === cards.amex ? AMEX_CVC : CVC;
  return {
    payment_method_type: 'card',
    card: { number, exp_month: 12, exp_year: 2040, cvc, ...card },
    billing_details: { name: 'MARIA DA SILVA', document: CPF },
    ...rest,
  };
}

/** Charges the invoice; a key makes it repeatable. */
export function payByCard(
  { fatura }: Merchant,
  invoiceId: string,
  options: { number?: string; key?: string; installments?: number; card?: Partial<CardCheckout['card']> } = {},
): Promise<Invoice> {
  const { number, key, ...rest } = options;
  return fatura.invoices.checkout(invoiceId, byCard(number, rest), key === undefined ? {} : { idempotencyKey: key });
}
