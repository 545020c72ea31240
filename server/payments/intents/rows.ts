import { rowTable, scopedColumns as scoped } from '../../db/row-table.ts';
import type { Invoice } from '../../invoices/entity.ts';
import type { ChargeAttempt, PaymentIntent, PaymentMethod, PixCharge, PixReceipt, RefundPart } from '../entity.ts';

/** Read whole, for its view; only what a payment changes is written. */
export const invoiceRows = rowTable<Invoice>('invoice', {
  fixed: [
    ...scoped,
    'customerId',
    'customerName',
    'customerEmail',
    'subscriptionId',
    'billingReason',
    'total',
    'externalCode',
    'description',
    'lineItems',
    'discounts',
    'metadata',
    'dueAt',
    'finalizedAt',
  ],
  changing: [
    'status',
    'cycle',
    'periodStart',
    'periodEnd',
    'amountPaid',
    'amountRefunded',
    'paymentIntentId',
    'paidAt',
    'markedUncollectibleAt',
    'voidedAt',
    'collection',
    'charges',
    'nextChargeAt',
    'reminders',
    'overdueAt',
    'inCase',
    'step',
    'stepAt',
    'wakeAt',
  ],
});

export const intentRows = rowTable<PaymentIntent>('payment_intent', {
  fixed: [
    ...scoped,
    'invoiceId',
    'customerId',
    'subscriptionId',
    'surplus',
    'amount',
    'paymentMethodType',
    'installments',
    'dueAt',
  ],
  changing: [
    'status',
    'amountRefunded',
    'attempts',
    'maxAttempts',
    'nextAttempt',
    'declineReason',
    'processingAt',
    'paidAt',
    'failedAt',
    'refundingAt',
    'refundedAt',
    'discardedAt',
  ],
});

/** The BR Code is inserted as null and set once, by the checkout that has it from the bank. */
export const qrRows = rowTable<PixCharge>('pix_charge', {
  fixed: [...scoped, 'intentId', 'invoiceId', 'paymentMethodId', 'amount', 'expiresAt', 'copyPaste'],
  changing: ['state', 'confirmedAt'],
});

export const receiptRows = rowTable<PixReceipt>('pix_receipt', {
  fixed: [...scoped, 'txid', 'invoiceId', 'amount', 'paidAt'],
  changing: ['intentId'],
});

export const partRows = rowTable<RefundPart>('refund_part', {
  fixed: [...scoped, 'intentId', 'invoiceId', 'amount', 'reason'],
  changing: ['status', 'reference', 'requests', 'retryAt', 'completedAt'],
});

export const attemptRows = rowTable<ChargeAttempt>('charge_attempt', {
  fixed: [
    ...scoped,
    'intentId',
    'invoiceId',
    'initiator',
    'paymentMethodId',
    'brand',
    'last4',
    'amount',
    'installments',
    'deadlineAt',
    'unknownAt',
  ],
  changing: ['status', 'declineReason', 'acquirerCode', 'isReversible', 'completedAt'],
});

export const methodRows = rowTable<PaymentMethod>('payment_method', {
  fixed: [...scoped, 'customerId'],
  changing: ['token', 'brand', 'last4'],
});
