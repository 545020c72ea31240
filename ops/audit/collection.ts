import { type Check, CIVIL_ZONE, isOld, isTicking, suffixOf } from './check.ts';

const DAY = 86_400;

/** Bills that are paid by PIX come so long before their period (docs/product/subscriptions.md#renewal-by-pix). */
const BILLED_AHEAD = 3 * DAY;
/** One that is debited comes five civil days before, at nine (docs/product/pix-automatico.md#days-and-hours). */
const debitBilledAt = (end: string): string =>
  `extract(epoch FROM (date_trunc('day', to_timestamp(${end}) AT TIME ZONE '${CIVIL_ZONE}') - interval '5 days' + interval '9 hours') AT TIME ZONE '${CIVIL_ZONE}')::bigint`;
/** The end of a trial is told so long ahead (docs/product/subscriptions.md#trials). */
const TRIAL_TOLD_AHEAD = 3 * DAY;
/** A renewal that is rare, or costs more, is told so long ahead (docs/product/mail.md#what-happened). */
const RENEWAL_TOLD_AHEAD = 7 * DAY;
/** The next bill is the first without a discount, of a period that is longer than that. */
const LOSES_DISCOUNT = `billed_cycle <= cycle AND current_period_end - ${RENEWAL_TOLD_AHEAD} > current_period_start
  AND EXISTS (SELECT FROM jsonb_array_elements(discounts::jsonb) AS d WHERE (d ->> 'cycles')::int = bills)`;
/** What a payment on its way holds up is looked at again after this. */
const POSTPONED = 60;

/** So many days after an invoice is due, by the days that it was opened with (docs/product/collection.md#days). */
const dueDaysLater = (days: string): string => `i.due_at + round((i.collection_days ->> '${days}')::numeric * ${DAY})`;

/** Of an invoice that was reminded of so often, the day of the next reminder; null: there is none. */
const REMINDER_DAY = `(i.collection_days -> 'reminderDays' ->> i.reminders)::int`;
const REMINDER_ON = `(to_timestamp(i.due_at + ${REMINDER_DAY} * ${DAY}) AT TIME ZONE '${CIVIL_ZONE}')`;
/** Outside the hours of letters it comes at 8 h of its civil day (docs/product/mail.md#reminders). */
const REMINDER_AT = `extract(epoch FROM CASE WHEN extract(hour FROM ${REMINDER_ON}) BETWEEN 8 AND 19 THEN ${REMINDER_ON}
  ELSE date_trunc('day', ${REMINDER_ON}) + interval '8 hours' END AT TIME ZONE '${CIVIL_ZONE}')`;

const aheadOf = (row: string): string => `CASE WHEN ${row}.live_mode THEN 0 ELSE a.sandbox_offset_seconds END`;

/** What the calendar brings subscriptions beside what is told ahead, and when, by their state alone (docs/product/subscriptions.md#calendar). */
const BESIDE_TOLD = `SELECT id, account_id, live_mode, status, due, due_at, pending_until, cancel_at, paused_at, resumes_at, cycle, billed_cycle,
    CASE WHEN status = 'active' AND (tells_renewal OR ${LOSES_DISCOUNT}) AND renewal_told <> cycle
      THEN greatest(current_period_end - ${RENEWAL_TOLD_AHEAD}, current_period_start) END AS tell_at,
    CASE WHEN status = 'scheduled' THEN 'start'
      WHEN status = 'trialing' AND NOT trial_told AND trial_end_at - ${TRIAL_TOLD_AHEAD} < coalesce(cancel_at, trial_end_at) THEN 'tell_trial'
      WHEN status = 'trialing' AND cancel_at <= trial_end_at THEN 'end' WHEN status = 'trialing' THEN 'end_trial'
      WHEN status = 'pending' OR (status = 'suspended' AND cancel_at IS NOT NULL) THEN 'end'
      WHEN status = 'paused' AND cancel_at <= coalesce(resumes_at, cancel_at) THEN 'end' WHEN status = 'paused' AND resumes_at IS NOT NULL THEN 'resume'
      WHEN status <> 'active' THEN NULL WHEN change_lapses_at <= coalesce(cancel_at, change_lapses_at) THEN 'lapse_change'
      WHEN cancel_at <= current_period_end THEN 'end' WHEN paused_at <= current_period_end THEN 'pause' WHEN billed_cycle > cycle THEN 'start_period'
      WHEN payment_method_type = 'card' THEN 'renew' ELSE 'bill' END AS expected,
    CASE WHEN status = 'scheduled' THEN starts_at
      WHEN status = 'trialing' AND NOT trial_told AND trial_end_at - ${TRIAL_TOLD_AHEAD} < coalesce(cancel_at, trial_end_at)
        THEN trial_end_at - ${TRIAL_TOLD_AHEAD}
      WHEN status = 'trialing' THEN least(cancel_at, trial_end_at)
      WHEN status = 'pending' THEN least(pending_until, cancel_at) WHEN status = 'suspended' THEN cancel_at
      WHEN status = 'paused' THEN least(cancel_at, resumes_at) WHEN status <> 'active' THEN NULL
      WHEN change_lapses_at <= coalesce(cancel_at, change_lapses_at) THEN change_lapses_at WHEN cancel_at <= current_period_end THEN cancel_at WHEN paused_at <= current_period_end THEN paused_at
      WHEN billed_cycle > cycle OR payment_method_type = 'card' THEN current_period_end
      ELSE greatest(CASE WHEN payment_method_type = 'pix_automatico' THEN ${debitBilledAt('current_period_end')} ELSE current_period_end - ${BILLED_AHEAD} END,
        current_period_start) END AS expected_at
  FROM subscription`;

