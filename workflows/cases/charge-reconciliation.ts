import { follow } from './case.ts';

/** A charge by card of unknown outcome, until the acquirer tells it (docs/product/cards.md#unknown-outcome). */
export async function chargeReconciliation(key: string): Promise<void> {
  await follow('charge-reconciliation', key);
}
