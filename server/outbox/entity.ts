import { defineEntity } from '@mikro-orm/core';
import { index, own, p } from '../db/columns.ts';

export const OutboxSchema = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  policies: own,
  properties: {
    id: p.whole().primary().generated('identity'),
    kind: p.text(),
    key: p.text(),
    accountId: p.id(),
    dueAt: p.stamp(),
    version: p.integer().default(1),
    failures: p.integer().default(0),
    createdAt: p.stamp(),
    /** The part of a trace that asked for it last. */
    traceparent: p.text().nullable(),
    liveMode: p.boolean(),
  },
  uniques: [{ properties: ['kind', 'key'] }],
  indexes: [
    index('outbox_due', ['dueAt']),
    index('outbox_turn_of_ladders', ['liveMode', 'accountId', 'dueAt'], `kind = 'webhook-delivery'`),
    index('outbox_turn_of_others', ['liveMode', 'accountId', 'dueAt'], `kind <> 'webhook-delivery'`),
  ],
});

export const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  policies: own,
  properties: {
    hash: p.blob().primary(),
    accountId: p.id(),
    fingerprint: p.blob(),
    holder: p.uuid(),
    status: p.integer().nullable(),
    answer: p.blob().nullable(),
    attemptId: p.id().nullable(),
    leaseUntil: p.timestamp().nullable(),
    customerId: p.id().nullable(),
    createdAt: p.stamp(),
    liveMode: p.boolean(),
  },
  indexes: [
    index('idempotency_key_customer', ['customerId'], 'customer_id IS NOT NULL'),
    { name: 'idempotency_key_age', properties: ['createdAt'], type: 'brin' },
    index('idempotency_key_sandbox', ['accountId'], 'NOT live_mode'),
  ],
});
