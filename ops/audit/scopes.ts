import { referencesOf } from '../../server/db/references.ts';
import { entities } from '../../server/entities.ts';
import type { Check } from './check.ts';
import { tablesOfAccounts } from './tables.ts';

/** A part of a refund names its invoice without a key: its intent's is checked. */
const PART_OF_INVOICE = { table: 'refund_part', column: 'invoice_id', target: 'invoice' } as const;

/** Every reference from one object to another: both are of one account and one mode, whatever the foreign keys say. */
const references = [
  ...referencesOf(entities.map(({ meta }) => meta).filter(({ properties }) => 'id' in properties)).filter(
    ({ isScoped }) => isScoped,
  ),
  PART_OF_INVOICE,
];

const referenceCheck = ({ table, column, target }: (typeof references)[number]): Check => ({
  name: `${table}-${column}`.replaceAll('_', '-'),
  sql: `SELECT one.id, one.account_id, one.live_mode, one.${column} AS named, other.account_id AS other_account, other.live_mode AS other_mode
    FROM ${table} one LEFT JOIN ${target} other ON other.id = one.${column}
    WHERE one.${column} IS NOT NULL AND (other.id IS NULL OR other.account_id <> one.account_id OR other.live_mode <> one.live_mode)`,
  describe: `{id} of {account_id} (live: {live_mode}) names {named} as its ${column}, which is of {other_account} (live: {other_mode})`,
});

/** Two ways lead to one object: both arrive at the same. */
const agreements: readonly Check[] = [
  {
    name: 'intent-customer',
    sql: `SELECT p.id, p.customer_id, p.subscription_id, i.id AS invoice, i.customer_id AS invoiced, i.subscription_id AS subscribed
      FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
      WHERE p.customer_id <> i.customer_id OR p.subscription_id IS DISTINCT FROM i.subscription_id`,
    describe:
      '{id} is of {customer_id} and subscription {subscription_id}, its invoice {invoice} of {invoiced} and subscription {subscribed}',
  },
  {
    name: 'intent-of-invoice',
    sql: `SELECT i.id, p.id AS intent, p.invoice_id FROM invoice i JOIN payment_intent p ON p.id = i.payment_intent_id
      WHERE p.invoice_id <> i.id`,
    describe: '{id} shows {intent}, which is of {invoice_id}',
  },
  {
    name: 'qr-code-of-intent',
    sql: `SELECT q.id, q.amount, q.invoice_id, p.id AS intent, p.amount AS charged, p.invoice_id AS of_intent
      FROM pix_charge q JOIN payment_intent p ON p.id = q.intent_id
      WHERE q.amount <> p.amount OR q.invoice_id <> p.invoice_id OR p.payment_method_type IS DISTINCT FROM 'pix'`,
    describe: 'the QR code {id} is of {amount} for {invoice_id}, its intent {intent} of {charged} for {of_intent}',
  },
  {
    name: 'qr-code-once',
    sql: `SELECT intent_id AS id, count(*) AS codes, string_agg(id, ', ' ORDER BY id) AS ids
      FROM pix_charge GROUP BY intent_id HAVING count(*) > 1`,
    describe: '{id} has {codes} QR codes: {ids}',
  },
  {
    name: 'receipt-of-invoice',
    sql: `SELECT r.id, r.txid, r.invoice_id, q.invoice_id AS of_qr_code, p.id AS intent, p.invoice_id AS of_intent
      FROM pix_receipt r JOIN pix_charge q ON q.id = r.txid LEFT JOIN payment_intent p ON p.id = r.intent_id
      WHERE r.invoice_id <> q.invoice_id OR p.invoice_id <> r.invoice_id`,
    describe:
      'the receipt {id} is for {invoice_id}, its QR code {txid} for {of_qr_code} and its intent {intent} for {of_intent}',
  },
  {
    name: 'attempt-of-intent',
    sql: `SELECT c.id, c.amount, c.installments, c.invoice_id, p.id AS intent, p.amount AS asked, p.installments AS agreed, p.invoice_id AS of_intent
      FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id
      WHERE (c.amount, c.installments, c.invoice_id) <> (p.amount, p.installments, p.invoice_id) OR p.payment_method_type IS DISTINCT FROM 'card'`,
    describe:
      'the attempt {id} is of {amount} in {installments} for {invoice_id}, its intent {intent} of {asked} in {agreed} for {of_intent}',
  },
  {
    name: 'attempt-of-customer',
    sql: `SELECT c.id, m.id AS method, m.customer_id, p.customer_id AS charged FROM charge_attempt c
      JOIN payment_method m ON m.id = c.payment_method_id JOIN payment_intent p ON p.id = c.intent_id
      WHERE m.customer_id <> p.customer_id`,
    describe: 'the attempt {id} charged {charged} with {method}, which is of {customer_id}',
  },
  {
    name: 'refund-part-of-invoice',
    sql: `SELECT r.id, r.invoice_id, p.id AS intent, p.invoice_id AS of_intent FROM refund_part r JOIN payment_intent p ON p.id = r.intent_id
      WHERE r.invoice_id <> p.invoice_id`,
    describe: '{id} is of {invoice_id}, its intent {intent} of {of_intent}',
  },
  {
    name: 'dispute-of-payment',
    sql: `SELECT d.id, d.end_to_end_id, d.invoice_id, d.customer_id, p.id AS intent, p.invoice_id AS of_intent, p.customer_id AS paid_by,
        r.intent_id AS received
      FROM dispute d JOIN payment_intent p ON p.id = d.intent_id LEFT JOIN pix_receipt r ON r.id = d.end_to_end_id
      WHERE (d.invoice_id, d.customer_id) <> (p.invoice_id, p.customer_id) OR d.method = 'pix' AND r.intent_id IS DISTINCT FROM p.id`,
    describe:
      '{id} is of {customer_id} for {invoice_id}, its intent {intent} of {paid_by} for {of_intent}; its payment {end_to_end_id} is of {received}',
  },
];

const accountCheck: Check = {
  name: 'account',
  sql: tablesOfAccounts
    .map(
      (table) =>
        `SELECT DISTINCT '${table}' AS what, o.account_id FROM ${table} o WHERE o.account_id IS NOT NULL AND NOT EXISTS (SELECT FROM account a WHERE a.id = o.account_id)`,
    )
    .join(' UNION ALL '),
  describe: 'some {what} names {account_id}, and there is no such account',
};

/** No id leads to another account, another mode or another object than it should. */
export const scopeChecks: readonly Check[] = [...references.map(referenceCheck), ...agreements, accountCheck];
