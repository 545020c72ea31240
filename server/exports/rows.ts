import { mine, statement } from '../db/statement.ts';
import { places } from '../sealing/sealed-columns.ts';
import type { SealedPart } from '../sealing/sealed-rows.ts';
import { table } from '../unit-of-work/table.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type Export, ExportSchema } from './entity.ts';

export const sealedFilters: SealedPart<Export> = {
  place: places.exportFilters,
  column: 'sealedFilters',
  of: ['filters'],
  indexes: {},
};

export const exportRows = table(ExportSchema, { fixed: ['type', 'columns', 'askedAt'], seals: sealedFilters });

/** An export that is still to be written, locked; null: it has ended, or it is gone. */
export async function lockPending(tx: Tx, id: string): Promise<Export | null> {
  const row = await tx.find(exportRows.lock, id);
  return row?.status === 'pending' ? tx.keep(exportRows, row) : null;
}

export const partId = (exportId: string, nth: number): string => `${exportId}/${nth}`;

export const insertPart = statement(
  'insert_export_part',
  `INSERT INTO export_part (id, export_id, account_id, live_mode, content) VALUES (:id, :exportId, :accountId, :liveMode, :content)`,
);

export const deleteParts = statement(
  'delete_export_parts',
  `DELETE FROM export_part p WHERE ${mine('p')} AND p.export_id = :exportId`,
);

const lockAll = statement<{ id: string }>(
  'lock_exports_to_remove',
  `SELECT e.id FROM export e WHERE ${mine('e')} ORDER BY e.id FOR UPDATE`,
);
const removeParts = statement(
  'remove_export_parts',
  `DELETE FROM export_part p WHERE ${mine('p')} AND p.export_id = ANY (:ids)`,
);
const removeAll = statement('remove_exports', `DELETE FROM export e WHERE ${mine('e')} AND e.id = ANY (:ids)`);

const forgetCases = statement(
  'forget_cases_of_exports',
  `DELETE FROM outbox o WHERE ${mine('o')} AND o.kind = 'export-file' AND o.key = ANY (:ids)`,
);

/** What was exported before a customer was anonymized may tell of it (docs/product/exports.md#how-long). */
export async function removeExports(tx: Tx): Promise<void> {
  const ids = (await tx.query(lockAll, {})).map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.query(removeParts, { ids });
  await tx.query(forgetCases, { ids });
  await tx.query(removeAll, { ids });
}
