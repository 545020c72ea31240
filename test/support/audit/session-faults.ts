import { type Fault, fault, sql } from './fault.ts';

const NOTHING = '0'.repeat(26);

/** The database itself refuses some faults; the audit does not rely on it. */
const unguarded = sql`DO $$ DECLARE guard record; BEGIN
    FOR guard IN SELECT conname FROM pg_constraint WHERE conrelid = 'checkout_session'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE checkout_session DROP CONSTRAINT %I', guard.conname);
    END LOOP; END $$`;

const unguardedLinks = sql`ALTER TABLE payment_link DROP CONSTRAINT payment_link_stock`;

/** Faults of checkout sessions, and of payment links, which count them. */
export const sessionFaults: readonly Fault[] = [
  fault('an expired session whose invoice was paid', ['checkout-session-events', 'session-status'], ({ session }) => [
    unguarded,
    sql`UPDATE checkout_session SET status = 'expired', completed_at = NULL, expired_at = created WHERE id = ${session.complete.id}`,
  ]),
  fault('a complete session whose invoice is void', ['checkout-session-events', 'session-status'], ({ session }) => [
    unguarded,
    sql`UPDATE checkout_session SET status = 'complete', completed_at = expired_at, expired_at = NULL WHERE id = ${session.expired.id}`,
  ]),
  fault(
    'an open session whose subscription has ended',
    ['checkout-session-events', 'due-wake', 'session-status'],
    ({ session }) => [
      sql`UPDATE checkout_session SET status = 'open', expired_at = NULL, due_at = expires_at WHERE id = ${session.expired.id}`,
    ],
  ),
  fault('a session that nobody was told the end of', ['checkout-session-events'], ({ session }) => [
    sql`DELETE FROM event WHERE object_id = ${session.complete.id} AND type = 'checkout_session.completed'`,
  ]),
  fault('a session of another amount than its invoice', ['session-invoice'], ({ session }) => [
    sql`UPDATE checkout_session SET amount = amount - 1 WHERE id = ${session.open.id}`,
  ]),
  fault('an invoice that can be paid longer than its session', ['session-invoice'], ({ session }) => [
    sql`UPDATE invoice SET payable_until = payable_until + 1 WHERE id = ${session.open.invoice}`,
  ]),
  fault('an invoice that ends with no session', ['invoice-payable-until'], ({ waiting }) => [
    sql`UPDATE invoice SET payable_until = due_at WHERE id = ${waiting.invoice}`,
  ]),
  fault(
    'an invoice of a session that says it stands alone',
    ['invoice-payable-until', 'session-invoice'],
    ({ session }) => [sql`UPDATE invoice SET payable_until = NULL WHERE id = ${session.open.invoice}`],
  ),
  fault('a session that never ends', ['due-wake', 'session-due'], ({ session }) => [
    sql`UPDATE checkout_session SET due_at = NULL WHERE id = ${session.open.id}`,
  ]),
  fault('a session that ends before its deadline', ['due-wake', 'session-due'], ({ session }) => [
    sql`UPDATE checkout_session SET due_at = due_at - 1 WHERE id = ${session.monthly.id}`,
  ]),
  fault('a session that nothing wakes for', ['due-wake'], ({ session }) => [
    sql`UPDATE checkout_session SET wake_at = NULL WHERE id = ${session.monthly.id}`,
  ]),
  fault('a session of no customer', ['checkout-session-customer-id', 'session-invoice'], ({ session }) => [
    sql`UPDATE checkout_session SET customer_id = ${NOTHING} WHERE id = ${session.open.id}`,
  ]),
  fault(
    'a session of no invoice',
    ['checkout-session-invoice-id', 'invoice-payable-until', 'session-status'],
    ({ session }) => [sql`UPDATE checkout_session SET invoice_id = ${NOTHING} WHERE id = ${session.complete.id}`],
  ),
  fault('a session of no subscription', ['checkout-session-subscription-id', 'session-invoice'], ({ session }) => [
    sql`UPDATE checkout_session SET subscription_id = ${NOTHING} WHERE id = ${session.monthly.id}`,
  ]),
  fault('a payment link that counts a sale too many', ['payment-link-sales'], ({ link }) => [
    sql`UPDATE payment_link SET sales = sales + 1 WHERE id = ${link.id}`,
  ]),
  fault('a payment link that holds nothing for an open session', ['payment-link-sales'], ({ link }) => [
    sql`UPDATE payment_link SET reserved = 0 WHERE id = ${link.id}`,
  ]),
  fault('a payment link that sold more than it may', ['payment-link-sales'], ({ link }) => [
    unguardedLinks,
    sql`UPDATE payment_link SET max_sales = 1 WHERE id = ${link.id}`,
  ]),
  fault('a session of a payment link that sells something else', ['payment-link-sessions'], ({ link }) => [
    sql`UPDATE payment_link SET line_items = '[]' WHERE id = ${link.id}`,
  ]),
  fault('a session of a payment link that begins otherwise', ['payment-link-sessions'], ({ link }) => [
    sql`UPDATE checkout_session SET terms = '{}' WHERE id = ${link.open}`,
  ]),
  fault('a session of no payment link', ['checkout-session-payment-link-id', 'payment-link-sales'], ({ link }) => [
    sql`UPDATE checkout_session SET payment_link_id = ${NOTHING} WHERE id = ${link.open}`,
  ]),
];
