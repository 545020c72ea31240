import { defineEntity, type EntityPartitionBy, type InferEntity } from '@mikro-orm/core';
import { deliveryStatuses, type EventType } from '../../contract/events.ts';
import { webhookEndpointStatuses } from '../../contract/webhooks.ts';
import { check, index, inScope, ofLogin, p, reached, removedInSandbox, scopedAtTop, scopeKey } from '../db/columns.ts';

export const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  ...inScope,
  properties: {
    ...scopedAtTop,
    url: p.text(),
    eventTypes: p.array().$type<EventType[]>(),
    description: p.text().nullable(),
    status: p.enum(webhookEndpointStatuses),
    /** Signing secrets, encrypted: the present one, and for a day after a rotation the former one. */
    secret: p.blob(),
    formerSecret: p.blob().nullable(),
    formerSecretUntil: p.whole().nullable(),
    subscribedAt: p.stamp(),
    consecutiveFailures: p.integer().default(0),
    /** Deliveries that its URL accepted, counted as far as they matter. */
    acceptedPosts: p.smallint().default(0),
    failingSince: p.whole().nullable(),
    warnedAt: p.whole().nullable(),
    disabledAt: p.whole().nullable(),
    deletedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index(
      'webhook_endpoint_failing',
      ['failingSince'],
      `failing_since IS NOT NULL AND status <> 'disabled' AND deleted_at IS NULL`,
    ),
    // Endpoints that were deleted stay for their deliveries: however many an account has, what it does is not slower for them.
    { name: 'webhook_endpoint_kept', ...scopeKey, where: 'deleted_at IS NULL' },
  ],
});

export type WebhookEndpoint = InferEntity<typeof WebhookEndpointSchema>;

/** An endpoint's events of a time that are sent again. */
export const WebhookRecoverySchema = defineEntity({
  name: 'WebhookRecovery',
  tableName: 'webhook_recovery',
  ...inScope,
  properties: {
    endpointId: p.idIn('webhook_endpoint').primary(),
    accountId: p.id(),
    liveMode: p.boolean(),
    since: p.whole(),
    until: p.whole(),
    status: p.enum(['running', 'done'] as const),
    events: p.integer().check('events >= 0'),
    /** The scan has come so far. */
    lastEventId: p.id(),
    dueAt: p.stamp(),
  },
  indexes: [
    index('webhook_recovery_running', ['dueAt'], `status = 'running'`),
    index('webhook_recovery_scope', ['accountId', 'liveMode']),
  ],
  checks: [check('webhook_recovery_forward', 'since <= until')],
});

/** Rows of days whose partition was not made in time land in the default one instead of failing the sale. */
const byDay = (table: string) =>
  ({
    type: 'range',
    expression: 'day',
    partitions: [{ name: `${table}_default`, values: 'default' }],
  }) satisfies EntityPartitionBy;

export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  ...inScope,
  partitionBy: byDay('event'),
  properties: {
    /** The UTC day of the id. */
    day: p.date().primary(),
    id: p.id().primary(),
    accountId: p.id(),
    liveMode: p.boolean(),
    type: p.text(),
    created: p.whole(),
    objectId: p.id(),
    related: p.array(),
    body: p.text(),
    bodyDigest: p.uuid(),
    /** The part of a trace that it was recorded in. */
    traceparent: p.text().nullable(),
    /** How often it was sent again by hand. */
    resends: p.smallint().default(0).check('resends BETWEEN 0 AND 3'),
  },
  indexes: [
    { ...scopeKey, name: 'event_scope' },
    { name: 'event_related', properties: ['related'], type: 'gin' },
  ],
});

/** What lists of events look for, beside the event itself: its columns that never change, and how its deliveries stand. Triggers keep it. */
export const EventDeliveryStatusSchema = defineEntity({
  name: 'EventDeliveryStatus',
  tableName: 'event_delivery_status',
  ...inScope,
  partitionBy: byDay('event_delivery_status'),
  properties: {
    day: p.date().primary(),
    eventId: p.id().primary(),
    accountId: p.id(),
    liveMode: p.boolean(),
    type: p.id(),
    created: p.whole(),
    status: p.enum(deliveryStatuses).collation('C'),
  },
  indexes: [
    index('event_delivery_status_list', ['accountId', 'liveMode', 'status', 'type', 'eventId']),
    index('event_delivery_status_created', ['accountId', 'liveMode', 'created']),
  ],
});

const oneDelivery = {
  day: p.date().primary(),
  eventId: p.id().primary(),
  endpointId: p.id().primary(),
  ladder: p.integer().primary(),
};

export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  ...inScope,
  partitionBy: byDay('delivery'),
  properties: {
    ...oneDelivery,
    ladder: p.integer().default(1).primary(),
    accountId: p.id(),
    liveMode: p.boolean(),
    status: p.enum(['pending', 'delivered', 'failed'] as const).default('pending'),
    stage: p.enum(['fresh', 'ladder', 'done'] as const).default('fresh'),
    attempts: p.integer().default(0),
    firstAttemptAt: p.whole().nullable(),
    nextAttemptAt: p.whole().nullable(),
    claimableAt: p.stamp(),
  },
  indexes: [
    index('delivery_ladder', ['claimableAt'], `stage = 'ladder'`),
    // Touched by failures alone: what lists of undelivered events and the end of an endpoint look for.
    index('delivery_unaccepted', ['accountId', 'liveMode', 'eventId'], `stage = 'ladder' OR status = 'failed'`),
    index('delivery_endpoint', ['endpointId', 'eventId']),
    index('delivery_ladder_account', ['accountId', 'nextAttemptAt'], `stage = 'ladder' AND NOT live_mode`),
    // By mode and endpoint first, so that the backlog of one receiver is stepped over instead of read through.
    index('delivery_turn', ['liveMode', 'endpointId', 'claimableAt'], `stage = 'fresh'`),
  ],
});

/** It stands under the deliveries of its event, whose policies hold it. */
const UNDER_DELIVERY = `EXISTS (SELECT FROM delivery d WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
  AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder)`;

/** Runs look at all of them. */
const OF_DELIVERY = `current_setting('fatura.live', true) = '*' OR ${UNDER_DELIVERY}`;

/**
 * An attempt says nothing of its mode, so its endpoint does, which stands for as long as its deliveries. What an endpoint that
 * is gone was sent was of a sandbox: nobody removes a live one. No delivery is asked: it is found by a column of days, which a
 * removal must not choose partitions by (docs/design/sql.md#partitions).
 */
const OF_SANDBOX =
  'coalesce((SELECT NOT w.live_mode FROM webhook_endpoint w WHERE w.id = delivery_attempt.endpoint_id), true)';

export const DeliveryAttemptSchema = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  policies: [
    reached(OF_DELIVERY),
    ofLogin('live', UNDER_DELIVERY),
    ofLogin('sandbox', UNDER_DELIVERY),
    removedInSandbox(OF_SANDBOX),
  ],
  partitionBy: byDay('delivery_attempt'),
  properties: {
    ...oneDelivery,
    attempt: p.integer().primary(),
    at: p.whole(),
    statusCode: p.integer().nullable(),
    failure: p.text().nullable(),
    detail: p.text().nullable(),
    durationMs: p.integer(),
    /** What the receiver answered, as its owner is shown it. */
    answer: p.text().nullable(),
  },
});
