import { defineEntity } from '@mikro-orm/core';
import { roleNames } from '../../contract/roles.ts';
import { check, index, ownOfEither, p } from '../db/columns.ts';

/** A person who works in the dashboard, in one account or in several. */
export const StaffSchema = defineEntity({
  name: 'Staff',
  tableName: 'staff',
  properties: {
    id: p.id().primary(),
    /** Folded: whoever signs in is found by it. */
    email: p.text().unique(),
    name: p.text().check('char_length(name) BETWEEN 1 AND 100'),
    createdAt: p.stamp(),
    /** When they last used the dashboard, to about a minute; sessions are forgotten, this is not. */
    seenAt: p.timestamp().nullable(),
    /** Argon2id in its usual form; null: none is set. */
    passwordHash: p.text().nullable(),
    /** The secret of an authenticator app, sealed. */
    totpSecret: p.blob().nullable(),
    /** When a first code showed that the app has the secret; null: not yet. */
    totpSince: p.timestamp().nullable(),
    /** The step of the last code that was taken: none is taken twice. */
    totpStep: p.whole().nullable(),
    /** Who the identity provider says it is: issuer and subject. */
    oidcSubject: p.text().nullable().unique(),
  },
  checks: [check('staff_totp', 'totp_since IS NULL OR totp_secret IS NOT NULL')],
});

export const StaffMemberSchema = defineEntity({
  name: 'StaffMember',
  tableName: 'staff_member',
  policies: [ownOfEither()],
  properties: {
    accountId: p.idOf('account').primary(),
    staffId: p.idOf('staff').primary(),
    role: p.enum(roleNames),
    createdAt: p.stamp(),
  },
  indexes: [index('staff_member_staff', ['staffId'])],
});

/** A link that makes whoever has it a member of an account, once. */
export const StaffInvitationSchema = defineEntity({
  name: 'StaffInvitation',
  tableName: 'staff_invitation',
  policies: [ownOfEither()],
  properties: {
    id: p.id().primary(),
    accountId: p.idOf('account'),
    email: p.text(),
    role: p.enum(roleNames),
    tokenHash: p.blob().unique(),
    createdAt: p.stamp(),
    expiresAt: p.timestamp(),
  },
  uniques: [index('staff_invitation_email', ['accountId', 'email'])],
});

export const StaffPasskeySchema = defineEntity({
  name: 'StaffPasskey',
  tableName: 'staff_passkey',
  properties: {
    /** As its authenticator calls it, in base64url. */
    id: p.id().primary(),
    staffId: p.idOf('staff'),
    publicKey: p.blob(),
    /** How often it was used, as its authenticator counts. */
    counter: p.whole(),
    transports: p.array(),
    name: p.text(),
    createdAt: p.stamp(),
    lastUsedAt: p.timestamp().nullable(),
  },
  indexes: [index('staff_passkey_staff', ['staffId'])],
});

export const StaffSessionSchema = defineEntity({
  name: 'StaffSession',
  tableName: 'staff_session',
  properties: {
    id: p.id().primary(),
    staffId: p.idOf('staff'),
    tokenHash: p.blob().unique(),
    createdAt: p.stamp(),
    seenAt: p.stamp(),
    /** The last time that its person showed who they are. */
    freshAt: p.stamp(),
    address: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
  indexes: [index('staff_session_staff', ['staffId'])],
});

/** What is good once and for a while: a link to set up anew, a challenge of a passkey, a sign-in at an identity provider. */
export const StaffTokenSchema = defineEntity({
  name: 'StaffToken',
  tableName: 'staff_token',
  properties: {
    hash: p.blob().primary(),
    kind: p.enum(['reset', 'challenge', 'oidc'] as const),
    /** Null: nobody is known yet. */
    staffId: p.idOf('staff').nullable(),
    data: p.json<unknown>(),
    expiresAt: p.timestamp(),
  },
  indexes: [index('staff_token_end', ['expiresAt'])],
});
