import { z } from 'zod';
import { failures } from './errors.ts';
import { InvoiceCreate, InvoiceExtend, InvoiceUpdate } from './invoice-inputs.ts';
import {
  actingLink,
  amount,
  currency,
  exampleId,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  idsFilter,
  innerList,
  listOf,
  liveMode,
  meta,
  moneyQuery,
  named,
  objectName,
  PaymentMethodType,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { LateFees } from './late-fees.ts';
import { Discount, InvoiceCredit, LineItem } from './lines.ts';
import { metadata } from './metadata.ts';
import { CheckoutInput, PaymentMethod } from './payment-methods.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';

export const invoiceStatuses = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];
const InvoiceStatus = named('InvoiceStatus', invoiceStatuses, 'Where an invoice stands.');

export const InvoiceStatusTransitions = z
  .object({
    finalized_at: timestampOrNull('When the invoice became open.'),
    paid_at: timestampOrNull('When the invoice was paid.'),
    marked_uncollectible_at: timestampOrNull('When the invoice was marked uncollectible.'),
    voided_at: timestampOrNull('When the invoice was voided.'),
  })
  .meta({ id: 'InvoiceStatusTransitions', description: 'When the invoice reached each status.' });

const transitionsExample = {
  finalized_at: 1_795_257_600,
  paid_at: null,
  marked_uncollectible_at: null,
  voided_at: null,
};

export const billingReasons = [
  'manual',
  'checkout_session',
  'subscription_create',
  'subscription_cycle',
  'subscription_change',
  'subscription_end',
] as const;
export type BillingReason = (typeof billingReasons)[number];
const BillingReason = named('BillingReason', billingReasons, 'Why an invoice was made.');

export const Invoice = z
  .object({
    id: typeId('in', 'Identifier of the invoice.'),
    object: objectName('invoice'),
    amount_due: amount('What the invoice asks: equals `total`.'),
    amount_paid: amount('Already paid.', 0),
    amount_refunded: amount('Returned; the invoice stays paid.', 0),
    amount_disputed: amount('Taken back by the bank unasked, and not given back; the invoice stays paid.', 0),
    amount_late: amount(
      'Fine and interest that payment today would cost, beside `total`; 0 where it is not late, and where it takes no payment.',
      0,
    ),
    amount_remaining: amount('Still to pay.'),
    subtotal: amount('Sum of the line items.'),
    total: amount('Line items less discounts and credits.'),
    billing_reason: field(BillingReason, 'Why the invoice was made.', 'manual'),
    created: timestamp('When the invoice was created.'),
    currency,
    credit_amount: amount('Sum of the credits.', 0),
    credits: field(
      innerList(InvoiceCredit, { id: 'InvoiceCredits', description: 'Credits that were used, oldest first.' }),
      'Credits that were used, oldest first: taken off what the discounts left.',
      { object: 'list', data: [] },
    ),
    customer: typeId('cus', 'Who pays.'),
    cycle: field(
      z.int().nullable(),
      'The number of the cycle of the subscription that it bills, the first being 1; null on a standalone invoice.',
      null,
    ),
    customer_email: field(
      z.string().nullable(),
      'E-mail of the customer at creation; null once anonymized.',
      'maria@example.com',
    ),
    customer_name: field(z.string(), 'Name of the customer at creation.', 'Maria da Silva'),
    description: field(z.string().nullable(), 'Description; null when it has none.', 'Pedido 1042'),
    discounts: field(
      innerList(Discount, { id: 'InvoiceDiscounts', description: 'Discounts in the order applied.' }),
      'Discounts in the order applied.',
      { object: 'list', data: [] },
    ),
    due_at: timestamp('When the invoice is due.'),
    external_code: externalCodeOrNull,
    late_fees: field(
      LateFees.nullable(),
      'What it costs to pay late, frozen as the invoice was opened; null: nothing.',
      null,
    ),
    line_items: field(
      innerList(LineItem, { id: 'InvoiceLineItems', description: 'What was bought.' }),
      'What was bought.',
      {
        object: 'list',
        data: [
          {
            object: 'item',
            price: exampleId('price'),
            quantity: 1,
            unit_amount: 9990,
            amount: 9990,
            description: 'Plano Ouro',
            kind: 'one_time',
            subscription_item: null,
            period_start: null,
            period_end: null,
          },
        ],
      },
    ),
    live_mode: liveMode,
    metadata,
    paid: field(z.boolean(), 'Whether the status is `paid`.', false),
    payment_intent: field(
      typeId('pi', 'The charge.').nullable(),
      'The newest charge of the invoice; null while none was generated.',
      exampleId('pi'),
    ),
    payment_method: field(PaymentMethod.optional(), 'Only in the answer of a checkout: how to pay.'),
    payment_url: actingLink(
      'The page on which the buyer sees and pays the invoice, by PIX or card, for you to share; null until it is open. From 30 days after the invoice was paid, voided or given up the page answers 410.',
      `https://fatura.example/pay/${exampleId('in')}/Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG`,
    ),
    period_end: timestampOrNull('End of the period billed, on subscription invoices.'),
    period_start: timestampOrNull('Start of the period billed, on subscription invoices.'),
    receipt_url: field(
      z.string().nullable(),
      'The receipt for the buyer, with `.pdf` behind it as a file; null while the invoice is not paid.',
      null,
    ),
    status: field(InvoiceStatus, 'Where the invoice stands.', 'open'),
    status_transitions: field(InvoiceStatusTransitions, 'When the invoice reached each status.', transitionsExample),
    subscription: field(
      typeId('sub', 'The subscription.').nullable(),
      'The subscription billed; null on a standalone invoice.',
      null,
    ),
  })
  .meta({ id: 'Invoice', description: 'What a customer owes or paid.' });

