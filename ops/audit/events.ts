import { type Check, suffixAt, suffixOf } from './check.ts';
import { countCheck, refundShownCheck } from './event-counts.ts';

/** Where a state of an object is told by an event: the instants of both are the same. */
interface Told {
  readonly type: string;
  readonly column: string;
  /** The state is reached again and again; the column holds the last time. */
  readonly repeats?: true;
  /** Objects that may have left the state, and perhaps reached it again. */
  readonly unless?: string;
}

/** Payments of which the bank refused a return after all that it had made. */
const REVOKED = `SELECT intent_id FROM refund_part WHERE status = 'failed' AND completed_at IS NOT NULL`;

/** Invoices that got a later due date: they may have been overdue before it. */
const EXTENDED = `SELECT object_id FROM event WHERE type = 'invoice.updated'`;

/** Every change that leaves an instant on its object (docs/product/events.md#what-each-use-case-records). Opening a draft has a check of its own. */
const told: Readonly<Record<string, readonly Told[]>> = {
  customer: [
    { type: 'customer.created', column: 'created' },
    { type: 'customer.anonymized', column: 'anonymized_at' },
  ],
  product: [{ type: 'product.created', column: 'created' }],
  price: [{ type: 'price.created', column: 'created' }],
  invoice_item: [{ type: 'invoice_item.created', column: 'created' }],
  payment_link: [{ type: 'payment_link.created', column: 'created' }],
  coupon: [{ type: 'coupon.created', column: 'created' }],
  promotion_code: [{ type: 'promotion_code.created', column: 'created' }],
  redemption: [
    { type: 'discount.redeemed', column: 'redeemed_at' },
    { type: 'discount.released', column: 'released_at' },
  ],
  invoice: [
    { type: 'invoice.created', column: 'created' },
    { type: 'invoice.paid', column: 'paid_at' },
    { type: 'invoice.voided', column: 'voided_at' },
    { type: 'invoice.marked_uncollectible', column: 'marked_uncollectible_at' },
    { type: 'invoice.overdue', column: 'overdue_at', unless: EXTENDED },
  ],
  payment_intent: [
    { type: 'payment_intent.created', column: 'created' },
    { type: 'payment_intent.processing', column: 'processing_at', repeats: true },
    { type: 'payment_intent.paid', column: 'paid_at' },
    { type: 'payment_intent.failed', column: 'failed_at', repeats: true },
    { type: 'payment_intent.refunding', column: 'refunding_at', repeats: true },
    { type: 'payment_intent.refunded', column: 'refunded_at', unless: REVOKED },
    { type: 'payment_intent.discarded', column: 'discarded_at' },
  ],
  subscription: [
    { type: 'subscription.created', column: 'created' },
    { type: 'subscription.trial_started', column: 'trial_start_at' },
    { type: 'subscription.activated', column: 'activated_at', repeats: true },
    { type: 'subscription.suspended', column: 'suspended_at', repeats: true },
    { type: 'subscription.reactivated', column: 'reactivated_at', repeats: true },
    { type: 'subscription.canceled', column: 'ended' },
  ],
  payment_method: [{ type: 'payment_method.attached', column: 'stored_at' }],
  mandate: [
    { type: 'mandate.created', column: 'created' },
    { type: 'mandate.activated', column: 'activated_at' },
  ],
  dispute: [
    { type: 'dispute.created', column: 'created' },
    { type: 'dispute.closed', column: 'closed_at' },
    { type: 'dispute.funds_withdrawn', column: 'withdrawn_at' },
    { type: 'dispute.updated', column: 'reinstated_at' },
    { type: 'dispute.funds_reinstated', column: 'reinstated_at' },
  ],
  checkout_session: [
    { type: 'checkout_session.created', column: 'created' },
    { type: 'checkout_session.customer_attached', column: 'attached_at' },
    { type: 'checkout_session.completed', column: 'completed_at' },
    { type: 'checkout_session.expired', column: 'expired_at' },
  ],
};

