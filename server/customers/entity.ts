import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { CustomerCreate } from '../../contract/customers.ts';
import { scoped, scopeFilter, told } from '../db/scoped.ts';

export const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    name: p.string().persist(false),
    identifier: p.string().nullable().persist(false),
    email: p.string().nullable().persist(false),
    phone: p.string().nullable().persist(false),
    address: p.json<NonNullable<CustomerCreate['address']>>().nullable().persist(false),
    externalCode: p.string().nullable(),
    /** What has no column: all that is personal, sealed. */
    personal: p.blob().nullable(),
    emailIndex: p.blob().nullable(),
    identifierIndex: p.blob().nullable(),
    anonymizedAt: p.bigint('number').nullable(),
  },
});

export type Customer = InferEntity<typeof CustomerSchema>;
