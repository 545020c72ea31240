import { byCard } from '../../support/cards.ts';
import type { Request } from '../cell.ts';

/** What others may ask of an invoice at the moment a process dies. */
export const rivalsOf = (invoiceId: string): Request[] => [
  ({ fatura }, idempotencyKey) => fatura.invoices.checkout(invoiceId, byCard(), { idempotencyKey }),
  ({ fatura }, idempotencyKey) =>
    fatura.invoices.checkout(invoiceId, { payment_method_type: 'pix' }, { idempotencyKey }),
  ({ fatura }, idempotencyKey) => fatura.invoices.void(invoiceId, { idempotencyKey }),
];
