import type { Deps } from '../deps.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { lockForChange } from './customers.ts';
import { viewCustomer } from './view.ts';

/** Notes whether a buyer wants letters that are about no money; whoever was anonymized gets none at all. */
export const changeUnsubscription = (
  deps: Deps,
  scope: Scope,
  { id, isWanted }: { readonly id: string; readonly isWanted: boolean },
): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    const customer = await lockForChange(tx, id);
    if (customer.anonymizedAt != null) return;
    const since = isWanted ? null : (customer.unsubscribedAt ?? tx.now);
    answerChange(tx, customer, {
      type: 'customer.updated',
      view: viewCustomer,
      apply: (row, unsubscribedAt: number | null) => {
        row.unsubscribedAt = unsubscribedAt;
      },
      changes: since,
    });
  });
