import type { Tx } from '../unit-of-work/tx.ts';
import type { Subscription } from './entity.ts';

/** What was shown is agreed to by what begins the subscription, or stores the first card of it (docs/product/payment-page.md#consent). */
export function agree(tx: Tx, subscription: Subscription): void {
  if (subscription.consentText != null) subscription.consentAt ??= tx.now;
}
