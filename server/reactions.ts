import type { Customer } from './customers/entity.ts';
import type { Tx } from './deps.ts';
import type { Invoice } from './invoices/entity.ts';
import { eraseInvoiceCopies, refuseWhileBilled } from './invoices/erasure.ts';
import type { InvoicePaid } from './invoices/payment.ts';
import { eraseMails } from './mail/queue.ts';
import type { ChargeRecord } from './payments/card/attempts.ts';
import { eraseCards, refuseWhileMoneyMoves } from './payments/erasure.ts';
import { followPayment } from './subscriptions/activation.ts';
import { followDecline } from './subscriptions/collection/decline.ts';
import { refuseWhileAwaited, refuseWhileSubscribed } from './subscriptions/guards.ts';

/** What other domains have to say of a change below them, in its transaction: who may refuse it, and what else it changes. */
export interface Reactions {
  /** Each may refuse to erase the data of a customer. */
  readonly beforeAnonymize: readonly ((tx: Tx, customer: Customer) => Promise<void>)[];
  /** Each may refuse to let an invoice be voided or marked uncollectible by hand. */
  readonly beforeClosing: readonly ((tx: Tx, invoice: Invoice) => Promise<void>)[];
  /** Each prepares an invoice for being paid, and answers what is to be done once that is recorded. */
  readonly invoicePaid: readonly InvoicePaid[];
  /** Each says what a declined charge changes of its invoice before that is recorded; true: it changed it. */
  readonly chargeDeclined: readonly ((tx: Tx, record: ChargeRecord) => Promise<boolean>)[];
  /** Each erases what its domain copied of a customer; the customer is anonymized already. */
  readonly anonymized: readonly ((tx: Tx, customer: Customer) => Promise<void>)[];
}

export const reactions: Reactions = {
  beforeClosing: [refuseWhileAwaited],
  invoicePaid: [followPayment],
  chargeDeclined: [followDecline],
  beforeAnonymize: [refuseWhileSubscribed, refuseWhileBilled, refuseWhileMoneyMoves],
  // The copies first: behind the locks of the invoices, no mail is being written any more.
  anonymized: [eraseInvoiceCopies, eraseMails, eraseCards],
};
