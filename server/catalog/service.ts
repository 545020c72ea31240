import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { z } from 'zod';
import type {
  PriceListQuery,
  PriceUpdate,
  Price as PriceView,
  ProductCreate,
  ProductListQuery,
  ProductUpdate,
  Product as ProductView,
} from '../../contract/catalog.ts';
import { listPage, sent } from '../db/pages.ts';
import type { Scope } from '../db/tx.ts';
import { withExternalCode } from '../db/unique.ts';
import type { Deps, Tx } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import { type Price, PriceSchema, type Product, ProductSchema } from './entity.ts';
import { viewPrice, viewProduct } from './view.ts';

const productCode = (scope: Scope, code: string | null | undefined) =>
  ({ scope, entity: ProductSchema, table: 'product', param: 'product.external_code', code }) as const;

export function createProduct(deps: Deps, scope: Scope, input: ProductCreate): Promise<ProductView> {
  return withExternalCode(deps, productCode(scope, input.external_code), () =>
    deps.transaction(scope, async (tx) => {
      const product = tx.em.create(ProductSchema, {
        id: newId('prod'),
        accountId: scope.accountId,
        liveMode: scope.liveMode,
        created: tx.now,
        name: input.name,
        description: input.description ?? null,
        active: input.active ?? true,
        externalCode: input.external_code ?? null,
      });
      const view = viewProduct(product);
      tx.record('product.created', view);
      return tx.answer(view);
    }),
  );
}

export async function retrieveProduct(deps: Deps, scope: Scope, id: string): Promise<ProductView> {
  const product = await deps.read(scope).findOne(ProductSchema, { id });
  if (product === null) throw missing('product', id);
  return viewProduct(product);
}

export function listProducts(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof ProductListQuery>,
): Promise<Page<ProductView>> {
  const where = sent({ active: query.active, externalCode: query.external_code });
  return listPage(deps.read(scope), ProductSchema, { query, where, url: '/api/v1/products', view: viewProduct });
}

function applyToProduct(product: Product, changes: ProductUpdate): void {
  if (changes.name !== undefined) product.name = changes.name;
  if (changes.description !== undefined) product.description = changes.description;
  if (changes.active !== undefined) product.active = changes.active;
  if (changes.external_code !== undefined) product.externalCode = changes.external_code;
}

/** Changes the fields sent; what changes nothing is no fact. */
export function updateProduct(deps: Deps, scope: Scope, id: string, changes: ProductUpdate): Promise<ProductView> {
  return withExternalCode(deps, productCode(scope, changes.external_code), () =>
    deps.transaction(scope, async (tx) => {
      const product = await tx.em.findOne(ProductSchema, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (product === null) throw missing('product', id);
      const before = viewProduct(product);
      applyToProduct(product, changes);
      const after = viewProduct(product);
      if (!isDeepStrictEqual(before, after)) tx.record('product.updated', after);
      return tx.answer(after);
    }),
  );
}

export async function retrievePrice(deps: Deps, scope: Scope, id: string): Promise<PriceView> {
  const price = await deps.read(scope).findOne(PriceSchema, { id });
  if (price === null) throw missing('price', id);
  return viewPrice(price);
}

export function listPrices(deps: Deps, scope: Scope, query: z.output<typeof PriceListQuery>): Promise<Page<PriceView>> {
  const where = sent({
    active: query.active,
    productId: query.product_id,
    type: query.type,
    externalCode: query.external_code,
  });
  return listPage(deps.read(scope), PriceSchema, { query, where, url: '/api/v1/prices', view: viewPrice });
}

function applyToPrice(price: Price, changes: PriceUpdate): void {
  if (changes.active !== undefined) price.active = changes.active;
  if (changes.description !== undefined) price.description = changes.description;
  if (changes.external_code !== undefined) price.externalCode = changes.external_code;
  if (changes.card_installments_enabled !== undefined)
    price.cardInstallmentsEnabled = changes.card_installments_enabled;
  if (changes.max_card_installments !== undefined) price.maxCardInstallments = changes.max_card_installments;
}

async function lockPrice(tx: Tx, id: string): Promise<Price> {
  const price = await tx.em.findOne(PriceSchema, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (price === null) throw missing('price', id);
  return price;
}

/** Changes the fields sent; amount, type and recurrence never change (spec, Price). */
export function updatePrice(deps: Deps, scope: Scope, id: string, changes: PriceUpdate): Promise<PriceView> {
  const code = changes.external_code;
  return withExternalCode(
    deps,
    { scope, entity: PriceSchema, table: 'price', param: 'price.external_code', code },
    () =>
      deps.transaction(scope, async (tx) => {
        const price = await lockPrice(tx, id);
        const before = viewPrice(price);
        applyToPrice(price, changes);
        const after = viewPrice(price);
        if (!isDeepStrictEqual(before, after)) tx.record('price.updated', after);
        return tx.answer(after);
      }),
  );
}
