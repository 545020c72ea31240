import { writtenColumns } from '../columns.ts';
import { type Fault, fault, type Sql, sql } from './fault.ts';

const DAY = 86_400;
/** Ids made long ago: their events are not kept any more. */
const OLD_INVOICE = `in_01jaaaaaaa${'0'.repeat(16)}`;
const OLD_SUBSCRIPTION = `sub_01jaaaaaaa${'0'.repeat(16)}`;

/** The database itself refuses some faults; the audit does not rely on it. */
const unguarded = (table: string): Sql => ({
  text: `DO $$ DECLARE guard record; BEGIN
    FOR guard IN SELECT conname FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', guard.conname);
    END LOOP; END $$`,
  values: [],
});

/** Another row like one that is there, but for these columns. */
const copy = (table: string, id: string, changed: object): Sql => ({
  text: `INSERT INTO ${table} (${writtenColumns(table)}) SELECT ${writtenColumns(table)}
    FROM (SELECT (jsonb_populate_record(t, $2::jsonb)).* FROM ${table} t WHERE id = $1) copy`,
  values: [id, JSON.stringify(changed)],
});

/** What is due of a subscription, and the real instant that wakes for it. */
const due = (id: string, what: string | null, at: number | null): Sql =>
  sql`UPDATE subscription SET due = ${what}, due_at = ${at}::bigint, wake_at = ${at}::bigint WHERE id = ${id}`;

/** The next step of an invoice, at the instant that it has or at another. */
const step = (id: string, what: string, at: number | null = null): Sql =>
  sql`UPDATE invoice SET step = ${what}, step_at = coalesce(${at}::bigint, step_at, due_at), wake_at = coalesce(${at}::bigint, step_at, due_at)
    WHERE id = ${id}`;

const noStep = (id: string): Sql =>
  sql`UPDATE invoice SET step = NULL, step_at = NULL, wake_at = NULL WHERE id = ${id}`;

