import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { CustomerCreate } from '../../contract/customers.ts';
import { codeKey, index, inScope, p, scoped, scopedAtTop, scopeKey, told } from '../db/columns.ts';

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
