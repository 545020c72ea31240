import { realTimeMs } from '../../kernel/time.ts';
import { table } from '../../unit-of-work/table.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Contracted } from '../rows.ts';
import { type Mandate, MandateSchema } from './entity.ts';

/** What a buyer was asked for never changes. */
export const mandates = table(MandateSchema, {
  // At most one is open of a subscription.
  updatesFirst: true,
  fixed: [
    'subscriptionId',
    'customerId',
    'journey',
    'amountType',
    'amount',
    'minimumAmount',
    'interval',
    'intervalCount',
    'startsOn',
    'firstTxid',
  ],
});

/** The mandate that is pending or active, of a subscription that the transaction holds; null: there is none. */
export const openMandateOf = async (tx: Tx, { subscription: { mandateId } }: Contracted): Promise<Mandate | null> =>
  mandateId == null ? null : tx.lock(mandates, mandateId);

/** Has the case `pix-mandate` ask the acquirer of it, or tell it that the mandate has ended. */
export function askOf(tx: Tx, mandate: Mandate): void {
  mandate.askedAt = new Date(realTimeMs());
  tx.enqueue({ kind: 'pix-mandate', key: mandate.id });
}
