import { type Statement, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import type { ChargeAttempt, PaymentIntent, PixCharge, PixReceipt, RefundPart } from './entity.ts';

const snake = (property: string): string => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A table whose rows are read and written as plain objects by prepared statements: the money path does without the ORM's unit of work. */
interface RowTable<Row> {
  /** The select list that yields rows of this form. */
  columns(alias: string): string;
  readonly insert: Statement;
  insertValues(row: Row): unknown[];
  /** Writes what may change after the insert, by id. */
  readonly update: Statement;
  updateValues(row: Row): unknown[];
}

function rowTable<Row extends { id: string }>(
  name: string,
  properties: { fixed: readonly (keyof Row & string)[]; changing: readonly (keyof Row & string)[] },
): RowTable<Row> {
  const { fixed, changing } = properties;
  const all = [...fixed, ...changing];
  const places = all.map((_, index) => `$${index + 1}`);
  const sets = changing.map((property, index) => `${snake(property)} = $${index + 2}`);
  return {
    columns: (alias) => all.map((property) => `${alias}.${snake(property)} AS "${property}"`).join(', '),
    insert: statement(
      `insert_row_${name}`,
      `INSERT INTO ${name} (${all.map(snake).join(', ')}) VALUES (${places.join(', ')})`,
    ),
    insertValues: (row) => all.map((property) => row[property]),
    update: statement(`update_row_${name}`, `UPDATE ${name} SET ${sets.join(', ')} WHERE id = $1`),
    updateValues: (row) => [row.id, ...changing.map((property) => row[property])],
  };
}

const scoped = ['id', 'accountId', 'liveMode', 'created'] as const;

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
    'periodStart',
    'periodEnd',
    'finalizedAt',
  ],
  changing: [
    'status',
    'amountPaid',
    'amountRefunded',
    'paymentIntentId',
    'paidAt',
    'markedUncollectibleAt',
    'voidedAt',
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
    'maxAttempts',
    'dueAt',
  ],
  changing: [
    'status',
    'amountRefunded',
    'attempts',
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
