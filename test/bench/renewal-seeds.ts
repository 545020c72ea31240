import type { Stage } from './stage.ts';

/** Enough customers, prices and cards that no row is a hot spot. */
const TEMPLATES = 64;
const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '737' };
/** A CPF with right check digits; several customers may share one. */
const CPF = '52998224725';

/** Some active monthly subscriptions paid by card, made through the API. */
export async function plantTemplates({ fatura }: Stage): Promise<string[]> {
  const templates: string[] = [];
  for (let index = 0; index < TEMPLATES; index += 1) templates.push(await subscribe(fatura, index));
  return templates;
}

/** At least so many of them, the others row by row after those; answers how many. */
export async function multiply({ pool }: Stage, templates: readonly string[], count: number): Promise<number> {
  const copies = Math.ceil(count / TEMPLATES) - 1;
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(CREATE_COPIED);
    await client.query('BEGIN');
    for (const text of COPIES) await client.query(text, [copies, templates]);
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE');
  } finally {
    // Its settings are not for others.
    client.release(true);
  }
  return TEMPLATES * (1 + copies);
}

async function subscribe(fatura: Stage['fatura'], index: number): Promise<string> {
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

/** The ids of a copy end in its number; those of what it shares with its template stay. A token is an id without a prefix. */
const CREATE_COPIED = `CREATE OR REPLACE FUNCTION bench_copied(text, bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace($1, '((?:(?:sub|si|in|pi|txn|ca|evt)_|"(?:token)":")[0-9a-z]{20})[0-9a-z]{6}', '\\1' || lpad($2::text, 6, '0'), 'g') $$`;

const copies = (table: string, where: string): string =>
  `INSERT INTO ${table} SELECT (json_populate_record(NULL::${table}, bench_copied(row_to_json(t)::text, k)::json)).*
   FROM ${table} t CROSS JOIN generate_series(1, $1::bigint) k WHERE ${where}`;

const OF_SUBSCRIPTION = `(SELECT i.id FROM invoice i WHERE i.subscription_id = ANY ($2::text[]))`;
const METHOD = `(SELECT payment_method_id FROM subscription WHERE id = ANY ($2::text[]))`;

const COPIES = [
  copies('sandbox_bank.card', `t.token IN (SELECT token FROM payment_method WHERE id IN ${METHOD})`),
  copies('payment_method', `t.id IN ${METHOD}`),
  copies('subscription', 't.id = ANY ($2::text[])'),
  copies('invoice', `t.id IN ${OF_SUBSCRIPTION}`),
  copies('payment_intent', `t.invoice_id IN ${OF_SUBSCRIPTION}`),
  copies('charge_attempt', `t.invoice_id IN ${OF_SUBSCRIPTION}`),
  copies('sandbox_bank.charge', `t.order_id IN ${OF_SUBSCRIPTION}`),
  `INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
   SELECT day, bench_copied(id, k), account_id, live_mode, type, created, bench_copied(object_id, k),
     string_to_array(bench_copied(array_to_string(related, ','), k), ','), c.body, md5(c.body)::uuid
   FROM event t CROSS JOIN generate_series(1, $1::bigint) k CROSS JOIN LATERAL (SELECT bench_copied(t.body, k) AS body) c
   WHERE t.related && $2::text[]`,
];