const dueFaults: readonly Fault[] = [
  fault('a renewal that is due a day late', ['subscription-due'], ({ active }) => [
    sql`UPDATE subscription SET due_at = due_at + ${DAY}, wake_at = wake_at + ${DAY} WHERE id = ${active.id}`,
  ]),
  fault('a bill by PIX of one that pays by card', ['subscription-due'], ({ active }) => [
    sql`UPDATE subscription SET due = 'bill' WHERE id = ${active.id}`,
  ]),
  fault('a charge of one that pays by PIX', ['subscription-due'], ({ resumed }) => [
    sql`UPDATE subscription SET due = 'renew' WHERE id = ${resumed.id}`,
  ]),
  fault('a cycle that nothing begins', ['subscription-due'], ({ active }) => [due(active.id, null, null)]),
  fault('a pending subscription that never ends', ['subscription-due'], ({ pending }) => [due(pending.id, null, null)]),
  fault('the next cycle of a suspended subscription', ['subscription-due'], ({ suspended, now }) => [
    due(suspended.id, 'renew', now),
  ]),
  fault(
    'the end of a pending subscription that is put off for a day',
    ['event-delivery-status', 'subscription-due'],
    ({ pending, now }) => [
      sql`UPDATE subscription SET created = created - ${9 * DAY}, billing_cycle_anchor = created - ${9 * DAY}, pending_until = pending_until - ${9 * DAY}
      WHERE id = ${pending.id}`,
      sql`UPDATE event SET created = created - ${9 * DAY},
        body = replace(body, '"created":' || created || ',"live_mode"', '"created":' || created - ${9 * DAY}::bigint || ',"live_mode"')
      WHERE object_id = ${pending.id}`,
      sql`UPDATE event SET body_digest = md5(body)::uuid WHERE object_id = ${pending.id}`,
      due(pending.id, 'end', now + DAY),
    ],
  ),
  fault('an invoice that nobody tells overdue', ['due-undone'], ({ waiting, now }) => [
    copy('invoice', waiting.invoice, {
      ...{ id: OLD_INVOICE, payment_intent_id: null, created: now - 9 * DAY, finalized_at: now - 9 * DAY },
      ...{ due_at: now - 2 * DAY, step_at: now - DAY, wake_at: now - DAY },
    }),
  ]),
  fault('a subscription that nobody ends', ['due-undone'], ({ pending, now }) => [
    copy('subscription', pending.id, {
      ...{ id: OLD_SUBSCRIPTION, latest_invoice_id: OLD_INVOICE, created: now - 9 * DAY },
      ...{
        billing_cycle_anchor: now - 9 * DAY,
        pending_until: now - 2 * DAY,
        due_at: now - 2 * DAY,
        wake_at: now - 2 * DAY,
      },
    }),
    sql`INSERT INTO subscription_term SELECT ${OLD_SUBSCRIPTION}, seq, position, account_id, live_mode, created, ${now - 9 * DAY}, item_id, item_created,
        price_id, quantity FROM subscription_term WHERE subscription_id = ${pending.id}`,
    copy('invoice', pending.invoice, {
      ...{ id: OLD_INVOICE, subscription_id: OLD_SUBSCRIPTION, created: now - 9 * DAY, finalized_at: now - 9 * DAY },
    }),
  ]),
  fault('no fault: what is due while the clock is held', [], ({ waiting, accountId, now }) => [
    copy('invoice', waiting.invoice, {
      ...{ id: OLD_INVOICE, payment_intent_id: null, created: now - 9 * DAY, finalized_at: now - 9 * DAY },
      ...{ due_at: now - 2 * DAY, step_at: now - DAY, wake_at: null },
    }),
    sql`UPDATE account SET clock_held_at = ${now}::bigint, clock_target = ${now}::bigint + 9, clock_moved_at = now() WHERE id = ${accountId}`,
  ]),
  fault('a subscription that is waked a second late', ['due-wake'], ({ active }) => [
    sql`UPDATE subscription SET wake_at = wake_at + 1 WHERE id = ${active.id}`,
  ]),
  fault('an invoice that nothing wakes for', ['due-wake'], ({ waiting }) => [
    sql`UPDATE invoice SET wake_at = NULL WHERE id = ${waiting.invoice}`,
  ]),
  fault('a clock that is held and goes nowhere', ['test-clock-held'], ({ accountId, now }) => [
    unguarded('account'),
    sql`UPDATE account SET clock_held_at = ${now} WHERE id = ${accountId}`,
  ]),
  fault('a clock that was moved beyond its target', ['test-clock-held'], ({ accountId, now }) => [
    unguarded('account'),
    sql`UPDATE account SET clock_held_at = ${now}::bigint, clock_target = ${now}::bigint - 1, clock_moved_at = now() WHERE id = ${accountId}`,
  ]),
];

/** A letter that reminds of an invoice. */
const remindedOf = ({ invoice }: { readonly invoice: string }, day: number, at: number): Sql =>
  sql`INSERT INTO mail (id, account_id, live_mode, created, customer_id, invoice_id, step, due_at, message_id, status, sent_at, occasion)
    SELECT 'mail_' || substr(id, 4), account_id, live_mode, ${at}::bigint, customer_id, id, ${day}::smallint, due_at, 'reminded', 'sent', now(), 'reminder'
    FROM invoice WHERE id = ${invoice}`;

