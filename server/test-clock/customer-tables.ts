import { acrossAccounts, type Statement, statement } from '../db/statement.ts';
import { deleteSome, ROWS_PER_BATCH } from '../jobs/batched-delete.ts';
import { waitingPlaces } from '../waiting.ts';
import { byDay, type EventsOfDay } from './event-removal.ts';
import { type ScopedTable, scopedTables } from './scoped-tables.ts';

const OWN = 'account_id = :accountId AND NOT live_mode';
const of = (alias: string): string => `${alias}.account_id = :accountId AND NOT ${alias}.live_mode`;
/** Ids in an array, which is made before rows are looked for by it: no month is chosen by a row of another table (docs/design/sql.md#partitions). */
const invoices = `ANY (ARRAY(SELECT i.id FROM invoice i WHERE ${of('i')} AND i.customer_id = :customerId))`;
const subscriptions = `ANY (ARRAY(SELECT s.id FROM subscription s WHERE ${of('s')} AND s.customer_id = :customerId))`;
const intents = `ANY (ARRAY(SELECT p.id FROM payment_intent p WHERE ${of('p')} AND p.customer_id = :customerId))`;
const codes = `ANY (ARRAY(SELECT c.id FROM pix_charge c WHERE ${of('c')} AND c.invoice_id = ${invoices}))`;
const attempts = `ANY (ARRAY(SELECT t.id FROM charge_attempt t WHERE ${of('t')} AND t.invoice_id = ${invoices}))`;
const parts = `ANY (ARRAY(SELECT r.id FROM refund_part r WHERE ${of('r')} AND r.intent_id = ${intents}))`;
const cob = `account_id = :accountId AND txid = ${codes}`;

/** What hangs on a customer and is removed in a way of its own, below. */
export const customerTablesApart = [
  'sandbox_bank.card',
  'event',
  'event_delivery_status',
  'delivery',
  'delivery_attempt',
  'outbox',
  'invoice_cycle',
  'invoice_external_code',
];

/** What the bank's books have of a customer is found by ours, so it goes first; as do answers of which only an attempt tells whose they are. */
const before: Readonly<Record<string, string>> = {
  'sandbox_bank.devolucao': `end_to_end_id IN (SELECT x.end_to_end_id FROM sandbox_bank.pix x WHERE x.txid = ${codes})`,
  'sandbox_bank.pix': `txid = ${codes}`,
  'sandbox_bank.cobr': `txid = ${codes}`,
  'sandbox_bank.rec': `account_id = :accountId AND place IN (SELECT m.place FROM mandate m WHERE ${of('m')} AND m.customer_id = :customerId)`,
  'sandbox_bank.cob': cob,
  'sandbox_bank.estorno': `charge = ${attempts}`,
  'sandbox_bank.charge': `account_id = :accountId AND reference = ${attempts}`,
  idempotency_key: `${OWN} AND (customer_id = :customerId OR attempt_id = ${attempts} OR attempt_id = ${parts})`,
};

/** How the rows of a table hang on a customer; null: they do not. */
function hanging({ name, properties }: ScopedTable): string | null {
  if (name === 'customer' || name === 'typed_email') return `${OWN} AND id = :customerId`;
  if (properties.has('customerId')) return `${OWN} AND customer_id = :customerId`;
  // A change of a subscription has an invoice or none.
  if (properties.has('subscriptionId')) return `${OWN} AND subscription_id = ${subscriptions}`;
  if (properties.has('invoiceId')) return `${OWN} AND invoice_id = ${invoices}`;
  return properties.has('intentId') ? `${OWN} AND intent_id = ${intents}` : null;
}

/** Which rows of each table hang on a customer of a sandbox; a table is emptied before those that it refers to. */
export const customerTables: Readonly<Record<string, string>> = {
  ...before,
  ...Object.fromEntries(
    scopedTables.flatMap((table) => {
      const rows = table.name in before || customerTablesApart.includes(table.name) ? null : hanging(table);
      return rows === null ? [] : [[table.name, rows]];
    }),
  ),
};

