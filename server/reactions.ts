import type { Customer } from './customers/entity.ts';
import type { Tx } from './deps.ts';
import { eraseInvoiceCopies, refuseWhileBilled } from './invoices/service.ts';
import { eraseCards, refuseWhileMoneyMoves } from './payments/erasure.ts';

/** What other domains have to say of a change below them, in its transaction: who may refuse it, and what else it changes. */
export interface Reactions {
  /** Each may refuse to erase the data of a customer. */
  readonly beforeAnonymize: readonly ((tx: Tx, customer: Customer) => Promise<void>)[];
  /** Each erases what its domain copied of a customer; the customer is anonymized already. */
  readonly anonymized: readonly ((tx: Tx, customer: Customer) => Promise<void>)[];
}

export const reactions: Reactions = {
  beforeAnonymize: [refuseWhileBilled, refuseWhileMoneyMoves],
  anonymized: [eraseInvoiceCopies, eraseCards],
};