const EXPECTED = `SELECT b.id, b.account_id, b.live_mode, b.status, b.due, b.due_at, b.pending_until, b.cycle, b.billed_cycle,
    CASE WHEN w.is_told_first THEN 'tell_renewal' ELSE b.expected END AS expected, CASE WHEN w.is_told_first THEN b.tell_at ELSE b.expected_at END AS expected_at
  FROM (${BESIDE_TOLD}) AS b CROSS JOIN LATERAL (
    SELECT coalesce(b.expected IN ('renew', 'bill', 'start_period') AND b.tell_at < b.expected_at, false) AS is_told_first) AS w`;

/** Rows say what time brings next, and it is done in its time. */
const dueChecks: readonly Check[] = [
  {
    name: 'subscription-due',
    // An end, and the lapse of a change, waits for a payment that is on its way.
    sql: `SELECT s.id, s.status, s.cycle, s.billed_cycle, s.due, s.due_at, s.expected, s.expected_at
      FROM (${EXPECTED}) AS s JOIN moment m ON m.account_id = s.account_id AND m.live_mode = s.live_mode
      WHERE (s.due, s.due_at) IS DISTINCT FROM (s.expected, s.expected_at)
        AND (s.expected IN ('end', 'lapse_change') AND s.due = s.expected AND s.due_at BETWEEN s.expected_at AND m.now + ${POSTPONED}) IS NOT TRUE
        AND (s.status = 'pending' AND s.due IS NULL AND s.pending_until <= m.now AND EXISTS (
          SELECT FROM payment_intent p WHERE p.subscription_id = s.id AND p.status = 'processing')) IS NOT TRUE`,
    describe:
      '{id} is {status} in cycle {cycle}, and {billed_cycle} are billed: {due} is due of it at {due_at}, and not {expected} at {expected_at}',
  },
  {
    name: 'due-undone',
    sql: `SELECT r.id, r.what, r.at, m.now FROM (
        SELECT id, account_id, live_mode, due AS what, due_at AS at FROM subscription WHERE due_at IS NOT NULL
        UNION ALL SELECT id, account_id, live_mode, step, step_at FROM invoice WHERE step_at IS NOT NULL
        UNION ALL SELECT id, account_id, live_mode, 'expire', due_at FROM checkout_session WHERE due_at IS NOT NULL) AS r
      JOIN account a ON a.id = r.account_id JOIN moment m ON m.account_id = r.account_id AND m.live_mode = r.live_mode
      WHERE r.at < m.now - (SELECT patience FROM at) AND ${isTicking('r')} AND ${isOld('r.id')}`,
    describe: '{what} of {id} was due at {at} and is not done at {now}',
  },
  {
    name: 'due-wake',
    sql: `SELECT r.id, r.at, r.wake_at, ${aheadOf('r')} AS ahead FROM (
        SELECT id, account_id, live_mode, due_at AS at, wake_at FROM subscription
        UNION ALL SELECT id, account_id, live_mode, step_at, wake_at FROM invoice WHERE status = 'open'
        UNION ALL SELECT id, account_id, live_mode, due_at, wake_at FROM checkout_session) AS r
      JOIN account a ON a.id = r.account_id
      WHERE ${isTicking('r')} AND r.wake_at IS DISTINCT FROM r.at - ${aheadOf('r')}`,
    describe: '{id} is due at {at} on a clock that is ahead by {ahead}, and is waked at {wake_at}',
  },
  {
    name: 'test-clock-held',
    sql: `SELECT id, clock_held_at, clock_target, clock_moved_at FROM account
      WHERE (clock_held_at IS NULL) <> (clock_target IS NULL) OR clock_held_at > clock_target
        OR (clock_held_at IS NOT NULL AND clock_moved_at IS NULL)`,
    describe:
      'the clock of {id} is held at {clock_held_at} on its way to {clock_target}, and was moved last at {clock_moved_at}',
  },
];

