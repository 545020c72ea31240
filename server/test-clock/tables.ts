import { type Statement, statement } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';

/** Bounds one statement, not the reset: a big sandbox takes several. */
const ROWS_PER_DELETE = 5_000;

interface Table {
  readonly name: string;
  readonly ofAccount: boolean;
  readonly ofMode: boolean;
  readonly ofBank: boolean;
  readonly hasId: boolean;
}

interface Reference {
  readonly child: string;
  readonly columns: string;
  readonly parent: string;
  readonly referenced: string;
  readonly deferrable: boolean;
}

const findTables = statement(
  'find_tables',
  `SELECT c.oid::regclass::text AS name, n.nspname = 'sandbox_bank' AS "ofBank", has.account AS "ofAccount", has.mode AS "ofMode", has.id AS "hasId"
   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
   LATERAL (SELECT coalesce(bool_or(a.attname = 'account_id'), false) AS account,
       coalesce(bool_or(a.attname = 'live_mode'), false) AS mode, coalesce(bool_or(a.attname = 'id'), false) AS id
     FROM pg_attribute a WHERE a.attrelid = c.oid AND NOT a.attisdropped) has
   WHERE n.nspname IN ('public', 'sandbox_bank') AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
);

const columnsOf = (table: string, numbers: string): string =>
  `(SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY key.place) FROM unnest(${numbers}) WITH ORDINALITY key(number, place)
     JOIN pg_attribute a ON a.attrelid = ${table} AND a.attnum = key.number)`;

const findReferences = statement(
  'find_references',
  `SELECT conrelid::regclass::text AS child, ${columnsOf('conrelid', 'conkey')} AS columns, confrelid::regclass::text AS parent,
     ${columnsOf('confrelid', 'confkey')} AS referenced, condeferrable AS deferrable
   FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conrelid <> confrelid`,
);

/** What a reset keeps: the account with its keys; and what it removes in ways of their own, below. */
const APART = ['account', 'api_key', 'event', 'delivery', 'delivery_attempt', 'outbox'];

/** Which rows of a table are of the account's sandbox; null when none can be. The bank has no other accounts than sandboxes. */
function ownRows(table: Table, tables: readonly Table[], references: readonly Reference[]): string | null {
  if (table.ofAccount && table.ofMode) return 'account_id = $1 AND NOT live_mode';
  if (!table.ofBank) return null;
  if (table.ofAccount) return 'account_id = $1';
  const upwards = references.find(({ child }) => child === table.name);
  const parent = tables.find(({ name }) => name === upwards?.parent);
  const ofParent = parent === undefined ? null : ownRows(parent, tables, references);
  if (upwards === undefined || ofParent === null) throw new Error(`whose rows of ${table.name} are is not known`);
  return `(${upwards.columns}) IN (SELECT ${upwards.referenced} FROM ${upwards.parent} WHERE ${ofParent})`;
}

/** Tables in an order in which each is emptied before those it refers to; what nothing ties comes last. */
function childrenFirst(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const isTied = ({ name }: Table) => references.some(({ child, parent }) => child === name || parent === name);
  // A reference that is checked at the commit binds no order.
  const binding = references.filter(({ deferrable }) => !deferrable);
  const ordered: Table[] = [];
  let left = tables.filter(isTied);
  while (left.length > 0) {
    const children = new Set(left.map(({ name }) => name));
    const free = left.filter(
      ({ name }) => !binding.some(({ child, parent }) => parent === name && children.has(child)),
    );
    if (free.length === 0) throw new Error(`these refer to each other: ${[...children].join(', ')}`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return [...ordered, ...tables.filter((table) => !isTied(table))];
}

/** An event with its deliveries and their attempts: they are found by the event alone. */
const removeEvents = statement(
  'reset_events',
  `WITH gone AS (
     DELETE FROM event WHERE (day, id) IN (
       SELECT day, id FROM event WHERE account_id = $1 AND NOT live_mode LIMIT ${ROWS_PER_DELETE}) RETURNING day, id
   ), deliveries AS (DELETE FROM delivery d USING gone g WHERE d.day = g.day AND d.event_id = g.id),
   attempts AS (DELETE FROM delivery_attempt a USING gone g WHERE a.day = g.day AND a.event_id = g.id)
   SELECT FROM gone`,
);

/** Work that was asked for and is of no live object; keys begin with the id of one. */
function removeOutbox(tables: readonly Table[]): Statement {
  const ofLive = tables
    .filter(({ ofAccount, ofMode, hasId }) => ofAccount && ofMode && hasId)
    .map(
      ({ name }) =>
        `SELECT FROM ${name} t WHERE t.account_id = $1 AND t.live_mode AND t.id = split_part(o.key, '/', 1)`,
    );
  return statement(
    'reset_outbox',
    `DELETE FROM outbox o WHERE o.account_id = $1 AND NOT EXISTS (${ofLive.join(' UNION ALL ')}) RETURNING 1`,
  );
}

/** The statements that remove the data of an account's sandbox, by the catalogue of the database: a table of tomorrow is among them. */
async function removals(tx: Tx): Promise<Statement[]> {
  const tables = await tx.query<Table & Record<string, unknown>>(findTables, []);
  const references = await tx.query<Reference & Record<string, unknown>>(findReferences, []);
  const own = childrenFirst(tables, references).flatMap((table) => {
    const rows = APART.includes(table.name) ? null : ownRows(table, tables, references);
    return rows === null ? [] : [{ name: table.name, rows }];
  });
  const ofTables = own.map(({ name, rows }) =>
    statement(
      `reset_${name}`,
      `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE ${rows} LIMIT ${ROWS_PER_DELETE})) RETURNING 1`,
    ),
  );
  return [...ofTables, removeEvents, removeOutbox(tables)];
}

/** Of one statement until nothing is left for it; far more than a sandbox holds. */
const DELETES_MAX = 100_000;
/** Requests that were admitted before the clock was held may write while it is emptied. */
const PASSES_MAX = 1_000;

async function removeAll(tx: Tx, removal: Statement): Promise<number> {
  let removed = 0;
  for (let round = 0; round < DELETES_MAX; round += 1) {
    const rows = await tx.query(removal, [tx.scope.accountId]);
    removed += rows.length;
    if (rows.length < ROWS_PER_DELETE) return removed;
  }
  throw new Error(`the sandbox of ${tx.scope.accountId} is too big`);
}

/** Removes everything of the account's sandbox, until there is nothing left. */
export async function emptySandbox(tx: Tx): Promise<void> {
  const statements = await removals(tx);
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    let removed = 0;
    for (const each of statements) removed += await removeAll(tx, each);
    if (removed === 0) return;
  }
  throw new Error(`the sandbox of ${tx.scope.accountId} fills up as it is emptied`);
}
