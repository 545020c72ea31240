import { z } from 'zod';
import { Account } from './account.ts';
import { arrayOf } from './arrays.ts';
import { Price, Product } from './catalog.ts';
import { CheckoutSession } from './checkout-sessions.ts';
import { Coupon } from './coupons.ts';
import { Customer } from './customers.ts';
import { Dispute } from './disputes.ts';
import { eventTypesByResource } from './event-types.ts';
import { Export } from './exports.ts';
import { InvoiceItem } from './invoice-items.ts';
import { Invoice } from './invoices.ts';
import {
  anyId,
  exampleId,
  field,
  innerList,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { RedeemedDiscount } from './lines.ts';
import { Mandate } from './mandates.ts';
import { PaymentLink } from './payment-links.ts';
import { PaymentIntent } from './payments.ts';
import { PromotionCode } from './promotion-codes.ts';
import { Refund } from './refunds.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { StoredPaymentMethod } from './stored-methods.ts';
import { Subscription } from './subscriptions.ts';

export type EventResource = keyof typeof eventTypesByResource;
export type EventType = (typeof eventTypesByResource)[EventResource][number];

// flat() of the literal tuples loses that the list is not empty, which an enum needs.
export const eventTypes = Object.values(eventTypesByResource).flat() as [EventType, ...EventType[]];
export const EventType = named('EventType', eventTypes, 'What happened.');

/** Delivery result of an event over its newest ladder at each endpoint (docs/product/events.md#delivery-result). */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'not_sent'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
const DeliveryStatus = named(
  'DeliveryStatus',
  deliveryStatuses,
  'What became of an event at the endpoints that subscribe to it.',
);

/** Why an attempt was not accepted (docs/product/webhooks.md#failure-kinds). */
const failureKinds = [
  'dns',
  'connect_timeout',
  'tls',
  'timeout',
  'redirect_refused',
  'private_address',
  'http_status',
  'connection',
] as const;
export type FailureKind = (typeof failureKinds)[number];
const DeliveryFailure = named('DeliveryFailure', failureKinds, 'Why an attempt to deliver was not accepted.');

const EventObject = z
  .discriminatedUnion('object', [
    Customer,
    Product,
    Price,
    Coupon,
    PromotionCode,
    RedeemedDiscount,
    InvoiceItem,
    Invoice,
    PaymentIntent,
    Refund,
    Subscription,
    CheckoutSession,
    PaymentLink,
    Dispute,
    StoredPaymentMethod,
    Mandate,
    Account,
    Export,
  ])
  // oapi-codegen calls the type of the field `object` of an Event so.
  .meta({
    'x-go-name': 'EventResource',
    id: 'EventObject',
    description: 'The resource, as its own retrieval answered at that instant.',
  });

export const Event = z
  .object({
    id: typeId(
      'evt',
      'Identifier of the event; equals the webhook-id header. Deduplicate on it. Events of one object sort by it as they happened.',
    ),
    object: objectName('event'),
    type: field(EventType, 'What happened.', 'invoice.paid'),
    created: timestamp(
      'When it happened. `created`, then `id` as text, orders all events of one object as they happened.',
    ),
    live_mode: liveMode,
    data: z
      .object({ object: EventObject })
      .meta({ id: 'EventData', description: 'The resource concerned, frozen at the instant of the fact.' }),
  })
  .meta({ id: 'Event', description: 'A fact, frozen at its instant.' });

export type Event = z.output<typeof Event>;

/** What a receiver made of one delivery. */
export const whatCameOfIt = {
  status_code: field(z.int().nullable(), 'HTTP status of the answer; null when none came.', 200),
  failure: field(DeliveryFailure.nullable(), 'Why it was not accepted; null when it was.', null),
  detail: field(z.string().nullable(), 'What the failure was, in words; null when there was none.', null),
  answer: field(
    z.string().nullable(),
    'Beginning of the body of the answer, in one line: up to 1,024 characters; null when it had none.',
    'ok',
  ),
  duration_ms: field(z.int(), 'How long the attempt took. Milliseconds.', 38),
};

export const DeliveryAttempt = z
  .object({
    attempt: field(z.int(), 'Number of the attempt in its ladder: 1 to 10.', 1),
    at: timestamp('When the attempt was sent.'),
    ...whatCameOfIt,
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt to deliver.' });

const ladderStatuses = ['pending', 'delivered', 'failed'] as const;
export const LadderStatus = named(
  'LadderStatus',
  ladderStatuses,
  'Where the ladder of one event at one endpoint stands.',
);

export const Delivery = z
  .object({
    object: objectName('delivery'),
    webhook_endpoint: typeId('we', 'The endpoint.'),
    ladder: field(z.int(), 'Number of the ladder: 1 for the first, one more for each resend.', 1),
    status: field(LadderStatus, 'Where the ladder stands.', 'delivered'),
    next_attempt: timestampOrNull('When the next attempt is due.'),
    attempts: z.array(DeliveryAttempt).meta({ description: 'Attempts made, oldest first.' }),
  })
  .meta({ id: 'Delivery', description: 'The ladder of one event at one endpoint.' });

export type Delivery = z.output<typeof Delivery>;

export const EventDeliveries = z
  .object({
    object: objectName('event_deliveries'),
    event: typeId('evt', 'The event.'),
    delivery_status: field(
      DeliveryStatus,
      '`pending`: something is still scheduled; `delivered`: all accepted; `failed`: a ladder ended; `not_sent`: nobody subscribed.',
      'delivered',
    ),
    deliveries: field(
      innerList(Delivery, { id: 'EventDeliveryLadders', description: 'Ladders, newest first.' }),
      'Its newest 20 ladders: the newest of each endpoint first, then the ones before those.',
      { object: 'list', data: [] },
    ),
  })
  .meta({ id: 'EventDeliveries', description: 'What became of an event at the endpoints that subscribe to it.' });

export const eventTypeFilter = field(
  z
    .union([EventType.transform((type) => [type]), arrayOf(EventType, { max: eventTypes.length })])
    .pipe(z.array(EventType))
    .optional(),
  'Only events of these types; repeat the parameter for several.',
  ['invoice.paid'],
);

export const EventListQuery = z.strictObject({
  ...pageQuery('evt'),
  type: eventTypeFilter,
  delivery_status: field(DeliveryStatus.optional(), 'Only events with this delivery result.', 'failed'),
  related_object: field(
    anyId.optional(),
    'Only events of this object: the id of `data.object`, or of its invoice, subscription, customer or payment intent.',
    exampleId('in'),
  ),
});

export const ResendBody = z
  .strictObject({ webhook_endpoint_id: typeId('we', 'Only to this endpoint.').optional() })
  .optional()
  .meta({
    id: 'ResendBody',
    description: 'Where an event is sent again: absent, to every endpoint that subscribes now.',
  });

const eventPath = pathId('event', 'evt');

export const events = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/events/:event_id',
      pathParams: eventPath,
      summary: 'Retrieve an event',
      description:
        'The same body as its deliveries carry; for a key that may only read, links that act are null. Events can be queried for 30 days.',
      responses: { 200: Event, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'evt' }),
    },
    list: {
      method: 'GET',
      path: '/events',
      summary: 'List events',
      description:
        'Newest first by `id`. Events of one object are in the order in which they happened, reversed; of several objects as nearly as clocks of machines agree.',
      query: EventListQuery,
      responses: { 200: listOf(Event, { id: 'EventList', url: '/api/v1/events' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    deliveries: {
      method: 'GET',
      path: '/events/:event_id/deliveries',
      pathParams: eventPath,
      summary: 'Retrieve the deliveries of an event',
      responses: { 200: EventDeliveries, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'evt' }),
    },
    resend: {
      method: 'POST',
      path: '/events/:event_id/resend',
      pathParams: eventPath,
      summary: 'Send an event again',
      description:
        'The same body under the same id, to the endpoints that subscribe to its type now, each by a new ladder of ten attempts. At most 3 times an event, then 422 `RESEND_LIMIT_REACHED`; after 30 days 404.',
      body: ResendBody,
      responses: { 202: Event, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'evt' }),
    },
  },
  routerOptions,
);
