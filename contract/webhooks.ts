import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { eventTypesByResource } from './event-types.ts';
import {
  Delivery,
  type EventResource,
  EventType,
  eventTypeFilter,
  eventTypes,
  LadderStatus,
  whatCameOfIt,
} from './events.ts';
import {
  DESCRIPTION_MAX,
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
  typeId,
} from './kernel.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { paragraph, webUrl } from './texts.ts';
import { RecoverBody, WebhookRecovery } from './webhook-recovery.ts';

/** Endpoints an account may have in each mode (docs/product/webhooks.md#endpoints). */
export const WEBHOOK_ENDPOINTS_MAX = 5;
const FILTERS_MAX = 100;

export const webhookEndpointStatuses = ['active', 'unstable', 'disabled'] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];
const WebhookEndpointStatus = named(
  'WebhookEndpointStatus',
  webhookEndpointStatuses,
  'Whether an endpoint receives events.',
);

export type EventWildcard = '*' | `${EventResource}.*`;
export type EventFilter = EventType | EventWildcard;

// Object.keys forgets which keys there are.
const resources = Object.keys(eventTypesByResource) as EventResource[];
const wildcards: EventWildcard[] = ['*', ...resources.map((resource) => `${resource}.*` as const)];
const eventFilters: [EventFilter, ...EventFilter[]] = [...eventTypes, ...wildcards];
const EventFilter = named('EventFilter', eventFilters, 'An event type, or all of a resource, or all.');

const url = field(
  webUrl,
  'Where deliveries are sent: https in live mode, http or https in the sandbox, an address on the public internet.',
  'https://loja.example/webhooks',
);
const filters = field(
  arrayOf(EventFilter, { max: FILTERS_MAX }),
  'Types to receive; `*` and `customer.*` stand for all of them. With none the endpoint receives nothing.',
  ['invoice.paid'],
);
const description = field(
  paragraph({ max: DESCRIPTION_MAX }).nullable().optional(),
  'Description: up to 1,000 characters.',
  'Produção',
);

export const WebhookEndpoint = z
  .object({
    id: typeId('we', 'Identifier of the endpoint.'),
    object: objectName('webhook_endpoint'),
    url: field(z.string(), 'Where deliveries are sent.', 'https://loja.example/webhooks'),
    event_types: field(z.array(EventType), 'Types it receives, wildcards expanded.', ['invoice.paid']),
    description: field(z.string().nullable(), 'Description; null when it has none.', 'Produção'),
    status: field(
      WebhookEndpointStatus,
      '`unstable` after 5 failures in a row; `disabled` receives nothing.',
      'active',
    ),
    created: timestamp('When the endpoint was registered.'),
    live_mode: liveMode,
    secret: field(
      z.string().optional(),
      'Signing secret, shown only in the answers of the creation and of a rotation.',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ),
  })
  .meta({ id: 'WebhookEndpoint', description: 'Where events are delivered.' });

export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const WebhookEndpointCreate = z
  .strictObject({ url, event_types: filters, description })
  .meta({ id: 'WebhookEndpointCreate', description: 'A new endpoint.' });

export const WebhookEndpointUpdate = z
  .strictObject({
    url: url.optional(),
    event_types: filters.optional(),
    description,
    status: field(
      z.literal('disabled').optional(),
      '`disabled` switches the endpoint off and ends what is under way to it; `enable` switches it on again.',
      'disabled',
    ),
  })
  .meta({ id: 'WebhookEndpointUpdate', description: 'Changes of an endpoint: an absent field keeps, null clears.' });

export const DeletedWebhookEndpoint = z
  .object({
    id: typeId('we', 'Identifier of the endpoint.'),
    object: objectName('webhook_endpoint'),
    deleted: field(z.literal(true), 'Always true.', true),
  })
  .meta({ id: 'DeletedWebhookEndpoint', description: 'An endpoint that is no more.' });

export const WebhookTest = z
  .object({
    object: objectName('webhook_test'),
    webhook_endpoint: typeId('we', 'The endpoint.'),
    event: typeId('evt', 'The `webhook-id` that was sent; it is not stored.'),
    delivered: field(z.boolean(), 'Whether the receiver accepted it by a 2xx answer.', true),
    ...whatCameOfIt,
  })
  .meta({ id: 'WebhookTest', description: 'What became of a test delivery.' });

export type WebhookTest = z.output<typeof WebhookTest>;

export const EndpointDelivery = z
  .object({
    id: typeId('evt', 'The event that was sent, or is to be.'),
    object: objectName('endpoint_delivery'),
    webhook_endpoint: typeId('we', 'The endpoint.'),
    type: field(EventType, 'What happened.', 'invoice.paid'),
    created: timestamp('When it happened.'),
    status: field(LadderStatus, 'Where its newest ladder at this endpoint stands.', 'delivered'),
    ladders: field(
      innerList(Delivery, { id: 'EndpointDeliveryLadders', description: 'Ladders, newest first.' }),
      'Its ladders at this endpoint, newest first, with every attempt.',
      { object: 'list', data: [] },
    ),
  })
  .meta({ id: 'EndpointDelivery', description: 'What became of one event at one endpoint.' });

