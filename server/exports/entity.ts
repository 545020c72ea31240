import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { exportTypes } from '../../contract/export-columns.ts';
import { type Export as ExportView, exportStatuses } from '../../contract/exports.ts';
import { check, index, own, p, scopedAtTop, scopeFilter, scopeKey, told } from '../db/columns.ts';

/** An anonymization removes live ones too: what they hold stands in other tables. */
const removable = { filters: scopeFilter, policies: own };

/** A list that is written into a file, and the place that the file has come to. */
export const ExportSchema = defineEntity({
  name: 'Export',
  tableName: 'export',
  ...removable,
  properties: {
    ...scopedAtTop,
    ...told,
    type: p.enum(exportTypes),
    filters: p.json<ExportView['filters']>().persist(false),
    /** The filters: they may name a person. */
    sealedFilters: p.blob().$type<Buffer | null>(),
    columns: p.array(),
    status: p.enum(exportStatuses).default('pending'),
    parts: p.integer().default(0),
    rows: p.integer().default(0),
    bytes: p.whole().default(0),
    /** The object of the last row that was written: the list is read on from there. */
    lastId: p.id().nullable(),
    completedAt: p.whole().nullable(),
    expiresAt: p.whole().nullable(),
    askedAt: p.stamp(),
    /** When it was last written to. */
    dueAt: p.stamp(),
    removeAt: p.timestamp(),
  },
  uniques: [scopeKey],
  indexes: [index('export_pending', ['dueAt'], `status = 'pending'`), index('export_removal', ['removeAt'])],
  checks: [
    check('export_completed', `(status = 'completed') = (completed_at IS NOT NULL)`),
    check('export_expires', '(completed_at IS NULL) = (expires_at IS NULL)'),
    check('export_written', 'parts >= 0 AND rows >= 0 AND bytes >= 0'),
  ],
});

export type Export = InferEntity<typeof ExportSchema>;

/** A piece of a file, by the id of its export and its number. */
export const ExportPartSchema = defineEntity({
  name: 'ExportPart',
  tableName: 'export_part',
  ...removable,
  properties: {
    id: p.id().primary(),
    exportId: p.idIn('export'),
    accountId: p.id(),
    liveMode: p.boolean(),
    /** Compressed, then sealed. */
    content: p.blob(),
  },
  indexes: [index('export_part_export', ['exportId'])],
});
