import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runAdmin } from '../../support/admin.ts';
import type { Merchant, TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { png, serveFile } from '../../support/images.ts';
import { subscribe } from '../../support/subscriptions.ts';
import { neededQuery, routes } from '../access/routes.ts';
import { send } from '../requests.ts';

/** Columns of an account that are its sandbox's: the test clock. */
const OF_SANDBOX = ['sandbox_offset_seconds', 'clock_held_at', 'clock_target', 'clock_moved_at'];

/** What only moved money makes: a live account without an acquirer has none. */
const OF_MONEY: readonly string[] = ['pi', 'dp', 'txn', 'mdt'];

/** What is live of an account, by the prefixes of ids, and the pages that its buyers open. */
interface LiveSide {
  readonly accountId: string;
  readonly key: string;
  readonly ids: Readonly<Record<string, string>>;
  readonly pages: readonly string[];
}

/** A live account with a look and a logo, and an object of every kind that needs no acquirer. */
export async function makeLiveSide(api: TestApi, merchant: Merchant): Promise<LiveSide> {
  const { live, accountId, liveKey: key } = merchant;
  const logo = ['--logo-url', await serveFile(png({ seed: 91 })), '--tax-id', '12ABC34501DE35', '--color', '#6b21a8'];
  await runAdmin(api, ['account', 'set', accountId, ...logo], { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const own: Merchant = { ...merchant, fatura: live };
  const customer = await newCustomer(own);
  const price = await newPrice(own);
  const coupon = await live.coupons.create({ name: 'Boas-vindas', type: 'percentage', percentage: 10 });
  const link = await live.paymentLinks.create({ line_items: [{ price_id: price.id, quantity: 1 }] });
  const code = await live.promotionCodes.create({ coupon_id: coupon.id, code: 'VOLTE10' });
  const waiting = {
    customer_id: customer.id,
    type: 'credit',
    amount: 1_500,
    description: 'Um dia sem serviço',
  } as const;
  const item = await live.invoiceItems.create(waiting);
  const line_items = [{ price_id: price.id, quantity: 1 }];
  const invoice = await newInvoice(own, { customer_id: customer.id, line_items });
  const paid = await newInvoice(own, { customer_id: customer.id, amount: 0 });
  // One that a discount activates: only an active one has a bill to come.
  const subscription = await subscribe(own, {
    customer_id: customer.id,
    discounts: [{ type: 'percentage', percentage: 100 }],
  });
  const urls = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };
  const session = await live.checkoutSessions.create({ mode: 'payment', ...urls, line_items });
  const endpoint = await live.webhookEndpoints.create({ url: 'https://loja.test/webhooks', event_types: ['*'] });
  await live.webhookEndpoints.recover(endpoint.id, { since: api.clock.now() - 60 });
  const apiKey = await live.apiKeys.create({ name: 'ERP', scope: 'read' });
  const exported = await live.exports.create({ type: 'customers' });
  const [event] = (await live.events.list({ type: ['customer.created'] }).page()).data;
  const pages = [
    invoice.payment_url,
    paid.receipt_url,
    subscription.update_payment_url,
    session.url,
    link.url,
    price.payment_url,
  ].map(pathOf);
  const [, logoPath = ''] = /(\/logos\/[0-9a-f]{64})/.exec(await pageOf(api, pages[0] ?? '')) ?? [];
  return {
    accountId,
    key,
    ids: {
      cus: customer.id,
      prod: price.product,
      price: price.id,
      plink: link.id,
      cpn: coupon.id,
      promo: code.id,
      ii: item.id,
      in: invoice.id,
      sub: subscription.id,
      cs: session.id,
      we: endpoint.id,
      key: apiKey.id,
      evt: event?.id ?? '',
      exp: exported.id,
    },
    pages: [...pages, logoPath],
  };
}

const pathOf = (url: string | null): string => new URL(url ?? '').pathname;

/** When something was read: a page says it in real milliseconds, a feed by where it goes on, a key by its last use. */
const READ_AT = /\b1\d{12}\b|"cursor":"[^"]*"|"last_used_at":(?:\d+|null)/g;

/** A page is shown so often a minute: whoever looks behind every route waits for its turn. */
async function pageOf({ baseUrl }: TestApi, path: string): Promise<string> {
  for (;;) {
    const answer = await fetch(`${baseUrl}${path}`);
    const text = await answer.text();
    if (answer.status !== 429) return text;
    await sleep(Number(answer.headers.get('Retry-After') ?? 1) * 1_000);
  }
}

/** That it was read is written down, so a reading of it changes what is live; the rows that it tells are read as rows. */
const IS_LOGGED = 'customers.export';

const reads = routes.filter(
  ([name, { method, metadata }]) =>
    method === 'GET' &&
    name !== IS_LOGGED &&
    metadata.sandboxOnly !== true &&
    !OF_MONEY.includes(metadata.idPrefix ?? ''),
);

async function answerOf(
  api: TestApi,
  { key, ids }: LiveSide,
  [name, { path, metadata }]: (typeof reads)[number],
): Promise<string> {
  const id = ids[metadata.idPrefix ?? ''] ?? ':id';
  const { status, body } = await send(api, {
    method: 'GET',
    path: `${path.replace('/api/v1', '').replace(/:\w+/, id)}?${new URLSearchParams(neededQuery(name))}`,
    key,
  });
  // Refusals differ by the ids of their requests.
  return status === 200 ? JSON.stringify(body) : `answered ${status}`;
}

interface Stored {
  readonly name: string;
  readonly columns: readonly string[];
}

/** SQL: which rows of a table are live ones of the account $1, or of both its modes; null: it says nothing of accounts. */
function liveRows({ name, columns }: Stored): string | null {
  if (name === 'account') return 'id = $1';
  if (!columns.includes('account_id')) return null;
  if (columns.includes('live_mode')) return 'account_id = $1 AND live_mode IS NOT FALSE';
  return columns.includes('mode') ? `account_id = $1 AND mode = 'live'` : 'account_id = $1';
}

async function rowsOf(pool: pg.Pool, accountId: string): Promise<[what: string, text: string][]> {
  const { rows: tables } = await pool.query<Stored>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition GROUP BY c.relname ORDER BY 1`,
  );
  const found: [string, string][] = [];
  for (const table of tables) {
    const which = liveRows(table);
    if (which === null) continue;
    const { rows } = await pool.query(
      `SELECT (to_jsonb(t) - $2::text[])::text AS row FROM ${table.name} t WHERE ${which} ORDER BY 1`,
      [accountId, table.name === 'account' ? OF_SANDBOX : []],
    );
    found.push([`rows of ${table.name}`, JSON.stringify(rows)]);
  }
  return found;
}

/** Everything live: what the API answers, what buyers see, and the rows of the database. */
export async function readLiveSide(api: TestApi, side: LiveSide): Promise<Map<string, string>> {
  const read = new Map(await rowsOf(api.composition.deps.pool, side.accountId));
  for (const route of reads) read.set(route[0], (await answerOf(api, side, route)).replaceAll(READ_AT, ''));
  for (const path of side.pages) read.set(`the page ${path}`, (await pageOf(api, path)).replaceAll(READ_AT, ''));
  return read;
}

/** Each letter has an address of its own, at which a browser shows it. */
const besideItself = (column: string): string =>
  `regexp_replace(${column}, '/mail/mail_[0-9a-z]+/[A-Za-z0-9_-]+', '/mail/…', 'g')`;

/** What a buyer is written of an open invoice, as it was written last. */
export async function lastLetter({ composition }: TestApi, invoiceId: string): Promise<object | undefined> {
  const { rows } = await composition.deps.pool.query(
    `SELECT subject, ${besideItself('body_text')} AS body_text, ${besideItself('body_html')} AS body_html FROM mail WHERE invoice_id = $1 ORDER BY id DESC LIMIT 1`,
    [invoiceId],
  );
  return rows[0];
}
