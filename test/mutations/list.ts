import { newSuffix } from '../../server/kernel/ids.ts';
import { withoutMonthly } from '../support/audit/fault.ts';
import { askingOtherwise, forgetful, inTransactions, reading, unlocked } from './bugs.ts';
import { charges } from './charges.ts';
import {
  activation,
  api,
  attempts,
  bank,
  book,
  ending,
  money,
  parts,
  receiptsOf,
  refundsOf,
  rules,
  settlement,
  subscriptionRules,
} from './functions.ts';
import type { Mutation } from './mutation.ts';

/** A receipt as if nothing had been decided of it. */
const undecided = (row: object): object => ('txid' in row ? { ...row, intentId: null } : row);

/** Bugs of receipts by PIX, and of cards that take over from them. */
const receipts: readonly Mutation[] = [
  {
    name: 'a QR code is not ended at the bank before the card is charged',
    ...ending('endQrAtAcquirer', () => async () => 'ended'),
    caughtBy: api('payments/card/takeover', 'from a QR code, which is ended at the bank before the card is charged'),
  },
  {
    name: 'a card is charged for an invoice whose PIX is confirmed',
    ...book(
      'refuseUnlessChargeable',
      (refuseUnlessChargeable) => (chargeable, now) =>
        refuseUnlessChargeable({ ...chargeable, isConfirmed: false }, now),
    ),
    caughtBy: api(
      'payments/card/takeover',
      'is confirmed and not settled is refused before the acquirer sees the card',
    ),
  },
  {
    name: 'a receipt settles an invoice whose card is at the acquirer',
    ...rules('decideReceipt', (decideReceipt) => (facts) => decideReceipt({ ...facts, unsettled: null })),
    caughtBy: api('payments/card/charge-receipts', 'is only stored'),
  },
  {
    name: 'a receipt that waited for a card is forgotten',
    ...receiptsOf('undecidedReceipts', () => async () => []),
    caughtBy: api('payments/card/charge-receipts', 'goes back when the card was approved'),
  },
  {
    name: 'a surplus is kept',
    ...parts('returnSurplus', () => () => {}),
    caughtBy: api(
      'payments/card/takeover',
      'from a QR code that cannot be paid any more; what is paid all the same goes back',
    ),
  },
  {
    name: 'a surplus counts among the amounts of its invoice',
    ...parts('completePart', (completePart) => async (tx, refund, part) => {
      await completePart(tx, refund, part);
      if (refund.intent.surplus) refund.invoice.amountRefunded += part.amount;
    }),
    caughtBy: api('payments/card/charge-receipts', 'goes back when the card was approved'),
  },
  {
    name: 'a receipt is booked again by who learns of it second',
    ...settlement(
      'handleNotice',
      (handleNotice) =>
        (deps, ...notice) =>
          handleNotice(
            inTransactions(deps, (tx) => reading(tx, undecided)),
            ...notice,
          ),
    ),
    caughtBy: money('a PIX that two learn of at once is booked once'),
  },
];

/** Bugs of refunds. */
const refunds: readonly Mutation[] = [
  {
    name: 'the parts of a refund are read ahead of the lock',
    ...parts('lockRefundBook', (lockRefundBook) => async (tx, ids) => {
      const { parts: ahead } = await lockRefundBook(unlocked(tx), ids);
      return { ...(await lockRefundBook(tx, ids)), parts: ahead };
    }),
    caughtBy: api('payments/refunds/card', 'never comes to more than was paid'),
  },
  {
    name: 'a part on its way is not reserved',
    ...parts(
      'standingAmount',
      (standingAmount) => (all) => standingAmount(all.filter(({ status }) => status === 'refunded')),
    ),
    caughtBy: api('payments/refunds/pix', 'never comes to more than was paid'),
  },
  {
    name: 'a part that was refused stays reserved',
    ...parts('standingAmount', () => (all) => all.reduce((sum, { amount }) => sum + amount, 0)),
    caughtBy: api('payments/refunds/card', 'leaves its money to be asked for again'),
  },
  {
    name: 'a return is asked under a new reference each time',
    ...bank(
      'createAsk',
      askingOtherwise(({ refundCard, refundPix }) => ({
        refundCard: (merchant, request) => refundCard(merchant, { ...request, reference: newSuffix() }),
        refundPix: (merchant, request) => refundPix(merchant, { ...request, reference: newSuffix() }),
      })),
    ),
    caughtBy: api('payments/refunds/unknown', 'is made once, as its case finds out'),
  },
  {
    name: 'money counts as refunded when it is asked for',
    ...parts('askPart', (askPart) => (tx, refund, asked) => {
      refund.intent.amountRefunded += asked.amount;
      return askPart(tx, refund, asked);
    }),
    caughtBy: api('payments/refunds/pix', 'is on its way in the answer, and is made 5 s later'),
  },
  {
    name: 'a repeat under the same key refunds anew',
    ...refundsOf('createRefund', (createRefund) => (deps, scope, input) => createRefund(deps, forgetful(scope), input)),
    caughtBy: api('payments/refunds/idempotency', 'of unknown outcome asks nothing anew until the outcome is known'),
  },
];

