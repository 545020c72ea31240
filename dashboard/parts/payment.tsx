import type { Invoice, InvoiceStatus, PaymentIntent, PaymentIntentStatus } from '@fatura/sdk';
import { useTexts } from '../texts/language.tsx';
import { paymentTexts } from '../texts/payments.ts';
import { Status, type Tone } from './status.tsx';

const intentTones: Readonly<Record<PaymentIntentStatus, Tone>> = {
  pending: 'calm',
  scheduled: 'calm',
  processing: 'calm',
  paid: 'good',
  failed: 'bad',
  refunding: 'warn',
  refunded: 'off',
  discarded: 'off',
};

type PaymentState = Pick<PaymentIntent, 'status' | 'amount_refunded' | 'amount_disputed'>;

/** Where a payment stands; one of which a part went back, or the bank took some, says so. */
export function PaymentStatus({ status, amount_refunded, amount_disputed }: PaymentState) {
  const texts = useTexts(paymentTexts);
  if (amount_disputed > 0) return <Status tone="bad">{texts.disputed}</Status>;
  if (status === 'paid' && amount_refunded > 0) return <Status tone="warn">{texts.partlyRefunded}</Status>;
  return <Status tone={intentTones[status]}>{texts.intents[status]}</Status>;
}

const invoiceTones: Readonly<Record<InvoiceStatus, Tone>> = {
  draft: 'off',
  open: 'calm',
  paid: 'good',
  uncollectible: 'bad',
  void: 'off',
};

interface InvoiceState
  extends Pick<Invoice, 'status' | 'due_at' | 'amount_refunded' | 'amount_paid' | 'amount_disputed'> {
  /** Unix seconds; absent: nothing is told of being late. */
  readonly now?: number | undefined;
}

/** Where an invoice stands; an open one whose day is over says so. */
export function InvoiceStatusBadge({ now, ...invoice }: InvoiceState) {
  const texts = useTexts(paymentTexts);
  const { status, due_at, amount_refunded, amount_paid, amount_disputed } = invoice;
  if (status === 'open' && now !== undefined && due_at < now) return <Status tone="warn">{texts.overdue}</Status>;
  if (amount_disputed > 0) return <Status tone="bad">{texts.disputed}</Status>;
  if (amount_refunded > 0) {
    const isWhole = amount_refunded >= amount_paid;
    return <Status tone={isWhole ? 'off' : 'warn'}>{isWhole ? texts.intents.refunded : texts.partlyRefunded}</Status>;
  }
  return <Status tone={invoiceTones[status]}>{texts.invoices[status]}</Status>;
}

/** `PIX`, `Cartão em 3×`. */
export function usePaymentMethod(): (payment: Pick<PaymentIntent, 'payment_method_type' | 'installments'>) => string {
  const texts = useTexts(paymentTexts);
  return ({ payment_method_type: type, installments }) => {
    if (type === null) return texts.noMethod;
    return type === 'card' && installments > 1 ? texts.cardIn(installments) : texts.methods[type];
  };
}
