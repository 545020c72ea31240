import type { contract } from '../../contract/index.ts';
import { createCoupon, listCoupons, retrieveCoupon, updateCoupon } from '../coupons/coupons.ts';
import {
  createPromotionCode,
  listPromotionCodes,
  retrievePromotionCode,
  updatePromotionCode,
} from '../coupons/promotion-codes.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';

export const couponRoutes = (deps: Deps): Handlers<typeof contract.coupons> => ({
  create: (scope, { body }) => createCoupon(deps, scope, body.coupon),
  retrieve: (scope, { params }) => retrieveCoupon(deps, scope, params.coupon_id),
  list: (scope, { query }) => listCoupons(deps, scope, query),
  update: (scope, { params, body }) => updateCoupon(deps, scope, params.coupon_id, body.coupon),
});

export const promotionCodeRoutes = (deps: Deps): Handlers<typeof contract.promotionCodes> => ({
  create: (scope, { body }) => createPromotionCode(deps, scope, body.promotion_code),
  retrieve: (scope, { params }) => retrievePromotionCode(deps, scope, params.promotion_code_id),
  list: (scope, { query }) => listPromotionCodes(deps, scope, query),
  update: (scope, { params, body }) => updatePromotionCode(deps, scope, params.promotion_code_id, body.promotion_code),
});