const collectedFaults: readonly Fault[] = [
  fault('an open invoice that is never told overdue', ['invoice-step'], ({ waiting }) => [noStep(waiting.invoice)]),
  fault('an invoice that is told overdue before it is due', ['invoice-step'], ({ waiting }) => [
    step(waiting.invoice, 'mark_overdue', 0),
  ]),
  fault('an invoice that is told overdue ahead of its own days', ['invoice-step'], ({ waiting }) => [
    sql`UPDATE invoice SET step = 'mark_overdue', step_at = due_at + ${DAY}, wake_at = due_at + ${DAY} WHERE id = ${waiting.invoice}`,
    sql`UPDATE invoice SET collection_days = jsonb_set(collection_days::jsonb, '{overdueDays}', '2') WHERE id = ${waiting.invoice}`,
  ]),
  fault('a suspension ahead of its own days', ['invoice-step'], ({ collected }) => [
    sql`UPDATE invoice SET collection_days = jsonb_set(collection_days::jsonb, '{suspendDays}', '11') WHERE id = ${collected.invoice}`,
    step(collected.invoice, 'suspend'),
  ]),
  fault('an open invoice without days', ['invoice-step'], ({ waiting }) => [
    sql`UPDATE invoice SET collection_days = NULL WHERE id = ${waiting.invoice}`,
  ]),
  fault('a standalone invoice that suspends', ['invoice-step'], ({ waiting }) => [step(waiting.invoice, 'suspend')]),
  fault('a step of a paid invoice', ['invoice-step'], ({ sold }) => [
    unguarded('invoice'),
    step(sold.invoice, 'mark_overdue'),
  ]),
  fault('a charge to come of a paid invoice', ['invoice-step'], ({ active }) => [
    sql`UPDATE invoice SET next_charge_at = due_at WHERE id = ${active.invoice}`,
  ]),
  fault('a suspended subscription that is never cancelled', ['invoice-step'], ({ suspended }) => [
    noStep(suspended.invoice),
  ]),
  fault('a charge that nobody scheduled', ['invoice-step'], ({ collected }) => [
    sql`UPDATE invoice SET next_charge_at = NULL WHERE id = ${collected.invoice}`,
    sql`UPDATE payment_intent SET next_attempt = NULL WHERE invoice_id = ${collected.invoice}`,
  ]),
  fault('a charge ahead of its schedule', ['invoice-step'], ({ retried }) => [
    sql`UPDATE invoice SET step_at = step_at - 1, wake_at = wake_at - 1 WHERE id = ${retried.invoice}`,
  ]),
  fault('a reminder too many', ['invoice-step'], ({ collected }) => [step(collected.invoice, 'remind')]),
  fault('a reminder ahead of the morning of its day', ['invoice-step'], ({ waiting }) => [
    sql`UPDATE invoice SET reminders = 1,
      due_at = extract(epoch FROM (date_trunc('day', to_timestamp(due_at) AT TIME ZONE 'America/Sao_Paulo') + interval '23 hours') AT TIME ZONE 'America/Sao_Paulo')
      WHERE id = ${waiting.invoice}`,
    sql`UPDATE invoice SET step = 'remind', step_at = due_at - 15 * 3600 - 1, wake_at = due_at - 15 * 3600 - 1 WHERE id = ${waiting.invoice}`,
  ]),
  fault('no fault: a reminder in the morning of its day', [], ({ waiting }) => [
    sql`UPDATE invoice SET reminders = 1,
      due_at = extract(epoch FROM (date_trunc('day', to_timestamp(due_at) AT TIME ZONE 'America/Sao_Paulo') + interval '23 hours') AT TIME ZONE 'America/Sao_Paulo')
      WHERE id = ${waiting.invoice}`,
    sql`UPDATE invoice SET step = 'remind', step_at = due_at - 15 * 3600, wake_at = due_at - 15 * 3600 WHERE id = ${waiting.invoice}`,
  ]),
  fault('an overdue sale that is reminded of no more before its last day', ['invoice-step'], ({ waiting }) => [
    sql`UPDATE invoice SET reminders = 4 WHERE id = ${waiting.invoice}`,
    noStep(waiting.invoice),
  ]),
  fault('a reminder of a paid invoice', ['reminder-letter'], ({ sold, now }) => [remindedOf(sold, 7, now + 9)]),
  fault('a reminder of a day that its invoice does not have', ['reminder-letter'], ({ waiting, now }) => [
    remindedOf(waiting, 2, now),
  ]),
  fault('an invoice that is overdue once more', ['invoice-step'], ({ collected }) => [
    step(collected.invoice, 'mark_overdue'),
  ]),
  fault('a suspension before the invoice is overdue', ['invoice-step'], ({ retried }) => [
    step(retried.invoice, 'suspend'),
  ]),
  fault('a renewal that is collected as a sale', ['invoice-collection'], ({ retried }) => [
    sql`UPDATE invoice SET collection = 'once', step = 'mark_overdue' WHERE id = ${retried.invoice}`,
  ]),
  fault('a sale that is awaited', ['invoice-collection'], ({ waiting }) => [
    sql`UPDATE invoice SET collection = 'awaited' WHERE id = ${waiting.invoice}`,
    noStep(waiting.invoice),
  ]),
  fault('a reactivated subscription that is still collected', ['invoice-collection'], ({ reactivated, now }) => [
    sql`UPDATE invoice SET collection = 'suspended' WHERE id = ${reactivated.invoice}`,
    step(reactivated.invoice, 'cancel', now + 60 * DAY),
  ]),
  fault('a cycle that is billed and not counted', ['subscription-billed-cycle'], ({ pending }) => [
    sql`UPDATE subscription SET billed_cycle = 0 WHERE id = ${pending.id}`,
  ]),
  fault('a cycle that is counted and not billed', ['subscription-billed-cycle'], ({ pending }) => [
    sql`UPDATE subscription SET billed_cycle = 2 WHERE id = ${pending.id}`,
  ]),
  fault('a charge of the schedule that is not counted', ['renewal-charges'], ({ active }) => [
    sql`UPDATE invoice SET charges = 0 WHERE id = ${active.invoice}`,
  ]),
  fault('a charge of the schedule that nobody made', ['renewal-charges'], ({ active }) => [
    sql`UPDATE invoice SET charges = charges + 1 WHERE id = ${active.invoice}`,
  ]),
  fault('more charges than the schedule has', ['intent-attempts', 'renewal-charges'], ({ collected }) => [
    sql`UPDATE payment_intent SET max_attempts = 2 WHERE invoice_id = ${collected.invoice}`,
  ]),
  fault('a renewal that is counted for another decline than its first', ['invoice-first-decline'], ({ retried }) => [
    sql`UPDATE invoice SET first_decline_reason = 'expired_card' WHERE id = ${retried.invoice}`,
  ]),
  fault('a sale that is counted as a declined renewal', ['invoice-first-decline'], ({ waiting, now }) => [
    sql`UPDATE invoice SET first_declined_at = ${now}, first_decline_reason = 'expired_card' WHERE id = ${waiting.invoice}`,
  ]),
  fault('a charge that tells of another instant than its schedule', ['scheduled-charge'], ({ retried }) => [
    sql`UPDATE payment_intent SET next_attempt = next_attempt + 1 WHERE invoice_id = ${retried.invoice}`,
  ]),
  fault('a paid charge that is to be tried again', ['scheduled-charge'], ({ sold, now }) => [
    sql`UPDATE payment_intent SET next_attempt = ${now} WHERE id = ${sold.intent}`,
  ]),
];