export type EndpointDelivery = z.output<typeof EndpointDelivery>;

export const EndpointDeliveryListQuery = z.strictObject({
  ...pageQuery('evt'),
  status: field(LadderStatus.optional(), 'Only events whose newest ladder stands so.', 'failed'),
  type: eventTypeFilter,
  event: typeId('evt', 'Only this event.').optional(),
});

const CreateBody = z
  .strictObject({ webhook_endpoint: WebhookEndpointCreate })
  .meta({ id: 'WebhookEndpointCreateBody', description: 'A new endpoint.' });
const UpdateBody = z
  .strictObject({ webhook_endpoint: WebhookEndpointUpdate })
  .meta({ id: 'WebhookEndpointUpdateBody', description: 'Changes of an endpoint.' });

const endpointPath = pathId('webhook_endpoint', 'we');

export const webhookEndpoints = c.router(
  {
    create: {
      method: 'POST',
      path: '/webhook_endpoints',
      summary: 'Register a webhook endpoint',
      description: 'At most 5 in each mode. The answer holds the signing secret, which is not shown again.',
      body: CreateBody,
      responses: { 201: WebhookEndpoint, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/webhook_endpoints/:webhook_endpoint_id',
      pathParams: endpointPath,
      summary: 'Retrieve a webhook endpoint',
      responses: { 200: WebhookEndpoint, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'we' }),
    },
    list: {
      method: 'GET',
      path: '/webhook_endpoints',
      summary: 'List webhook endpoints',
      query: z.strictObject(pageQuery('we')),
      responses: {
        200: listOf(WebhookEndpoint, { id: 'WebhookEndpointList', url: '/api/v1/webhook_endpoints' }),
        ...listErrors,
      },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/webhook_endpoints/:webhook_endpoint_id',
      pathParams: endpointPath,
      summary: 'Update a webhook endpoint',
      body: UpdateBody,
      responses: { 200: WebhookEndpoint, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
    rotateSecret: {
      method: 'POST',
      path: '/webhook_endpoints/:webhook_endpoint_id/rotate_secret',
      pathParams: endpointPath,
      summary: 'Give a webhook endpoint another secret',
      description:
        'The answer holds the new secret, which is not shown again. For 24 hours deliveries carry two signatures, one of each secret, and then that of the new one alone. Rotated again within that time, the older of the two former secrets ends at once.',
      body: emptyBody,
      responses: { 200: WebhookEndpoint, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
    test: {
      method: 'POST',
      path: '/webhook_endpoints/:webhook_endpoint_id/test',
      pathParams: endpointPath,
      summary: 'Send a test to a webhook endpoint',
      description:
        'Sends a signed `webhook.test` at once, to a disabled endpoint too, and answers what the receiver said within 15 s. It is never stored, tried once, and counts for nothing.',
      body: emptyBody,
      responses: { 200: WebhookTest, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
    enable: {
      method: 'POST',
      path: '/webhook_endpoints/:webhook_endpoint_id/enable',
      pathParams: endpointPath,
      summary: 'Switch a webhook endpoint on',
      description: 'It is `active`, and its failures are forgotten. What it missed is not sent by itself.',
      body: emptyBody,
      responses: { 200: WebhookEndpoint, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
    recover: {
      method: 'POST',
      path: '/webhook_endpoints/:webhook_endpoint_id/recover',
      pathParams: endpointPath,
      summary: 'Send again what a webhook endpoint did not accept',
      description:
        'Every event since an instant that it subscribes to now, did not accept and is not being tried with: the same text under the same id, oldest first, in batches of 50 each of which waits for the one before it. One recovery at a time; it counts as no resend. An event that has had 20 ladders at the endpoint, or 100 at all endpoints, is passed over. A disabled endpoint, or one whose recovery runs, is 409 `INVALID_STATE`.',
      body: RecoverBody,
      responses: { 202: WebhookRecovery, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
    retrieveRecovery: {
      method: 'GET',
      path: '/webhook_endpoints/:webhook_endpoint_id/recover',
      pathParams: endpointPath,
      summary: 'Retrieve the recovery of a webhook endpoint',
      description: 'The newest one; 404 where there was none.',
      responses: { 200: WebhookRecovery, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'we' }),
    },
    deliveries: {
      method: 'GET',
      path: '/webhook_endpoints/:webhook_endpoint_id/deliveries',
      pathParams: endpointPath,
      summary: 'List the deliveries to a webhook endpoint',
      description: 'Events that were meant for it, newest first, for 30 days.',
      query: EndpointDeliveryListQuery,
      responses: {
        200: listOf(EndpointDelivery, {
          id: 'EndpointDeliveryList',
          url: `/api/v1/webhook_endpoints/${exampleId('we')}/deliveries`,
        }),
        ...listErrors,
        ...readErrors,
      },
      metadata: meta({ scope: 'read', idPrefix: 'we' }),
    },
    delete: {
      method: 'DELETE',
      path: '/webhook_endpoints/:webhook_endpoint_id',
      pathParams: endpointPath,
      summary: 'Delete a webhook endpoint',
      description: 'Its scheduled deliveries end.',
      responses: { 200: DeletedWebhookEndpoint, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'we' }),
    },
  },
  routerOptions,
);
