import { type Finding, findings } from '../../../server/audit/audit.ts';
import type { Shop } from './shop.ts';

/** A statement with its values. */
export interface Sql {
  readonly text: string;
  readonly values: unknown[];
}

export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return { text: parts.reduce((text, part, index) => `${text}$${index}${part}`), values };
}

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

/** What the audit finds with the fault in place; it is undone afterwards. */
export async function findingsWith(
  shop: Shop,
  planted: readonly Sql[],
  options: { patienceSeconds?: number } = {},
): Promise<Finding[]> {
  const client = await shop.pool.connect();
  try {
    await client.query('BEGIN');
    // Foreign keys would refuse most faults at once: here they are as if they had not been.
    await client.query('SET LOCAL session_replication_role = replica');
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
