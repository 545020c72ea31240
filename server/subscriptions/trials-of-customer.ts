import type { Customer as CustomerView } from '../../contract/customers.ts';
import { retrieveCustomer } from '../customers/customers.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** What was billed as its trial ended, or is to be, and what it began with. */
const findTrials = statement<{ product: string }>(
  'find_trials_of_customer',
  `SELECT DISTINCT q.product_id AS product FROM subscription s
     JOIN subscription_term m ON m.subscription_id = s.id AND m.effective_at <= s.trial_end_at JOIN price q ON q.id = m.price_id
   WHERE ${mine('s')} AND s.customer_id = :customerId AND s.trial_start_at IS NOT NULL ORDER BY 1`,
);

/** A customer with the products that it had on trial (docs/product/subscriptions.md#trials). */
export async function retrieveWithTrials(deps: Deps, scope: Scope, customerId: string): Promise<CustomerView> {
  const [customer, trials] = await Promise.all([
    retrieveCustomer(deps, scope, customerId),
    readIn(deps.pool, scope, findTrials, { customerId }),
  ]);
  return { ...customer, trials: trials.map(({ product }) => product) };
}
