import type { z } from 'zod';
import type { MandateListQuery, Mandate as MandateView } from '../../../contract/mandates.ts';
import type { Deps } from '../../deps.ts';
import { missing } from '../../kernel/errors.ts';
import type { Page } from '../../kernel/pages.ts';
import { listPage, withoutUndefined } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { MandateSchema } from './entity.ts';
import { viewWithQr } from './qr.ts';
import { viewMandate } from './view.ts';

export async function retrieveMandate(deps: Deps, scope: Scope, id: string): Promise<MandateView> {
  const mandate = await deps.read(scope).findOne(MandateSchema, { id });
  if (mandate === null) throw missing('mandate', id);
  return viewWithQr(mandate);
}

export const listMandates = (
  deps: Deps,
  scope: Scope,
  query: z.output<typeof MandateListQuery>,
): Promise<Page<MandateView>> =>
  listPage({ deps, scope }, MandateSchema, {
    query,
    where: withoutUndefined({
      subscriptionId: query.subscription_id,
      customerId: query.customer_id,
      status: query.status,
    }),
    url: '/api/v1/mandates',
    view: viewMandate,
  });