const quoted = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** Each state of the table's objects with the events that tell it, of the same account and mode. Old objects outlive their events. */
function toldCheck([table, states]: [string, readonly Told[]]): Check {
  const mayHaveLeft = states.flatMap(({ type, unless }) =>
    unless === undefined ? [] : `(type = '${type}' AND id IN (${unless}))`,
  );
  const isLasting = mayHaveLeft.length === 0 ? '' : `AND NOT (${mayHaveLeft.join(' OR ')})`;
  const reached = states.map(({ type, column, repeats }) => `('${type}', o.${column}, ${repeats === true})`).join(', ');
  return {
    name: `${table}-events`.replaceAll('_', '-'),
    sql: `SELECT id, type, happened, coalesce(times, 0) AS times, recorded
      FROM (
        SELECT o.id, o.account_id, o.live_mode, state.type, state.happened, state.repeats
        FROM ${table} o CROSS JOIN LATERAL (VALUES ${reached}) AS state (type, happened, repeats)
        WHERE state.happened IS NOT NULL
      ) AS states
      FULL JOIN (
        SELECT object_id AS id, account_id, live_mode, type, count(*) AS times, max(created) AS recorded
        FROM event WHERE type IN (${quoted(states.map(({ type }) => type))}) GROUP BY object_id, account_id, live_mode, type
      ) AS events USING (id, account_id, live_mode, type)
      WHERE (happened IS NULL ${isLasting})
        OR (times IS NULL AND ${suffixOf('id')} >= (SELECT kept FROM at))
        OR (times > 1 AND NOT repeats ${isLasting})
        OR recorded <> happened`,
    describe: '{id} came to {type} at {happened}; {times} events say so, the last of {recorded}',
  };
}

const finalizedCheck: Check = {
  name: 'invoice-finalized-events',
  sql: `SELECT i.id, i.finalized_at, coalesce(finalized.times, 0) AS times, finalized.recorded, created.drafted
    FROM invoice i
    JOIN (SELECT object_id, bool_or(body LIKE '%"draft"%' AND body::json #>> '{data,object,status}' = 'draft') AS drafted
      FROM event WHERE type = 'invoice.created' GROUP BY object_id) AS created ON created.object_id = i.id
    LEFT JOIN (SELECT object_id, count(*) AS times, max(created) AS recorded
      FROM event WHERE type = 'invoice.finalized' GROUP BY object_id) AS finalized ON finalized.object_id = i.id
    WHERE coalesce(finalized.times, 0) <> (created.drafted AND i.finalized_at IS NOT NULL)::integer
      OR finalized.recorded <> i.finalized_at`,
  describe:
    '{id} (created as a draft: {drafted}) was finalized at {finalized_at}; {times} events say so, the last of {recorded}',
};

/** What an event's type begins with, and the table of its object: a refund has the id of its payment intent, an account has a look in each mode. */
const resources = [
  ...Object.keys(told).map((table) => [table, table] as const),
  ['refund', 'payment_intent'] as const,
  ['discount', 'redemption'] as const,
  ['account', 'account_look'] as const,
];

/** What outlives its object, which is removed after a day. */
const OUTLIVING = ['export.completed'];

const objectCheck: Check = {
  name: 'event-object',
  sql: `SELECT e.id, e.type, e.object_id, e.account_id FROM event e
    LEFT JOIN (${resources.map(([resource, table]) => `SELECT '${resource}' AS resource, id, account_id, live_mode FROM ${table}`).join(' UNION ALL ')}) AS o
      ON o.resource = split_part(e.type, '.', 1) AND o.id = e.object_id AND o.account_id = e.account_id AND o.live_mode = e.live_mode
    WHERE o.id IS NULL AND e.type NOT IN (${quoted([...OUTLIVING, ...Object.values(told).flatMap((states) => states.map(({ type }) => type))])})`,
  describe: '{id} tells {type} of {object_id}, which {account_id} does not have',
};

