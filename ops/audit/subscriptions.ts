import { type Check, CIVIL_ZONE, suffixOf } from './check.ts';

/** A civil time that a change of the clocks made twice stands for either. */
const CLOCK_CHANGE_SECONDS = 3_600;

/** When the n-th cycle after an anchor begins, by the database's own calendar and not by the service's. */
const cycleStart = (n: string): string =>
  `extract(epoch FROM (to_timestamp(s.billing_cycle_anchor) AT TIME ZONE '${CIVIL_ZONE}'
    + make_interval(days => ${n} * q.recurring_interval_count * CASE q.recurring_interval WHEN 'day' THEN 1 WHEN 'week' THEN 7 ELSE 0 END,
      months => ${n} * q.recurring_interval_count * (q.recurring_interval = 'month')::integer,
      secs => ${n} * q.recurring_interval_count * (q.recurring_interval = 'second')::integer)) AT TIME ZONE '${CIVIL_ZONE}')::bigint`;

/** The civil date of an instant there. */
const civilDay = (instant: string): string => `(to_timestamp(${instant}) AT TIME ZONE '${CIVIL_ZONE}')::date`;

const differs = (stored: string, computed: string): string =>
  `abs(${stored} - ${computed}) NOT IN (0, ${CLOCK_CHANGE_SECONDS})`;

