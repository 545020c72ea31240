import type { InvoicePreview } from '../../contract/invoice-preview.ts';
import type { SubscriptionCreate } from '../../contract/subscription-inputs.ts';
import type { Deps } from '../deps.ts';
import { takenBack } from '../unit-of-work/transaction.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { insertSubscription, pendingBeside, readCreation } from './create.ts';
import { previewBill } from './upcoming.ts';

/**
 * What the first bill of a subscription would be (docs/product/subscriptions.md#a-preview): it is created, decided and taken back.
 * Nothing is written but the answer of an Idempotency-Key.
 */
export async function previewSubscription(
  deps: Deps,
  scope: Scope,
  input: SubscriptionCreate,
): Promise<InvoicePreview> {
  const preview = await takenBack(deps.transaction, scope, async (tx): Promise<InvoicePreview> => {
    const { made, begins } = await readCreation(tx, input);
    const { contracted, asked } = await insertSubscription(tx, begins === null ? made : { ...made, begins });
    const pending = await pendingBeside(tx, contracted.subscription, asked);
    const bill = previewBill(contracted, { cycle: 1, bill: 1, pending });
    return { ...bill, subscription: null, customer: input.customer_id ?? null };
  });
  return deps.transaction(scope, async (tx) => tx.answer(preview));
}
