import type { z } from 'zod';
import type { CouponCreate, CouponListQuery, CouponUpdate, Coupon as CouponView } from '../../contract/coupons.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { invalidParameter, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import type { Timestamp } from '../kernel/time.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { NewRow } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { withExternalCode } from '../unit-of-work/unique.ts';
import { type Coupon, CouponSchema } from './entity.ts';
import { coupons } from './rows.ts';
import type { AppliesTo } from './rules.ts';
import { viewCoupon } from './view.ts';

const couponCode = (scope: Scope, code: string | null | undefined) =>
  ({ scope, entity: CouponSchema, table: 'coupon', param: 'coupon.external_code', code }) as const;

/** Refuses an end that has passed. */
export function refusePassed(end: Timestamp | null | undefined, now: Timestamp, param: string): void {
  if (end == null || end > now) return;
  throw invalidParameter(param, `${param} must lie after now (${now}), got ${end}`);
}

const findSold = statement<{ id: string }>(
  'find_sold_of_coupon',
  `SELECT t.id FROM product t WHERE ${mine('t')} AND t.id = ANY (:ids::text[])
   UNION ALL SELECT q.id FROM price q WHERE ${mine('q')} AND q.id = ANY (:ids::text[])`,
);

/** What the coupon applies to, each once; a 404 tells the first product or price that does not exist. */
async function readAppliesTo(tx: Tx, input: CouponCreate['applies_to']): Promise<AppliesTo | null> {
  if (input == null) return null;
  const products = [...new Set(input.product_ids ?? [])];
  const prices = [...new Set(input.price_ids ?? [])];
  const found = new Set((await tx.query(findSold, { ids: [...products, ...prices] })).map(({ id }) => id));
  for (const [noun, sent] of [
    ['product', input.product_ids ?? []],
    ['price', input.price_ids ?? []],
  ] as const) {
    const at = sent.findIndex((id) => !found.has(id));
    if (at >= 0) throw missing(noun, sent[at] ?? '', `coupon.applies_to.${noun}_ids[${at}]`);
  }
  return { products, prices };
}

const newCoupon = (input: CouponCreate, appliesTo: AppliesTo | null): NewRow<Coupon> => ({
  id: newId('cpn'),
  name: input.name,
  type: input.type,
  percentage: input.type === 'percentage' ? input.percentage : null,
  amountCents: input.type === 'fixed' ? input.amount_cents : null,
  cycles: input.cycles ?? null,
  appliesTo,
  maxRedemptions: input.max_redemptions ?? null,
  redeemBy: input.redeem_by ?? null,
  minimumAmount: input.minimum_amount ?? null,
  active: input.active ?? true,
  externalCode: input.external_code ?? null,
});

export function createCoupon(deps: Deps, scope: Scope, input: CouponCreate): Promise<CouponView> {
  return withExternalCode(deps, couponCode(scope, input.external_code), () =>
    deps.transaction(scope, async (tx) => {
      refusePassed(input.redeem_by, tx.now, 'coupon.redeem_by');
      const appliesTo = await readAppliesTo(tx, input.applies_to);
      const view = viewCoupon(tx.insert(coupons, newCoupon(input, appliesTo)));
      tx.record('coupon.created', view);
      return tx.answer(view);
    }),
  );
}

export const retrieveCoupon = (deps: Deps, scope: Scope, id: string): Promise<CouponView> =>
  readOne({ deps, scope }, CouponSchema, { id, view: viewCoupon });

export function listCoupons(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CouponListQuery>,
): Promise<Page<CouponView>> {
  const where = withoutUndefined({ active: query.active, externalCode: query.external_code });
  return listPage({ deps, scope }, CouponSchema, { query, where, url: '/api/v1/coupons', view: viewCoupon });
}

function applyToCoupon(coupon: Coupon, changes: CouponUpdate): void {
  if (changes.name !== undefined) coupon.name = changes.name;
  if (changes.active !== undefined) coupon.active = changes.active;
  if (changes.redeem_by !== undefined) coupon.redeemBy = changes.redeem_by;
  if (changes.external_code !== undefined) coupon.externalCode = changes.external_code;
}

/** Changes the fields sent; what a coupon takes off never changes (docs/product/coupons.md#coupons). */
export function updateCoupon(deps: Deps, scope: Scope, id: string, changes: CouponUpdate): Promise<CouponView> {
  return withExternalCode(deps, couponCode(scope, changes.external_code), () =>
    deps.transaction(scope, async (tx) => {
      const coupon = await tx.lock(coupons, id);
      refusePassed(changes.redeem_by, tx.now, 'coupon.redeem_by');
      return answerChange(tx, coupon, { type: 'coupon.updated', view: viewCoupon, apply: applyToCoupon, changes });
    }),
  );
}
