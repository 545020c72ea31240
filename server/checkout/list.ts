import { type FilterQuery, raw } from '@mikro-orm/core';
import type { z } from 'zod';
import type {
  CheckoutSessionListQuery,
  SessionStatus,
  CheckoutSession as SessionView,
} from '../../contract/checkout-sessions.ts';
import { hangsOn } from '../db/months.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../kernel/pages.ts';
import type { Timestamp } from '../kernel/time.ts';
import { listPage, readEach, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { type CheckoutSession, CheckoutSessionSchema } from './entity.ts';
import { shownStatus } from './rules.ts';
import { viewSession } from './view.ts';

export async function retrieveSession(deps: Deps, scope: Scope, id: string): Promise<SessionView> {
  const found = await readOne({ deps, scope }, CheckoutSessionSchema, {
    id,
    view: (row) => row,
  });
  const [view] = await viewAll(deps, scope, [found]);
  if (view === undefined) throw new Error(`the checkout session ${id} is not shown`);
  return view;
}

export const readSessions = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<SessionView[]> =>
  readEach({ deps, scope }, CheckoutSessionSchema, { ids, viewAll: (rows) => viewAll(deps, scope, rows) });

/** SQL of whether a charge or a QR code of an invoice may still bring the money that completes its session. */
const isUndecided = (invoiceId: string): string => `(
  EXISTS(SELECT FROM payment_intent p WHERE ${hangsOn('pi_', 'p.invoice_id', invoiceId)} AND p.status = 'processing')
  OR EXISTS(SELECT FROM pix_charge q WHERE ${hangsOn('', 'q.invoice_id', invoiceId)} AND (q.state <> 'ended' OR q.confirmed_at IS NOT NULL)))`;

interface Charged {
  id: string;
  paymentIntentId: string | null;
  isUndecided: boolean;
}

const findIntents = statement<Charged>(
  'find_intents_of_invoices',
  `SELECT i.id, i.payment_intent_id AS "paymentIntentId", ${isUndecided('i.id')} AS "isUndecided"
   FROM unnest(:ids::text[]) AS n (id) JOIN invoice i ON i.id = n.id AND ${mine('i')}`,
);

async function viewAll(deps: Deps, scope: Scope, found: readonly CheckoutSession[]): Promise<SessionView[]> {
  const ids = found.flatMap(({ invoiceId }) => invoiceId ?? []);
  const invoices = ids.length === 0 ? [] : await readIn(deps.pool, scope, findIntents, { ids });
  const charged = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  const now = deps.clock.now(scope);
  return found.map((session) => {
    const { paymentIntentId = null, isUndecided = false } = charged.get(session.invoiceId ?? '') ?? {};
    const status = shownStatus(session, { isUndecided, now });
    return viewSession(deps, { ...session, status }, paymentIntentId);
  });
}

/** The sessions that read so; those that came to their deadline do before the run that writes it. */
function reading(status: SessionStatus, now: Timestamp): FilterQuery<CheckoutSession> {
  const undecided = raw((session) => isUndecided(`${session}.invoice_id`));
  if (status === 'open') return { status, $or: [{ expiresAt: { $gt: now } }, { [undecided]: true }] };
  if (status === 'expired')
    return { $or: [{ status }, { status: 'open', expiresAt: { $lte: now }, [undecided]: false }] };
  return { status };
}

export function listSessions(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CheckoutSessionListQuery>,
): Promise<Page<SessionView>> {
  const { customer_id: customerId, payment_link_id: paymentLinkId, mode, status, external_code: externalCode } = query;
  const read = status === undefined ? [] : [reading(status, deps.clock.now(scope))];
  const where = { $and: [withoutUndefined({ customerId, paymentLinkId, mode, externalCode }), ...read] };
  return listPage({ deps, scope }, CheckoutSessionSchema, {
    query,
    where,
    url: '/api/v1/checkout/sessions',
    viewAll: (sessions) => viewAll(deps, scope, sessions),
  });
}
