import { newId } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const DAY = 86_400;
const NOTHING = '0'.repeat(26);

/** The database itself refuses some faults; the audit does not rely on it. */
const unguarded = sql`DO $$ DECLARE guard record; BEGIN
    FOR guard IN SELECT conname FROM pg_constraint WHERE conrelid = 'subscription'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE subscription DROP CONSTRAINT %I', guard.conname);
    END LOOP; END $$`;

const standingFaults: readonly Fault[] = [
  fault(
    'a subscription that ended and goes on',
    ['subscription-cancel', 'subscription-due', 'subscription-status-times'],
    ({ inactive }) => [
      unguarded,
      sql`UPDATE subscription SET status = 'pending', pending_until = ended WHERE id = ${inactive.id}`,
      sql`UPDATE invoice SET status = 'open', voided_at = NULL WHERE id = ${inactive.invoice}`,
      sql`DELETE FROM event WHERE type = 'invoice.voided' AND object_id = ${inactive.invoice}`,
      sql`DELETE FROM delivery WHERE event_id NOT IN (SELECT id FROM event)`,
    ],
  ),
  fault(
    'a pending subscription that waits for nothing',
    ['subscription-due', 'subscription-status-times'],
    ({ pending }) => [sql`UPDATE subscription SET pending_until = created WHERE id = ${pending.id}`],
  ),
  fault(
    'a subscription that is active since before its suspension',
    ['invoice-collection', 'subscription-due', 'subscription-status-times'],
    ({ suspended }) => [sql`UPDATE subscription SET status = 'active' WHERE id = ${suspended.id}`],
  ),
  fault(
    'a subscription that is suspended since before its payment',
    ['subscription-due', 'subscription-open-invoices', 'subscription-status-times'],
    ({ resumed }) => [sql`UPDATE subscription SET status = 'suspended' WHERE id = ${resumed.id}`],
  ),
  fault('cycles that are counted from another instant', ['subscription-anchor'], ({ pending }) => [
    sql`UPDATE subscription SET billing_cycle_anchor = billing_cycle_anchor + 1 WHERE id = ${pending.id}`,
  ]),
  fault(
    'an anchor of a cycle to come',
    ['subscription-anchor', 'subscription-calendar', 'subscription-pause'],
    ({ active }) => [sql`UPDATE subscription SET anchor_cycle = cycle + 1 WHERE id = ${active.id}`],
  ),
  fault('a cycle of another length than its invoice’s', ['subscription-period'], ({ active }) => [
    sql`UPDATE invoice SET period_end = period_end + 1 WHERE id = ${active.invoice}`,
  ]),
  fault('a cycle that ends a day late', ['subscription-calendar'], ({ active }) => [
    sql`UPDATE invoice SET period_end = period_end + ${DAY} WHERE id = ${active.invoice}`,
    sql`UPDATE subscription SET current_period_end = current_period_end + ${DAY}, due_at = due_at + ${DAY}, wake_at = wake_at + ${DAY}
      WHERE id = ${active.id}`,
  ]),
  fault('a subscription of a price that is paid once', ['invoice-bills-term', 'subscription-price'], (shop) => [
    sql`UPDATE subscription_term SET price_id = (SELECT line_items #>> '{0,price}' FROM invoice WHERE id = ${shop.sold.invoice})
      WHERE subscription_id = ${shop.pending.id}`,
  ]),
  fault('a subscription in a term that is not kept', ['subscription-terms'], ({ pending }) => [
    sql`UPDATE subscription SET term_seq = 2 WHERE id = ${pending.id}`,
  ]),
  fault('a term with a place left out', ['subscription-term'], ({ pending }) => [
    sql`UPDATE subscription_term SET position = 1 WHERE subscription_id = ${pending.id}`,
  ]),
  fault('a term that holds from before the one that it follows', ['subscription-term-order'], ({ active }) => [
    sql`UPDATE subscription_term SET effective_at = effective_at + 60 WHERE subscription_id = ${active.id}`,
    sql`INSERT INTO subscription_term SELECT subscription_id, 2, position, account_id, live_mode, created, effective_at - 60, item_id, item_created, price_id, quantity
      FROM subscription_term WHERE subscription_id = ${active.id}`,
    sql`UPDATE subscription SET term_seq = 2 WHERE id = ${active.id}`,
  ]),
  fault('a bill of other items than those of its subscription', ['invoice-bills-term'], ({ active }) => [
    sql`UPDATE subscription_term SET quantity = 7 WHERE subscription_id = ${active.id}`,
  ]),
  fault('an end with the period that comes before it', ['subscription-cancel', 'subscription-due'], ({ active }) => [
    sql`UPDATE subscription SET cancel_at = current_period_end - 1, cancel_at_period_end = true WHERE id = ${active.id}`,
  ]),
  fault('a pause that begins before its period is over', ['subscription-due', 'subscription-pause'], ({ active }) => [
    sql`UPDATE subscription SET paused_at = current_period_end - 1 WHERE id = ${active.id}`,
  ]),
  fault('a paused subscription that keeps a day too few', ['subscription-pause'], ({ paused }) => [
    sql`UPDATE subscription SET days_left = days_left - 1 WHERE id = ${paused.id}`,
  ]),
  fault('a pause from before the resume that it follows', ['subscription-status-times'], ({ paused }) => [
    sql`UPDATE subscription SET resumed_at = paused_at + 1 WHERE id = ${paused.id}`,
  ]),
  fault('a minimum term that begins before it is paid for', ['subscription-minimum-term'], ({ bound }) => [
    sql`UPDATE subscription SET term_days = NULL WHERE id = ${bound.id}`,
  ]),
  fault('a penalty that was billed before the end', ['invoice-events', 'subscription-penalty'], ({ fined }) => [
    sql`UPDATE invoice SET created = created - 1 WHERE id = ${fined.invoice}`,
  ]),
  fault('a first payment beside a trial that never began', ['subscription-trial'], ({ active }) => [
    sql`UPDATE subscription SET trial_end_behavior = 'invoice', trial_days = 5 WHERE id = ${active.id}`,
  ]),
  fault('a subscription that counts a bill too many', ['subscription-bills'], ({ active }) => [
    sql`UPDATE subscription SET bills = bills + 1 WHERE id = ${active.id}`,
  ]),
];

