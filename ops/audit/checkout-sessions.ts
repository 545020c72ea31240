import type { Check } from './check.ts';

/** Seconds that a session accepts payment, and after which its end is decided where a QR code stood (docs/product/checkout-sessions.md#deadline). */
const VALIDITY = 3_600;

/** A session is what its invoice makes of it, and takes no money that it does not give back (docs/product/checkout-sessions.md#moves). */
export const sessionChecks: readonly Check[] = [
  {
    name: 'session-status',
    sql: `SELECT c.id, c.status, c.mode, i.id AS invoice, i.status AS invoiced, s.id AS subscription, s.status AS subscribed
      FROM checkout_session c LEFT JOIN invoice i ON i.id = c.invoice_id LEFT JOIN subscription s ON s.id = c.subscription_id
      WHERE CASE c.status WHEN 'open' THEN i.status <> 'open' OR s.status NOT IN ('pending', 'scheduled') OR s.payment_method_id IS NOT NULL
        WHEN 'complete' THEN CASE WHEN c.terms IS NULL OR c.invoice_id IS NOT NULL THEN i.status IS DISTINCT FROM 'paid' OR s.status = 'pending'
          ELSE s.activated_at IS NULL AND s.status = 'pending' AND s.trial_start_at IS NULL AND s.starts_at IS NULL END
        ELSE i.status <> 'void' OR s.status <> 'inactive' END`,
    describe:
      '{id} ({mode}) is {status}, its invoice {invoice} {invoiced} and its subscription {subscription} {subscribed}',
  },
  {
    name: 'session-invoice',
    sql: `SELECT c.id, c.amount, c.expires_at, i.id AS invoice, i.total, i.payable_until, i.customer_id AS invoiced, i.subscription_id AS billed
      FROM checkout_session c JOIN invoice i ON i.id = c.invoice_id
      WHERE (c.amount, c.expires_at, c.customer_id, c.subscription_id)
        IS DISTINCT FROM (i.total, i.payable_until, i.customer_id, i.subscription_id)`,
    describe:
      '{id} comes to {amount} and ends at {expires_at}, its invoice {invoice} to {total} and {payable_until}, of {invoiced} and {billed}',
  },
  {
    name: 'invoice-payable-until',
    sql: `SELECT i.id, i.payable_until, i.billing_reason FROM invoice i LEFT JOIN checkout_session c ON c.invoice_id = i.id
      WHERE (i.payable_until IS NULL) <> (c.id IS NULL) OR (i.billing_reason = 'checkout_session' AND c.mode IS DISTINCT FROM 'payment')`,
    describe: '{id} ({billing_reason}) can be paid until {payable_until}, and is of no such session',
  },
  {
    name: 'session-due',
    sql: `SELECT c.id, c.status, c.expires_at, c.due_at, m.now FROM checkout_session c
      JOIN moment m ON m.account_id = c.account_id AND m.live_mode = c.live_mode
      WHERE c.expires_at <> c.created + ${VALIDITY} OR CASE WHEN c.status <> 'open' THEN c.due_at IS NOT NULL
        WHEN c.due_at IS NULL THEN NOT EXISTS (SELECT FROM payment_intent p WHERE p.invoice_id = c.invoice_id AND p.status = 'processing')
        ELSE c.due_at < c.expires_at END`,
    describe: '{id} is {status} until {expires_at}, and its end is decided at {due_at}; it is {now}',
  },
];
