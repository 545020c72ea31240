import type pg from 'pg';
import { hashOf } from '../../server/customers/word-index.ts';
import { wordsOf } from '../../server/customers/words.ts';
import { places } from '../../server/sealing/sealed-columns.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';

const FIRST =
  `maria jose ana joao antonio francisco carlos paulo pedro lucas luiz marcos luis gabriel rafael daniel marcelo bruno eduardo felipe
  raimundo rodrigo adriana juliana marcia fernanda patricia aline sandra camila amanda bruna jessica leticia julia luciana vanessa`.split(
    /\s+/,
  );
const LAST =
  `silva santos oliveira souza lima pereira ferreira costa rodrigues almeida nascimento alves carvalho araujo ribeiro fernandes gomes
  martins barbosa rocha dias monteiro cardoso reis moreira freitas cavalcanti teixeira correia vieira moraes nogueira queiroz bittencourt`.split(
    /\s+/,
  );
const HOSTS = ['gmail.com', 'hotmail.com', 'outlook.com', 'uol.com.br'];
const CUSTOMERS_A_STEP = 1_000;

/** Names as people have them: a few are frequent, most are not. The same number has the same one. */
const pick = (of: readonly string[], number: number): string =>
  of[Math.floor((((number * 2_654_435_761) % 2 ** 32) / 2 ** 32) ** 2 * of.length)] ?? '';

export function buyer(number: number) {
  const [first, middle, last] = [pick(FIRST, number), pick(LAST, number + 7), pick(LAST, 3 * number + 11)];
  return {
    name: `${first} da ${middle} ${last}`,
    email: `${first}.${last}${number}@${HOSTS[number % HOSTS.length]}`,
    identifier: String(10_000_000_000 + ((number * 7_919_777_777) % 89_999_999_999)),
    phone: `+5511${900_000_000 + ((number * 7_919) % 99_999_999)}`,
  };
}

const suffix = (number: number): string => String(number).padStart(26, '0');
const idSql = (prefix: string, number: string): string => `'${prefix}_' || lpad((${number})::text, 26, '0')`;

interface Sales {
  readonly accountId: string;
  readonly box: SecretBox;
  readonly customers: number;
  readonly invoices: number;
}

async function fillCustomers(client: pg.ClientBase, { accountId, box, customers }: Sales): Promise<void> {
  for (let from = 0; from < customers; from += CUSTOMERS_A_STEP) {
    const numbers = Array.from({ length: Math.min(CUSTOMERS_A_STEP, customers - from) }, (_, nth) => from + nth);
    const made = numbers.map((number) => ({ id: `cus_${suffix(number)}`, ...buyer(number) }));
    const sealed = made.map(({ id, ...personal }) =>
      box.seal(JSON.stringify({ ...personal, address: null }), places.customer(accountId, id)),
    );
    await client.query(
      `INSERT INTO customer (id, account_id, live_mode, created, personal)
       SELECT n.id, $1, false, 1, n.personal FROM unnest($2::text[], $3::bytea[]) AS n (id, personal)`,
      [accountId, made.map(({ id }) => id), sealed],
    );
    const words = made.flatMap((one) =>
      [...wordsOf(one)].map((word) => [one.id, hashOf(box, { accountId, liveMode: false }, word)] as const),
    );
    await client.query(
      `INSERT INTO customer_word (word, customer_id, account_id, live_mode)
       SELECT n.word, n.id, $1, false FROM unnest($2::text[], $3::bytea[]) AS n (id, word)`,
      [accountId, words.map(([id]) => id), words.map(([, word]) => word)],
    );
  }
}