const invoiceFaults: readonly Fault[] = [
  fault('a subscription that shows an older invoice', ['subscription-newest-invoice'], ({ active }) => [
    sql`UPDATE subscription SET latest_invoice_id = ${active.first} WHERE id = ${active.id}`,
  ]),
  fault(
    'an open invoice of a subscription that ended',
    ['invoice-collection', 'invoice-events', 'subscription-open-invoices'],
    ({ inactive }) => [sql`UPDATE invoice SET status = 'open', voided_at = NULL WHERE id = ${inactive.invoice}`],
  ),
  fault(
    'a pending subscription without an invoice to pay',
    ['invoice-status-times', 'subscription-open-invoices'],
    ({ pending }) => [sql`UPDATE invoice SET status = 'void' WHERE id = ${pending.invoice}`],
  ),
  fault(
    'a suspended subscription with two invoices to pay',
    [
      'intent-customer',
      'invoice-bills-term',
      'invoice-collection',
      'invoice-cycle',
      'invoice-of-subscription',
      'subscription-billed-cycle',
      'subscription-bills',
      'subscription-newest-invoice',
      'subscription-open-invoices',
    ],
    ({ suspended, waiting }) => [
      sql`UPDATE invoice SET subscription_id = ${suspended.id}, cycle = 9, bill_number = 9 WHERE id = ${waiting.invoice}`,
    ],
  ),
  fault(
    'a cycle that is billed twice',
    ['invoice-keys', 'subscription-billed-cycle', 'subscription-cycle-once', 'subscription-period'],
    ({ active }) => [
      sql`ALTER TABLE invoice DISABLE TRIGGER USER`,
      sql`UPDATE invoice SET cycle = 2 WHERE id = ${active.invoice}`,
    ],
  ),
  fault('a cycle that may be billed twice', ['invoice-keys'], ({ active }) => [
    sql`DELETE FROM invoice_cycle WHERE invoice_id = ${active.invoice}`,
  ]),
  fault('a code of no invoice', ['invoice-keys'], ({ active }) => [
    sql`INSERT INTO invoice_external_code SELECT account_id, live_mode, 'nobody', id FROM invoice WHERE id = ${active.invoice}`,
  ]),
  fault('time that is paid for twice', ['subscription-periods'], ({ active }) => [
    sql`UPDATE invoice SET period_end = period_end + 1 WHERE id = ${active.first}`,
  ]),
  fault('an invoice of a subscription that calls itself manual', ['invoice-cycle'], ({ active }) => [
    sql`UPDATE invoice SET billing_reason = 'manual' WHERE id = ${active.first}`,
  ]),
  fault('a first invoice that calls itself a renewal', ['invoice-cycle'], ({ pending }) => [
    sql`UPDATE invoice SET billing_reason = 'subscription_cycle' WHERE id = ${pending.first}`,
  ]),
  fault('a period before the first payment', ['invoice-cycle'], ({ pending }) => [
    sql`UPDATE invoice SET period_start = created, period_end = created + 1 WHERE id = ${pending.first}`,
  ]),
  fault('a period of a standalone invoice', ['invoice-cycle'], ({ sold }) => [
    sql`UPDATE invoice SET period_start = created, period_end = created + 1 WHERE id = ${sold.invoice}`,
  ]),
];

