import type pg from 'pg';
import type { Login } from '../../../dev/embedded/postgres-logins.ts';
import type { Owner } from '../../../server/db/reach.ts';

/** A column of a table behind a policy. */
export interface Column {
  readonly name: string;
  readonly type: string;
  /** A row needs a value that nobody else gives it. */
  readonly isRequired: boolean;
  /** The database alone gives it a value. */
  readonly isMade: boolean;
  /** It is of a key that no two rows share. */
  readonly isUnique: boolean;
}

/** A table behind a policy. */
export interface Walled {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** How many rows of a table somebody sees of one holder: an account in a mode, or an account where the table has no mode. */
export interface Holding {
  readonly table: string;
  readonly holder: string | null;
  readonly rows: number;
}

/** Tables whose rows are of an account and of neither mode: whoever asks for one mode of the account is shown them. */
const OF_NO_MODE: readonly string[] = ['account', 'staff_invitation', 'staff_member'];
/** The wiring of live money: only live accounts have one, and whoever asks for a sandbox is shown none. */
export const OF_LIVE_ALONE: readonly string[] = ['live_acquirer'];

const modeText = (liveMode: string): string => `CASE WHEN ${liveMode} THEN ' live' ELSE ' sandbox' END`;

/** An attempt is held by its delivery, of which a login may not be asked whose it is: that is what is tested. */
const HOLDER_OF_ENDPOINT = `CREATE FUNCTION holder_of_endpoint(endpoint text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS $$
  SELECT account_id || ${modeText('live_mode')} FROM webhook_endpoint WHERE id = endpoint COLLATE "C" $$`;

/** SQL: the holder of a row. */
export function holderSql(table: string): string {
  if (table === 'account') return 'id';
  if (table === 'delivery_attempt') return 'holder_of_endpoint(endpoint_id)';
  if (OF_NO_MODE.includes(table)) return 'account_id';
  // What was done to both modes is shown in each.
  if (table === 'audit_log')
    return `account_id || CASE WHEN live_mode IS NULL THEN '' ELSE ${modeText('live_mode')} END`;
  return `account_id || ${modeText(OF_LIVE_ALONE.includes(table) ? 'true' : 'live_mode')}`;
}

export const holderOf = ({ accountId, liveMode }: Owner): string =>
  liveMode === undefined ? accountId : `${accountId} ${liveMode ? 'live' : 'sandbox'}`;

/** Whose rows a table may have, of some accounts. */
export function ownersIn(table: string, accounts: readonly string[]): Owner[] {
  if (OF_NO_MODE.includes(table)) return accounts.map((accountId) => ({ accountId }));
  const modes = OF_LIVE_ALONE.includes(table) ? [true] : [true, false];
  return accounts.flatMap((accountId) => modes.map((liveMode) => ({ accountId, liveMode })));
}

/** Whether rows of a holder are shown to whoever asks for an account and mode. */
export const isOf = (holder: string | null, asked: Required<Owner>): boolean =>
  holder === asked.accountId || holder === holderOf(asked);

/** The tables behind policies, by their names; lets every login ask whose an endpoint is. */
export async function walledTables(superuser: pg.Client): Promise<Walled[]> {
  await superuser.query(HOLDER_OF_ENDPOINT);
  const { rows } = await superuser.query<Walled>(
    `SELECT c.relname AS name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL),
       'isRequired', a.attnotnull AND NOT a.atthasdef, 'isMade', a.attgenerated <> '' OR a.attidentity <> '',
       'isUnique', EXISTS(SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND a.attnum = ANY (i.indkey)))
       ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relrowsecurity
     GROUP BY c.relname ORDER BY c.relname`,
  );
  return rows;
}

/** All that somebody sees in some tables. */
export async function holdingsSeen(
  client: pg.Client,
  tables: readonly { readonly name: string }[],
): Promise<Holding[]> {
  const counts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS "table", (${holderSql(name)}) COLLATE "C" AS holder, count(*)::int AS "rows" FROM ${name} GROUP BY 2`,
  );
  const { rows } = await client.query<Holding>(`${counts.join(' UNION ALL ')} ORDER BY 1, 2`);
  return rows;
}

/** What a login may do to a table; columns are those that it may write. */
export interface Powers {
  readonly name: string;
  readonly reads: boolean;
  readonly deletes: boolean;
  readonly updated: readonly string[];
  readonly inserted: readonly string[];
}

/** What a login may do to each of some tables. */
export async function powersOf(
  superuser: pg.Client,
  { login, tables }: { readonly login: Login; readonly tables: readonly Walled[] },
): Promise<Powers[]> {
  const writable = (privilege: string): string =>
    `coalesce(array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE has_column_privilege($1, c.oid, a.attnum, '${privilege}')), '{}')`;
  const { rows } = await superuser.query<Powers>(
    `SELECT c.relname AS name, has_table_privilege($1, c.oid, 'SELECT') AS reads, has_table_privilege($1, c.oid, 'DELETE') AS deletes,
       ${writable('UPDATE')} AS updated, ${writable('INSERT')} AS inserted
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
     WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2) GROUP BY c.oid, c.relname ORDER BY c.relname`,
    [login, tables.map(({ name }) => name)],
  );
  return rows;
}
