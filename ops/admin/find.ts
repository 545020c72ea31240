import type { Command } from 'commander';
import type pg from 'pg';
import type { Config } from '../../server/config.ts';
import { emailIndexOf, identifierIndexOf } from '../../server/customers/personal.ts';
import { soughtTaxId } from '../../server/customers/rules.ts';
import { run, statement } from '../../server/db/statement.ts';
import { idTimeMs } from '../../server/kernel/ids.ts';
import { localTemporalUi, workflowsPage } from '../../server/kernel/temporal-ui.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { waitingPlaces } from '../../server/waiting.ts';
import { print, readingBox, type WithDatabase } from './command.ts';

interface Found {
  object: string;
  id: string;
  account: string;
  live_mode: boolean;
  status: string | null;
  /** Cases that look after it while it is in trouble. */
  workflows: string[];
  /** What comes of a subscription next, and when on its account's clock; null: nothing does by itself. */
  next: string | null;
}

const MATCHES_MAX = 20;
const TAX_ID = /^(?:[0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/;

const found = (
  object: string,
  row: string,
  status: string,
  workflows: string,
  where: string,
  next = 'NULL::text',
): string =>
  `(SELECT '${object}' AS object, ${row}.id, ${row}.account_id AS account, ${row}.live_mode, ${status} AS status,
     ARRAY[${workflows}]::text[] AS workflows, ${next} AS next FROM ${object} ${row} WHERE ${where} LIMIT ${MATCHES_MAX})`;

/** How each object is shown, with the cases that may look after it. */
const shown = {
  invoice: (where: string) =>
    found('invoice', 'i', 'i.status', `CASE WHEN i.in_case THEN 'collection/' || i.subscription_id END`, where),
  subscription: (where: string) =>
    found(
      'subscription',
      's',
      's.status',
      `(SELECT 'collection/' || s.id FROM invoice i WHERE i.subscription_id = s.id AND i.in_case LIMIT 1)`,
      where,
      `s.due || ' at ' || to_char(to_timestamp(s.due_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
    ),
  paymentIntent: (where: string) =>
    found(
      'payment_intent',
      'p',
      'p.status',
      `CASE p.status WHEN 'processing' THEN 'charge-reconciliation/' || p.id WHEN 'refunding' THEN 'refund-settlement/' || p.id END`,
      where,
    ),
};

const BY_COLUMNS =
  'u.id = :sought OR u.external_code = :sought OR u.email_index = ANY(:emails::bytea[])' +
  ' OR u.identifier_index = ANY(:taxIds::bytea[])';

/** Whatever an id, an e-mail or a code of a merchant names, in every account and mode. */
const findAnything = statement<Found>(
  'admin_find_anything',
  [
    found('customer', 'u', `CASE WHEN u.anonymized_at IS NULL THEN NULL ELSE 'anonymized' END`, '', BY_COLUMNS),
    found('product', 'x', 'NULL', '', 'x.id = :sought OR x.external_code = :sought'),
    found('price', 'x', 'NULL', '', 'x.id = :sought OR x.external_code = :sought'),
    found('coupon', 'x', 'NULL', '', 'x.id = :sought OR x.external_code = :sought'),
    found('promotion_code', 'x', 'NULL', '', 'x.id = :sought OR x.code = upper(:sought)'),
    shown.invoice('i.id = :sought OR i.external_code = :sought'),
    shown.subscription('s.id = :sought OR s.external_code = :sought'),
    found('subscription_change', 'c', 'c.status', '', 'c.id = :sought'),
    found('invoice_item', 'm', 'm.status', '', 'm.id = :sought'),
    found('payment_link', 'x', 'NULL', '', 'x.id = :sought OR x.external_code = :sought'),
    found('checkout_session', 'o', 'o.status', '', 'o.id = :sought OR o.external_code = :sought'),
    shown.paymentIntent('p.id = :sought'),
    found('pix_charge', 'c', 'c.state', `'pix-settlement/' || c.id, 'pix-expiry/' || c.id`, 'c.id = :sought'),
    found('pix_receipt', 'r', 'NULL', `'pix-settlement/' || r.txid`, 'r.id = :sought'),
    found(
      'payment_method',
      'm',
      `CASE WHEN m.deleted_at IS NOT NULL THEN 'deleted' END`,
      `'stored-card/' || m.id`,
      'm.id = :sought',
    ),
    found('mandate', 'm', 'm.status', `'pix-mandate/' || m.id`, 'm.id = :sought OR m.bank_ref = :sought'),
    found(
      'dispute',
      'd',
      'd.status',
      `'pix-settlement/' || (SELECT r.txid FROM pix_receipt r WHERE r.id = d.end_to_end_id)`,
      'd.id = :sought OR d.return_id = :sought',
    ),
    found('event', 'e', 'e.type', '', 'e.id = :sought'),
    found('webhook_endpoint', 'w', 'w.status', '', 'w.id = :sought'),
  ].join(' UNION ALL '),
);

/** The objects of a customer that a case may be about. */
const ofCustomer: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['subscription', 'payment_intent', 'payment_method', 'mandate'].map((table) => [
      table,
      `SELECT o.id FROM ${table} o WHERE o.customer_id = :customer`,
    ]),
  ),
  pix_charge:
    'SELECT q.id FROM pix_charge q JOIN payment_intent o ON o.id = q.intent_id WHERE o.customer_id = :customer',
};

/** Whatever of the objects of a customer waits for its case. */
const waitingOfCustomer: readonly string[] = waitingPlaces.flatMap(([, { object = '', case: kind, ...place }]) => {
  const ids = ofCustomer[object];
  if (ids === undefined || kind === undefined) return [];
  return `(SELECT '${object}' AS object, ${place.key} AS id, w.account_id AS account, w.live_mode, NULL AS status,
     ARRAY['${kind}/' || ${place.key}] AS workflows, NULL AS next FROM ${place.table} w
   WHERE ${place.key} IN (${ids}) AND ${place.waits} LIMIT ${MATCHES_MAX})`;
});

/** What goes on with a customer: what bills it, what it owes, payments that are not decided, and what else waits for a case. */
const findUnfinished = statement<Found>(
  'admin_find_unfinished',
  [
    shown.subscription(`s.customer_id = :customer AND s.status <> 'inactive'`),
    shown.invoice(`i.customer_id = :customer AND i.status = 'open'`),
    shown.paymentIntent(`p.customer_id = :customer AND p.status IN ('processing', 'refunding')`),
    ...waitingOfCustomer,
  ].join(' UNION ALL '),
);

const listAccounts = statement<{ id: string }>('admin_list_account_ids', 'SELECT a.id FROM account a ORDER BY a.id');

/** What the customers with this e-mail, or this CPF or CNPJ, are found by in each account and mode. */
async function customerIndexes(pool: pg.Pool, box: SecretBox, sought: string) {
  const taxId = soughtTaxId(sought);
  const accounts = await run(pool, listAccounts, {});
  const modes = accounts.flatMap(({ id: accountId }) => [true, false].map((liveMode) => ({ accountId, liveMode })));
  return {
    emails: sought.includes('@') ? modes.map((mode) => emailIndexOf(box, mode, sought)) : [],
    taxIds: TAX_ID.test(taxId) ? modes.map((mode) => identifierIndexOf(box, mode, taxId)) : [],
  };
}

const REQUEST = /^req_/;

/** A request is kept by nobody: its id tells when it came, and with that its line is found in the log of an API process. */
function requestOf(id: string) {
  const timeMs = REQUEST.test(id) ? idTimeMs(id) : null;
  return timeMs === null
    ? null
    : { object: 'request', id, at: new Date(timeMs).toISOString(), log: `"msg":"request" with "requestId":"${id}"` };
}

/** Of each object one, with every case of it. */
function mergeFound(rows: readonly Found[]): Found[] {
  const cases = (of: readonly Found[]) =>
    [...new Set(of.flatMap(({ workflows }) => workflows))].filter((id) => id !== null);
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((of) =>
    of.slice(0, 1).map((found) => ({ ...found, workflows: cases(of) })),
  );
}

/** A customer has all cases of its objects, and they come behind it. */
async function withUnfinished(pool: pg.Pool, row: Found): Promise<Found[]> {
  if (row.object !== 'customer') return [row];
  const unfinished = await run(pool, findUnfinished, { customer: row.id });
  return [{ ...row, workflows: unfinished.flatMap(({ workflows }) => workflows) }, ...unfinished];
}

/** Where the cases are shown: a query for any UI, and its link where a UI is known. */
function shownCases(workflows: readonly string[], config: Config) {
  if (workflows.length === 0) return {};
  const query = `WorkflowId IN (${workflows.map((id) => `"${id}"`).join(', ')})`;
  const { temporal, temporalUiPort, databaseUrl } = config;
  const isLocal = temporal.address === null && databaseUrl === null;
  const ui = config.temporalUi ?? (isLocal ? localTemporalUi(temporalUiPort) : null);
  return { query, ...(ui !== null && { link: workflowsPage({ ui, namespace: temporal.namespace, query }) }) };
}

export function findCommand(program: Command, withDatabase: WithDatabase): void {
  program
    .command('find <sought>')
    .description(
      'say what an id, an e-mail, a CPF or CNPJ, an external code, a txid, an end-to-end id or the id of a return names, one object a line, and behind a customer what goes on with it: its subscriptions, open invoices and undecided payments, with all cases of its objects, and what comes next of each subscription; where there are cases, the query that shows them in the Temporal UI; of the id of a request, when it came',
    )
    .action((sought: string) =>
      withDatabase(async (database, config) => {
        const { pool } = database;
        const request = requestOf(sought.trim());
        if (request !== null) return print(request);
        const indexes = await customerIndexes(pool, await readingBox(database, config), sought.trim());
        const rows = await run(pool, findAnything, { sought: sought.trim(), ...indexes });
        if (rows.length === 0) throw new Error(`Nothing is known of ${sought}`);
        const found = await Promise.all(rows.map((row) => withUnfinished(pool, row)));
        for (const { next, ...row } of mergeFound(found.flat()))
          print({ ...row, ...shownCases(row.workflows, config), ...(next !== null && { next }) });
      }),
    );
}