const newest = (type: string, id: string): string =>
  `(SELECT max(id) FROM event WHERE type = '${type}' AND object_id = '${id}')`;
const without = (type: string, id: string): Sql => ({
  text: `DELETE FROM event WHERE id = ${newest(type, id)}`,
  values: [],
});

const overdueFaults: readonly Fault[] = [
  fault('an overdue invoice that nobody told of', ['invoice-events'], ({ collected }) => [
    without('invoice.overdue', collected.invoice),
    sql`DELETE FROM delivery WHERE event_id NOT IN (SELECT id FROM event)`,
  ]),
  fault('an overdue subscription that nobody told of', ['subscription-overdue-events'], ({ collected }) => [
    without('subscription.overdue', collected.id),
  ]),
  fault(
    'an invoice that was told overdue and is not',
    ['invoice-events', 'subscription-overdue-events'],
    ({ suspended }) => [sql`UPDATE invoice SET overdue_at = NULL WHERE id = ${suspended.invoice}`],
  ),
  fault(
    'an episode that is told with its second invoice',
    ['event-delivery-status', 'subscription-overdue-events'],
    ({ collected }) => [
      sql`UPDATE event SET created = younger.overdue_at,
        body = replace(body, '"created":' || created || ',"live_mode":false,"data"', '"created":' || younger.overdue_at || ',"live_mode":false,"data"')
      FROM (SELECT overdue_at FROM invoice WHERE id = ${collected.invoice}) AS younger
      WHERE type = 'subscription.overdue' AND object_id = ${collected.id}`,
      sql`UPDATE event SET body_digest = md5(body)::uuid WHERE type = 'subscription.overdue' AND object_id = ${collected.id}`,
    ],
  ),
];

export const collectionFaults: readonly Fault[] = [...dueFaults, ...collectedFaults, ...overdueFaults];
