import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EventType } from '../../contract/events.ts';
import { webhookEndpointStatuses } from '../../contract/webhooks.ts';
import { scoped, scopeFilter } from '../db/scoped.ts';

export const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  filters: scopeFilter,
  properties: {
    ...scoped,
    url: p.string(),
    eventTypes: p.array().$type<EventType[]>(),
    description: p.string().nullable(),
    status: p.enum(webhookEndpointStatuses),
    /** Signing secrets, encrypted: the present one, and for a day after a rotation the former one. */
    secret: p.blob(),
    formerSecret: p.blob().nullable(),
    formerSecretUntil: p.bigint('number').nullable(),
    consecutiveFailures: p.integer(),
    acceptedPosts: p.smallint(),
    failingSince: p.bigint('number').nullable(),
    warnedAt: p.bigint('number').nullable(),
    disabledAt: p.bigint('number').nullable(),
    deletedAt: p.bigint('number').nullable(),
  },
});

export type WebhookEndpoint = InferEntity<typeof WebhookEndpointSchema>;
