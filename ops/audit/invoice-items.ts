import type { Check } from './check.ts';

/** Lines that bill a charge which waited, and credits that invoices used. */
const lines = `SELECT i.id AS invoice, i.status, i.customer_id, i.subscription_id, line."invoiceItem" AS item, line.quantity * line."unitAmount" AS amount
  FROM invoice i CROSS JOIN LATERAL json_to_recordset(i.line_items) AS line (quantity bigint, "unitAmount" bigint, "invoiceItem" text)
  WHERE line."invoiceItem" IS NOT NULL`;
/** A change that has an invoice of its own brings a credit that waited for none. */
const uses = `SELECT i.id AS invoice, i.status, i.customer_id, i.subscription_id, used.item, used.amount
  FROM invoice i CROSS JOIN LATERAL json_to_recordset(i.credits) AS used (item text, amount bigint)
  WHERE used.item <> ''`;

/** What waits for bills is taken by them once, and by void ones not at all (docs/product/invoice-items.md). */
export const invoiceItemChecks: readonly Check[] = [
  {
    name: 'invoice-item-used',
    sql: `SELECT m.id, m.type, m.amount, m.used, coalesce(sum(taken.amount), 0) AS taken, count(taken.item) AS times
      FROM invoice_item m LEFT JOIN (${lines} UNION ALL ${uses}) AS taken ON taken.item = m.id AND taken.status <> 'void'
      GROUP BY m.id HAVING m.used <> coalesce(sum(taken.amount), 0) OR (m.type = 'charge' AND count(taken.item) > 1)`,
    describe: '{id}, a {type} of {amount}, says that {used} of it are used; {times} invoices took {taken}',
  },
  {
    name: 'invoice-item-invoice',
    sql: `SELECT m.id, m.invoice_id, line.invoice FROM invoice_item m
      FULL JOIN (SELECT * FROM (${lines}) AS l WHERE l.status <> 'void') AS line ON line.item = m.id
      WHERE (m.invoice_id IS NOT NULL OR line.invoice IS NOT NULL) AND m.invoice_id IS DISTINCT FROM line.invoice`,
    describe: '{id} is billed by {invoice_id}, the invoice with its line is {invoice}',
  },
  {
    name: 'invoice-item-owner',
    sql: `SELECT taken.invoice AS id, taken.item, taken.customer_id, taken.subscription_id, m.customer_id AS of_customer, m.subscription_id AS of_subscription
      FROM (${lines} UNION ALL ${uses}) AS taken LEFT JOIN invoice_item m ON m.id = taken.item
      WHERE m.id IS NULL OR m.customer_id <> taken.customer_id OR m.subscription_id <> taken.subscription_id OR taken.subscription_id IS NULL`,
    describe:
      '{id} of {customer_id} ({subscription_id}) takes {item}, which waits for bills of {of_customer} ({of_subscription})',
  },
];
