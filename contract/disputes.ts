import { z } from 'zod';
import {
  amount,
  currency,
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  PaymentMethodType,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { c, listErrors, readErrors, routerOptions } from './router.ts';

/** What a dispute is at the bank (docs/product/disputes.md#the-dispute). */
export const disputeKinds = ['med', 'chargeback', 'inquiry'] as const;
const DisputeKind = named('DisputeKind', disputeKinds, 'What a dispute is at the bank.');

/** Why a bank took money of a PIX back. */
export const medReasons = ['fraud', 'operational_error', 'automatic_debit', 'returned_at_bank'] as const;
export type MedReason = (typeof medReasons)[number];

/** Why a bank took money back (docs/product/disputes.md#reasons). */
export const disputeReasons = [...medReasons, 'general'] as const;
const DisputeReason = named('DisputeReason', disputeReasons, 'Why a bank took money back.');

/** Where a dispute stands (docs/product/disputes.md#status-and-funds). */
export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost', 'closed'] as const;
const DisputeStatus = named('DisputeStatus', disputeStatuses, 'Where a dispute stands.');

/** Where the disputed money is (docs/product/disputes.md#status-and-funds). */
export const disputeFunds = ['none', 'withdrawn', 'reinstated'] as const;
const DisputeFunds = named('DisputeFunds', disputeFunds, 'Where the disputed money is.');

export const Dispute = z
  .object({
    id: typeId('dp', 'Identifier of the dispute.'),
    object: objectName('dispute'),
    payment_intent: typeId('pi', 'The payment that is disputed.'),
    invoice: typeId('in', 'The invoice that the payment was made for; its status stays.'),
    customer: typeId('cus', 'Who paid.'),
    amount: amount('Disputed: what the bank took back, or may take back.'),
    currency,
    method: field(PaymentMethodType, 'How the payment was made.', 'pix'),
    kind: field(
      DisputeKind,
      '`med`: money of a PIX went back at the bank by itself, mostly by the rules of the central bank (MED); `chargeback`: the issuer of a card took the money for its holder; `inquiry`: the issuer asks and takes nothing, which no acquirer tells today.',
      'med',
    ),
    reason: field(
      DisputeReason,
      '`fraud`: the payer was deceived or robbed; `operational_error`: a bank paid by mistake; `automatic_debit`: a debit that the payer had not agreed to; `returned_at_bank`: the money was returned at the bank itself, not by a refund of this API; `general`: no reason was told.',
      'fraud',
    ),
    status: field(
      DisputeStatus,
      '`needs_response`: waits for your evidence; `under_review`: the bank decides; `won`: the money is yours; `lost`: it is not; `closed`: ended without money. A `med` and a `chargeback` are `lost` from their beginning, and `won` if the bank takes its return back.',
      'lost',
    ),
    funds: field(
      DisputeFunds,
      '`none`: no money moved; `withdrawn`: the bank took it, and it counts in `amount_disputed`; `reinstated`: the bank gave it back.',
      'withdrawn',
    ),
    evidence_due_by: field(
      z.int().nullable(),
      'Until when evidence is taken. Unix time, seconds; null where none is, as for a `med`.',
      null,
    ),
    created: timestamp('When the dispute became known.'),
    closed_at: timestampOrNull('When it was decided.'),
    live_mode: liveMode,
  })
  .meta({ id: 'Dispute', description: 'Money of a payment that the bank took back, or may take back, unasked.' });

export type Dispute = z.output<typeof Dispute>;

export const DisputeListQuery = z.strictObject({
  ...pageQuery('dp'),
  payment_intent_id: typeId('pi', 'Only disputes of this payment.').optional(),
  invoice_id: typeId('in', 'Only disputes of payments of this invoice, surplus ones among them.').optional(),
  customer_id: typeId('cus', 'Only disputes of payments of this customer.').optional(),
  status: field(DisputeStatus.optional(), 'Only disputes in this status.', 'lost'),
});

export const disputes = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/disputes/:dispute_id',
      pathParams: pathId('dispute', 'dp'),
      summary: 'Retrieve a dispute',
      responses: { 200: Dispute, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'dp' }),
    },
    list: {
      method: 'GET',
      path: '/disputes',
      summary: 'List disputes',
      description:
        'Newest first. A payment has as many disputes as the bank made returns that no refund of yours asked for.',
      query: DisputeListQuery,
      responses: { 200: listOf(Dispute, { id: 'DisputeList', url: '/api/v1/disputes' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
