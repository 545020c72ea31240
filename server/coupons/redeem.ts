import { mine, statement } from '../db/statement.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Coupon, PromotionCode, Redemption } from './entity.ts';
import { coupons, promotionCodes, redemptions } from './rows.ts';
import { type DiscountedLine, isCodeOf, refusedCoupon, refusedLines } from './rules.ts';

/** What is to be redeemed: a coupon by its id, or by the text of a code. */
export type AskedCoupon = { readonly coupon_id: string } | { readonly promotion_code: string };

/** The coupon that a request asks for; null: none. */
export function askedCoupon(input: {
  readonly coupon_id?: string | null | undefined;
  readonly promotion_code?: string | null | undefined;
}): AskedCoupon | null {
  if (input.coupon_id != null) return { coupon_id: input.coupon_id };
  return input.promotion_code == null ? null : { promotion_code: input.promotion_code };
}

/** For whom, and for what. */
export interface Redeeming {
  /** Where the coupon stands in the request: `invoice`. */
  readonly root: string;
  /** Who buys, locked; null: nobody knows yet, and `refuseBuyer` is asked once somebody does. */
  readonly customerId: string | null;
  readonly lines: readonly DiscountedLine[];
  /** What is paid for; null: it is not made yet. */
  readonly invoiceId: string | null;
}

/** Coupons are locked before their codes, both behind the object that they are redeemed for (docs/design/transactions.md#locks). */
const lockCoupon = statement<Coupon>(
  'lock_coupon_to_redeem',
  `SELECT ${coupons.columns('c')} FROM coupon c WHERE ${mine('c')} AND c.id = :id FOR NO KEY UPDATE`,
);
const findCode = statement<{ id: string; couponId: string }>(
  'find_promotion_code_to_redeem',
  `SELECT h.id, h.coupon_id AS "couponId" FROM promotion_code h WHERE ${mine('h')} AND h.active AND h.code = :code`,
);
const lockCode = statement<PromotionCode>(
  'lock_promotion_code_to_redeem',
  `SELECT ${promotionCodes.columns('h')} FROM promotion_code h WHERE ${mine('h')} AND h.id = :id FOR NO KEY UPDATE`,
);

const IS_LEFT = 'max_redemptions IS NULL OR times_redeemed < max_redemptions';
const countCoupon = statement<{ id: string }>(
  'count_redemption_of_coupon',
  `UPDATE coupon c SET times_redeemed = times_redeemed + 1 WHERE ${mine('c')} AND c.id = :id AND (${IS_LEFT}) RETURNING c.id`,
);
const countCode = statement<{ id: string }>(
  'count_redemption_of_promotion_code',
  `UPDATE promotion_code h SET times_redeemed = times_redeemed + 1 WHERE ${mine('h')} AND h.id = :id AND (${IS_LEFT}) RETURNING h.id`,
);

const findPaid = statement(
  'find_paid_invoice_of_customer',
  `SELECT i.id FROM invoice i WHERE ${mine('i')} AND i.customer_id = :customerId AND i.status = 'paid' LIMIT 1`,
);

const notApplicable = (param: string, rule: string): BillingError =>
  new BillingError('COUPON_NOT_APPLICABLE', { message: `${param} cannot be redeemed here, by ${rule}`, param });

const codeInvalid = (param: string, code: string): BillingError =>
  new BillingError('PROMOTION_CODE_INVALID', {
    message: `${param} ${JSON.stringify(code)} is no code that can be redeemed`,
    param,
  });

async function refuseUnlessFirst(
  tx: Tx,
  { firstTimeOnly }: PromotionCode,
  { customerId, param }: { customerId: string; param: string },
): Promise<void> {
  if (!firstTimeOnly) return;
  const [paid] = await tx.query(findPaid, { customerId });
  if (paid !== undefined) throw notApplicable(param, `first_time_only: ${customerId} has paid an invoice before`);
}

/** The code of a text with its coupon, both locked. */
async function lockByCode(tx: Tx, text: string, { root, customerId }: Redeeming) {
  const param = `${root}.promotion_code`;
  const [found] = await tx.query(findCode, { code: text });
  if (found === undefined) throw codeInvalid(param, text);
  const [coupon] = await tx.query(lockCoupon, { id: found.couponId });
  const [code] = await tx.query(lockCode, { id: found.id });
  if (coupon === undefined || code === undefined || !isCodeOf(code, { customerId, now: tx.now }))
    throw codeInvalid(param, text);
  if (customerId !== null) await refuseUnlessFirst(tx, code, { customerId, param });
  return { coupon, code, param };
}

async function lockById(tx: Tx, id: string, { root }: Redeeming) {
  const param = `${root}.coupon_id`;
  const [coupon] = await tx.query(lockCoupon, { id });
  if (coupon === undefined) throw missing('coupon', id, param);
  return { coupon, code: null, param };
}

async function count(tx: Tx, { coupon, code, param }: Awaited<ReturnType<typeof lockByCode | typeof lockById>>) {
  const exhausted = (id: string) =>
    new BillingError('COUPON_EXHAUSTED', { message: `${param}: ${id} was redeemed as often as it may be`, param });
  if ((await tx.query(countCoupon, { id: coupon.id })).length === 0) throw exhausted(coupon.id);
  if (code !== null && (await tx.query(countCode, { id: code.id })).length === 0) throw exhausted(code.id);
}

/**
 * Reserves a coupon for a purchase, counted where it is capped (docs/product/coupons.md#redemption): its payment redeems it
 * (`redeem`), its end releases it (`release`).
 */
export async function reserve(tx: Tx, asked: AskedCoupon, redeeming: Redeeming): Promise<Redemption> {
  const locked = await ('coupon_id' in asked
    ? lockById(tx, asked.coupon_id, redeeming)
    : lockByCode(tx, asked.promotion_code, redeeming));
  const { coupon, code, param } = locked;
  const rule = refusedCoupon(coupon, tx.now) ?? refusedLines(coupon, redeeming.lines);
  if (rule !== null) throw notApplicable(param, rule);
  await count(tx, locked);
  const { name, type, percentage, amountCents, cycles, appliesTo, minimumAmount } = coupon;
  return tx.insert(redemptions, {
    id: newId('rdm'),
    couponId: coupon.id,
    promotionCodeId: code?.id ?? null,
    status: 'reserved',
    customerId: redeeming.customerId,
    invoiceId: redeeming.invoiceId,
    subscriptionId: null,
    ...{ name, type, percentage, amountCents, cycles, appliesTo, minimumAmount },
  });
}

/** Refuses lines that a reserved coupon cannot be redeemed for. */
export function refuseLines(redemption: Redemption, lines: readonly DiscountedLine[], param: string): void {
  const rule = refusedLines(redemption, lines);
  if (rule !== null) throw notApplicable(param, rule);
}

const findFirstOnly = statement<{ firstTimeOnly: boolean }>(
  'find_first_time_only_of_code',
  `SELECT h.first_time_only AS "firstTimeOnly" FROM promotion_code h WHERE ${mine('h')} AND h.id = :id`,
);

/** Whether what was reserved before its buyer was known may be redeemed by this one, who is locked. */
export async function isOpenTo(tx: Tx, { promotionCodeId: id }: Redemption, customerId: string): Promise<boolean> {
  if (id == null) return true;
  const [code] = await tx.query(findFirstOnly, { id });
  return code?.firstTimeOnly !== true || (await tx.query(findPaid, { customerId })).length === 0;
}
