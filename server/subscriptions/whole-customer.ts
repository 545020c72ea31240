import type { Customer as CustomerView } from '../../contract/customers.ts';
import { retrieveCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** Of each trial: what was billed as it ended, or is to be, and what it began with. */
const readWhole = statement<{ trials: string[]; credit: number }>(
  'read_whole_customer',
  `SELECT ARRAY (SELECT DISTINCT q.product_id FROM subscription s
       JOIN subscription_term m ON m.subscription_id = s.id AND m.effective_at <= s.trial_end_at JOIN price q ON q.id = m.price_id
       WHERE ${mine('s')} AND s.customer_id = :customerId AND s.trial_start_at IS NOT NULL ORDER BY 1) AS trials,
     (SELECT coalesce(sum(ii.amount - ii.used), 0)::bigint FROM invoice_item ii WHERE ${mine('ii')} AND ii.customer_id = :customerId
       AND ii.subscription_id IS NULL AND ii.status = 'pending' AND ii.type = 'credit') AS credit`,
);

/** A customer with the products that it had on trial (docs/product/subscriptions.md#trials), and the credits that no one subscription has to itself. */
export async function retrieveWhole(deps: Deps, scope: Scope, customerId: string): Promise<CustomerView> {
  const [customer, [whole]] = await Promise.all([
    retrieveCustomer(deps, scope, customerId),
    readIn(deps.pool, scope, readWhole, { customerId }),
  ]);
  return { ...customer, credit_balance: whole?.credit ?? 0, trials: whole?.trials ?? [] };
}
