import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { isByMonth } from '../../../server/db/months.ts';
import type { Owner } from '../../../server/db/reach.ts';
import { newSuffixAfter } from '../../../server/kernel/ids.ts';
import { type Column, holderOf, holderSql, holdingsSeen, ownersIn, type Walled } from './holders.ts';

/** A row that no request made, as it stands. */
interface Planted {
  readonly table: string;
  readonly row: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Each hangs on rows of those before it. */
const LAST = ['delivery', 'delivery_attempt'];

/** What else follows from whose a row is: SQL for some of its columns, of the account $1 in the mode $2. */
const FOLLOWING: Readonly<Record<string, string>> = {
  delivery: 'SELECT id AS endpoint_id FROM webhook_endpoint WHERE account_id = $1 AND live_mode = $2 LIMIT 1',
  delivery_attempt:
    'SELECT day::text, event_id, endpoint_id, ladder FROM delivery WHERE account_id = $1 AND live_mode = $2 LIMIT 1',
};

/** Values that checks ask for, in tables of which no request of the shops makes a row. */
const CHECKED: Readonly<Record<string, Row>> = {
  debit_try: { status: 'scheduled', decline_reason: null, completed_at: null },
  export: { type: 'invoices' },
  live_acquirer: { method: 'pix' },
  webhook_recovery: { status: 'running' },
  staff_invitation: { role: 'viewer' },
  staff_member: { role: 'viewer' },
};

const VALUES: Readonly<Record<string, () => unknown>> = {
  // Made before all that hangs on it, where it is an id.
  text: () => `00planted_${randomBytes(8).toString('hex')}`,
  bytea: () => `\\x${randomBytes(16).toString('hex')}`,
  integer: () => 1,
  bigint: () => 1,
  boolean: () => false,
  'text[]': () => [],
  'timestamp with time zone': () => '2026-01-01',
};

function valueFor({ name, type }: Column): unknown {
  const value = VALUES[type];
  if (value === undefined) throw new Error(`no value for ${name}, which is of the type ${type}`);
  return value();
}

const filled = (columns: readonly Column[]): Row =>
  Object.fromEntries(columns.map((column) => [column.name, valueFor(column)]));

/** SQL that inserts columns of a row, which comes as JSON. */
export const insertSql = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} AS t (${columns.map((column) => `"${column}"`).join(', ')})
   SELECT ${columns.map((column) => `r."${column}"`).join(', ')} FROM jsonb_populate_record(NULL::${table}, $1) r`;

/** A row of a table with keys of its own: a copy of another one, or made up where there is none. */
async function newRow(superuser: pg.Client, { name, columns }: Walled): Promise<Row> {
  const { rows } = await superuser.query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM ${name} t LIMIT 1`);
  const [found] = rows;
  const given = columns.filter(({ isMade }) => !isMade);
  if (found === undefined) return filled(given.filter(({ isRequired }) => isRequired));
  // Of days partitions are there, and numbers stand beside other keys.
  const isKey = ({ name: key, type, isUnique }: Column) =>
    isUnique && ['text', 'bytea'].includes(type) && found.row[key] !== null;
  const copy: Row = { ...found.row, ...filled(given.filter(isKey)) };
  if (!isByMonth(name)) return copy;
  // Its id says in which month it lies, in which it is the only one of what it hangs on.
  const id = String(found.row.id);
  const parents = given.filter(({ name: column }) => column === 'invoice_id' || column === 'intent_id');
  return { ...copy, ...filled(parents), id: `${id.slice(0, id.lastIndexOf('_') + 1)}${newSuffixAfter(id)}` };
}

async function plantRow(superuser: pg.Client, table: Walled, { accountId, liveMode }: Owner): Promise<Planted> {
  const { name } = table;
  const following = FOLLOWING[name];
  const { rows: found } =
    following === undefined ? { rows: [] } : await superuser.query(following, [accountId, liveMode]);
  const row: Row = {
    ...(await newRow(superuser, table)),
    ...CHECKED[name],
    account_id: accountId,
    live_mode: liveMode,
    ...found[0],
  };
  const columns = table.columns.filter((column) => !column.isMade && column.name in row).map((column) => column.name);
  const { rows } = await superuser.query<{ row: string }>(
    `${insertSql(name, columns)} RETURNING to_jsonb(t)::text AS row`,
    [JSON.stringify(row)],
  );
  return { table: name, row: rows[0]?.row ?? '' };
}

/** Foreign keys and triggers ask nothing meanwhile. All of it stands, or nothing. */
async function unasked<T>(superuser: pg.Client, work: () => Promise<T>): Promise<T> {
  await superuser.query('BEGIN; SET LOCAL session_replication_role = replica');
  try {
    const done = await work();
    await superuser.query('COMMIT');
    return done;
  } catch (error) {
    await superuser.query('ROLLBACK');
    throw error;
  }
}

/** Gives each table a row of each account, in each mode that it has, where there is none; answers what was planted. */
export async function plantRows(
  superuser: pg.Client,
  { tables, accounts }: { readonly tables: readonly Walled[]; readonly accounts: readonly string[] },
): Promise<Planted[]> {
  const there = new Set((await holdingsSeen(superuser, tables)).map(({ table, holder }) => `${table} ${holder}`));
  const inOrder = tables.toSorted((one, next) => LAST.indexOf(one.name) - LAST.indexOf(next.name));
  return await unasked(superuser, async () => {
    const planted: Planted[] = [];
    for (const table of inOrder) {
      for (const owner of ownersIn(table.name, accounts)) {
        if (!there.has(`${table.name} ${holderOf(owner)}`)) planted.push(await plantRow(superuser, table, owner));
      }
    }
    return planted;
  });
}

/** Takes away what was planted, of which the service knows nothing. */
export const takeAway = (superuser: pg.Client, planted: readonly Planted[]): Promise<void> =>
  unasked(superuser, async () => {
    for (const { table, row } of planted) {
      await superuser.query(`DELETE FROM ${table} t WHERE to_jsonb(t) = $1::jsonb`, [row]);
    }
  });

/** Some row of an owner, as JSON. */
export async function rowOf(
  superuser: pg.Client,
  { table, owner }: { readonly table: string; readonly owner: Owner },
): Promise<string> {
  const { rows } = await superuser.query<{ row: string }>(
    `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE ${holderSql(table)} = $1 LIMIT 1`,
    [holderOf(owner)],
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`${table} has no row of ${holderOf(owner)}`);
  return found.row;
}
