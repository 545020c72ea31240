import { z } from 'zod';
import {
  exampleId,
  field,
  listOf,
  liveMode,
  meta,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { CardPaymentMethod } from './payment-methods.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';

const StoredCard = CardPaymentMethod.extend({
  exp_month: field(z.int(), 'Month the card expires in: 1 to 12.', 12),
  exp_year: field(z.int(), 'Year the card expires in.', 2030),
}).meta({ id: 'StoredCard', description: 'What is kept of a stored card.' });

export const StoredPaymentMethod = z
  .object({
    id: typeId('txn', 'Identifier of the payment method.'),
    object: objectName('payment_method'),
    type: field(z.literal('card'), 'A card: a PIX has nothing to store.', 'card'),
    card: field(StoredCard, 'What is kept of the card.', {
      brand: 'visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2030,
    }),
    closed_at: timestampOrNull(
      'When the acquirer told that the card was closed; its next charge is declined for good.',
    ),
    consent_ip: field(
      z.string().nullable(),
      'From which address the buyer agreed to the storing, on a page of Fatura; null: you asked the buyer.',
      '203.0.113.7',
    ),
    created: timestamp('When the card was taken in.'),
    customer: typeId('cus', 'Whose card it is.'),
    is_default: field(
      z.boolean(),
      'Whether subscriptions that name no card of their own are charged to it; at most one of a customer is.',
      false,
    ),
    live_mode: liveMode,
    stored_at: timestamp('When it was stored: its first charge was approved, or it was verified.'),
    subscriptions: field(
      z.array(typeId('sub', 'A subscription.')).optional(),
      'Not in events: the subscriptions that are charged to it, the oldest 100.',
      [exampleId('sub')],
    ),
  })
  .meta({ id: 'StoredPaymentMethod', description: 'A card that a customer left for what renews.' });

export type StoredPaymentMethod = z.output<typeof StoredPaymentMethod>;

export const StoredMethodListQuery = z.strictObject(pageQuery('txn'));

const methodPath = pathId('payment_method', 'txn');

export const paymentMethods = c.router(
  {
    list: {
      method: 'GET',
      path: '/customers/:customer_id/payment_methods',
      pathParams: pathId('customer', 'cus'),
      summary: 'List the stored cards of a customer',
      query: StoredMethodListQuery,
      responses: {
        200: listOf(StoredPaymentMethod, {
          id: 'StoredPaymentMethodList',
          url: `/api/v1/customers/${exampleId('cus')}/payment_methods`,
        }),
        ...listErrors,
        ...readErrors,
      },
      metadata: meta({ scope: 'read', idPrefix: 'cus' }),
    },
    retrieve: {
      method: 'GET',
      path: '/payment_methods/:payment_method_id',
      pathParams: methodPath,
      summary: 'Retrieve a stored card',
      responses: { 200: StoredPaymentMethod, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'txn' }),
    },
    setDefault: {
      method: 'POST',
      path: '/payment_methods/:payment_method_id/default',
      pathParams: methodPath,
      summary: 'Make a stored card the default of its customer',
      description:
        'Subscriptions that name no card of their own are charged to it from now on; those that name one stay with that.',
      body: emptyBody,
      responses: { 200: StoredPaymentMethod, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'txn' }),
    },
    delete: {
      method: 'DELETE',
      path: '/payment_methods/:payment_method_id',
      pathParams: methodPath,
      summary: 'Delete a stored card',
      description:
        'At the acquirer too. Refused with 409 PAYMENT_METHOD_IN_USE while a subscription is charged to it. What it paid can still be returned. Answers the card as it was.',
      body: emptyBody,
      responses: { 200: StoredPaymentMethod, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'txn' }),
    },
  },
  routerOptions,
);
