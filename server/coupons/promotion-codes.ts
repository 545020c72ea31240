import type { z } from 'zod';
import type {
  PromotionCodeCreate,
  PromotionCodeListQuery,
  PromotionCodeUpdate,
  PromotionCode as PromotionCodeView,
} from '../../contract/promotion-codes.ts';
import { lockCustomer } from '../customers/customers.ts';
import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Page } from '../kernel/pages.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { CODE_TRIES_MAX, externalCodeTaken, violatedConstraint } from '../unit-of-work/unique.ts';
import { refusePassed } from './coupons.ts';
import { type PromotionCode, PromotionCodeSchema } from './entity.ts';
import { promotionCodes } from './rows.ts';
import { viewPromotionCode } from './view.ts';

const PARAM = 'promotion_code.code';

const findHolder = statement<{ id: string }>(
  'find_holder_of_promotion_code',
  `SELECT h.id FROM promotion_code h WHERE ${mine('h')} AND h.active AND h.code = :code AND h.id <> :ownId`,
);

/** Refuses a code that another active one has. */
async function refuseTaken(tx: Tx, code: string, ownId: string): Promise<void> {
  const [holder] = await tx.query(findHolder, { code, ownId });
  if (holder !== undefined) throw externalCodeTaken({ param: PARAM, code, holderId: holder.id });
}

/** Runs a use case behind `refuseTaken`: what came between its look and its commit, the index refuses, and the next look tells. */
async function withCode<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (violatedConstraint(error) !== 'promotion_code_active' || tries >= CODE_TRIES_MAX) throw error;
    }
  }
}

const findCoupon = statement<{ id: string }>(
  'find_coupon_of_code',
  `SELECT c.id FROM coupon c WHERE ${mine('c')} AND c.id = :couponId`,
);

async function createIn(tx: Tx, input: PromotionCodeCreate): Promise<PromotionCodeView> {
  refusePassed(input.expires_at, tx.now, 'promotion_code.expires_at');
  const { coupon_id: couponId, customer_id: customerId = null, code, active = true } = input;
  const [coupon] = await tx.query(findCoupon, { couponId });
  if (coupon === undefined) throw missing('coupon', couponId, 'promotion_code.coupon_id');
  if (customerId !== null) await lockCustomer(tx, customerId, 'promotion_code.customer_id');
  const id = newId('promo');
  if (active) await refuseTaken(tx, code, id);
  const made = tx.insert(promotionCodes, {
    id,
    couponId,
    code,
    customerId,
    firstTimeOnly: input.first_time_only ?? false,
    maxRedemptions: input.max_redemptions ?? null,
    expiresAt: input.expires_at ?? null,
    active,
  });
  const view = viewPromotionCode(made);
  tx.record('promotion_code.created', view);
  return tx.answer(view);
}

export const createPromotionCode = (deps: Deps, scope: Scope, input: PromotionCodeCreate): Promise<PromotionCodeView> =>
  withCode(() => deps.transaction(scope, (tx) => createIn(tx, input)));

export const retrievePromotionCode = (deps: Deps, scope: Scope, id: string): Promise<PromotionCodeView> =>
  readOne({ deps, scope }, PromotionCodeSchema, { id, view: viewPromotionCode });

export function listPromotionCodes(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof PromotionCodeListQuery>,
): Promise<Page<PromotionCodeView>> {
  const where = withoutUndefined({
    active: query.active,
    code: query.code,
    couponId: query.coupon_id,
    customerId: query.customer_id,
  });
  const url = '/api/v1/promotion_codes';
  return listPage({ deps, scope }, PromotionCodeSchema, { query, where, url, view: viewPromotionCode });
}

function applyToCode(code: PromotionCode, changes: PromotionCodeUpdate): void {
  if (changes.active !== undefined) code.active = changes.active;
  if (changes.expires_at !== undefined) code.expiresAt = changes.expires_at;
}

/** Changes the fields sent; a code that is switched on again may be taken meanwhile. */
export function updatePromotionCode(
  deps: Deps,
  scope: Scope,
  id: string,
  changes: PromotionCodeUpdate,
): Promise<PromotionCodeView> {
  return withCode(() =>
    deps.transaction(scope, async (tx) => {
      const code = await tx.lock(promotionCodes, id);
      refusePassed(changes.expires_at, tx.now, 'promotion_code.expires_at');
      if (changes.active === true && !code.active) await refuseTaken(tx, code.code, id);
      const shown = { type: 'promotion_code.updated', view: viewPromotionCode } as const;
      return answerChange(tx, code, { ...shown, apply: applyToCode, changes });
    }),
  );
}

const lockCodesOf = statement<PromotionCode>(
  'lock_promotion_codes_of_customer',
  `SELECT ${promotionCodes.columns('h')} FROM promotion_code h WHERE ${mine('h')} AND h.customer_id = :customerId ORDER BY h.id FOR UPDATE`,
);

/** Codes that an anonymized customer alone could redeem are switched off, and lose their texts, which may name the customer. */
export async function erasePromotionCodes(tx: Tx, { id: customerId }: Customer): Promise<void> {
  for (const found of await tx.query(lockCodesOf, { customerId })) {
    const code = tx.keep(promotionCodes, found);
    code.active = false;
    code.code = code.id.toUpperCase().replace('_', '-');
    tx.record('promotion_code.updated', viewPromotionCode(code));
  }
}
