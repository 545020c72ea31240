import type { z } from 'zod';
import type { ProductCreate, ProductListQuery, ProductUpdate, Product as ProductView } from '../../contract/catalog.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { withExternalCode } from '../unit-of-work/unique.ts';
import { type Product, ProductSchema } from './entity.ts';
import { viewProduct } from './view.ts';

const products = table(ProductSchema, { fixed: [] });

const productCode = (scope: Scope, code: string | null | undefined) =>
  ({ scope, entity: ProductSchema, table: 'product', param: 'product.external_code', code }) as const;

export function createProduct(deps: Deps, scope: Scope, input: ProductCreate): Promise<ProductView> {
  return withExternalCode(deps, productCode(scope, input.external_code), () =>
    deps.transaction(scope, async (tx) => tx.answer(createProductIn(tx, input))),
  );
}

export function createProductIn(tx: Tx, input: ProductCreate): ProductView {
  const product = tx.insert(products, {
    id: newId('prod'),
    name: input.name,
    description: input.description ?? null,
    active: input.active ?? true,
    externalCode: input.external_code ?? null,
  });
  const view = viewProduct(product);
  tx.record('product.created', view);
  return view;
}

export const retrieveProduct = (deps: Deps, scope: Scope, id: string): Promise<ProductView> =>
  readOne({ deps, scope }, ProductSchema, { id, view: viewProduct });

export function listProducts(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof ProductListQuery>,
): Promise<Page<ProductView>> {
  const where = withoutUndefined({ active: query.active, externalCode: query.external_code });
  return listPage({ deps, scope }, ProductSchema, { query, where, url: '/api/v1/products', view: viewProduct });
}

function applyToProduct(product: Product, changes: ProductUpdate): void {
  if (changes.name !== undefined) product.name = changes.name;
  if (changes.description !== undefined) product.description = changes.description;
  if (changes.active !== undefined) product.active = changes.active;
  if (changes.external_code !== undefined) product.externalCode = changes.external_code;
}

/** Changes the fields sent. */
export function updateProduct(deps: Deps, scope: Scope, id: string, changes: ProductUpdate): Promise<ProductView> {
  return withExternalCode(deps, productCode(scope, changes.external_code), () =>
    deps.transaction(scope, async (tx) => {
      const product = await tx.lock(products, id);
      return answerChange(tx, product, { type: 'product.updated', view: viewProduct, apply: applyToProduct, changes });
    }),
  );
}