/** Where a subscription stands (docs/product/subscriptions.md#moves). */
const standing: readonly Check[] = [
  {
    name: 'subscription-status-times',
    sql: `SELECT id, status, created, activated_at, suspended_at, reactivated_at, ended FROM subscription
      WHERE (ended IS NOT NULL) <> (status = 'inactive')
        OR (pending_until IS NOT NULL) <> (status = 'pending') OR pending_until <= greatest(created, reactivated_at)
        OR CASE status WHEN 'active' THEN activated_at >= greatest(suspended_at, reactivated_at, created)
          WHEN 'scheduled' THEN activated_at IS NULL AND trial_start_at IS NULL AND starts_at > created
          WHEN 'trialing' THEN activated_at IS NULL AND trial_start_at >= greatest(created, starts_at) AND trial_end_at >= trial_start_at
          WHEN 'paused' THEN paused_at >= greatest(activated_at, suspended_at, reactivated_at, resumed_at, created)
          WHEN 'suspended' THEN suspended_at >= greatest(activated_at, reactivated_at)
          WHEN 'pending' THEN activated_at IS NULL OR reactivated_at >= greatest(activated_at, suspended_at) END IS NOT TRUE AND status <> 'inactive'
        OR (activated_at IS NULL AND suspended_at IS NOT NULL) OR (suspended_at IS NULL AND reactivated_at IS NOT NULL)
        OR least(activated_at, trial_start_at, suspended_at, reactivated_at, resumed_at, ended) < created OR activated_at < trial_end_at
        OR ended < greatest(activated_at, suspended_at, reactivated_at, resumed_at)`,
    describe:
      '{id} is {status}, its instants tell of another way: created {created}, activated {activated_at}, suspended {suspended_at}, reactivated {reactivated_at}, ended {ended}',
  },
  {
    name: 'subscription-trial',
    sql: `SELECT id, status, created, starts_at, trial_days, trial_needs_method, trial_start_at, trial_end_at, trial_end_behavior, trial_told FROM subscription
      WHERE (trial_end_behavior IS NULL) <> (trial_days IS NULL AND trial_end_at IS NULL)
        OR trial_end_at - trial_start_at > 730 * 86400 + ${CLOCK_CHANGE_SECONDS}
        OR (canceled_reason = 'trial_ended' AND (ended < trial_end_at OR trial_end_behavior IS DISTINCT FROM 'cancel'))
        OR (trial_start_at IS NULL AND trial_end_behavior IS NOT NULL AND activated_at IS NOT NULL)`,
    describe:
      '{id} is {status}; its trial of {trial_days} days (with a card: {trial_needs_method}) began at {trial_start_at} and ends at {trial_end_at}, then: {trial_end_behavior}',
  },
  {
    name: 'subscription-cancel',
    sql: `SELECT id, status, cancel_at, cancel_at_period_end, current_period_end, canceled_reason, ended FROM subscription
      WHERE (canceled_reason IS NOT NULL) <> (status = 'inactive')
        OR (cancel_at IS NULL AND cancel_at_period_end) OR (cancel_at_period_end AND status = 'active' AND cancel_at < current_period_end)
        OR (cancel_at <= created)`,
    describe:
      '{id} is {status} since {ended} ({canceled_reason}), its period ends at {current_period_end}, and it is to end at {cancel_at} (with the period: {cancel_at_period_end})',
  },
  {
    name: 'subscription-anchor',
    // After a pause the anchor is the end of the period that it interrupted; another interval is counted from where the former one ended.
    sql: `SELECT id, billing_cycle_anchor, created, activated_at, anchor_cycle, cycle FROM subscription
      WHERE CASE WHEN resumed_at >= activated_at THEN billing_cycle_anchor < coalesce(trial_end_at, starts_at, activated_at)
          ELSE billing_cycle_anchor <> coalesce(activated_at, created) AND (billing_cycle_anchor IN (trial_end_at, starts_at)) IS NOT TRUE END
          AND NOT EXISTS (SELECT FROM subscription_change g WHERE g.subscription_id = subscription.id AND g.status = 'applied'
            AND g.effective_at = billing_cycle_anchor AND (g.cycle <= anchor_cycle) IS NOT FALSE)
        OR (activated_at IS NULL) <> (cycle = 0) OR anchor_cycle > greatest(cycle, 1) + (cycle > 0 AND period_days IS NOT NULL)::integer`,
    describe:
      '{id}, created at {created} and activated at {activated_at}, counts its cycles from {billing_cycle_anchor}; {cycle} have begun, and the anchor is of {anchor_cycle}',
  },
  {
    name: 'subscription-period',
    // What was billed before a pause ended shows the dates that it was billed for; the subscription has those that are served.
    sql: `SELECT s.id, s.cycle, s.current_period_start, s.current_period_end, i.id AS invoice, i.period_start, i.period_end
      FROM subscription s LEFT JOIN invoice i ON i.subscription_id = s.id AND i.cycle = s.cycle AND NOT i.superseded
      WHERE CASE WHEN i.created <= s.resumed_at THEN s.current_period_start < i.period_start OR s.current_period_end < i.period_end
          ELSE (s.current_period_start, s.current_period_end) IS DISTINCT FROM (i.period_start, i.period_end) END
        OR (s.current_period_start IS NULL) <> (s.cycle = 0)`,
    describe:
      '{id} is in cycle {cycle} from {current_period_start} to {current_period_end}, whose invoice {invoice} is of {period_start} to {period_end}',
  },
  {
    name: 'subscription-terms',
    sql: `SELECT s.id, s.term_seq, s.created, count(m.seq) FILTER (WHERE m.seq = s.term_seq) AS items, count(DISTINCT m.seq) AS terms, max(m.seq) AS newest,
        min(m.effective_at) AS begun
      FROM subscription s LEFT JOIN subscription_term m ON m.subscription_id = s.id
      GROUP BY s.id HAVING count(m.seq) FILTER (WHERE m.seq = s.term_seq) = 0 OR count(DISTINCT m.seq) <> max(m.seq)
        OR max(m.seq) < s.term_seq OR min(m.effective_at) < s.created`,
    describe:
      '{id} of {created} bills its term {term_seq} of {items} items; {terms} terms up to the number {newest} are kept, from {begun} on',
  },
  {
    name: 'subscription-term',
    sql: `SELECT m.subscription_id AS id, m.seq, count(*) AS items, max(m.position) + 1 AS places, count(s.id) AS own, count(p.id) AS priced,
        count(DISTINCT p.id) AS prices, count(DISTINCT (p.recurring_interval, p.recurring_interval_count)) AS recurrences,
        count(DISTINCT m.effective_at) AS instants
      FROM subscription_term m
        LEFT JOIN subscription s ON s.id = m.subscription_id AND s.account_id = m.account_id AND s.live_mode = m.live_mode
        LEFT JOIN price p ON p.id = m.price_id AND p.account_id = m.account_id AND p.live_mode = m.live_mode
      GROUP BY m.subscription_id, m.seq HAVING count(*) <> max(m.position) + 1 OR count(*) <> count(s.id) OR count(*) <> count(DISTINCT p.id)
        OR count(*) <> count(DISTINCT m.item_id) OR count(DISTINCT (p.recurring_interval, p.recurring_interval_count)) <> 1
        OR count(DISTINCT m.effective_at) <> 1`,
    describe:
      'the term {seq} of {id} has {items} items in {places} places, {own} of its account; {priced} have a price, {prices} different ones of {recurrences} recurrences; it begins at {instants} instants',
  },
  {
    name: 'subscription-term-order',
    sql: `SELECT subscription_id AS id, seq, effective_at, former FROM (
        SELECT subscription_id, seq, effective_at, lag(effective_at) OVER (PARTITION BY subscription_id ORDER BY seq) AS former
        FROM subscription_term WHERE position = 0) AS term WHERE effective_at < former`,
    describe: 'the term {seq} of {id} holds from {effective_at}, the one before it from {former}',
  },
  {
    name: 'subscription-calendar',
    sql: `SELECT s.id, s.cycle - s.anchor_cycle AS cycles, s.billing_cycle_anchor, s.current_period_start, s.current_period_end
      FROM subscription s JOIN subscription_term m ON m.subscription_id = s.id AND m.seq = s.term_seq AND m.position = 0
        JOIN price q ON q.id = m.price_id
      WHERE (s.anchor_cycle <= s.cycle AND ${differs('s.current_period_start', cycleStart('(s.cycle - s.anchor_cycle)'))})
        OR ${differs('s.current_period_end', cycleStart('(s.cycle - s.anchor_cycle + 1)'))}`,
    describe:
      '{id} is in a cycle from {current_period_start} to {current_period_end}, which is not the one {cycles} cycles after {billing_cycle_anchor}',
  },
  {
    name: 'subscription-pause',
    sql: `SELECT s.id, s.status, s.paused_at, s.resumes_at, s.days_left, s.period_days, s.current_period_end, billed.days
      FROM subscription s LEFT JOIN LATERAL (
        SELECT ${civilDay('i.period_end')} - ${civilDay('i.period_start')} AS days FROM invoice i
        WHERE i.subscription_id = s.id AND i.cycle = s.cycle AND NOT i.superseded) AS billed ON true
      WHERE (s.days_left IS NOT NULL) <> (s.status = 'paused') OR (s.paused_at IS NOT NULL AND s.status NOT IN ('active', 'paused'))
        OR (s.status = 'active' AND s.paused_at < s.current_period_end) OR s.resumes_at <= s.paused_at
        OR (s.status = 'paused' AND s.cycle > 0 AND (s.days_left <> greatest(0, least(s.period_days,
          ${civilDay('s.current_period_end')} - ${civilDay('s.paused_at')}))) IS NOT FALSE)
        OR (s.period_days <> billed.days AND s.resumed_at IS NULL)
        OR (s.period_days IS NULL AND s.anchor_cycle > s.cycle AND s.cycle > 0)`,
    describe:
      '{id} is {status}, paused since {paused_at} until {resumes_at} with {days_left} of {period_days} days left of its period to {current_period_end}, which was billed for {days}',
  },
  {
    name: 'subscription-minimum-term',
    sql: `SELECT id, cycle, term_cycles, term_cycles_left, term_days, penalty_type, penalty_value FROM subscription
      WHERE num_nulls(term_cycles, term_cycles_left, penalty_type, penalty_value) NOT IN (0, 4)
        OR term_cycles_left NOT BETWEEN 0 AND term_cycles OR (penalty_type = 'remaining_percentage' AND penalty_value > 10000)
        OR (term_cycles IS NOT NULL AND (term_days IS NULL) <> (cycle = 0)) OR (term_cycles_left = term_cycles) <> (cycle = 0)`,
    describe:
      '{id} is in cycle {cycle}; {term_cycles_left} of the {term_cycles} cycles of its minimum term ({term_days} days) have not begun, the penalty is {penalty_type} of {penalty_value}',
  },
  {
    name: 'subscription-penalty',
    sql: `SELECT i.id, i.subscription_id, s.status, s.canceled_reason, i.total FROM invoice i LEFT JOIN subscription s ON s.id = i.subscription_id
      WHERE i.billing_reason = 'subscription_end' AND (s.status IS DISTINCT FROM 'inactive' OR s.canceled_reason NOT IN ('requested', 'unpaid')
        OR i.created <> s.ended OR i.collection <> 'final')`,
    describe: '{id} of {total} bills the end of {subscription_id}, which is {status} ({canceled_reason})',
  },
  {
    name: 'subscription-price',
    sql: `SELECT m.subscription_id AS id, q.id AS price, q.type FROM subscription_term m JOIN price q ON q.id = m.price_id WHERE q.type <> 'recurring'`,
    describe: '{id} bills {price}, which is {type}',
  },
];

