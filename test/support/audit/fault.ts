import { type Finding, findings } from '../../../ops/audit/audit.ts';
import { rolesOf } from '../roles.ts';
import type { Shop } from './shop.ts';

/** A statement with its values. */
export interface Sql {
  readonly text: string;
  readonly values: unknown[];
}

export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return { text: parts.reduce((text, part, index) => `${text}$${index}${part}`), values };
}

/** Drops an index that each month has of its own. */
export const withoutMonthly = (name: string): Sql => ({
  text: `DO $$ DECLARE own regclass; BEGIN
    FOR own IN SELECT oid FROM pg_class WHERE relkind = 'i' AND relname ~ '_[0-9]{6}_${name}$' LOOP
      EXECUTE format('DROP INDEX %s', own);
    END LOOP; END $$`,
  values: [],
});

/** Something that must never be, and the names of the checks that see it: those and no others. */
export interface Fault {
  readonly name: string;
  readonly breaks: readonly string[];
  readonly plant: (shop: Shop) => readonly Sql[];
}

export const fault = (name: string, breaks: readonly string[], plant: Fault['plant']): Fault => ({
  name,
  breaks,
  plant,
});

/**
 * Foreign keys would refuse most faults at once: here they are as if they had not been. Once for a whole database, for a
 * change of `session_replication_role` would discard the plans of all checks each time.
 */
export async function withoutForeignKeys({ pool }: Pick<Shop, 'pool'>): Promise<void> {
  await pool.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
    LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER ALL', name); END LOOP; END $$`);
  // What lists look for, and what only one invoice has, follows a fault of what it is made from, and is no fault of its own.
  for (const table of ['event', 'delivery', 'invoice']) await pool.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

/** What the audit finds with the fault in place; it is undone afterwards. */
export async function findingsWith(
  shop: Shop,
  planted: readonly Sql[],
  options: { patienceSeconds?: number } = {},
): Promise<Finding[]> {
  const client = await rolesOf(shop.pool).superuser.connect();
  try {
    await client.query('BEGIN');
    // Planning takes far longer than reading the few rows of a shop.
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan');
    for (const { text, values } of planted) {
      const { rowCount } = await client.query(text, values);
      if (rowCount === 0) throw new Error(`the fault is not in place: ${text}`);
    }
    return await findings(client, { now: shop.now, ...options });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
