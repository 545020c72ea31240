import type { PaymentIntent, PaymentIntentStatus } from '@fatura/sdk';
import { Status, type Tone } from '../../parts/status.tsx';
import { useTexts } from '../../texts/language.tsx';
import { salesTexts } from './texts.ts';

const tones: Readonly<Record<PaymentIntentStatus, Tone>> = {
  pending: 'calm',
  processing: 'calm',
  paid: 'good',
  failed: 'bad',
  refunding: 'warn',
  refunded: 'off',
  discarded: 'off',
};

/** Where a payment stands; one of which a part went back says so. */
export function PaymentStatus({ status, amount_refunded }: Pick<PaymentIntent, 'status' | 'amount_refunded'>) {
  const texts = useTexts(salesTexts);
  if (status === 'paid' && amount_refunded > 0) return <Status tone="warn">{texts.partlyRefunded}</Status>;
  return <Status tone={tones[status]}>{texts.statuses[status]}</Status>;
}

export function usePaymentMethod(): (payment: Pick<PaymentIntent, 'payment_method_type' | 'installments'>) => string {
  const texts = useTexts(salesTexts);
  return ({ payment_method_type: type, installments }) => {
    if (type === null) return texts.noMethod;
    return type === 'card' && installments > 1 ? texts.cardIn(installments) : texts[type];
  };
}
