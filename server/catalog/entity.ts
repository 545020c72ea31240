import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { check, codeKey, index, inScope, p, scoped, scopedAtTop, scopeKey, told } from '../db/columns.ts';

export const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'product',
  ...inScope,
  properties: {
    ...scopedAtTop,
    ...told,
    name: p.text(),
    description: p.text().nullable(),
    active: p.boolean(),
    externalCode: p.text().nullable(),
  },
  uniques: [scopeKey, codeKey('product')],
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
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    productId: p.idIn('product'),
    active: p.boolean(),
    type: p.enum(['one_time', 'recurring'] as const),
    unitAmount: p.integer().check('unit_amount BETWEEN 0 AND 999999'),
    recurringInterval: p.enum(['day', 'week', 'month'] as const).nullable(),
    recurringIntervalCount: p.integer().check('recurring_interval_count >= 1').nullable(),
    description: p.text().nullable(),
    externalCode: p.text().nullable(),
    cardInstallmentsEnabled: p.boolean(),
    maxCardInstallments: p.integer().check('max_card_installments BETWEEN 1 AND 12'),
    /** Never changes: a repeated creation under the same external_code is told from another one by it. */
    creation: p.json<PriceCreation>(),
  },
  uniques: [scopeKey, codeKey('price')],
  indexes: [index('price_product', ['productId', 'id'])],
  checks: [
    check(
      'price_recurring',
      `(type = 'recurring') = (recurring_interval IS NOT NULL AND recurring_interval_count IS NOT NULL)`,
    ),
  ],
});

export type Price = InferEntity<typeof PriceSchema>;