const methodFaults: readonly Fault[] = [
  fault('a card for renewals by PIX', ['subscription-due', 'subscription-method'], ({ active }) => [
    sql`UPDATE subscription SET payment_method_type = 'pix' WHERE id = ${active.id}`,
  ]),
  fault('a method before the first payment', ['subscription-method'], ({ pending }) => [
    sql`UPDATE subscription SET payment_method_type = 'pix' WHERE id = ${pending.id}`,
  ]),
  fault('installments of a PIX', ['subscription-method'], ({ resumed }) => [
    sql`UPDATE subscription SET installments = 2 WHERE id = ${resumed.id}`,
  ]),
  fault('a card that is kept for no subscription', ['stored-card-use'], ({ charged }) => [
    sql`INSERT INTO payment_method (id, account_id, live_mode, created, customer_id, sealed_token, brand, last4)
      SELECT c.payment_method_id, c.account_id, c.live_mode, c.created, p.customer_id, convert_to(b.token, 'UTF8'), c.brand, c.last4
      FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id JOIN sandbox_bank.charge b ON b.reference = c.id
      WHERE c.id = ${charged.attempt}`,
  ]),
  fault(
    'a card that is kept for a single sale to a subscriber',
    ['intent-customer', 'stored-card-use'],
    ({ active }) => [sql`UPDATE payment_intent SET subscription_id = NULL WHERE invoice_id = ${active.first}`],
  ),
  fault(
    'a card that renewals need and nobody kept',
    ['payment-method-events', 'stored-card-kept', 'subscription-payment-method-id'],
    ({ stored }) => [sql`DELETE FROM payment_method WHERE id = ${stored}`],
  ),
];

/** The newest event of a kind. */
const last = (type: string, object: string) =>
  sql`DELETE FROM event WHERE id = (SELECT max(id) FROM event WHERE type = ${type} AND object_id = ${object})`;