/** How open invoices are collected (docs/product/collection.md#ways-of-collection). */
const collectionChecks: readonly Check[] = [
  {
    name: 'invoice-step',
    sql: `SELECT i.id, i.status, i.collection, i.step, i.step_at, i.due_at, i.next_charge_at, i.overdue_at, i.reminders FROM invoice i
      WHERE CASE WHEN i.status <> 'open' THEN num_nonnulls(i.step, i.next_charge_at, i.debit_look_at) > 0 OR (i.collection_days IS NULL AND i.finalized_at IS NOT NULL)
        WHEN i.collection_days IS NULL THEN true
        WHEN i.step IS NULL THEN i.collection <> 'awaited' AND (i.collection NOT IN ('once', 'final') OR i.overdue_at IS NULL OR ${REMINDER_DAY} IS NOT NULL) AND NOT EXISTS (
          SELECT FROM payment_intent p WHERE p.invoice_id = i.id AND p.status = 'processing')
        WHEN i.step = 'mark_overdue' THEN i.collection NOT IN ('once', 'renewal', 'final') OR i.overdue_at IS NOT NULL OR i.step_at < ${dueDaysLater('overdueDays')}
        WHEN i.step = 'charge' THEN i.collection NOT IN ('renewal', 'awaited', 'final') OR coalesce(i.step_at < i.next_charge_at, true)
        WHEN i.step = 'debit' THEN i.collection <> 'renewal' OR coalesce(i.step_at < i.debit_look_at, true)
        WHEN i.step = 'suspend' THEN i.collection <> 'renewal' OR i.overdue_at IS NULL OR i.step_at < ${dueDaysLater('suspendDays')}
        WHEN i.step = 'remind' THEN i.collection NOT IN ('once', 'renewal', 'final') OR coalesce(i.step_at < ${REMINDER_AT}, true)
        ELSE i.collection <> 'suspended' OR i.step_at < ${dueDaysLater('cancelDays')} END`,
    describe:
      '{id} ({status}, {collection}), due at {due_at} and overdue at {overdue_at}, is to be charged at {next_charge_at} after {reminders} reminders; its next step is {step} at {step_at}',
  },
  {
    name: 'reminder-letter',
    sql: `SELECT m.id, m.invoice_id AS invoice, m.step, m.created, i.status FROM mail m JOIN invoice i ON i.id = m.invoice_id
      WHERE m.occasion = 'reminder' AND (NOT (i.collection_days -> 'reminderDays')::jsonb @> to_jsonb(m.step)
        OR m.created > least(i.paid_at, i.voided_at, i.marked_uncollectible_at))`,
    describe: '{id} reminds at {created} of {invoice}, which is {status}, by the day {step}',
  },
  {
    name: 'invoice-collection',
    sql: `SELECT i.id, i.collection, s.id AS subscription, s.status FROM invoice i LEFT JOIN subscription s ON s.id = i.subscription_id
      WHERE i.status = 'open' AND i.collection IS DISTINCT FROM CASE WHEN i.billing_reason = 'subscription_change' THEN 'awaited' ELSE CASE s.status WHEN 'pending' THEN 'awaited' WHEN 'suspended' THEN 'suspended'
        WHEN 'active' THEN 'renewal' WHEN 'paused' THEN 'renewal' WHEN 'inactive' THEN 'final' ELSE 'once' END END`,
    describe: '{id} is collected as {collection}, its subscription {subscription} is {status}',
  },
  {
    name: 'subscription-billed-cycle',
    sql: `SELECT s.id, s.billed_cycle, newest.cycle FROM subscription s
      LEFT JOIN (SELECT subscription_id, max(cycle) AS cycle FROM invoice WHERE NOT superseded GROUP BY subscription_id) AS newest ON newest.subscription_id = s.id
      WHERE s.billed_cycle <> coalesce(newest.cycle, 0)`,
    describe: '{id} was billed up to cycle {billed_cycle}, its newest invoice is of cycle {cycle}',
  },
  {
    name: 'renewal-charges',
    sql: `SELECT i.id, i.charges, coalesce(made.charges, 0) AS made, made.most FROM invoice i LEFT JOIN (
        SELECT c.invoice_id, count(*) AS charges, max(p.max_attempts) AS most FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id
        WHERE c.initiator = 'merchant' AND p.subscription_id IS NOT NULL GROUP BY c.invoice_id) AS made ON made.invoice_id = i.id
      WHERE i.charges <> coalesce(made.charges, 0) OR i.charges > made.most`,
    describe: '{id} counts {charges} charges by itself, {made} are on record, and {most} may be',
  },
  {
    name: 'invoice-first-decline',
    sql: `SELECT i.id, i.first_declined_at, i.first_decline_reason, c.completed_at, c.decline_reason FROM invoice i LEFT JOIN (
        SELECT DISTINCT ON (invoice_id) invoice_id, completed_at, decline_reason FROM (
          SELECT id, invoice_id, completed_at, decline_reason FROM charge_attempt WHERE initiator = 'merchant' AND decline_reason IS NOT NULL
          UNION ALL SELECT id, invoice_id, completed_at, decline_reason FROM debit_try WHERE status = 'failed') AS declined
        ORDER BY invoice_id, completed_at, id) AS c ON c.invoice_id = i.id
      WHERE (i.first_declined_at, i.first_decline_reason) IS DISTINCT FROM (c.completed_at, c.decline_reason)`,
    describe:
      '{id} was declined first at {first_declined_at} for {first_decline_reason}, on record is {completed_at} for {decline_reason}',
  },
  {
    name: 'scheduled-charge',
    sql: `SELECT p.id, p.status, p.next_attempt, i.id AS invoice, i.next_charge_at FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE p.mandate_id IS NULL AND p.next_attempt IS DISTINCT FROM CASE WHEN p.status = 'failed' AND p.is_scheduled THEN i.next_charge_at END`,
    describe:
      '{id} is {status} and to be tried again at {next_attempt}; {invoice} is to be charged at {next_charge_at}',
  },
];

