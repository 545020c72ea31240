import { hangsOn } from '../db/months.ts';
import { mine, statement } from '../db/statement.ts';

/** The groups of an answer. */
export type Group = 'customers' | 'invoices' | 'payment_intents' | 'subscriptions' | 'checkout_sessions';

interface Found {
  readonly group: Group;
  readonly id: string;
}

/** Attempts that are looked at for the last digits of a card: one charge may have several. */
const ATTEMPTS_MAX = 100;

/** Rows of a table that a query names by itself come first, at place 0; those of a customer whom it names at place 1. */
const named = (row: string, from: string, condition: string): string =>
  `SELECT ${row}.id, 0 AS place FROM ${from} ${row} WHERE ${mine(row)} AND ${condition}`;

const newest = (select: string, row: string): string => `(${select} ORDER BY ${row}.id DESC LIMIT :limit)`;

const ofCustomers = (table: string): string =>
  `SELECT n.id, 1 AS place FROM customers c CROSS JOIN LATERAL
     (SELECT t.id FROM ${table} t WHERE ${mine('t')} AND t.customer_id = c.id ORDER BY t.id DESC LIMIT :limit) n`;

const CUSTOMERS = [
  named('u', 'customer', 'u.id = :text'),
  named('u', 'customer', 'u.external_code = :text'),
  newest(named('u', 'customer', 'u.email_index = :email'), 'u'),
  'SELECT w.id, 1 AS place FROM unnest(:customers::text[]) AS w (id)',
];

/** Charges that a query names, by themselves or by what they were paid with. */
const CHARGES = [
  `SELECT p.id, p.invoice_id FROM payment_intent p WHERE ${mine('p')} AND p.id = :text`,
  `SELECT q.intent_id, q.invoice_id FROM pix_charge q WHERE ${mine('q')} AND q.id = :text`,
  `SELECT r.intent_id, r.invoice_id FROM pix_receipt r WHERE ${mine('r')} AND r.id = :text AND r.intent_id IS NOT NULL`,
  `SELECT d.intent_id, d.invoice_id FROM dispute d WHERE ${mine('d')} AND d.id = :text`,
  `(SELECT a.intent_id, a.invoice_id FROM charge_attempt a WHERE ${mine('a')} AND a.last4 = :last4
     ORDER BY a.id DESC LIMIT ${ATTEMPTS_MAX})`,
];

const BILLS = [
  named('i', 'invoice', 'i.id = :text'),
  named('i', 'invoice', 'i.external_code = :text'),
  newest(named('i', 'invoice', 'i.total = :amount'), 'i'),
  'SELECT p.invoice_id, 0 AS place FROM charges p',
];

const CHARGES_OF_BILLS = `SELECT n.id, 0 AS place FROM bills b CROSS JOIN LATERAL
  (SELECT p.id FROM payment_intent p WHERE ${mine('p')} AND ${hangsOn('pi_', 'p.invoice_id', 'b.id')} ORDER BY p.id DESC LIMIT :limit) n`;

const GROUPS: Readonly<Record<Group, readonly string[]>> = {
  customers: ['SELECT c.id, c.place FROM customers c'],
  invoices: ['SELECT b.id, b.place FROM bills b', ofCustomers('invoice')],
  payment_intents: ['SELECT p.id, 0 AS place FROM charges p', CHARGES_OF_BILLS, ofCustomers('payment_intent')],
  subscriptions: [
    named('s', 'subscription', 's.id = :text'),
    named(
      's',
      'subscription',
      `s.id = (SELECT m.subscription_id FROM subscription_term m WHERE ${mine('m')} AND m.item_id = :text LIMIT 1)`,
    ),
    newest(named('s', 'subscription', 's.external_code = :text'), 's'),
    ofCustomers('subscription'),
  ],
  checkout_sessions: [
    named('o', 'checkout_session', 'o.id = :text'),
    named('o', 'checkout_session', 'o.external_code = :text'),
    ofCustomers('checkout_session'),
  ],
};

const all = (parts: readonly string[]): string => parts.join(' UNION ALL ');

const groupOf = ([group, parts]: [string, readonly string[]]): string =>
  `(SELECT '${group}' AS "group", g.id, min(g.place) AS place FROM (${all(parts)}) g
    GROUP BY g.id ORDER BY 3, 2 DESC LIMIT :limit)`;

/** What a query names, in one look: what it names itself before what is of its customers, the newest first. */
export const findAll = statement<Found>(
  'search_everything',
  `WITH customers AS MATERIALIZED (
     SELECT c.id, min(c.place) AS place FROM (${all(CUSTOMERS)}) c GROUP BY c.id ORDER BY 2, 1 DESC LIMIT :limit),
   charges AS MATERIALIZED (${CHARGES.join(' UNION ')}),
   bills AS MATERIALIZED (SELECT i.id, i.place FROM (${all(BILLS)}) i GROUP BY i.id, i.place ORDER BY 1 DESC LIMIT :limit)
   SELECT f."group", f.id FROM (${all(Object.entries(GROUPS).map(groupOf))}) f ORDER BY f.place, f.id DESC`,
);
