import type { Check } from './check.ts';

/** A link counts what its sessions are, and sells no more than it may (docs/product/payment-links.md#how-many). */
export const paymentLinkChecks: readonly Check[] = [
  {
    name: 'payment-link-sales',
    sql: `SELECT k.id, k.sales, k.reserved, k.max_sales, count(c.id) FILTER (WHERE c.status = 'complete') AS paid,
        count(c.id) FILTER (WHERE c.status = 'open') AS open
      FROM payment_link k LEFT JOIN checkout_session c ON c.payment_link_id = k.id
      GROUP BY k.id HAVING k.sales <> count(c.id) FILTER (WHERE c.status = 'complete')
        OR k.reserved <> count(c.id) FILTER (WHERE c.status = 'open') OR k.sales + k.reserved > k.max_sales`,
    describe:
      '{id} counts {sales} sales and {reserved} reserved of {max_sales}; of its sessions {paid} are paid and {open} open',
  },
  {
    name: 'payment-link-sessions',
    sql: `SELECT c.id, c.line_items AS lines, c.mode, k.id AS link, k.mode AS sells FROM checkout_session c
      JOIN payment_link k ON k.id = c.payment_link_id WHERE c.mode <> k.mode OR c.line_items::jsonb <> k.line_items::jsonb
        OR c.terms::jsonb IS DISTINCT FROM k.terms::jsonb`,
    describe: '{id} sells {lines} in mode {mode}, which its link {link} ({sells}) does not',
  },
];
