import type { z } from 'zod';
import type { SubscriptionListQuery, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { readBilledPrices } from '../catalog/lookup.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { listPage, readEach, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Subscription, SubscriptionSchema } from './entity.ts';
import { viewSubscription } from './view.ts';

export async function retrieveSubscription(deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> {
  const found = await readOne({ deps, scope }, SubscriptionSchema, { id, view: (row) => row });
  const [view] = await viewAll(deps, scope, [found]);
  if (view === undefined) throw new Error(`the subscription ${id} lost its price`);
  return view;
}

export const readSubscriptions = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<SubscriptionView[]> =>
  readEach({ deps, scope }, SubscriptionSchema, { ids, viewAll: (rows) => viewAll(deps, scope, rows) });

async function viewAll(
  deps: Deps,
  scope: Scope,
  found: readonly Subscription[],
): Promise<(SubscriptionView | undefined)[]> {
  const prices = await readBilledPrices(deps.pool, scope, [...new Set(found.map(({ priceId }) => priceId))]);
  return found.map((subscription) => {
    const price = prices.get(subscription.priceId);
    return price === undefined ? undefined : viewSubscription(deps, subscription, price);
  });
}

export function listSubscriptions(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof SubscriptionListQuery>,
): Promise<Page<SubscriptionView>> {
  const where = withoutUndefined({
    customerId: query.customer_id,
    priceId: query.price_id,
    status: query.status,
    externalCode: query.external_code,
  });
  return listPage({ deps, scope }, SubscriptionSchema, {
    query,
    where,
    url: '/api/v1/subscriptions',
    viewAll: (subscriptions) => viewAll(deps, scope, subscriptions),
  });
}