const tellingFaults: readonly Fault[] = [
  fault('a subscription that nobody told of', ['subscription-events'], ({ pending }) => [
    last('subscription.created', pending.id),
  ]),
  fault('a trial that nobody told of', ['subscription-events'], ({ trialing }) => [
    last('subscription.trial_started', trialing),
  ]),
  fault('a trial that is told to end at another instant', ['subscription-due'], ({ trialing }) => [
    sql`UPDATE subscription SET trial_end_at = trial_end_at - 1 WHERE id = ${trialing}`,
  ]),
  fault('an activation that nobody told of', ['subscription-events'], ({ active }) => [
    last('subscription.activated', active.id),
  ]),
  fault('a second activation that nobody told of', ['subscription-events'], ({ resumed }) => [
    last('subscription.activated', resumed.id),
  ]),
  fault('a suspension that nobody told of', ['subscription-events'], ({ suspended }) => [
    last('subscription.suspended', suspended.id),
  ]),
  fault('a reactivation that nobody told of', ['subscription-events'], ({ reactivated }) => [
    last('subscription.reactivated', reactivated.id),
  ]),
  fault('a cancellation that nobody told of', ['subscription-events'], ({ inactive }) => [
    last('subscription.canceled', inactive.id),
  ]),
  fault('a cycle that nobody told of', ['subscription-cycles-told'], ({ active }) => [
    sql`DELETE FROM event WHERE id = (SELECT min(id) FROM event WHERE type = 'subscription.period_started' AND object_id = ${active.id})`,
  ]),
  fault('the cycle under way that nobody told of', ['subscription-cycles-told'], ({ resumed }) => [
    last('subscription.period_started', resumed.id),
  ]),
  fault('a cycle that was told of twice', ['subscription-cycles-told'], ({ suspended }) => [
    sql`INSERT INTO event SELECT day, ${newId('evt')}, account_id, live_mode, type, created, object_id, related, body, body_digest
      FROM event WHERE type = 'subscription.period_started' AND object_id = ${suspended.id} ORDER BY id LIMIT 1`,
    sql`UPDATE event SET body = jsonb_set(body::jsonb, '{id}', to_jsonb(id))::text WHERE body::json ->> 'id' <> id`,
    sql`UPDATE event SET body_digest = md5(body)::uuid WHERE body_digest <> md5(body)::uuid`,
  ]),
  fault('a suspension that shows another status', ['event-columns'], ({ suspended }) => [
    sql`UPDATE event SET body = replace(body, '"status":"suspended"', '"status":"active"')
      WHERE type = 'subscription.suspended' AND object_id = ${suspended.id}`,
    sql`UPDATE event SET body_digest = md5(body)::uuid WHERE body_digest <> md5(body)::uuid`,
  ]),
];

const referenceFaults: readonly Fault[] = [
  fault('a subscription of no customer', ['invoice-of-subscription', 'subscription-customer-id'], ({ pending }) => [
    sql`UPDATE subscription SET customer_id = ${NOTHING} WHERE id = ${pending.id}`,
  ]),
  fault(
    'a subscription of another account’s customer',
    ['invoice-of-subscription', 'subscription-customer-id'],
    ({ pending, stranger }) => [
      sql`UPDATE subscription SET customer_id = ${stranger.customer} WHERE id = ${pending.id}`,
    ],
  ),
  fault('a subscription of no price', ['invoice-bills-term', 'subscription-term'], ({ pending }) => [
    sql`UPDATE subscription_term SET price_id = ${NOTHING} WHERE subscription_id = ${pending.id}`,
  ]),
  fault(
    'a subscription without its invoice',
    ['subscription-latest-invoice-id', 'subscription-newest-invoice'],
    ({ pending }) => [sql`UPDATE subscription SET latest_invoice_id = ${NOTHING} WHERE id = ${pending.id}`],
  ),
  fault('a subscription without its card', ['subscription-payment-method-id'], ({ active }) => [
    sql`UPDATE subscription SET payment_method_id = ${NOTHING} WHERE id = ${active.id}`,
  ]),
  fault(
    'an invoice of no subscription',
    [
      'invoice-bills-term',
      'invoice-collection',
      'invoice-subscription-id',
      'subscription-billed-cycle',
      'subscription-bills',
      'subscription-newest-invoice',
      'subscription-open-invoices',
    ],
    ({ pending }) => [sql`UPDATE invoice SET subscription_id = ${NOTHING} WHERE id = ${pending.invoice}`],
  ),
  fault('an intent of no subscription', ['intent-customer', 'payment-intent-subscription-id'], ({ active }) => [
    sql`UPDATE payment_intent SET subscription_id = ${NOTHING} WHERE invoice_id = ${active.first}`,
  ]),
  fault(
    'a subscription of no account',
    [
      'account',
      'invoice-subscription-id',
      'subscription-customer-id',
      'subscription-events',
      'subscription-latest-invoice-id',
      'subscription-term',
    ],
    ({ pending }) => [sql`UPDATE subscription SET account_id = ${newId('acct')} WHERE id = ${pending.id}`],
  ),
];

export const subscriptionFaults: readonly Fault[] = [
  ...standingFaults,
  ...invoiceFaults,
  ...methodFaults,
  ...tellingFaults,
  ...referenceFaults,
];
