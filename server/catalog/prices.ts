import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  INSTALLMENTS_MAX,
  type PriceCreate,
  type PriceListQuery,
  type PriceUpdate,
  type Price as PriceView,
} from '../../contract/catalog.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { CODE_TRIES_MAX, externalCodeTaken, violatedConstraint, withExternalCode } from '../unit-of-work/unique.ts';
import { type Price, type PriceCreation, PriceSchema } from './entity.ts';
import { createProductIn } from './products.ts';
import { viewPrice } from './view.ts';

/** What a price sells for never changes, for invoices and subscriptions were made by it. */
const prices = table(PriceSchema, {
  fixed: ['productId', 'type', 'unitAmount', 'recurringInterval', 'recurringIntervalCount', 'creation'],
});

type Created = { status: 201 | 200; body: PriceView };

function creationOf(input: PriceCreate): PriceCreation {
  const { recurring } = input;
  return {
    product_id: input.product_id,
    unit_amount: input.unit_amount,
    type: input.type,
    recurring: recurring ? { interval: recurring.interval, interval_count: recurring.interval_count ?? 1 } : null,
    description: input.description ?? null,
    active: input.active ?? true,
    card_installments_enabled: input.card_installments_enabled ?? false,
    max_card_installments: input.max_card_installments ?? INSTALLMENTS_MAX,
  };
}

const findProduct = statement<{ id: string }>(
  'find_product_of_price',
  `SELECT t.id FROM product t WHERE ${mine('t')} AND t.id = :productId`,
);

async function createIn(tx: Tx, creation: PriceCreation, externalCode: string | null): Promise<Created> {
  const productId = creation.product_id;
  const [product] = await tx.query(findProduct, { productId });
  if (product === undefined) throw missing('product', productId, 'price.product_id');
  return { status: 201, body: tx.answer(addPrice(tx, creation, externalCode)) };
}

function addPrice(tx: Tx, creation: PriceCreation, externalCode: string | null): PriceView {
  const price = tx.insert(prices, {
    id: newId('price'),
    productId: creation.product_id,
    active: creation.active,
    type: creation.type,
    unitAmount: creation.unit_amount,
    recurringInterval: creation.recurring?.interval ?? null,
    recurringIntervalCount: creation.recurring?.interval_count ?? null,
    description: creation.description,
    externalCode,
    cardInstallmentsEnabled: creation.card_installments_enabled,
    maxCardInstallments: creation.max_card_installments,
    creation,
  });
  const view = viewPrice(tx, price);
  tx.record('price.created', view);
  return view;
}

/** A one-time price of what is sold once to one customer: neither it nor its product is on sale. */
export function createAdHocPrice(tx: Tx, { name, unitAmount }: { name: string; unitAmount: number }): PriceView {
  const { id: product_id } = createProductIn(tx, { name, active: false });
  const creation = creationOf({ product_id, unit_amount: unitAmount, type: 'one_time', active: false });
  return addPrice(tx, creation, null);
}

const findCodeHolder = statement<Price>(
  'find_price_code_holder',
  `SELECT ${prices.columns('q')} FROM price q WHERE ${mine('q')} AND q.external_code = :code`,
);

/** What the holder of the external_code makes of a repeated creation; null when it let go of the code meanwhile. */
async function repeatIn(tx: Tx, creation: PriceCreation, code: string | null): Promise<Created | null> {
  const [holder] = await tx.query(findCodeHolder, { code });
  if (holder === undefined) return null;
  if (!isDeepStrictEqual(holder.creation, creation)) {
    throw externalCodeTaken({ param: 'price.external_code', code, holderId: holder.id });
  }
  return { status: 200, body: tx.answer(viewPrice(tx, holder), 200) };
}

/** Creates a price; under an external_code in use the same body answers the existing price (docs/product/catalog.md#the-same-price-again). */
export async function createPrice(deps: Deps, scope: Scope, input: PriceCreate): Promise<Created> {
  const creation = creationOf(input);
  const code = input.external_code ?? null;
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.transaction(scope, (tx) => createIn(tx, creation, code));
    } catch (error) {
      if (violatedConstraint(error) !== 'price_external_code') throw error;
      const repeated = await deps.transaction(scope, (tx) => repeatIn(tx, creation, code));
      if (repeated !== null) return repeated;
      if (tries >= CODE_TRIES_MAX) throw externalCodeTaken({ param: 'price.external_code', code });
    }
  }
}

export const retrievePrice = (deps: Deps, scope: Scope, id: string): Promise<PriceView> =>
  readOne({ deps, scope }, PriceSchema, { id, view: (price) => viewPrice(deps, price) });

export function listPrices(deps: Deps, scope: Scope, query: z.output<typeof PriceListQuery>): Promise<Page<PriceView>> {
  const where = withoutUndefined({
    active: query.active,
    productId: query.product_id,
    type: query.type,
    externalCode: query.external_code,
  });
  return listPage({ deps, scope }, PriceSchema, {
    query,
    where,
    url: '/api/v1/prices',
    view: (price) => viewPrice(deps, price),
  });
}

function applyToPrice(price: Price, changes: PriceUpdate): void {
  if (changes.active !== undefined) price.active = changes.active;
  if (changes.description !== undefined) price.description = changes.description;
  if (changes.external_code !== undefined) price.externalCode = changes.external_code;
  if (changes.card_installments_enabled !== undefined)
    price.cardInstallmentsEnabled = changes.card_installments_enabled;
  if (changes.max_card_installments !== undefined) price.maxCardInstallments = changes.max_card_installments;
}

/** Changes the fields sent; amount, type and recurrence never change (docs/product/catalog.md#prices). */
export function updatePrice(deps: Deps, scope: Scope, id: string, changes: PriceUpdate): Promise<PriceView> {
  const code = changes.external_code;
  return withExternalCode(
    deps,
    { scope, entity: PriceSchema, table: 'price', param: 'price.external_code', code },
    () =>
      deps.transaction(scope, async (tx) => {
        const price = await tx.lock(prices, id);
        return answerChange(tx, price, {
          type: 'price.updated',
          view: (row) => viewPrice(tx, row),
          apply: applyToPrice,
          changes,
        });
      }),
  );
}