/** Overdue invoices of subscriptions, and when they were so no more. */
const OVERDUE = `(SELECT subscription_id, id, overdue_at, least(paid_at, voided_at, marked_uncollectible_at) AS ended
  FROM invoice WHERE overdue_at IS NOT NULL AND cycle IS NOT NULL)`;

/** What of them was overdue already at an instant; `ties`: one that ended at the very instant counts as well, or does not. */
const alreadyOverdue = (at: string, ties: '>' | '>='): string => `EXISTS (SELECT FROM ${OVERDUE} AS other
  WHERE other.subscription_id = o.subscription_id AND other.overdue_at < ${at} AND coalesce(other.ended ${ties} ${at}, true))`;

/** Whether one of its invoices got a later due date: what was overdue before that is not known any more. */
const isExtended = (
  subscription: string,
): string => `EXISTS (SELECT FROM event extended JOIN invoice i ON i.id = extended.object_id
  WHERE extended.type = 'invoice.updated' AND i.subscription_id = ${subscription})`;

/** A subscription is told overdue once an episode, with the invoice that begins it (docs/product/collection.md#overdue-episode). */
const overdueCheck: Check = {
  name: 'subscription-overdue-events',
  sql: `SELECT coalesce(o.subscription_id, told.id) AS id, o.begins, coalesce(o.overdue_at, told.at) AS at, coalesce(told.times, 0) AS times
    FROM (SELECT o.subscription_id, o.overdue_at, min(o.id) AS begins, bool_or(${alreadyOverdue('o.overdue_at', '>')}) AS goes_on,
        bool_or(${alreadyOverdue('o.overdue_at', '>=')}) AS may_go_on
      FROM ${OVERDUE} AS o GROUP BY o.subscription_id, o.overdue_at) AS o
    FULL JOIN (SELECT object_id AS id, created AS at, count(*) AS times FROM event WHERE type = 'subscription.overdue'
      GROUP BY object_id, created) AS told ON told.id = o.subscription_id AND told.at = o.overdue_at
    WHERE told.times > 1 OR (NOT ${isExtended('coalesce(o.subscription_id, told.id)')} AND (o.begins IS NULL OR (told.times = 1 AND o.goes_on)
      OR (told.times IS NULL AND NOT o.may_go_on AND ${suffixOf('o.begins')} >= (SELECT kept FROM at))))`,
  describe: '{times} events tell that {id} is overdue since {at}, when {begins} was',
};

/** Time does with invoices and subscriptions what their rows say, and nothing else (docs/product/collection.md#order-at-one-instant, docs/product/test-clock.md#advancing). */
export const collectionAuditChecks: readonly Check[] = [...dueChecks, ...collectionChecks, overdueCheck];
