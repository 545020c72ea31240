import type pg from 'pg';
import { places } from '../../server/sealing/sealed-columns.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { writtenColumns } from '../support/columns.ts';
import { boxOf } from '../support/secret-box.ts';
import type { Stage } from './stage.ts';

/** Enough customers, prices and cards that no row is a hot spot. */
const TEMPLATES = 64;
const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '737' };
/** A CPF with right check digits; several customers may share one. */
const CPF = '52998224725';

/** Some active monthly subscriptions paid by card, made through the API. */
export async function plantTemplates({ fatura }: Pick<Stage, 'fatura'>): Promise<string[]> {
  const templates: string[] = [];
  for (let index = 0; index < TEMPLATES; index += 1) templates.push(await subscribeByCard(fatura, index));
  return templates;
}

/** At least so many of them, the others row by row after those; answers how many. */
export async function multiply(
  { pool, keys }: Pick<Stage, 'pool' | 'keys'>,
  templates: readonly string[],
  count: number,
): Promise<number> {
  const copies = Math.ceil(count / templates.length) - 1;
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query('BEGIN');
    for (const text of COPIES) await client.query(text, [copies, templates]);
    await sealTokens(client, await boxOf(pool, keys));
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE');
  } finally {
    // Its settings are not for others.
    client.release(true);
  }
  return templates.length * (1 + copies);
}

export async function subscribeByCard(fatura: Stage['fatura'], index: number): Promise<string> {
  const name = `Maria da Silva ${index}`;
  const customer = await fatura.customers.create({ name, identifier: CPF, email: `maria${index}@loja.test` });
  const product = await fatura.products.create({ name: `Plano ${index}` });
  const price = await fatura.prices.create({
    product_id: product.id,
    type: 'recurring',
    recurring: { interval: 'month' },
    unit_amount: 9_990 + index,
  });
  const { id } = await fatura.subscriptions.create({ customer_id: customer.id, price_id: price.id });
  const billing_details = { name, document: CPF };
  await fatura.subscriptions.checkout(id, { payment_method_type: 'card', card: CARD, billing_details });
  return id;
}

/** The clocks of accounts and what wakes by them, in one transaction. */
export const MOVE_CLOCK = `WITH moved AS (
    UPDATE account SET sandbox_offset_seconds = sandbox_offset_seconds + $2 WHERE id = ANY ($1::text[]) RETURNING id, sandbox_offset_seconds AS ahead
  ) UPDATE subscription s SET wake_at = s.due_at - moved.ahead FROM moved WHERE s.account_id = moved.id AND s.due_at IS NOT NULL`;

/** Whether something of it is to be billed, or a charge has no outcome. */
export const LEFT = `SELECT EXISTS(SELECT FROM subscription WHERE wake_at <= extract(epoch FROM now()))
  OR EXISTS(SELECT FROM charge_attempt WHERE status = 'sent') AS left`;

/** The end of an id, where its copy has the copy's number; what it shares with its template stays. A token is an id without a prefix. */
const NUMBER = '@@@@@@';
const marked = (text: string): string =>
  `regexp_replace(${text}, '((?:(?:sub|si|in|pi|txn|ca|evt)_|"token":")[0-9a-z]{20})[0-9a-z]{6}', '\\1${NUMBER}', 'g')`;
/** So far apart are the numbers of two copies that even a few lie in all shards alike: the golden section of 1,024. */
const APART = 633;
/** The number in the digits of ids. */
const DIGITS = [25, 20, 15, 10, 5, 0].map(
  (bit) => `substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((k * ${APART} >> ${bit}) & 31)::int, 1)`,
);
const numbered = (text: string): string => `replace(${text}, '${NUMBER}', ${DIGITS.join(' || ')})`;

const CARDS_A_STEP = 5_000;

/** A sealed token opens in its own row alone, so each copy gets its own. */
async function sealTokens(client: pg.PoolClient, box: SecretBox): Promise<void> {
  const { rows } = await client.query<{ id: string; account: string; token: string }>(
    `SELECT DISTINCT m.id, m.account_id AS account, b.token FROM payment_method m
     JOIN charge_attempt c ON c.payment_method_id = m.id JOIN sandbox_bank.charge b ON b.reference = c.id`,
  );
  for (let at = 0; at < rows.length; at += CARDS_A_STEP) {
    const some = rows.slice(at, at + CARDS_A_STEP);
    const sealed = some.map(({ id, account, token }) =>
      box.seal(JSON.stringify({ token }), places.cardToken(account, id)),
    );
    await client.query(
      `UPDATE payment_method m SET sealed_token = s.sealed FROM unnest($1::text[], $2::bytea[]) AS s (id, sealed) WHERE m.id = s.id`,
      [some.map(({ id }) => id), sealed],
    );
  }
}

/** Each row is marked once, and numbered for each copy. */
const copies = (table: string, where: string): string =>
  `WITH marked AS MATERIALIZED (SELECT ${marked('row_to_json(t)::text')} AS text FROM ${table} t WHERE ${where})
   INSERT INTO ${table} (${writtenColumns(table)}) SELECT ${writtenColumns(table).replaceAll(/\w+/g, 'copy.$&')} FROM marked CROSS JOIN generate_series(1, $1::bigint) k
   CROSS JOIN LATERAL json_populate_record(NULL::${table}, ${numbered('text')}::json) copy`;

const OF_SUBSCRIPTION = `(SELECT i.id FROM invoice i WHERE i.subscription_id = ANY ($2::text[]))`;
const METHOD = `(SELECT payment_method_id FROM subscription WHERE id = ANY ($2::text[]))`;

const TOKENS = `(SELECT b.token FROM charge_attempt c JOIN sandbox_bank.charge b ON b.reference = c.id WHERE c.payment_method_id IN ${METHOD})`;

const COPIES = [
  copies('sandbox_bank.card', `t.token IN ${TOKENS}`),
  copies('payment_method', `t.id IN ${METHOD}`),
  copies('subscription', 't.id = ANY ($2::text[])'),
  copies('subscription_term', 't.subscription_id = ANY ($2::text[])'),
  copies('invoice', `t.id IN ${OF_SUBSCRIPTION}`),
  copies('payment_intent', `t.invoice_id IN ${OF_SUBSCRIPTION}`),
  copies('charge_attempt', `t.invoice_id IN ${OF_SUBSCRIPTION}`),
  copies('sandbox_bank.charge', `t.order_id IN ${OF_SUBSCRIPTION}`),
  `WITH marked AS MATERIALIZED (
     SELECT day, account_id, live_mode, type, created, ${marked('id')} AS id, ${marked('object_id')} AS object_id,
       ${marked(`array_to_string(related, ',')`)} AS related, ${marked('body')} AS body
     FROM event WHERE related && $2::text[] OR object_id IN ${METHOD})
   INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
   SELECT day, ${numbered('id')}, account_id, live_mode, type, created, ${numbered('object_id')},
     string_to_array(${numbered('related')}, ','), copy.body, md5(copy.body)::uuid
   FROM marked CROSS JOIN generate_series(1, $1::bigint) k CROSS JOIN LATERAL (SELECT ${numbered('marked.body')} AS body) copy`,
];
