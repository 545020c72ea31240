import type { z } from 'zod';
import type { ExportListQuery, Export as ExportView } from '../../contract/exports.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { openedRow } from '../sealing/sealed-rows.ts';
import { listPage, readOne } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Export, ExportSchema } from './entity.ts';
import { sealedFilters } from './rows.ts';
import { viewExport } from './view.ts';

const shown =
  ({ secretBox, links, clock }: Deps, scope: Scope) =>
  (row: Export): ExportView =>
    viewExport(openedRow<Export, object>(sealedFilters, row, secretBox), { links, now: clock.now(scope) });

export const retrieveExport = (deps: Deps, scope: Scope, id: string): Promise<ExportView> =>
  readOne({ deps, scope }, ExportSchema, { id, view: shown(deps, scope) });

export const listExports = (
  deps: Deps,
  scope: Scope,
  query: z.output<typeof ExportListQuery>,
): Promise<Page<ExportView>> =>
  listPage({ deps, scope }, ExportSchema, { query, where: {}, url: '/api/v1/exports', view: shown(deps, scope) });