export type Invoice = z.output<typeof Invoice>;

const CreateBody = z
  .strictObject({ invoice: InvoiceCreate })
  .meta({ id: 'InvoiceCreateBody', description: 'A new invoice.' });
const UpdateBody = z
  .strictObject({ invoice: InvoiceUpdate })
  .meta({ id: 'InvoiceUpdateBody', description: 'Changes of a draft.' });

const ExtendBody = z
  .strictObject({ invoice: InvoiceExtend })
  .meta({ id: 'InvoiceExtendBody', description: 'A later due date of an open invoice.' });

export const InvoiceListQuery = z.strictObject({
  ...pageQuery('in'),
  ids: idsFilter('in', 'invoices'),
  customer_id: typeId('cus', 'Only invoices of this customer.').optional(),
  subscription_id: typeId('sub', 'Only invoices of this subscription.').optional(),
  status: field(InvoiceStatus.optional(), 'Only invoices in this status.', 'open'),
  external_code: externalCodeFilter('Only the invoice with this external_code.'),
  payment_method_type: field(
    PaymentMethodType.optional(),
    'Only invoices whose newest charge is by this method; a returned surplus payment is none.',
    'pix',
  ),
  ...moneyQuery,
});

const invoicePath = pathId('invoice', 'in');
const onInvoice = meta({ scope: 'write', idPrefix: 'in' });

export const invoices = c.router(
  {
    create: {
      method: 'POST',
      path: '/invoices',
      summary: 'Create an invoice',
      body: CreateBody,
      responses: { 201: Invoice, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/invoices/:invoice_id',
      pathParams: invoicePath,
      summary: 'Retrieve an invoice',
      responses: { 200: Invoice, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'in' }),
    },
    list: {
      method: 'GET',
      path: '/invoices',
      summary: 'List invoices',
      query: InvoiceListQuery,
      responses: { 200: listOf(Invoice, { id: 'InvoiceList', url: '/api/v1/invoices' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/invoices/:invoice_id',
      pathParams: invoicePath,
      summary: 'Update a draft invoice',
      body: UpdateBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    finalize: {
      method: 'POST',
      path: '/invoices/:invoice_id/finalize',
      pathParams: invoicePath,
      summary: 'Open a draft invoice for payment',
      description: 'Its items freeze. After its `due_at` it is due at that instant.',
      body: emptyBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    extend: {
      method: 'POST',
      path: '/invoices/:invoice_id/extend',
      pathParams: invoicePath,
      summary: 'Move the due date of an open invoice ahead',
      description:
        'What is done with it by days follows the new date: reminders, scheduled charges of a card, overdue, suspension and end; it is not overdue any more. Its QR code stays. Not for an invoice that a pending subscription or a checkout session waits for.',
      body: ExtendBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    send: {
      method: 'POST',
      path: '/invoices/:invoice_id/send',
      pathParams: invoicePath,
      summary: 'Mail an open invoice to its buyer',
      description:
        'Writes to the e-mail of the customer, in Portuguese, with the `payment_url` and the PIX code that stands. At most 3 times a day an invoice, then 429 `RATE_LIMITED` with `Retry-After`. A mail of the sandbox goes only to the e-mail of your own account.',
      body: emptyBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    void: {
      method: 'POST',
      path: '/invoices/:invoice_id/void',
      pathParams: invoicePath,
      summary: 'Cancel an invoice',
      body: emptyBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    markUncollectible: {
      method: 'POST',
      path: '/invoices/:invoice_id/mark_uncollectible',
      pathParams: invoicePath,
      summary: 'Mark an invoice as uncollectible',
      body: emptyBody,
      responses: { 200: Invoice, ...writeErrors },
      metadata: onInvoice,
    },
    checkout: {
      method: 'POST',
      path: '/invoices/:invoice_id/checkout',
      pathParams: invoicePath,
      summary: 'Charge an open invoice',
      description:
        'By PIX: answers the QR code; the invoice stays open until `invoice.paid`. Called again while the QR code is valid it answers the same one, afterwards a new one. By card: charges at once and answers the paid invoice, or 402 `CARD_DECLINED` with its `decline_reason`; after 504 `ACQUIRER_TIMEOUT` the outcome is unknown: repeat with the same Idempotency-Key.',
      body: CheckoutInput,
      responses: { 201: Invoice, ...writeErrors, ...failures(402, 504) },
      metadata: onInvoice,
    },
  },
  routerOptions,
);