/** In their order; each takes the customer. */
export const customerRemovals: readonly Statement[] = Object.entries(customerTables).map(([table, rows]) =>
  statement(`remove_${table}`, deleteSome(table, rows)),
);

/** The bank's cards of a customer: of stored ones we have the token, of charged ones the bank knows. */
export const findCards = statement<{ id: string; accountId: string; token: string | null; sealedToken: Buffer | null }>(
  'find_cards_to_remove',
  `SELECT m.id, m.account_id AS "accountId", m.sealed_token AS "sealedToken", NULL AS token FROM payment_method m
   WHERE ${of('m')} AND m.customer_id = :customerId AND m.sealed_token IS NOT NULL
   UNION ALL SELECT c.reference, c.account_id, NULL, c.token FROM sandbox_bank.charge c WHERE c.account_id = :accountId AND c.reference = ${attempts}`,
);
export const removeCards = statement(
  'remove_cards',
  'DELETE FROM sandbox_bank.card WHERE account_id = :accountId AND token = ANY (:tokens)',
);

/** Found by the index of what they tell of, which no statement behind a policy may use by itself (docs/design/security.md#the-second-wall). */
const EVENTS_OF_OBJECT = `events_of_object(o.id, '-infinity', 'infinity')`;

/** Events are gone after 35 days by their partitions; those that a paused retention left are removed with whom they tell of. */
export const findEvents = statement<EventsOfDay>(
  'find_events_of_customer_to_remove',
  byDay(`SELECT f.day, f.id FROM unnest(ARRAY(
       SELECT s.id FROM checkout_session s WHERE ${of('s')} AND s.customer_id = :customerId) || :customerId::text) AS o (id)
     CROSS JOIN LATERAL ${EVENTS_OF_OBJECT} f WHERE ${of('f')}`),
);

/** Sessions that expired before anybody was their customer; some at a time. */
export const findSessions = acrossAccounts<{ id: string }>(
  'find_old_sessions_of_nobody',
  `SELECT s.id FROM checkout_session s WHERE NOT s.live_mode AND s.customer_id IS NULL AND s.status = 'expired' AND s.id < 'cs_' || :since::text
     AND coalesce(right(s.last_event_id, 26) < :since, true) LIMIT ${ROWS_PER_BATCH}`,
);
export const findEventsOfSessions = acrossAccounts<EventsOfDay>(
  'find_events_of_old_sessions',
  byDay(`SELECT f.day, f.id FROM checkout_session o CROSS JOIN LATERAL ${EVENTS_OF_OBJECT} f
     WHERE NOT o.live_mode AND o.id = ANY (:ids) AND f.account_id = o.account_id AND NOT f.live_mode`),
);
export const removeSessions = acrossAccounts(
  'remove_old_sessions_of_nobody',
  'DELETE FROM checkout_session s WHERE NOT s.live_mode AND s.id = ANY (:ids)',
);

const remaining = [...new Set(waitingPlaces.flatMap(([, { object }]) => object ?? [])), 'event'].map(
  (table) => `SELECT FROM ${table} t WHERE t.account_id = :accountId AND t.id = split_part(o.key, '/', 1)`,
);

/** Work that was asked for and is of nothing that is left; keys begin with the id of their object. */
export const findOrphanedWork = acrossAccounts<{ id: number }>(
  'find_orphaned_work',
  `SELECT o.id FROM outbox o WHERE o.account_id = :accountId AND o.key <> o.account_id AND NOT EXISTS (${remaining.join(' UNION ALL ')})`,
);
export const removeOrphanedWork = acrossAccounts(
  'remove_orphaned_work',
  'DELETE FROM outbox o WHERE o.account_id = :accountId AND o.id = ANY (:ids)',
);
