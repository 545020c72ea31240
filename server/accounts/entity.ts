import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { RateLimitName } from '../../contract/kernel.ts';
import { scoped, told } from '../db/scoped.ts';

/**
 * Limits of an account that an operator changed, in requests per minute and key; absent ones have their default. `minute`
 * holds on every route without a limit of its own.
 */
export type AccountLimits = { readonly [Name in 'minute' | RateLimitName]?: number };

/** How an account collects of which nothing else is said (docs/product/collection.md#days). */
export const COLLECTION_DEFAULTS = { overdueDays: 1, suspendDays: 10, cancelDays: 30, retryDays: [1, 3, 7] };

export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  properties: {
    id: p.string().primary(),
    email: p.string(),
    city: p.string(),
    created: p.bigint('number'),
    sandboxOffsetSeconds: p.bigint('number').default(0),
    clockHeldAt: p.bigint('number').nullable(),
    clockTarget: p.bigint('number').nullable(),
    overdueDays: p.float().default(COLLECTION_DEFAULTS.overdueDays),
    suspendDays: p.float().default(COLLECTION_DEFAULTS.suspendDays),
    cancelDays: p.float().default(COLLECTION_DEFAULTS.cancelDays),
    retryDays: p.array((day) => Number(day)).columnType('float8[]'),
    pixValiditySeconds: p.integer(),
    limits: p.json<AccountLimits>(),
  },
});

export type Account = InferEntity<typeof AccountSchema>;

/** What buyers see of an account in one mode, under the id of the account. */
export const LookSchema = defineEntity({
  name: 'Look',
  tableName: 'account_look',
  properties: {
    ...scoped,
    ...told,
    name: p.string(),
    /** CPF or CNPJ without punctuation. */
    taxId: p.string().nullable(),
    supportEmail: p.string().nullable(),
    supportPhone: p.string().nullable(),
    /** `#rrggbb`, on which white can be read. */
    color: p.string().nullable(),
    /** Where its logo was fetched from. */
    logoUrl: p.string().nullable(),
    logoMediaType: p.string().nullable(),
    /** What tells this logo from every other that the account had. */
    logoDigest: p.string().nullable(),
    logoContent: p.blob().nullable(),
    logoWidth: p.integer().nullable(),
    logoHeight: p.integer().nullable(),
  },
});

export type Look = InferEntity<typeof LookSchema>;

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.string().primary(),
    accountId: p.string(),
    liveMode: p.boolean(),
    keyHash: p.blob(),
    hint: p.string(),
    scope: p.enum(['full', 'read'] as const),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
  },
});

export type ApiKey = InferEntity<typeof ApiKeySchema>;
