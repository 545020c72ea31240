import { exportColumns } from '../../contract/export-columns.ts';
import type { ExportCreate, Export as ExportView } from '../../contract/exports.ts';
import { limitOf } from '../admission/limits.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, HOUR, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { exportRows } from './rows.ts';
import { viewExport } from './view.ts';

/** It has a day to be written; what nobody wrote is removed a day later. */
const UNWRITTEN_KEPT = 2 * DAY;
const WRITTEN_SOON_SECONDS = 10;

/** Exports of an account in one mode are asked for one after another, so that none passes the limits unseen. */
const lockCreations = statement(
  'lock_account_exports',
  `SELECT FROM account_look look WHERE ${mine('look')} FOR NO KEY UPDATE`,
);

interface Counted {
  readonly pending: number;
  readonly kept: number;
}

const countExports = statement<Counted>(
  'count_exports',
  `SELECT count(*) FILTER (WHERE e.status = 'pending')::int AS pending, count(*)::int AS kept FROM export e WHERE ${mine('e')}`,
);

function refuseBeyondLimits({ metrics }: Deps, scope: Scope, { pending, kept }: Counted): void {
  const refuse = (limit: 'exports' | 'exports_kept', what: string, retryAfterSeconds: number): never => {
    metrics.limits.refuse(limit, scope);
    const message = `${limitOf(limit, scope)} exports of this account in this mode are ${what}`;
    throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds });
  };
  if (pending >= limitOf('exports', scope))
    refuse('exports', 'being written; repeat when one is completed', WRITTEN_SOON_SECONDS);
  if (kept >= limitOf('exports_kept', scope))
    refuse('exports_kept', 'kept; the oldest is removed 24 hours after it was completed', HOUR);
}

/** Asks for a list as a file; its case writes it (docs/product/exports.md). */
export const createExport = (
  deps: Deps,
  scope: Scope,
  { type, filters = {}, columns }: ExportCreate,
): Promise<ExportView> =>
  deps.transaction(scope, async (tx) => {
    await tx.query(lockCreations, {});
    const [counted = { pending: 0, kept: 0 }] = await tx.query(countExports, {});
    refuseBeyondLimits(deps, scope, counted);
    const askedAtMs = realTimeMs();
    const row = tx.insert(exportRows, {
      id: newId('exp'),
      type,
      // Their schemas have texts, numbers and flags.
      filters: filters as ExportView['filters'],
      sealedFilters: null,
      columns: [...(columns ?? exportColumns[type])],
      askedAt: new Date(askedAtMs),
      dueAt: new Date(askedAtMs),
      removeAt: new Date(askedAtMs + UNWRITTEN_KEPT * SECOND_MS),
    });
    tx.enqueue({ kind: 'export-file', key: row.id });
    return tx.answer(viewExport(row, { links: tx.links, now: tx.now }));
  });
