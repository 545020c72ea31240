import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { AuditActor } from '../../contract/audit-log.ts';
import type { CustomerCreate } from '../../contract/customers.ts';
import { codeKey, index, inScope, own, p, scoped, scopedAtTop, scopeFilter, scopeKey, told } from '../db/columns.ts';

export const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  ...inScope,
  properties: {
    ...scopedAtTop,
    ...told,
    name: p.text().persist(false),
    identifier: p.text().nullable().persist(false),
    email: p.text().nullable().persist(false),
    phone: p.text().nullable().persist(false),
    address: p.json<NonNullable<CustomerCreate['address']>>().nullable().persist(false),
    externalCode: p.text().nullable(),
    /** What has no column: all that is personal, sealed. */
    personal: p.blob().$type<Buffer | null>(),
    emailIndex: p.blob().nullable(),
    identifierIndex: p.blob().nullable(),
    anonymizedAt: p.whole().nullable(),
    /** Since when its buyer wants no e-mail that is not about money. */
    unsubscribedAt: p.whole().nullable(),
  },
  uniques: [scopeKey, codeKey('customer')],
  indexes: [
    // Account and mode are in the hash, so the hash alone finds the row.
    index('customer_email_index', ['emailIndex', 'id'], 'email_index IS NOT NULL'),
    index('customer_identifier_index', ['identifierIndex', 'id'], 'identifier_index IS NOT NULL'),
    index('customer_of_sandbox', ['id'], 'NOT live_mode'),
  ],
});

export type Customer = InferEntity<typeof CustomerSchema>;

/** What somebody of the merchant wrote down of a customer; without a text once that is anonymized. */
export const NoteSchema = defineEntity({
  name: 'Note',
  tableName: 'note',
  ...inScope,
  properties: {
    ...scoped,
    customerId: p.idIn('customer'),
    text: p.text().nullable().persist(false),
    sealedText: p.blob().nullable(),
    author: p.jsonText<AuditActor>(),
  },
  uniques: [scopeKey],
  indexes: [index('note_customer', ['customerId', 'id'])],
});

export type Note = InferEntity<typeof NoteSchema>;

/**
 * A word by which a customer is found, and each beginning of it (docs/design/keys.md#words-of-customers). Requests of live accounts remove
 * such rows too: a customer changes, and is anonymized. A foreign key would ask for the customer at each of its words.
 */
export const CustomerWordSchema = defineEntity({
  name: 'CustomerWord',
  tableName: 'customer_word',
  filters: scopeFilter,
  policies: own,
  properties: {
    accountId: scoped.accountId,
    liveMode: scoped.liveMode,
    /** A keyed hash, of account and mode too. */
    word: p.blob().primary(),
    customerId: p.id().primary(),
  },
  indexes: [index('customer_word_customer', ['customerId'])],
});

/** The address of a customer, by whose id the row goes, that its buyer typed on a page: it may be somebody else's. */
export const TypedEmailSchema = defineEntity({
  name: 'TypedEmail',
  tableName: 'typed_email',
  ...inScope,
  properties: {
    ...scoped,
    id: p.idIn('customer').primary(),
    /** Which address it was. */
    emailIndex: p.blob().nullable(),
    askedAt: p.whole().nullable(),
    confirmedAt: p.whole().nullable(),
  },
  uniques: [scopeKey],
  indexes: [index('typed_email_address', ['accountId', 'liveMode', 'emailIndex'])],
});