/** The invoices of a subscription (docs/product/subscriptions.md#calendar). */
const invoices: readonly Check[] = [
  {
    name: 'subscription-newest-invoice',
    sql: `SELECT s.id, s.latest_invoice_id, newest.id AS newest
      FROM subscription s LEFT JOIN (SELECT subscription_id, max(id) AS id FROM invoice GROUP BY subscription_id) AS newest
        ON newest.subscription_id = s.id
      WHERE s.latest_invoice_id IS DISTINCT FROM newest.id`,
    describe: '{id} shows the invoice {latest_invoice_id}, its newest is {newest}',
  },
  {
    name: 'subscription-open-invoices',
    sql: `SELECT s.id, s.status, count(i.id) AS invoices, string_agg(i.id, ', ' ORDER BY i.id) AS ids
      FROM subscription s LEFT JOIN invoice i ON i.subscription_id = s.id AND i.status IN ('draft', 'open')
      GROUP BY s.id HAVING CASE s.status WHEN 'active' THEN false WHEN 'paused' THEN false WHEN 'suspended' THEN count(i.id) <> 1
        WHEN 'inactive' THEN bool_or(i.billing_reason <> 'subscription_end')
        WHEN 'pending' THEN count(i.id) <> (s.trial_end_behavior IS NULL OR s.trial_start_at IS NOT NULL)::integer ELSE count(i.id) > 0 END`,
    describe: '{id} is {status} and has {invoices} open invoices: {ids}',
  },
  {
    name: 'subscription-cycle-once',
    sql: `SELECT subscription_id AS id, cycle, count(*) AS invoices, string_agg(id, ', ' ORDER BY id) AS ids
      FROM invoice WHERE cycle IS NOT NULL AND NOT superseded GROUP BY subscription_id, cycle HAVING count(*) > 1`,
    describe: 'cycle {cycle} of {id} is billed by {invoices} invoices: {ids}',
  },
  {
    name: 'subscription-periods',
    // The payment after a suspension begins its cycle at once, whatever younger invoice was paid before (docs/product/subscriptions.md#calendar).
    sql: `SELECT id, one, cycle, period_end, other, next_cycle, next_start FROM (
        SELECT subscription_id AS id, id AS one, cycle, period_end, lead(id) OVER w AS other, lead(cycle) OVER w AS next_cycle,
          lead(period_start) OVER w AS next_start, lead(due_at <> period_start OR billing_reason = 'subscription_change') OVER w AS is_resumed
        FROM invoice WHERE cycle IS NOT NULL AND status = 'paid' WINDOW w AS (PARTITION BY subscription_id ORDER BY cycle, id)) AS paid
      WHERE next_start < period_end AND NOT is_resumed`,
    describe:
      '{id} is paid for cycle {cycle} to {period_end} ({one}), and for cycle {next_cycle} from {next_start} ({other})',
  },
  {
    name: 'invoice-of-subscription',
    sql: `SELECT i.id, s.id AS subscription, i.customer_id, s.customer_id AS subscribed
      FROM invoice i JOIN subscription s ON s.id = i.subscription_id WHERE i.customer_id <> s.customer_id`,
    describe: '{id} bills {customer_id}, its subscription {subscription} is of {subscribed}',
  },
  {
    name: 'invoice-bills-term',
    // Any term that held until the invoice was made, or its period begins, may be the one that it bills; a bill ahead may be of a change to come, or of several.
    sql: `SELECT i.id, i.subscription_id, billed.items FROM invoice i
      CROSS JOIN LATERAL (SELECT string_agg(concat_ws(' ', l.item, l.price, l.quantity), ', ' ORDER BY l.item) AS items
        FROM json_to_recordset(i.line_items) AS l (item text, price text, quantity bigint, kind text) WHERE l.kind = 'recurring') AS billed
      WHERE i.cycle IS NOT NULL AND NOT EXISTS (
        SELECT FROM subscription_term m WHERE m.subscription_id = i.subscription_id AND m.effective_at <= greatest(i.created, i.period_start)
        GROUP BY m.seq
        HAVING string_agg(concat_ws(' ', m.item_id, m.price_id, m.quantity), ', ' ORDER BY m.item_id) = billed.items)
      AND NOT EXISTS (SELECT FROM subscription_change g WHERE g.subscription_id = i.subscription_id AND g.cycle <= i.cycle
        AND (SELECT string_agg(concat_ws(' ', a.item, a.price, a.quantity), ', ' ORDER BY a.item)
          FROM json_to_recordset(g.items_after) AS a (item text, price text, quantity bigint)) = billed.items)
      AND NOT EXISTS (SELECT FROM subscription_change g WHERE g.subscription_id = i.subscription_id AND g.effective = 'cycle' AND g.cycle <= i.cycle
        AND (g.status = 'scheduled' OR i.superseded))`,
    describe: '{id} bills {items}, which no term of {subscription_id} is',
  },
  {
    name: 'subscription-bills',
    sql: `SELECT s.id, s.bills, count(i.id) AS invoices, max(i.bill_number) AS newest
      FROM subscription s LEFT JOIN invoice i ON i.subscription_id = s.id AND i.bill_number IS NOT NULL AND NOT i.superseded
      GROUP BY s.id HAVING s.bills <> count(i.id) OR s.bills <> max(i.bill_number) OR count(i.id) <> count(DISTINCT i.bill_number)`,
    describe: '{id} counts {bills} bills, it has {invoices}, the newest is the number {newest}',
  },
  {
    name: 'invoice-cycle',
    sql: `SELECT id, status, subscription_id, cycle, billing_reason, period_start, period_end FROM invoice
      WHERE CASE WHEN billing_reason = 'subscription_change' THEN subscription_id IS NULL OR (cycle IS NULL) <> (period_start IS NULL) OR (cycle IS NOT NULL AND status <> 'paid')
          ELSE (cycle IS NULL) <> (subscription_id IS NULL OR billing_reason = 'subscription_end') END
        OR (period_start IS NULL) <> (period_end IS NULL) OR period_start >= period_end
        OR CASE WHEN billing_reason = 'subscription_change' THEN false WHEN cycle IS NULL THEN (billing_reason LIKE 'subscription%') <> (subscription_id IS NOT NULL) OR period_start IS NOT NULL
          ELSE billing_reason <> CASE bill_number WHEN 1 THEN 'subscription_create' ELSE 'subscription_cycle' END
            OR CASE WHEN period_start IS NULL THEN cycle <> 1 OR status = 'paid'
              ELSE cycle = 1 AND status <> 'paid' AND EXISTS (SELECT FROM subscription s WHERE s.id = subscription_id AND s.activated_at IS NULL) END END`,
    describe:
      '{id} ({status}, {billing_reason}) bills cycle {cycle} of {subscription_id} from {period_start} to {period_end}',
  },
];

