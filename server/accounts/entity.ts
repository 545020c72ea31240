import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { portalCancels } from '../../contract/collection-settings.ts';
import type { RateLimitName } from '../../contract/kernel.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import { check, index, own, ownOfEither, p, scopedAtTop, scopeFilter, told } from '../db/columns.ts';
import type { AccountMail } from '../kernel/account.ts';

/**
 * Limits of an account that an operator changed, in requests per minute and key; absent ones have their default. `minute`
 * holds on every route without a limit of its own.
 */
export type AccountLimits = { readonly [Name in 'minute' | RateLimitName]?: number };

/** How an account collects of which nothing else is said (docs/product/collection.md#days). */
export const COLLECTION_DEFAULTS = {
  overdueDays: 1,
  suspendDays: 10,
  cancelDays: 30,
  retryDays: [1, 3, 7],
  reminderDays: [-3, 0, 1, 3, 7],
};

/** R$ 1.000,00. */
export const REFUND_LIMIT_DEFAULT = 100_000;

export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'account',
  policies: [ownOfEither('id')],
  properties: {
    id: p.id().primary(),
    email: p.text(),
    city: p.text(),
    created: p.whole(),
    sandboxOffsetSeconds: p.whole().default(0),
    pixValiditySeconds: p.integer().default(86_400).check('pix_validity_seconds BETWEEN 300 AND 2592000'),
    limits: p.json<AccountLimits>().defaultRaw(`'{}'`),
    /** Cents of one payment that a person of the dashboard gives back without a fresh login. */
    refundLimit: p.whole().default(REFUND_LIMIT_DEFAULT).check('refund_limit >= 0'),
    clockHeldAt: p.whole().nullable(),
    clockTarget: p.whole().nullable(),
    clockMovedAt: p.timestamp().nullable(),
  },
  checks: [
    check('account_clock_held', '(clock_held_at IS NULL) = (clock_target IS NULL)'),
    check('account_clock_forward', 'clock_held_at <= clock_target'),
  ],
});

export type Account = InferEntity<typeof AccountSchema>;

/** How an account collects in one mode, and what its buyers may do by themselves, under the id of the account. */
export const CollectionSettingsSchema = defineEntity({
  name: 'CollectionSettings',
  tableName: 'collection_settings',
  policies: own,
  properties: {
    ...scopedAtTop,
    id: p.id(),
    accountId: p.idOf('account').primary(),
    liveMode: p.boolean().primary(),
    overdueDays: p.float().columnType('float8').default(COLLECTION_DEFAULTS.overdueDays).check('overdue_days > 0'),
    suspendDays: p.float().columnType('float8').default(COLLECTION_DEFAULTS.suspendDays),
    cancelDays: p.float().columnType('float8').default(COLLECTION_DEFAULTS.cancelDays),
    retryDays: p
      .array((day) => Number(day))
      .columnType('float8[]')
      .defaultRaw(`'{${COLLECTION_DEFAULTS.retryDays.join(',')}}'`)
      .check('0 < ALL (retry_days)'),
    reminderDays: p
      .array((day) => Number(day))
      .columnType('smallint[]')
      .defaultRaw(`'{${COLLECTION_DEFAULTS.reminderDays.join(',')}}'`),
    /** Whether a subscription that ends unpaid is charged the penalty of its minimum term. */
    penaltyOnUnpaid: p.boolean().default(false),
    lateFees: p.jsonText<LateFees>().nullable(),
    portalCancel: p.enum(portalCancels).default('period_end'),
    portalPause: p.boolean().default(false),
    portalChangePrices: p.array().defaultRaw(`'{}'`),
  },
  checks: [
    check('collection_settings_id', 'id = account_id'),
    check('collection_settings_days_in_order', 'overdue_days <= suspend_days AND suspend_days < cancel_days'),
  ],
});

export type CollectionSettings = InferEntity<typeof CollectionSettingsSchema>;

/** What buyers see of an account in one mode, under the id of the account. */
export const LookSchema = defineEntity({
  name: 'Look',
  tableName: 'account_look',
  policies: own,
  properties: {
    ...scopedAtTop,
    id: p.id(),
    accountId: p.idOf('account').primary(),
    liveMode: p.boolean().primary(),
    ...told,
    name: p.text(),
    /** CPF or CNPJ without punctuation. */
    taxId: p.text().nullable(),
    supportEmail: p.text().nullable(),
    supportPhone: p.text().nullable(),
    /** `#rrggbb`, on which white can be read. */
    color: p.text().nullable(),
    /** Where its logo was fetched from. */
    logoUrl: p.text().nullable(),
    logoMediaType: p.enum(['image/png', 'image/jpeg', 'image/webp'] as const).nullable(),
    /** What tells this logo from every other that the account had. */
    logoDigest: p.text().nullable(),
    logoContent: p.blob().nullable(),
    logoWidth: p.integer().nullable(),
    logoHeight: p.integer().nullable(),
    /** `#rrggbb` */
    coverColor: p.text().nullable(),
    cornerRadius: p.integer().nullable().check('corner_radius BETWEEN 0 AND 24'),
    font: p.enum(['sans', 'serif', 'rounded'] as const).nullable(),
    termsUrl: p.text().nullable(),
    privacyUrl: p.text().nullable(),
    mailSettings: p.json<AccountMail>().defaultRaw(`'{}'`),
  },
  indexes: [index('account_look_logo', ['logoDigest'], 'logo_digest IS NOT NULL')],
  checks: [
    check('account_look_id', 'id = account_id'),
    check(
      'account_look_whole_logo',
      'num_nonnulls(logo_media_type, logo_digest, logo_content, logo_width, logo_height) IN (0, 5)',
    ),
  ],
});

export type Look = InferEntity<typeof LookSchema>;

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  filters: scopeFilter,
  policies: own,
  properties: {
    ...scopedAtTop,
    keyHash: p.blob().unique(),
    hint: p.text(),
    scope: p.enum(['full', 'read'] as const),
    expiresAt: p.timestamp().nullable(),
    name: p.text().default('default').check('char_length(name) BETWEEN 1 AND 100'),
    networks: p.array().columnType('cidr[]').defaultRaw(`'{}'`),
    /** The key whose count of requests this one goes on with; null: its own. */
    bucket: p.id().nullable(),
    /** Whether lists that are asked for by it may be some seconds late. */
    reads: p.enum(['latest', 'eventual'] as const).default('latest'),
    replacedBy: p.idOf('api_key').nullable(),
    revokedAt: p.timestamp().nullable(),
  },
  indexes: [index('api_key_account', ['accountId', 'liveMode', 'id'])],
});

export type ApiKey = InferEntity<typeof ApiKeySchema>;

/** Apart from the keys: whoever serves requests tells of their use, and changes no key. */
export const ApiKeyUseSchema = defineEntity({
  name: 'ApiKeyUse',
  tableName: 'api_key_use',
  properties: { keyId: p.idOf('api_key').primary(), usedAt: p.timestamp() },
});

/** Its table is unlogged: a crash of the database costs a window of counting and nothing else. */
export const RateLimitSchema = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limit',
  properties: { key: p.id().primary(), points: p.integer(), granted: p.integer(), expire: p.whole() },
});
