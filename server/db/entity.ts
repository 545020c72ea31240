import { defineEntity } from '@mikro-orm/core';
import { check, index, ofLogin, p, reached } from './columns.ts';

export const WorkerHeartbeatSchema = defineEntity({
  name: 'WorkerHeartbeat',
  tableName: 'worker_heartbeat',
  properties: {
    id: p.text().primary(),
    /** Whose work the worker does. */
    modes: p.array(),
    seenAt: p.timestamp(),
    temporalOk: p.boolean(),
    /** The build of the workflows that it runs; null: it has no say in which is current. */
    build: p.text().nullable(),
    metrics: p.json().columnType('json'),
  },
});

/** The one row of a table. */
const isOnly = p.boolean().default(true).check('is_only').primary();

/** Since when PostgreSQL, Temporal and a worker have worked together. */
export const InstallationSchema = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: { isOnly, readyAt: p.timestamp() },
});

/** A text sealed with the first key: a start with another one cannot open it. */
export const EncryptionKeyCheckSchema = defineEntity({
  name: 'EncryptionKeyCheck',
  tableName: 'encryption_key_check',
  properties: {
    isOnly,
    sealed: p.blob(),
    /** The key of hashes, sealed. */
    hashKey: p.blob(),
  },
});

export const EncryptionKeySchema = defineEntity({
  name: 'EncryptionKey',
  tableName: 'encryption_key',
  properties: {
    id: p.text().check(`id ~ '^[0-9a-f]{8}$'`).primary(),
    since: p.stamp(),
  },
});

/** A key of the ring as a KMS has wrapped it, by the name that the setting has for it. */
export const WrappedKeySchema = defineEntity({
  name: 'WrappedKey',
  tableName: 'wrapped_key',
  properties: {
    reference: p.text().primary(),
    wrapped: p.text(),
    since: p.stamp(),
  },
});

export const EncryptionRingSchema = defineEntity({
  name: 'EncryptionRing',
  tableName: 'encryption_ring',
  properties: {
    process: p.text().primary(),
    firstKey: p.text(),
    keys: p.array(),
    isStopped: p.boolean().default(false),
    seenAt: p.stamp(),
  },
});

export const AuditLogHeadSchema = defineEntity({
  name: 'AuditLogHead',
  tableName: 'audit_log_head',
  properties: { chain: p.id().primary(), entries: p.whole(), hash: p.blob(), anchored: p.whole().default(0) },
});

const entry = (field: string) => `((entry::jsonb) ->> '${field}')`;

/** Who did what: entries that are only added, each with the hash of the one before it (docs/design/audit-log.md). */
export const AuditLogSchema = defineEntity({
  name: 'AuditLog',
  tableName: 'audit_log',
  policies: [
    // What is of neither mode is of both.
    reached(
      `(live_mode IS NOT FALSE AND current_setting('fatura.live', true) IN (account_id, '*'))
        OR (live_mode IS NOT TRUE AND current_setting('fatura.sandbox', true) IN (account_id, '*'))`,
    ),
    ofLogin('live', 'live_mode IS NOT FALSE'),
    ofLogin('sandbox', 'live_mode IS NOT TRUE'),
  ],
  properties: {
    chain: p.id().primary(),
    place: p.whole().primary(),
    formerHash: p.blob(),
    hash: p.blob(),
    entry: p.text(),
    id: p
      .id()
      .generated(`${entry('id')} stored`)
      .unique()
      .nullable(),
    at: p
      .whole()
      .generated(`(${entry('at')}::bigint) stored`)
      .nullable(),
    accountId: p
      .id()
      .generated(`${entry('account')} stored`)
      .nullable(),
    liveMode: p
      .boolean()
      .generated(`(${entry('live_mode')}::boolean) stored`)
      .nullable(),
    action: p
      .text()
      .generated(`${entry('action')} stored`)
      .nullable(),
    object: p
      .text()
      .generated(`${entry('object')} stored`)
      .nullable(),
    actor: p.text().generated(`(((entry::jsonb) -> 'actor') ->> 'id') stored`).nullable(),
  },
  indexes: [index('audit_log_account', ['accountId', 'id'], 'account_id IS NOT NULL')],
  checks: [check('audit_log_whole', 'id IS NOT NULL AND at IS NOT NULL AND action IS NOT NULL AND actor IS NOT NULL')],
});