/** How renewals are paid, and the cards that are kept for them (docs/product/cards.md#stored-cards). */
const methods: readonly Check[] = [
  {
    name: 'subscription-method',
    sql: `SELECT s.id, s.payment_method_type, s.installments, m.id AS method, m.customer_id, s.customer_id AS subscribed
      FROM subscription s LEFT JOIN payment_method m ON m.id = s.payment_method_id
      WHERE (s.payment_method_id IS NOT NULL AND s.payment_method_type IS DISTINCT FROM 'card') OR (s.payment_method_id IS NULL AND s.payment_method_type = 'card' AND s.status <> 'inactive'
          AND NOT EXISTS (SELECT FROM payment_method d WHERE d.customer_id = s.customer_id AND d.is_default)) OR (m.deleted_at IS NOT NULL AND s.status <> 'inactive')
        OR (s.payment_method_type IS NOT NULL AND coalesce(s.activated_at, s.trial_start_at, s.starts_at) IS NULL)
        OR (s.installments <> 1 AND s.payment_method_type IS DISTINCT FROM 'card')
        OR m.customer_id <> s.customer_id`,
    describe:
      '{id} of {subscribed} is paid by {payment_method_type} in {installments} installments, with the card {method} of {customer_id}',
  },
  {
    name: 'stored-card-use',
    sql: `SELECT m.id, m.customer_id, p.id AS intent FROM payment_method m
      LEFT JOIN charge_attempt c ON c.payment_method_id = m.id LEFT JOIN payment_intent p ON p.id = c.intent_id
      WHERE (p.id IS NOT NULL AND p.subscription_id IS NULL) OR NOT EXISTS (SELECT FROM subscription s WHERE s.customer_id = m.customer_id)`,
    describe: '{id} of {customer_id} is kept for no subscription; it was charged for {intent}',
  },
  {
    name: 'stored-card-kept',
    sql: `SELECT c.id, p.subscription_id, c.payment_method_id FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id
      LEFT JOIN payment_method m ON m.id = c.payment_method_id
      WHERE p.subscription_id IS NOT NULL AND m.id IS NULL`,
    describe: 'the card {payment_method_id} of the attempt {id} was not kept for {subscription_id}',
  },
];

