import type { z } from 'zod';
import type { RefundListQuery, Refund as RefundView } from '../../../contract/refunds.ts';
import type { Deps } from '../../deps.ts';
import { missing } from '../../kernel/errors.ts';
import type { Page } from '../../kernel/pages.ts';
import { listPage } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { type RefundPart, RefundPartSchema, RefundSchema } from '../entity.ts';
import { viewRefund } from '../view.ts';

/** The refund of a payment; 404 while no part of it stands. */
export async function retrieveRefund(deps: Deps, scope: Scope, id: string): Promise<RefundView> {
  const parts = await deps.read(scope).find(RefundPartSchema, { intentId: id }, { orderBy: { id: 'asc' } });
  const refund = viewRefund({ id, liveMode: scope.liveMode }, parts.filter(isAsked));
  if (refund === null) throw missing('refund', id);
  return refund;
}

const isAsked = ({ reason }: RefundPart): boolean => reason !== 'surplus';

/** Refunds, one for each payment, newest refund first. */
export function listRefunds(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof RefundListQuery>,
): Promise<Page<RefundView>> {
  const viewAll = async (refunds: readonly { id: string }[]) => {
    const ids = refunds.map(({ id }) => id);
    const found = await deps.read(scope).find(RefundPartSchema, { intentId: { $in: ids } }, { orderBy: { id: 'asc' } });
    const parts = Map.groupBy(found, ({ intentId }) => intentId);
    // A part may have failed between the two reads: its refund is gone then.
    return ids.map((id) => viewRefund({ id, liveMode: scope.liveMode }, parts.get(id) ?? []) ?? undefined);
  };
  const options = { query, where: {}, url: '/api/v1/refunds', viewAll, place: 'firstPartId' } as const;
  return listPage({ deps, scope }, RefundSchema, options);
}
