import type { z } from 'zod';
import type { DisputeListQuery, Dispute as DisputeView } from '../../../contract/disputes.ts';
import type { Deps } from '../../deps.ts';
import type { Page } from '../../kernel/pages.ts';
import { listPage, readOne, withoutUndefined } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { viewDispute } from '../view.ts';
import { DisputeSchema } from './entity.ts';

export const retrieveDispute = (deps: Deps, scope: Scope, id: string): Promise<DisputeView> =>
  readOne({ deps, scope }, DisputeSchema, { id, view: viewDispute });

export function listDisputes(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof DisputeListQuery>,
): Promise<Page<DisputeView>> {
  const where = withoutUndefined({
    intentId: query.payment_intent_id,
    invoiceId: query.invoice_id,
    customerId: query.customer_id,
    status: query.status,
  });
  return listPage({ deps, scope }, DisputeSchema, { query, where, url: '/api/v1/disputes', view: viewDispute });
}
