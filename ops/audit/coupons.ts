import type { Check } from './check.ts';

const countCheck = (table: 'coupon' | 'promotion_code'): Check => ({
  name: `${table}-redemptions`.replaceAll('_', '-'),
  sql: `SELECT c.id, c.times_redeemed, c.max_redemptions, count(r.id) AS counted
    FROM ${table} c LEFT JOIN redemption r ON r.${table}_id = c.id AND r.status IN ('reserved', 'redeemed')
    GROUP BY c.id HAVING c.times_redeemed <> count(r.id) OR count(r.id) > c.max_redemptions`,
  describe: '{id} counts {times_redeemed} redemptions of {max_redemptions}; {counted} are reserved or redeemed',
});

/** What is redeemed is counted, and stands as the invoice that it was redeemed for (docs/product/coupons.md#redemption). */
export const couponChecks: readonly Check[] = [
  countCheck('coupon'),
  countCheck('promotion_code'),
  {
    name: 'redemption-of-invoice',
    sql: `SELECT r.id, r.status, i.id AS invoice, i.status AS invoiced FROM redemption r JOIN invoice i ON i.id = r.invoice_id
      WHERE r.customer_id IS DISTINCT FROM i.customer_id OR CASE i.status WHEN 'paid' THEN r.status = 'reserved'
        WHEN 'void' THEN r.status <> 'released' ELSE r.status = 'redeemed' END`,
    describe: '{id} is {status}, its invoice {invoice} {invoiced}',
  },
  {
    name: 'redemption-of-session',
    sql: `SELECT r.id, r.status FROM redemption r WHERE r.invoice_id IS NULL AND r.subscription_id IS NULL AND r.status <> 'released'
      AND NOT EXISTS (SELECT FROM checkout_session c WHERE c.account_id = r.account_id AND c.live_mode = r.live_mode
        AND c.status = 'open' AND c.discounts #>> '{0,redemption}' = r.id)`,
    describe: '{id} is {status} for nothing that can be paid',
  },
  {
    name: 'redemption-of-subscription',
    sql: `SELECT r.id, r.status, s.id AS subscription, s.status AS subscribed, i.id AS invoice, i.bill_number FROM redemption r
      JOIN subscription s ON s.id = r.subscription_id LEFT JOIN invoice i ON i.id = r.invoice_id
      WHERE r.customer_id <> s.customer_id OR (i.id IS NOT NULL AND (i.subscription_id IS DISTINCT FROM s.id OR i.bill_number IS DISTINCT FROM 1))
        OR (i.id IS NULL AND (r.status = 'redeemed' OR s.bills > 0)) OR (s.status = 'inactive' AND r.status = 'reserved')
        OR (r.status <> 'released' AND s.discounts #>> '{0,redemption}' IS DISTINCT FROM r.id)`,
    describe: '{id} is {status} by {invoice}, bill {bill_number} of {subscription}, which is {subscribed}',
  },
  {
    name: 'subscription-discount',
    sql: `SELECT s.id, d.one ->> 'redemption' AS redemption, r.status, r.subscription_id FROM subscription s
      CROSS JOIN LATERAL json_array_elements(s.discounts) WITH ORDINALITY AS d (one, place)
      LEFT JOIN redemption r ON r.id = d.one ->> 'redemption' AND r.account_id = s.account_id AND r.live_mode = s.live_mode
      WHERE d.one ->> 'redemption' IS NOT NULL AND (r.id IS NULL OR d.place > 1 OR r.subscription_id IS DISTINCT FROM s.id
        OR (r.status = 'released' AND s.status <> 'inactive')
        OR (d.one ->> 'coupon', d.one ->> 'promotion_code', d.one ->> 'type', (d.one ->> 'percentage')::numeric, (d.one ->> 'amount')::bigint,
            (d.one ->> 'cycles')::integer, d.one ->> 'description', (d.one -> 'applies_to')::jsonb)
          IS DISTINCT FROM (r.coupon_id, r.promotion_code_id, r.type, r.percentage::numeric, r.amount_cents, r.cycles, r.name,
            coalesce(r.applies_to::jsonb, 'null')))`,
    describe: '{id} has a discount of {redemption}, which is {status} for {subscription_id} with other terms',
  },
  {
    name: 'redemption-discount',
    sql: `SELECT i.id, d.one ->> 'redemption' AS redemption, r.status, r.invoice_id FROM invoice i
      CROSS JOIN LATERAL json_array_elements(i.discounts) WITH ORDINALITY AS d (one, place)
      LEFT JOIN redemption r ON r.id = d.one ->> 'redemption' AND r.account_id = i.account_id AND r.live_mode = i.live_mode
      WHERE d.one ->> 'redemption' IS NOT NULL AND (r.id IS NULL OR d.place > 1
        OR (d.one ->> 'coupon', d.one ->> 'type', (d.one ->> 'percentage')::numeric, (d.one ->> 'amount_cents')::bigint)
          IS DISTINCT FROM (r.coupon_id, r.type, r.percentage::numeric, r.amount_cents))`,
    describe: '{id} has a discount of {redemption}, which is {status} for {invoice_id} with other terms',
  },
];
