import { outboxKinds, placesOf } from '../../server/waiting.ts';
import { type Check, isOld } from './check.ts';

/** An idempotent answer is kept for 72 hours and removed by the daily run after them. */
const IDEMPOTENCY_HOURS_MAX = 72 + 24 + 12;
const LEASE_SECONDS_MAX = 90;
/** A bank that confirmed a payment settles it the same day; an operator is told after that. */
const SETTLEMENT_SECONDS_MAX = 24 * 3_600;

const patience = (instant: string): string => `${instant} < now() - make_interval(secs => (SELECT patience FROM at))`;

const objects = outboxKinds.flatMap((kind) => {
  const { object } = placesOf(kind)[0] ?? {};
  return object === undefined
    ? []
    : `WHEN '${kind}' THEN NOT EXISTS (SELECT FROM ${object} w WHERE w.id = o.key AND w.account_id = o.account_id)`;
});

/** Nothing lies unsettled beyond its deadline (docs/design/audit.md#what-it-proves). Instants on an account's clock are compared with that clock. */
export const deadlineChecks: readonly Check[] = [
  {
    name: 'outbox-stuck',
    sql: `SELECT kind, key, due_at, failures FROM outbox WHERE ${patience('due_at')}`,
    describe: '{kind} {key} is due since {due_at}, after {failures} failures',
  },
  {
    name: 'outbox-object',
    sql: `SELECT o.kind, o.key, o.account_id FROM outbox o WHERE CASE o.kind ${objects.join(' ')} ELSE false END`,
    describe: '{account_id} waits for {kind} {key}, which it does not have',
  },
  {
    name: 'delivery-stuck',
    sql: `SELECT event_id, endpoint_id, ladder, stage, claimable_at FROM delivery WHERE stage <> 'done' AND ${patience('claimable_at')}`,
    describe: 'ladder {ladder} of {event_id} to {endpoint_id} ({stage}) waits to be sent since {claimable_at}',
  },
  {
    name: 'idempotency-lease',
    sql: `SELECT encode(hash, 'hex') AS hash, account_id, lease_until, created_at FROM idempotency_key
      WHERE lease_until > now() + interval '${LEASE_SECONDS_MAX} seconds' OR (lease_until IS NOT NULL AND status IS NOT NULL)
        OR created_at < now() - interval '${IDEMPOTENCY_HOURS_MAX} hours'`,
    describe:
      'the idempotency key {hash} of {account_id}, made at {created_at} and leased until {lease_until}, is kept too long',
  },
  {
    name: 'qr-code-retiring',
    sql: `SELECT q.id, q.invoice_id, p.discarded_at
      FROM pix_charge q JOIN payment_intent p ON p.id = q.intent_id JOIN moment m ON m.account_id = q.account_id AND m.live_mode = q.live_mode
      WHERE q.state = 'retiring' AND ${isOld('q.id')}
        AND coalesce(p.discarded_at, q.created) < m.now - (SELECT patience FROM at)
        AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = 'pix-expiry' AND o.key = q.id)`,
    describe: 'the QR code {id} of {invoice_id}, discarded at {discarded_at}, is retiring and not ended at the bank',
  },
  {
    name: 'qr-code-confirmed',
    sql: `SELECT q.id, q.intent_id, q.confirmed_at FROM pix_charge q
      JOIN payment_intent p ON p.id = q.intent_id JOIN moment m ON m.account_id = q.account_id AND m.live_mode = q.live_mode
      WHERE p.status = 'pending' AND q.confirmed_at < m.now - ${SETTLEMENT_SECONDS_MAX} AND ${isOld('q.id')}`,
    describe: 'the payment of {id} ({intent_id}) is confirmed since {confirmed_at} and not settled',
  },
  {
    name: 'receipt-undecided',
    sql: `SELECT r.id, r.invoice_id, p.id AS intent FROM pix_receipt r
      LEFT JOIN payment_intent p ON p.invoice_id = r.invoice_id AND p.status = 'processing'
      WHERE r.intent_id IS NULL AND (p.id IS NULL OR ${isOld('p.id')})`,
    describe: 'the receipt {id} of {invoice_id} settled nothing and is not returned; at the acquirer is {intent}',
  },
  {
    name: 'charge-stuck',
    sql: `SELECT c.id, c.intent_id, c.deadline_at FROM charge_attempt c
      WHERE c.status = 'sent' AND ${patience('c.deadline_at')}
        AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = 'charge-reconciliation' AND o.key = c.intent_id)`,
    describe: 'nobody asks what became of the attempt {id} of {intent_id}, which had to end by {deadline_at}',
  },
  {
    name: 'refund-stuck',
    sql: `SELECT r.id, r.intent_id, r.reference, coalesce(r.retry_at, r.created) AS due
      FROM refund_part r JOIN moment m USING (account_id, live_mode)
      WHERE r.status = 'refunding' AND coalesce(r.retry_at, r.created) < m.now - (SELECT patience FROM at) AND ${isOld('r.id')}`,
    describe: '{id} of {intent_id} ({reference}) is due since {due} and not returned',
  },
  {
    name: 'export-stuck',
    sql: `SELECT e.id, e.rows, e.due_at FROM export e WHERE e.status = 'pending' AND ${patience('e.due_at')}
        AND NOT EXISTS (SELECT FROM outbox o WHERE o.kind = 'export-file' AND o.key = e.id)`,
    describe: '{id} has {rows} rows since {due_at}, and nobody writes on',
  },
  {
    name: 'test-clock-stuck',
    sql: `SELECT id, clock_held_at, clock_target, clock_moved_at FROM account WHERE clock_target IS NOT NULL AND ${patience('clock_moved_at')}`,
    describe: 'the test clock of {id} stands at {clock_held_at} since {clock_moved_at} on its way to {clock_target}',
  },
];
