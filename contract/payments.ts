import { z } from 'zod';
import { DeclineReason } from './errors.ts';
import {
  amount,
  currency,
  day,
  field,
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
import { c, listErrors, readErrors, routerOptions } from './router.ts';

export const paymentIntentStatuses = [
  'pending',
  'scheduled',
  'processing',
  'paid',
  'failed',
  'refunding',
  'refunded',
  'discarded',
] as const;
export type PaymentIntentStatus = (typeof paymentIntentStatuses)[number];
const PaymentIntentStatus = named('PaymentIntentStatus', paymentIntentStatuses, 'Where a charge stands.');

export const PaymentIntentStatusTransitions = z
  .object({
    scheduled_at: timestampOrNull('When a debit by mandate was last scheduled.'),
    processing_at: timestampOrNull('When the charge was last sent to the acquirer.'),
    paid_at: timestampOrNull('When the charge was paid.'),
    failed_at: timestampOrNull('When the charge was last declined.'),
    refunding_at: timestampOrNull('When a PIX payment last began to be returned.'),
    refunded_at: timestampOrNull('When all was refunded.'),
    discarded_at: timestampOrNull('When the charge was given up: another took over, or the invoice ended.'),
  })
  .meta({ id: 'PaymentIntentStatusTransitions', description: 'When the charge reached each status.' });

export const PaymentIntent = z
  .object({
    id: typeId('pi', 'Identifier of the payment intent.'),
    object: objectName('payment_intent'),
    amount: amount('To charge.'),
    amount_refunded: amount('Returned so far.'),
    amount_disputed: amount(
      'Taken back by the bank unasked, and not given back. With `amount_refunded` at most `amount`.',
      0,
    ),
    attempts: field(z.int(), 'Attempts made so far.', 1),
    max_attempts: field(z.int(), 'Attempts before the charge stops being reprocessed.', 1),
    next_attempt: timestampOrNull('When the next automatic attempt is due.'),
    created: timestamp('When the charge was generated.'),
    currency,
    customer: typeId('cus', 'Who pays.'),
    decline_reason: field(DeclineReason.nullable(), 'Why the last attempt was declined; null otherwise.', null),
    due_at: timestamp('When the invoice is due.'),
    installments: field(z.int(), 'Installments; 1 for a single payment.', 1),
    invoice: typeId('in', 'The invoice that the charge settles.'),
    live_mode: liveMode,
    mandate: field(typeId('mdt', 'The mandate.').nullable(), 'The mandate that it is debited by; null: by none.', null),
    payment_method_type: field(
      PaymentMethodType.nullable(),
      'How it is paid; null while no checkout chose a method.',
      'pix',
    ),
    scheduled_for: field(
      day('The day.').nullable(),
      'The day on which it is debited next, or was last; null: it is no debit. As `yyyy-mm-dd`, in America/Sao_Paulo.',
      null,
    ),
    status: field(PaymentIntentStatus, 'Where the charge stands.', 'pending'),
    status_transitions: field(PaymentIntentStatusTransitions, 'When the charge reached each status.', {
      scheduled_at: null,
      processing_at: null,
      paid_at: 1_795_257_600,
      failed_at: null,
      refunding_at: null,
      refunded_at: null,
      discarded_at: null,
    }),
    subscription: field(
      typeId('sub', 'The subscription.').nullable(),
      'The subscription charged; null for a standalone invoice.',
      null,
    ),
  })
  .meta({ id: 'PaymentIntent', description: 'The charge record of an invoice.' });

export type PaymentIntent = z.output<typeof PaymentIntent>;

export const PaymentIntentListQuery = z.strictObject({
  ...pageQuery('pi'),
  customer_id: typeId('cus', 'Only charges of this customer.').optional(),
  invoice_id: typeId('in', 'Only charges of this invoice, returned surplus payments among them.').optional(),
  status: field(PaymentIntentStatus.optional(), 'Only charges in this status.', 'paid'),
  payment_method_type: field(PaymentMethodType.optional(), 'Only charges by this method.', 'pix'),
  ...moneyQuery,
});

export const paymentIntents = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/payment_intents/:payment_intent_id',
      pathParams: pathId('payment_intent', 'pi'),
      summary: 'Retrieve a payment intent',
      description: 'At most 100 requests per minute per API key.',
      responses: { 200: PaymentIntent, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'pi', limit: 'payment_intents.get' }),
    },
    list: {
      method: 'GET',
      path: '/payment_intents',
      summary: 'List payment intents',
      query: PaymentIntentListQuery,
      responses: {
        200: listOf(PaymentIntent, { id: 'PaymentIntentList', url: '/api/v1/payment_intents' }),
        ...listErrors,
      },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
