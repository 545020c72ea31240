import type { z } from 'zod';
import type {
  CollectedInvoiceListQuery,
  CollectedInvoice as CollectedView,
  Collection,
} from '../../contract/collection.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type CollectionDays, daysAfter } from '../kernel/collection-days.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { listPage } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Invoice, InvoiceSchema } from './entity.ts';
import { readRecovery } from './recovery.ts';
import { type Stage, SUSPENDED, stagesOf } from './stages.ts';

interface Counted {
  /** The place of a stage from 1 on; 0: suspended. */
  readonly place: number;
  readonly count: number;
  readonly amount: number;
}

const countLate = statement<Counted>(
  'count_late_invoices',
  `SELECT CASE WHEN i.collection = 'suspended' THEN 0 ELSE width_bucket(((:now::bigint - i.due_at) / ${DAY})::int, :starts::int[]) END AS place,
     count(*) AS count, sum(i.total)::bigint AS amount
   FROM invoice i WHERE ${mine('i')} AND i.status = 'open' AND i.due_at <= :now::bigint GROUP BY 1`,
);

/** Open invoices behind their due date, by the days of the account (docs/product/collection.md#what-is-unpaid). */
export async function retrieveCollection(deps: Deps, scope: Scope): Promise<Collection> {
  const now = deps.clock.now(scope);
  const days = scope.account;
  const stages = stagesOf(days);
  const [counted, recovery] = await Promise.all([
    readIn(deps.pool, scope, countLate, { now, starts: stages.map(({ fromDay }) => fromDay) }),
    readRecovery(deps, scope, now),
  ]);
  const sums = (wanted: number) => {
    const { count = 0, amount = 0 } = counted.find(({ place }) => place === wanted) ?? {};
    return { count, amount };
  };
  const views: Collection['stages'] = stages.map(({ id, fromDay, untilDay }, nth) => ({
    id,
    from_day: fromDay,
    until_day: untilDay,
    ...sums(nth + 1),
  }));
  // A subscription is suspended before the day that would end it, which begins the last stage.
  views.splice(-1, 0, { id: SUSPENDED, from_day: null, until_day: null, ...sums(0) });
  return {
    object: 'collection',
    as_of: now,
    charge_days: [...days.retryDays],
    overdue_day: days.overdueDays,
    suspend_day: days.suspendDays,
    cancel_day: days.cancelDays,
    stages: views,
    recovery,
    live_mode: scope.liveMode,
  };
}

const viewLate =
  (now: Timestamp) =>
  (invoice: Invoice): CollectedView => ({
    id: invoice.id,
    object: 'collected_invoice',
    customer: invoice.customerId,
    customer_name: invoice.customerName,
    subscription: invoice.subscriptionId ?? null,
    amount_remaining: invoice.total - invoice.amountPaid,
    due_at: invoice.dueAt,
    days_late: Math.floor((now - invoice.dueAt) / DAY),
    is_suspended: invoice.collection === 'suspended',
    next_step: invoice.step ?? null,
    next_step_at: invoice.stepAt ?? null,
    live_mode: invoice.liveMode,
  });

function stageOf(id: string, days: CollectionDays): Stage {
  const stages = stagesOf(days);
  const stage = stages.find((one) => one.id === id);
  if (stage !== undefined) return stage;
  const known = [...stages.map((one) => one.id), SUSPENDED].join(', ');
  throw new BillingError('PARAMETER_INVALID', { message: `stage must be one of ${known}, got ${id}`, param: 'stage' });
}

/** What invoices of a stage have in common; those of all stages are behind their due date. */
function inStage(id: string | undefined, { now, days }: { now: Timestamp; days: CollectionDays }) {
  const late = { status: 'open', dueAt: { $lte: now } } as const;
  if (id === undefined) return late;
  if (id === SUSPENDED) return { ...late, collection: SUSPENDED } as const;
  const { fromDay, untilDay } = stageOf(id, days);
  const dueAt = {
    $lte: daysAfter(now, -fromDay),
    ...(untilDay !== null && { $gt: daysAfter(now, -untilDay) }),
  };
  return { ...late, collection: { $ne: SUSPENDED }, dueAt } as const;
}

export function listLate(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CollectedInvoiceListQuery>,
): Promise<Page<CollectedView>> {
  const now = deps.clock.now(scope);
  const where = inStage(query.stage, { now, days: scope.account });
  const url = '/api/v1/collection/invoices';
  return listPage({ deps, scope }, InvoiceSchema, { query, where, url, view: viewLate(now) });
}
