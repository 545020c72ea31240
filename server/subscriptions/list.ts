import { raw } from '@mikro-orm/core';
import type { z } from 'zod';
import type { SubscriptionListQuery, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { listPage, readEach, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type Subscription, SubscriptionSchema } from './entity.ts';
import { type Beside, besideOf, type Contracted, held } from './rows.ts';
import { viewSubscription } from './view.ts';

const readBeside = statement<Beside & { id: string }>(
  'read_beside_subscriptions',
  `SELECT s.id, ${besideOf('s')} FROM subscription s WHERE ${mine('s')} AND s.id = ANY (:ids::text[])`,
);

/** A subscription with its items, as they are read without a lock. */
export async function readContracted(deps: Deps, scope: Scope, id: string): Promise<Contracted> {
  const subscription = await readOne({ deps, scope }, SubscriptionSchema, { id, view: (row) => row });
  const [beside] = await readIn(deps.pool, scope, readBeside, { ids: [id] });
  return { subscription, ...held(beside, id) };
}

export const retrieveSubscription = async (deps: Deps, scope: Scope, id: string): Promise<SubscriptionView> =>
  viewSubscription({ links: deps.links, now: deps.clock.now(scope) }, await readContracted(deps, scope, id));

export const readSubscriptions = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<SubscriptionView[]> =>
  readEach({ deps, scope }, SubscriptionSchema, { ids, viewAll: (rows) => viewAll(deps, scope, rows) });

async function viewAll(
  deps: Deps,
  scope: Scope,
  found: readonly Subscription[],
): Promise<(SubscriptionView | undefined)[]> {
  const rows = await readIn(deps.pool, scope, readBeside, { ids: found.map(({ id }) => id) });
  const besideById = new Map(rows.map((row) => [row.id, row]));
  return found.map((subscription) => {
    const beside = besideById.get(subscription.id);
    if (beside === undefined) return undefined;
    return viewSubscription(
      { links: deps.links, now: deps.clock.now(scope) },
      { subscription, ...held(beside, subscription.id) },
    );
  });
}

/** Of a subscription that bills a price now. */
const billing = (price: string) =>
  raw(
    (alias) =>
      `EXISTS (SELECT FROM subscription_term m WHERE m.price_id = ? AND m.subscription_id = ${alias}.id AND m.seq = ${alias}.term_seq)`,
    [price],
  );

export function listSubscriptions(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof SubscriptionListQuery>,
): Promise<Page<SubscriptionView>> {
  const filters = withoutUndefined({
    customerId: query.customer_id,
    status: query.status,
    externalCode: query.external_code,
  });
  const { price_id: price } = query;
  const where = price === undefined ? filters : { $and: [filters, { [billing(price)]: [] }] };
  return listPage({ deps, scope }, SubscriptionSchema, {
    query,
    where,
    url: '/api/v1/subscriptions',
    viewAll: (subscriptions) => viewAll(deps, scope, subscriptions),
  });
}
