import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { scoped, scopeFilter, told } from '../db/scoped.ts';

export const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'product',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    name: p.string(),
    description: p.string().nullable(),
    active: p.boolean(),
    externalCode: p.string().nullable(),
  },
});

export type Product = InferEntity<typeof ProductSchema>;

/** What the creation of a price asked for, defaults filled in. */
export interface PriceCreation {
  product_id: string;
  unit_amount: number;
  type: 'one_time' | 'recurring';
  recurring: { interval: 'day' | 'week' | 'month'; interval_count: number } | null;
  description: string | null;
  active: boolean;
  card_installments_enabled: boolean;
  max_card_installments: number;
}

export const PriceSchema = defineEntity({
  name: 'Price',
  tableName: 'price',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    productId: p.string(),
    active: p.boolean(),
    type: p.enum(['one_time', 'recurring'] as const),
    unitAmount: p.integer(),
    recurringInterval: p.enum(['day', 'week', 'month'] as const).nullable(),
    recurringIntervalCount: p.integer().nullable(),
    description: p.string().nullable(),
    externalCode: p.string().nullable(),
    cardInstallmentsEnabled: p.boolean(),
    maxCardInstallments: p.integer(),
    /** Never changes: a repeated creation under the same external_code is told from another one by it. */
    creation: p.json<PriceCreation>(),
  },
});

export type Price = InferEntity<typeof PriceSchema>;
