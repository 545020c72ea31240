import { z } from 'zod';
import { failures } from './errors.ts';
import {
  amount,
  currency,
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  typeId,
} from './kernel.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';

/** Why money is returned (docs/product/refunds.md#the-refund). */
export const refundReasons = [
  'requested_by_customer',
  'duplicate',
  'fraudulent',
  'product_not_delivered',
  'other',
] as const;
export type RefundReason = (typeof refundReasons)[number];
const RefundReason = named('RefundReason', refundReasons, 'Why money is returned.');

const refundStatuses = ['refunding', 'refunded'] as const;
const RefundStatus = named('RefundStatus', refundStatuses, 'Whether any part of a refund is on its way.');
export const refundPartStatuses = ['refunding', 'refunded', 'failed'] as const;
const RefundPartStatus = named('RefundPartStatus', refundPartStatuses, 'Where one part of a refund stands.');

export const RefundPart = z
  .object({
    amount: amount('Of this part.'),
    reason: field(RefundReason, 'Why the money is returned.', 'requested_by_customer'),
    status: field(
      RefundPartStatus,
      '`refunding`: on its way; `refunded`: completed; `failed`: the acquirer refused it.',
      'refunded',
    ),
    created: timestamp('When the part was asked for.'),
  })
  .meta({ id: 'RefundPart', description: 'One request to return money of a payment.' });

export const Refund = z
  .object({
    id: typeId('pi', 'Identifier: that of the payment intent refunded.'),
    object: objectName('refund'),
    amount: amount('Returned or on its way; in the answer to a creation, of the part just made.'),
    currency,
    payment_intent: typeId('pi', 'The payment intent refunded.'),
    status: field(RefundStatus, '`refunding` while any part is on its way, else `refunded`.', 'refunded'),
    live_mode: liveMode,
    created: timestamp('When the first standing part was asked for; in the answer to a creation, the part just made.'),
    parts: z.array(RefundPart).meta({ description: 'Every part ever asked for, oldest first, failed ones included.' }),
  })
  .meta({ id: 'Refund', description: 'What was returned of a payment.' });

export type Refund = z.output<typeof Refund>;

export const RefundCreate = z
  .strictObject({
    payment_intent: typeId('pi', 'The payment intent to refund.'),
    amount: field(
      z.int().min(1).optional(),
      'Cents to return: at least 1, at most what is left; default all that is left.',
      9990,
    ),
    expected_remaining: field(
      z.int().min(0).optional(),
      'Cents that are left to return, as you saw them before: what was paid, less what is returned, on its way or disputed. Where as much is not left any more, nothing is returned; so two people who refund at once do not do it twice.',
      9990,
    ),
    reason: field(
      RefundReason.optional(),
      'Why the money is returned; default `requested_by_customer`.',
      'requested_by_customer',
    ),
  })
  .meta({ id: 'RefundCreate', description: 'A refund, whole or in part.' });

export type RefundCreate = z.output<typeof RefundCreate>;

const CreateBody = z
  .strictObject({ refund: RefundCreate })
  .meta({ id: 'RefundCreateBody', description: 'A refund, whole or in part.' });

export const RefundListQuery = z.strictObject(pageQuery('pi'));

export const refunds = c.router(
  {
    create: {
      method: 'POST',
      path: '/refunds',
      summary: 'Refund a payment',
      description:
        'Whole or in part, up to the amount paid, in at most 200 parts (refused ones included). By card the money is returned at once; by PIX, within 90 days of the payment, the answer is `refunding` and `payment_intent.refunded` or `payment_intent.refund_failed` follows. After 504 `ACQUIRER_TIMEOUT` the outcome is unknown: repeat with the same Idempotency-Key.',
      body: CreateBody,
      responses: { 201: Refund, ...writeErrors, ...failures(504) },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/refunds/:refund_id',
      pathParams: pathId('refund', 'pi', 'payment intent refunded'),
      summary: 'Retrieve the refund of a payment intent',
      description: '404 when nothing of the payment was returned or is on its way back.',
      responses: { 200: Refund, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'pi' }),
    },
    list: {
      method: 'GET',
      path: '/refunds',
      summary: 'List refunds',
      description: 'One for each payment intent, newest refund first.',
      query: RefundListQuery,
      responses: { 200: listOf(Refund, { id: 'RefundList', url: '/api/v1/refunds' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