/** Invoices that were made ahead of a cycle that a suspension, or a change of the interval, left out: it has a number, and never began. */
const neverBegun = `SELECT subscription_id, count(*) AS skipped FROM (SELECT i.subscription_id, i.id
  FROM event e JOIN invoice i ON i.subscription_id = e.object_id AND i.created <= e.created
  WHERE e.type = 'subscription.suspended' AND (e.body::jsonb #>> '{data,object,current_period_end}')::bigint <= i.period_start
    AND i.paid_at IS DISTINCT FROM i.period_start
  UNION SELECT i.subscription_id, i.id FROM invoice c
    JOIN invoice i ON i.subscription_id = c.subscription_id AND i.cycle < c.cycle AND i.period_start > c.period_start AND NOT i.superseded
  WHERE c.billing_reason = 'subscription_change') AS left_out GROUP BY subscription_id`;

/** Each cycle that began is told once, one of another interval maybe at the instant at which the former one began, and the newest is the current one; old ones outlive their events (docs/product/events.md#what-each-use-case-records). */
const tellingCheck: Check = {
  name: 'subscription-cycles-told',
  sql: `SELECT s.id, s.cycle, s.current_period_start, coalesce(told.times, 0) AS times, told.periods, told.newest
    FROM subscription s
    LEFT JOIN (${neverBegun}) AS never ON never.subscription_id = s.id
    LEFT JOIN (SELECT subscription_id, count(*) AS times FROM invoice WHERE billing_reason = 'subscription_change' AND cycle IS NOT NULL
      GROUP BY subscription_id) AS anew ON anew.subscription_id = s.id
    LEFT JOIN (
      SELECT object_id, count(*) AS times, count(DISTINCT period) AS periods, max(period) AS newest
      FROM (SELECT object_id, (body::jsonb #>> '{data,object,current_period_start}')::bigint AS period
        FROM event WHERE type = 'subscription.period_started') AS started GROUP BY object_id) AS told ON told.object_id = s.id
    WHERE coalesce(told.times, 0) > s.cycle OR told.times - told.periods NOT BETWEEN 0 AND coalesce(anew.times, 0) OR told.newest <> s.current_period_start
      OR (coalesce(told.times, 0) < s.cycle - coalesce(never.skipped, 0) AND ${suffixOf('s.id')} >= (SELECT kept FROM at))`,
  describe:
    '{id} is in its cycle {cycle} since {current_period_start}; {times} events tell of {periods} cycles, the newest since {newest}',
};

/** A subscription stands where its payments brought it, and bills each cycle once. */
export const subscriptionChecks: readonly Check[] = [...standing, ...invoices, ...methods, tellingCheck];
