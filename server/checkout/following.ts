import { mine, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { lockInvoice } from '../invoices/life.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Subscription } from '../subscriptions/entity.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession } from './entity.ts';
import { closeSession, lockSessionOf, sessions } from './rows.ts';

/** The invoice of an open session is ended with the session (docs/product/invoices.md#void-and-uncollectible). */
export async function refuseWhileInSession(tx: Tx, invoice: Invoice): Promise<void> {
  const session = await lockSessionOf(tx, invoice);
  if (session?.status !== 'open') return;
  throw new BillingError('INVALID_STATE', {
    message: `${invoice.id} is of the open session ${session.id}: close that by POST /api/v1/checkout/sessions/${session.id}/expire`,
  });
}

/** The payment of its invoice completes a session. */
export async function completeSession(tx: Tx, invoice: Invoice): Promise<void> {
  const session = await lockSessionOf(tx, invoice);
  if (session?.status === 'open') closeSession(tx, session, { action: 'complete', invoice });
}

/** A session whose end waited for a charge at the acquirer is decided now that the charge is declined. */
export async function decideAfterDecline(tx: Tx, { invoice }: { readonly invoice: Invoice }): Promise<void> {
  const session = await lockSessionOf(tx, invoice);
  if (session?.status === 'open') session.dueAt ??= tx.now;
}

const lockOfSubscription = statement<CheckoutSession>(
  'lock_session_of_subscription',
  `SELECT ${sessions.columns('c')} FROM checkout_session c
   WHERE c.subscription_id = :subscriptionId AND c.status = 'open' AND ${mine('c')} FOR UPDATE`,
);

/** What ends before its first payment leaves its session nothing to charge. */
export async function expireWithSubscription(tx: Tx, { id }: Subscription): Promise<void> {
  const [found] = await tx.query(lockOfSubscription, { subscriptionId: id });
  if (found === undefined) return;
  const session = tx.keep(sessions, found);
  const invoice = found.invoiceId == null ? null : await lockInvoice(tx, found.invoiceId);
  closeSession(tx, session, { action: 'expire', invoice });
}

const findOpen = statement<{ id: string }>(
  'find_open_session_of_subscription',
  `SELECT c.id FROM checkout_session c WHERE c.subscription_id = :subscriptionId AND c.status = 'open' AND ${mine('c')}`,
);

/** The page of an open session offers what its subscription was made with. */
export async function refuseWhileOffered(tx: Tx, { id }: Subscription): Promise<void> {
  const [session] = await tx.query(findOpen, { subscriptionId: id });
  if (session === undefined) return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} is offered by the open session ${session.id}: close that by POST /api/v1/checkout/sessions/${session.id}/expire, and open another`,
  });
}

/** A session that asks for a card alone is complete once that is stored; from its deadline on it takes none. */
export async function completeWithCard(tx: Tx, { id }: Subscription): Promise<void> {
  const [found] = await tx.query(lockOfSubscription, { subscriptionId: id });
  if (found === undefined) return;
  const session = tx.keep(sessions, found);
  if (session.expiresAt <= tx.now)
    throw new BillingError('INVALID_STATE', {
      message: `${id} is of the session ${session.id}, which took a card until ${session.expiresAt}`,
    });
  closeSession(tx, session, { action: 'complete', invoice: null });
}