/** Bugs of money that a bank takes back by itself. */
const disputes: readonly Mutation[] = [
  {
    name: 'a return that a refund asked for is taken for a dispute',
    ...rules('decideReturn', (decideReturn) => (facts) => decideReturn({ ...facts, part: null })),
    caughtBy: api('payments/disputes/refunds', 'has its case look at it, and is no dispute'),
  },
  {
    name: 'money that the bank took is refunded',
    ...rules(
      'refundAmount',
      (refundAmount) => (intent, asked) => refundAmount({ ...intent, amountDisputed: 0 }, asked),
    ),
    caughtBy: api('payments/disputes/refunds', 'is of what is left at most'),
  },
  {
    name: 'a surplus that the bank took is asked for again and again',
    ...parts('isOvertaken', () => () => false),
    caughtBy: api('payments/disputes/surplus', 'whole is not asked for any more'),
  },
  {
    name: 'a surplus that came back is kept',
    ...parts(
      'returnSurplus',
      (returnSurplus) => (tx, refund) => (refund.parts.length === 0 ? returnSurplus(tx, refund) : undefined),
    ),
    caughtBy: api('payments/disputes/surplus', 'asked back under a new reference'),
  },
];

/** Bugs of cards that are stored for renewals. */
const renewals: readonly Mutation[] = [
  {
    name: 'a scheduled charge chooses the card that it charged',
    ...activation(
      'followPaid',
      (followPaid) => (tx, invoice, payment) => followPaid(tx, invoice, { ...payment, initiator: 'customer' }),
    ),
    caughtBy: api('subscriptions/payment-method-races', 'by the schedule leaves it the new card'),
  },
  {
    name: 'a scheduled charge is told as one of the buyer',
    ...attempts(
      'openAttempt',
      (openAttempt) => (tx, intent, charge) => openAttempt(tx, intent, { ...charge, initiator: 'customer' }),
    ),
    caughtBy: api('subscriptions/payment-method-races', 'and of the merchant by the schedule'),
  },
  {
    name: 'a card that is declined at its verification is stored',
    ...bank(
      'createAsk',
      askingOtherwise((bank) => ({ verifyCard: (merchant, request) => bank.tokenizeCard(merchant, request) })),
    ),
    caughtBy: api('subscriptions/payment-method', 'when its issuer answers suspected_fraud'),
  },
  {
    name: 'a card is stored for a subscription that ended meanwhile',
    ...subscriptionRules('refuseUnlessRenewing', () => () => {}),
    caughtBy: api('subscriptions/payment-method', 'to one that ends while the card is verified'),
  },
];

/** Guards that only show when the code before them fails. */
const guards: readonly Mutation[] = [
  {
    name: 'the database lets an invoice have two unsettled charges',
    sql: withoutMonthly('one_unsettled').text,
    caughtBy: money('a second unsettled charge of an invoice'),
  },
  {
    name: 'the database lets an invoice be settled twice',
    sql: withoutMonthly('one_settling').text,
    caughtBy: money('a second payment that settles an invoice'),
  },
  {
    name: 'the database lets two returns have one reference at the bank',
    sql: 'ALTER TABLE refund_part DROP CONSTRAINT refund_part_reference_key',
    caughtBy: money('a return under the reference of another'),
  },
  {
    name: 'the database lets a charge have two attempts at the acquirer',
    sql: withoutMonthly('one_sent').text,
    caughtBy: money('a second attempt of a charge beside one that is at the acquirer'),
  },
];

export const mutations: readonly Mutation[] = [
  ...charges,
  ...receipts,
  ...refunds,
  ...disputes,
  ...renewals,
  ...guards,
];

/** The bug of a mutation, for the module that it breaks. */
export function bugOf(name: string): (sound: never) => unknown {
  const mutation = mutations.find((known) => known.name === name);
  if (mutation === undefined || !('bug' in mutation)) throw new Error(`there is no bug "${name}"`);
  return mutation.bug;
}
