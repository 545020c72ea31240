import { mine, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { realInstant } from '../kernel/time.ts';
import { table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type CheckoutSession, CheckoutSessionSchema } from './entity.ts';
import { countSession } from './link-stock.ts';
import { nextSessionStatus, type SessionAction } from './rules.ts';
import { viewSession } from './view.ts';

export const sessions = table(CheckoutSessionSchema, {
  fixed: [
    'mode',
    'externalCode',
    'lineItems',
    'allowPromotionCodes',
    'terms',
    'metadata',
    'successUrl',
    'returnUrl',
    'expiresAt',
    'paymentLinkId',
  ],
  derive: (session, { clock }) => {
    session.wakeAt = session.dueAt == null ? null : realInstant(clock, session.dueAt);
  },
});

const lockOfInvoice = statement<CheckoutSession>(
  'lock_session_of_invoice',
  `SELECT ${sessions.columns('c')} FROM checkout_session c WHERE c.invoice_id = :invoiceId AND ${mine('c')} FOR UPDATE`,
);

/** The session that an invoice was made for, locked behind it; null: it was made for none. */
export async function lockSessionOf(tx: Tx, { id, payableUntil }: Invoice): Promise<CheckoutSession | null> {
  if (payableUntil == null) return null;
  const [session] = await tx.query(lockOfInvoice, { invoiceId: id });
  return session === undefined ? null : tx.keep(sessions, session);
}

const instants = { complete: 'completedAt', expire: 'expiredAt' } as const;
const events = { complete: 'checkout_session.completed', expire: 'checkout_session.expired' } as const;

/** Ends an open session; `invoice` is as the payment, or its end, left it. */
export function closeSession(
  tx: Tx,
  session: CheckoutSession,
  { action, invoice }: { action: SessionAction; invoice: Invoice | null },
): void {
  session.status = nextSessionStatus(session, action);
  session[instants[action]] = tx.now;
  session.dueAt = null;
  session.openedFrom = null;
  countSession(tx, session);
  tx.record(events[action], viewSession(tx, session, invoice?.paymentIntentId ?? null));
}
