import type { Check } from './check.ts';

/** A change that waits for its payment holds once its invoice is paid, and else not (docs/product/subscriptions.md#changes). */
export const changeChecks: readonly Check[] = [
  {
    name: 'subscription-change-invoice',
    sql: `SELECT g.id, g.status, g.lapses_at, g.charge - g.credit AS amount, i.id AS invoice, i.status AS invoice_status, i.total, i.subscription_id
      FROM subscription_change g FULL JOIN (SELECT * FROM invoice WHERE billing_reason = 'subscription_change') AS i ON i.id = g.invoice_id
      WHERE (g.invoice_id IS NOT NULL OR i.id IS NOT NULL) AND (i.subscription_id = g.subscription_id AND i.total = greatest(0, g.charge - g.credit)
        AND i.status = CASE g.status WHEN 'awaiting_payment' THEN 'open' WHEN 'applied' THEN 'paid' ELSE 'void' END) IS NOT TRUE`,
    describe:
      '{id} of {amount} is {status}, its invoice {invoice} of {subscription_id} is {invoice_status} and comes to {total}',
  },
  {
    name: 'subscription-change-awaited',
    sql: `SELECT s.id, s.status, s.change_lapses_at, s.current_period_end, g.id AS change, g.lapses_at FROM subscription s
      LEFT JOIN subscription_change g ON g.subscription_id = s.id AND g.status = 'awaiting_payment'
      WHERE s.change_lapses_at IS DISTINCT FROM g.lapses_at OR s.change_lapses_at > s.current_period_end OR (s.change_lapses_at IS NOT NULL AND s.status <> 'active')`,
    describe:
      '{id} is {status} until {current_period_end}; {change} waits for its payment until {lapses_at}, and not until {change_lapses_at}',
  },
];
