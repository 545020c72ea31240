import type { Customer as CustomerView } from '../../contract/customers.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { lockForChange } from './customers.ts';
import { viewCustomer } from './view.ts';

/** The name an anonymized customer bears. */
const ANONYMOUS = 'Anonimizado';

const eraseAnswers = statement(
  'erase_idempotent_answers',
  `UPDATE idempotency_key SET answer = NULL WHERE account_id = $1 AND customer_id = $2`,
);

/** Erases the personal data of a customer (LGPD, decisions §3); again on an anonymized one it changes nothing. */
export function anonymizeCustomer(deps: Deps, scope: Scope, id: string): Promise<CustomerView> {
  return deps.transaction(scope, async (tx) => {
    const customer = await lockForChange(tx, id);
    if (customer.anonymizedAt != null) return tx.answer(viewCustomer(customer));
    for (const guard of tx.reactions.beforeAnonymize) await guard(tx, customer);
    Object.assign(customer, {
      name: ANONYMOUS,
      identifier: null,
      email: null,
      phone: null,
      externalCode: null,
      address: null,
    });
    customer.anonymizedAt = tx.now;
    for (const react of tx.reactions.anonymized) await react(tx, customer);
    // Sent last: it has to see the answers of all whom the statements before it waited for.
    await tx.query(eraseAnswers, [tx.scope.accountId, id]);
    const view = viewCustomer(customer);
    tx.record('customer.anonymized', view);
    return tx.answer(view);
  });
}
