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
    /** Null in the row of a customer whose data are sealed, as are those that follow. */
    name: p.string(),
    identifier: p.string().nullable(),
    email: p.string().nullable(),
    phone: p.string().nullable(),
    externalCode: p.string().nullable(),
    address: p.json<NonNullable<CustomerCreate['address']>>().nullable(),
    /** All that is personal, sealed; null in a row of before. */
    personal: p.blob().nullable(),
    emailIndex: p.blob().nullable(),
    identifierIndex: p.blob().nullable(),
    anonymizedAt: p.bigint('number').nullable(),
  },
});

export type Customer = InferEntity<typeof CustomerSchema>;
