import { newId } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const DAY = 86_400;
/** The suffix of an id made long ago. */
const OLD = `01jaaaaaaa${'0'.repeat(16)}`;

const scopeFaults: readonly Fault[] = [
  fault('a customer of another account', ['intent-customer', 'invoice-customer-id'], ({ sold, stranger }) => [
    sql`UPDATE invoice SET customer_id = ${stranger.customer} WHERE id = ${sold.invoice}`,
  ]),
  fault('an intent’s customer of another account', ['intent-customer', 'payment-intent-customer-id'], ({ sold, stranger }) => [
    sql`UPDATE payment_intent SET customer_id = ${stranger.customer} WHERE id = ${sold.intent}`,
  ]),
  fault('a product of another account', ['price-product-id'], ({ stranger, sold }) => [
    sql`INSERT INTO product (id, account_id, live_mode, created, name, active) VALUES (${`prod_${OLD}`}, ${stranger.accountId}, false, 0, '', true)`,
    sql`INSERT INTO event SELECT day, id || 'x', ${stranger.accountId}, false, 'product.created', 0, ${`prod_${OLD}`}, '{}', '{}', body_digest
      FROM event WHERE false AND object_id = ${sold.invoice} UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE false`,
  ]),
];

export const otherFaults: readonly Fault[] = [...scopeFaults];
void DAY;
void newId;
