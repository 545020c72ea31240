import type { Customer as CustomerView } from '../../contract/customers.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { hook } from '../unit-of-work/hooks.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { lockForChange } from './customers.ts';
import type { Customer } from './entity.ts';
import { eraseNotes } from './notes.ts';
import { viewCustomer } from './view.ts';
import { reindexWords } from './word-index.ts';

type Anonymizing = (tx: Tx, customer: Customer) => Promise<void>;

/** Each may refuse to erase the data of a customer. */
export const beforeAnonymized = hook<Anonymizing>('beforeAnonymized');
/** Each erases what its domain copied of a customer; the customer is anonymized already. */
export const afterAnonymized = hook<Anonymizing>('afterAnonymized');

/** The name an anonymized customer bears. */
const ANONYMOUS = 'Anonimizado';

const eraseAnswers = statement(
  'erase_idempotent_answers',
  `UPDATE idempotency_key SET answer = NULL WHERE account_id = :accountId AND customer_id = :customerId`,
);

/** Erases the personal data of a customer (LGPD, docs/product/customers.md#anonymization); again on an anonymized one it changes nothing. */
export function anonymizeCustomer(deps: Deps, scope: Scope, id: string): Promise<CustomerView> {
  return deps.transaction(scope, async (tx) => {
    const customer = await lockForChange(tx, id);
    if (customer.anonymizedAt != null) return tx.answer(viewCustomer(customer));
    for (const guard of tx.reactionsAt(beforeAnonymized)) await guard(tx, customer);
    Object.assign(customer, {
      name: ANONYMOUS,
      identifier: null,
      email: null,
      phone: null,
      externalCode: null,
      address: null,
    });
    customer.anonymizedAt = tx.now;
    reindexWords(tx, customer);
    eraseNotes(tx, id);
    for (const erase of tx.reactionsAt(afterAnonymized)) await erase(tx, customer);
    // Sent last: it has to see the answers of all whom the statements before it waited for.
    await tx.query(eraseAnswers, { customerId: id });
    const view = viewCustomer(customer);
    tx.record('customer.anonymized', view);
    return tx.answer(view);
  });
}
