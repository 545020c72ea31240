import type { z } from 'zod';
import type { CheckoutSessionListQuery, CheckoutSession as SessionView } from '../../contract/checkout-sessions.ts';
import { listPage, readOne, withoutUndefined } from '../db/lists.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import { type CheckoutSession, CheckoutSessionSchema } from './entity.ts';
import { viewSession } from './view.ts';

export async function retrieveSession(deps: Deps, scope: Scope, id: string): Promise<SessionView> {
  const found = await readOne({ deps, scope }, CheckoutSessionSchema, {
    id,
    noun: 'checkout session',
    view: (row) => row,
  });
  const [view] = await viewAll(deps, scope, [found]);
  if (view === undefined) throw new Error(`the checkout session ${id} is not shown`);
  return view;
}

const findIntents = statement<{ id: string; paymentIntentId: string | null }>(
  'find_intents_of_invoices',
  `SELECT i.id, i.payment_intent_id AS "paymentIntentId" FROM invoice i WHERE i.id = ANY (:ids::text[]) AND ${mine('i')}`,
);

async function viewAll(deps: Deps, scope: Scope, found: readonly CheckoutSession[]): Promise<SessionView[]> {
  const ids = found.flatMap(({ invoiceId }) => invoiceId ?? []);
  const invoices = ids.length === 0 ? [] : await readIn(deps.pool, scope, findIntents, { ids });
  const intents = new Map(invoices.map(({ id, paymentIntentId }) => [id, paymentIntentId]));
  return found.map((session) => viewSession(deps, session, intents.get(session.invoiceId ?? '') ?? null));
}

export function listSessions(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CheckoutSessionListQuery>,
): Promise<Page<SessionView>> {
  const where = withoutUndefined({
    customerId: query.customer_id,
    mode: query.mode,
    status: query.status,
    externalCode: query.external_code,
  });
  return listPage({ deps, scope }, CheckoutSessionSchema, {
    query,
    where,
    url: '/api/v1/checkout/sessions',
    viewAll: (sessions) => viewAll(deps, scope, sessions),
  });
}