/** Most prices are of a few plans, some of one sale alone. Every third invoice was declined at a card, the others paid by PIX. */
const SALES = [
  `INSERT INTO invoice (id, account_id, live_mode, created, customer_id, customer_name, status, billing_reason, total, line_items, due_at, external_code)
   SELECT ${idSql('in', 'n')}, $1, false, 1, ${idSql('cus', 'n % $2')}, 'Maria', 'open', 'manual',
     CASE WHEN n % 4 = 0 THEN 100000 + n ELSE 4990 + n % 3 * 1000 END, '[]', 1, CASE WHEN n % 10 = 0 THEN 'order-' || n END
   FROM generate_series(0, $3::int - 1) n`,
  `INSERT INTO payment_intent (id, account_id, live_mode, created, invoice_id, customer_id, status, amount, payment_method_type, due_at)
   SELECT ${idSql('pi', 'n')}, $1, false, 1, ${idSql('in', 'n')}, ${idSql('cus', 'n % $2')}, 'failed', 100, 'card', 1 FROM generate_series(0, $3::int - 1) n`,
  `INSERT INTO charge_attempt (id, account_id, live_mode, created, intent_id, invoice_id, payment_method_id, brand, last4, amount, installments,
     deadline_at, status, decline_reason, is_reversible, completed_at)
   SELECT ${idSql('ca', 'n')}, $1, false, 1, ${idSql('pi', 'n')}, ${idSql('in', 'n')}, 'txn_1', 'visa',
     CASE WHEN n % 2 = 0 THEN '4242' ELSE lpad((n % 10000)::text, 4, '0') END, 100, 1, now(), 'declined', 'issuer_declined', true, 1
   FROM generate_series(0, $3::int - 1) n WHERE n % 3 = 0 AND $2::int IS NOT NULL`,
  `INSERT INTO pix_charge (id, account_id, live_mode, created, intent_id, invoice_id, payment_method_id, amount, expires_at, state)
   SELECT lpad(n::text, 26, '0'), $1, false, 1, ${idSql('pi', 'n')}, ${idSql('in', 'n')}, 'txn_1', 100, 1, 'ended'
   FROM generate_series(0, $3::int - 1) n WHERE n % 3 <> 0 AND $2::int IS NOT NULL`,
  `INSERT INTO pix_receipt (id, account_id, live_mode, created, txid, invoice_id, intent_id, amount, paid_at)
   SELECT 'E' || lpad(n::text, 31, '0'), $1, false, 1, lpad(n::text, 26, '0'), ${idSql('in', 'n')}, ${idSql('pi', 'n')}, 100, 1
   FROM generate_series(0, $3::int - 1) n WHERE n % 3 = 1 AND $2::int IS NOT NULL`,
  `INSERT INTO product (id, account_id, live_mode, created, name, active)
   SELECT 'prod_' || n, $1, false, 1, 'Clube', true FROM generate_series(1, $2::int) n WHERE $3::int IS NOT NULL`,
  `INSERT INTO price (id, account_id, live_mode, created, product_id, active, type, unit_amount, recurring_interval, recurring_interval_count,
     card_installments_enabled, max_card_installments, creation)
   SELECT 'price_' || n, $1, false, 1, 'prod_' || n, true, 'recurring', 4990, 'month', 1, false, 1, '{}'
   FROM generate_series(1, $2::int) n WHERE $3::int IS NOT NULL`,
  `INSERT INTO subscription (id, account_id, live_mode, created, customer_id, status, billing_cycle_anchor, pending_until, external_code)
   SELECT ${idSql('sub', 'n')}, $1, false, 1, ${idSql('cus', 'n % $2')}, 'pending', 1, 1, 'plan-' || n % 100
   FROM generate_series(0, $3::int / 5) n`,
  `INSERT INTO subscription_term (subscription_id, seq, position, account_id, live_mode, created, effective_at, item_id, item_created, price_id, quantity)
   SELECT ${idSql('sub', 'n')}, 1, 0, $1, false, 1, 1, ${idSql('si', 'n')}, 1, 'price_1', 1
   FROM generate_series(0, $3::int / 5) n WHERE $2::int IS NOT NULL`,
  `INSERT INTO checkout_session (id, account_id, live_mode, created, mode, status, customer_id, invoice_id, amount, line_items, discounts,
     allow_promotion_codes, metadata, success_url, return_url, expires_at)
   SELECT ${idSql('cs', 'n')}, $1, false, 1, 'payment', 'open', ${idSql('cus', 'n % $2')}, ${idSql('in', 'n')}, 100, '[]', '[]', false, '[]', '', '', 1
   FROM generate_series(0, $3::int / 5) n`,
];

/** Customers with their words, and sales to them, of a sandbox. Keys ask for nothing meanwhile. */
export async function fillSales(client: pg.ClientBase, sales: Sales): Promise<void> {
  await client.query('BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0');
  await fillCustomers(client, sales);
  for (const sql of SALES) await client.query(sql, [sales.accountId, sales.customers, sales.invoices]);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}
