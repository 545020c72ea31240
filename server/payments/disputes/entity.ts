import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { disputeFunds, disputeKinds, type disputeReasons, disputeStatuses } from '../../../contract/disputes.ts';
import { check, index, inScope, p, scoped, scopeKey, told } from '../../db/columns.ts';

/** Money of an intent that the bank took back unasked; of a PIX, one for each return that no refund part asked for. */
export const DisputeSchema = defineEntity({
  name: 'Dispute',
  tableName: 'dispute',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    intentId: p.idIn('payment_intent'),
    invoiceId: p.idIn('invoice'),
    customerId: p.idIn('customer'),
    amount: p.whole().check('amount > 0'),
    method: p.enum(['pix', 'card'] as const),
    kind: p.enum(disputeKinds),
    reason: p.text().$type<(typeof disputeReasons)[number]>(),
    status: p.enum(disputeStatuses),
    funds: p.enum(disputeFunds),
    evidenceDueBy: p.whole().nullable(),
    closedAt: p.whole().nullable(),
    /** When the bank took the money, and when it gave the money back. */
    withdrawnAt: p.whole().nullable(),
    reinstatedAt: p.whole().nullable(),
    /** The payment of a PIX, and the bank's id of its return, or the acquirer's of a chargeback. */
    endToEndId: p.id().nullable(),
    returnId: p.id().nullable(),
  },
  // One for each return of the bank, whoever hears of it and how often.
  uniques: [
    scopeKey,
    index('dispute_return', ['returnId', 'endToEndId']),
    index('dispute_chargeback', ['intentId', 'returnId'], `kind = 'chargeback'`),
  ],
  indexes: [
    index('dispute_intent', ['intentId', 'id']),
    index('dispute_invoice', ['invoiceId', 'id']),
    index('dispute_customer', ['customerId', 'id']),
    index('dispute_withdrawn_since', ['accountId', 'liveMode', 'withdrawnAt'], 'withdrawn_at IS NOT NULL'),
    index('dispute_reinstated_since', ['accountId', 'liveMode', 'reinstatedAt'], 'reinstated_at IS NOT NULL'),
  ],
  checks: [
    check(
      'dispute_med',
      `(kind = 'med') = (end_to_end_id IS NOT NULL) AND (kind <> 'inquiry') = (return_id IS NOT NULL)`,
    ),
    check('dispute_withdrawn', `(funds = 'none') = (withdrawn_at IS NULL)`),
    check('dispute_reinstated', `(funds = 'reinstated') = (reinstated_at IS NOT NULL)`),
  ],
});

export type Dispute = InferEntity<typeof DisputeSchema>;
