/** Runs as whoever owns the tables: nobody else writes them. */
const AS_OWNER = 'SECURITY DEFINER SET search_path = public, pg_temp';

interface Key {
  readonly table: string;
  /** The columns that only one invoice may have. */
  readonly columns: readonly string[];
  /** Over the invoice `row`: whether it has them. */
  readonly has: (row: string) => string;
}

/** What only one invoice may have, whenever it was made: the indexes of a table of months hold it for a month alone. */
const keys: readonly Key[] = [
  {
    table: 'invoice_cycle',
    columns: ['subscription_id', 'cycle'],
    has: (row) => `(${row}.cycle IS NOT NULL AND NOT ${row}.superseded)`,
  },
  {
    table: 'invoice_external_code',
    columns: ['account_id', 'live_mode', 'external_code'],
    has: (row) => `(${row}.external_code IS NOT NULL)`,
  },
];

/** Kept in the statement that changes the invoice, in the order of its changes: what one lets go of, the next one may take. */
function triggersOf({ table, columns, has }: Key): string[] {
  const all = [...new Set([...columns, 'account_id', 'live_mode'])];
  const row = (name: string): string => `(${columns.map((column) => `${name}.${column}`).join(', ')})`;
  const insert = `INSERT INTO ${table} (${all.join(', ')}, invoice_id) VALUES (${all.map((column) => `NEW.${column}`).join(', ')}, NEW.id)`;
  const remove = `DELETE FROM ${table} WHERE (${columns.join(', ')}) = ${row('OLD')} AND invoice_id = OLD.id`;
  const changes = `${has('OLD')} <> ${has('NEW')} OR ${row('OLD')} IS DISTINCT FROM ${row('NEW')}`;
  const trigger = (name: string, event: string, when: string) =>
    `CREATE TRIGGER ${table}_${name} AFTER ${event} ON invoice FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION keep_${table}()`;
  return [
    `CREATE FUNCTION keep_${table}() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $$
     BEGIN
       IF TG_OP <> 'INSERT' AND ${has('OLD')} THEN ${remove}; END IF;
       IF TG_OP <> 'DELETE' AND ${has('NEW')} THEN ${insert}; END IF;
       RETURN NULL;
     END $$`,
    trigger('taken', 'INSERT', has('NEW')),
    trigger('changed', 'UPDATE', changes),
    trigger('left', 'DELETE', has('OLD')),
  ];
}

export const invoiceKeyTriggers: readonly string[] = keys.flatMap(triggersOf);
