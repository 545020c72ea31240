import { mine, statement } from '../db/statement.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession, PaymentLink } from './entity.ts';

/** A sale that is held for a session; what the link sells is read with it. */
export type Reserved = Pick<
  PaymentLink,
  | ('id' | 'mode' | 'lineItems' | 'amount' | 'maxSales' | 'successUrl' | 'returnUrl')
  | ('terms' | 'allowPromotionCodes' | 'metadata')
>;

/** One of its sales is taken only while one is left, however many ask at once: the row is locked from here on. */
const reserve = statement<Reserved>(
  'reserve_sale_of_link',
  `UPDATE payment_link k SET reserved = k.reserved + 1
   WHERE ${mine('k')} AND k.id = :id AND k.active AND (k.expires_at IS NULL OR k.expires_at > :now)
     AND (k.max_sales IS NULL OR k.sales + k.reserved < k.max_sales)
   RETURNING k.id, k.mode, k.line_items AS "lineItems", k.amount, k.max_sales AS "maxSales", k.success_url AS "successUrl", k.return_url AS "returnUrl",
     k.terms, k.allow_promotion_codes AS "allowPromotionCodes", k.metadata`,
);

/** Holds a sale of a link; null: it has none left, or is over. */
export async function reserveSale(tx: Tx, id: string): Promise<Reserved | null> {
  const [reserved = null] = await tx.query(reserve, { id, now: tx.now });
  return reserved;
}

const countOpenFrom = statement<{ open: number }>(
  'count_open_sessions_from_address',
  `SELECT count(*)::integer AS open FROM checkout_session c
   WHERE ${mine('c')} AND c.payment_link_id = :id AND c.opened_from = :openedFrom`,
);

/** Sales of a link that sessions from one address hold, counted behind the lock of `reserveSale`. */
export async function heldFrom(tx: Tx, of: { id: string; openedFrom: string }): Promise<number> {
  const [counted] = await tx.query(countOpenFrom, of);
  return counted?.open ?? 0;
}

/** Sent with the commit: counted under the lock that a reservation takes. */
const sell = statement(
  'sell_of_link',
  `UPDATE payment_link k SET sales = k.sales + 1, reserved = k.reserved - 1 WHERE ${mine('k')} AND k.id = :id`,
);
const giveBack = statement(
  'give_back_sale_of_link',
  `UPDATE payment_link k SET reserved = k.reserved - 1 WHERE ${mine('k')} AND k.id = :id`,
);

/** Counts a session that has just been closed: paid it is a sale, else another buyer may have what it held. */
export function countSession(tx: Tx, { paymentLinkId: id, status }: CheckoutSession): void {
  if (id != null) tx.write(status === 'complete' ? sell : giveBack, { id });
}

/** What a link says of whether it sells. */
type Offering = Pick<PaymentLink, 'active' | 'expiresAt' | 'maxSales' | 'sales' | 'reserved'>;

/** `on_hold`: all that is left is held by open sessions. */
export type LinkState = 'selling' | 'on_hold' | 'over';

/** Whether a link sells now (docs/product/payment-links.md#the-page). */
export function stateOfLink({ active, expiresAt, maxSales, sales, reserved }: Offering, now: Timestamp): LinkState {
  if (!active || (expiresAt != null && expiresAt <= now)) return 'over';
  if (maxSales == null || sales + reserved < maxSales) return 'selling';
  return sales < maxSales ? 'on_hold' : 'over';
}
