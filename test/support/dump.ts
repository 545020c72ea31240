import type pg from 'pg';

export type Row = Record<string, unknown>;
/** Every row of the database by its table. */
export type Dump = Map<string, Row[]>;

/** What stands for the machinery and for the accounts themselves. */
export const OF_NO_MODE: readonly string[] = [
  'migration',
  'encryption_key_check',
  'encryption_key',
  'encryption_ring',
  'wrapped_key',
  'installation',
  'worker_heartbeat',
  'write_proof',
  'rate_limit',
  'staff',
  'staff_invitation',
  'staff_member',
  'staff_passkey',
  'staff_session',
  'staff_token',
  'mail_count',
  'mail_suppression',
  'account',
  'account_look',
  'collection_settings',
  'api_key',
  'api_key_use',
  'audit_log',
  'audit_log_head',
  'live_acquirer',
];

/** Every row of the database by its table, but those of the tables above. */
export async function dump(pool: pg.Pool): Promise<Dump> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relnamespace IN ('public'::regnamespace, 'sandbox_bank'::regnamespace)
       AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  const dumped: Dump = new Map();
  for (const { name } of tables.filter((table) => !OF_NO_MODE.includes(table.name))) {
    const { rows } = await pool.query<{ row: Row }>(
      `SELECT to_jsonb(t) AS row FROM ${name} t ORDER BY to_jsonb(t)::text`,
    );
    dumped.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return dumped;
}

export const without = (dumped: Dump, removed: ReadonlySet<Row>): Dump =>
  new Map([...dumped].map(([table, stored]) => [table, stored.filter((row) => !removed.has(row))]));

const ID = /^[A-Za-z0-9_]{20,}$/;

/** What names a row to others: ids, and what the sandbox's bank calls its rows. */
const nameOf = (row: Row): unknown => row.id ?? row.txid ?? row.reference ?? row.end_to_end_id;

const namesIn = (row: Row): string[] =>
  Object.values(row)
    .flat()
    .flatMap((value) => String(value).split('/'));

/** The rows of some customers: their own, those that name one of these, and the bank's cards that they were charged by. */
export function rowsOfCustomers(dumped: Dump, customers: readonly string[]): Set<Row> {
  const own = new Set<Row>();
  const names = new Set<string>(customers);
  const tokens = new Set<unknown>();
  for (let found = -1; found < own.size; ) {
    found = own.size;
    for (const [table, stored] of dumped) {
      const isOwn = (row: Row) =>
        table === 'sandbox_bank.card' ? tokens.has(row.token) : namesIn(row).some((name) => names.has(name));
      for (const row of stored.filter((one) => !own.has(one) && isOwn(one))) {
        own.add(row);
        if (ID.test(String(nameOf(row)))) names.add(String(nameOf(row)));
        if (row.token) tokens.add(row.token);
      }
    }
  }
  return own;
}
