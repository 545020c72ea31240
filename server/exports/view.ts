import type { Export as ExportView } from '../../contract/exports.ts';
import type { Links } from '../kernel/links.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Export } from './entity.ts';

/** The export as its retrieval answers it (docs/product/exports.md#the-export). */
export function viewExport(row: Export, { links, now }: { links: Links; now: Timestamp }): ExportView {
  const expiresAt = row.expiresAt ?? null;
  return {
    id: row.id,
    object: 'export',
    live_mode: row.liveMode,
    created: row.created,
    type: row.type,
    filters: row.filters ?? {},
    columns: row.columns,
    status: row.status,
    rows: row.rows,
    url: expiresAt !== null && now < expiresAt ? links.exportFile(row) : null,
    expires_at: expiresAt,
    completed_at: row.completedAt ?? null,
  };
}