/** The status that an event's own step leads to, where it leads to few. */
const shownStatus: Readonly<Record<string, string>> = {
  'invoice.updated': 'open',
  'invoice.finalized': 'open',
  'invoice.paid': 'paid',
  'invoice.refunded': 'paid',
  'invoice.voided': 'void',
  'invoice.marked_uncollectible': 'uncollectible',
  'invoice.overdue': 'open',
  'payment_intent.created': 'pending',
  'payment_intent.processing': 'processing',
  'payment_intent.paid': 'paid',
  'payment_intent.failed': 'failed',
  'payment_intent.refunding': 'refunding',
  'payment_intent.refunded': 'refunded',
  'payment_intent.discarded': 'discarded',
  'refund.created': 'refunding',
  'dispute.created': 'lost',
  'dispute.closed': 'lost',
  'dispute.funds_withdrawn': 'lost',
  'dispute.updated': 'won',
  'dispute.funds_reinstated': 'won',
  'subscription.created': 'pending scheduled',
  'subscription.trial_started': 'trialing',
  'subscription.trial_will_end': 'trialing',
  'subscription.activated': 'active',
  'subscription.period_started': 'active',
  'subscription.overdue': 'active paused',
  'subscription.paused': 'paused',
  'subscription.resumed': 'active',
  'subscription.suspended': 'suspended',
  'subscription.reactivated': 'pending',
  'subscription.canceled': 'inactive',
  'checkout_session.created': 'open',
  'checkout_session.customer_attached': 'open',
  'checkout_session.completed': 'complete',
  'checkout_session.expired': 'expired',
  'export.completed': 'completed',
  'discount.redeemed': 'redeemed',
  'discount.released': 'released',
};

const shown = Object.entries(shownStatus)
  .map(([type, status]) => `('${type}', '${status}')`)
  .join(', ');

/** The columns that lists and filters read, against the text that was sent. */
const columnsCheck: Check = {
  name: 'event-columns',
  sql: `SELECT e.id, e.type, e.object_id
    FROM event e CROSS JOIN LATERAL (SELECT e.body::jsonb AS body OFFSET 0) AS parsed
    CROSS JOIN LATERAL (SELECT parsed.body #> '{data,object}' AS object OFFSET 0) AS data
    LEFT JOIN (VALUES ${shown}) AS shown (type, status) ON shown.type = e.type
    LEFT JOIN payment_intent i ON i.id = CASE data.object ->> 'object' WHEN 'refund' THEN e.object_id
      WHEN 'dispute' THEN data.object ->> 'payment_intent' END
    WHERE (parsed.body ->> 'id', parsed.body ->> 'object', parsed.body ->> 'type', parsed.body ->> 'created', parsed.body ->> 'live_mode',
        data.object ->> 'id', data.object ->> 'object', coalesce(data.object ->> 'live_mode', parsed.body ->> 'live_mode'))
      IS DISTINCT FROM (e.id, 'event', e.type, e.created::text, e.live_mode::text, e.object_id, split_part(e.type, '.', 1), e.live_mode::text)
      OR data.object ->> 'status' <> ALL (string_to_array(shown.status, ' '))
      OR NOT e.related @> array_remove(ARRAY[data.object ->> 'id', data.object ->> 'customer', data.object ->> 'invoice',
        data.object ->> 'subscription', data.object ->> 'payment_intent'], NULL)
      OR NOT e.related <@ ARRAY[data.object ->> 'id', data.object ->> 'customer', data.object ->> 'invoice',
        data.object ->> 'subscription', data.object ->> 'payment_intent', i.invoice_id, i.subscription_id, i.customer_id]`,
  describe: '{id} is stored as {type} of {object_id}, its body says otherwise',
};

const frozenCheck: Check = {
  name: 'event-body',
  sql: `SELECT id, type, object_id FROM event WHERE md5(body)::uuid <> body_digest`,
  describe: 'the body of {id} ({type} of {object_id}) is not the one that was recorded',
};

const firstIdOf = (day: string): string => `'evt_' || ${suffixAt(`(${day})::timestamp AT TIME ZONE 'UTC'`)}`;

const dayCheck: Check = {
  name: 'event-day',
  sql: `SELECT e.id, e.day FROM event e
    JOIN (SELECT day, ${firstIdOf('day')} AS starts, ${firstIdOf('day + 1')} AS ends FROM (SELECT DISTINCT day FROM event) AS days OFFSET 0) AS days USING (day)
    WHERE e.id < days.starts OR e.id >= days.ends`,
  describe: '{id} is kept under {day}, which is not the day it was made on',
};

/** Each change is told by exactly one event, each event tells a change, and says today what it said then (docs/product/events.md#what-each-use-case-records). */
export const eventChecks: readonly Check[] = [
  ...Object.entries(told).map(toldCheck),
  finalizedCheck,
  countCheck,
  refundShownCheck,
  objectCheck,
  columnsCheck,
  frozenCheck,
  dayCheck,
];
