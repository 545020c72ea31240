import type pg from 'pg';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import { deleteSome, inBatches } from '../jobs/batched-delete.ts';

const removeParts = acrossAccounts(
  'remove_old_export_parts',
  deleteSome('export_part', 'export_id IN (SELECT e.id FROM export e WHERE e.remove_at < now())'),
);
const removeExports = acrossAccounts(
  'remove_old_exports',
  deleteSome('export', 'remove_at < now() AND NOT EXISTS (SELECT FROM export_part p WHERE p.export_id = export.id)'),
);

/** Removes exports that had their time, each behind its file, and answers how many (docs/product/exports.md#how-long). */
export async function removeOldExports(pool: pg.Pool, told: () => void): Promise<number> {
  const removeAll = (removal: Statement): Promise<number> =>
    inBatches(() => {
      told();
      return run(pool, removal, []);
    });
  await removeAll(removeParts);
  return removeAll(removeExports);
}
