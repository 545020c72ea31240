import type { InvoicePreview } from '../../contract/invoice-preview.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { readBilledPrices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import { endOfPaid } from '../subscriptions/billing/ahead.ts';
import type { Subscription } from '../subscriptions/entity.ts';
import { penaltyAt } from '../subscriptions/penalty.ts';
import { type Beside, besideOf, type Contracted, held, subscriptions } from '../subscriptions/rows.ts';
import { previewUpcoming } from '../subscriptions/upcoming.ts';
import { viewSubscription } from '../subscriptions/view.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { actsOf, type PortalAct } from './rules.ts';
import { type PortalSettings, readPortalSettings } from './settings.ts';

/** Subscriptions that are shown, those that go on first. */
const SHOWN_MAX = 50;

interface Row extends Subscription, Beside {
  readonly isPaidAhead: boolean;
  readonly openInvoiceId: string | null;
}

const readOfCustomer = statement<Row>(
  'read_portal_subscriptions',
  `SELECT ${subscriptions.columns('s')}, ${besideOf('s')},
     s.billed_cycle > s.cycle AND EXISTS(SELECT FROM invoice i
       WHERE i.subscription_id = s.id AND i.cycle = s.billed_cycle AND NOT i.superseded AND i.status = 'paid') AS "isPaidAhead",
     (SELECT i.id FROM invoice i WHERE i.subscription_id = s.id AND i.status = 'open' ORDER BY i.id LIMIT 1) AS "openInvoiceId"
   FROM subscription s WHERE ${mine('s')} AND s.customer_id = :customerId AND (:id::text IS NULL OR s.id = :id)
   ORDER BY s.status = 'inactive', s.id DESC LIMIT ${SHOWN_MAX}`,
);

/** A subscription as its buyer is shown it. */
export interface PortalSubscription {
  readonly view: SubscriptionView;
  readonly contracted: Contracted;
  /** The bill that comes next by itself; null: none does. */
  readonly upcoming: InvoicePreview | null;
  readonly openInvoiceId: string | null;
  /** When a cancellation at the period's end would end it, and what that would cost; null: it has no such end. */
  readonly end: { readonly at: Timestamp; readonly penalty: number } | null;
  readonly acts: readonly PortalAct[];
  /** What it may be changed to. */
  readonly prices: readonly BilledPrice[];
}

/** What a cancellation at the period's end comes to, as the cancellation itself decides it. */
function endOf(contracted: Contracted, { isPaidAhead }: Row): PortalSubscription['end'] {
  const { subscription, items } = contracted;
  const { status, trialEndAt, currentPeriodEnd } = subscription;
  const periodEnd = (status === 'trialing' ? trialEndAt : status === 'active' ? currentPeriodEnd : null) ?? null;
  if (periodEnd === null) return null;
  const ahead = isPaidAhead ? ({ invoice: { status: 'paid' } } as const) : null;
  const at = endOfPaid(contracted, { ahead, periodEnd });
  return { at, penalty: penaltyAt({ subscription, items }, at) };
}

/** Null where nothing is billed by itself (docs/product/subscriptions.md#the-next-invoice). */
async function upcomingOf(deps: Deps, scope: Scope, id: string): Promise<InvoicePreview | null> {
  try {
    return await previewUpcoming(deps, scope, id);
  } catch (error) {
    if (error instanceof BillingError && error.code === 'INVALID_STATE') return null;
    throw error;
  }
}

/** Of other terms, on sale, and not what is billed already. */
const offered = (prices: ReadonlyMap<string, BilledPrice>, { items: [item] }: Contracted): BilledPrice[] =>
  [...prices.values()].filter(({ id, type, isSold }) => isSold && type === 'recurring' && id !== item.price.id);

interface Known {
  readonly settings: PortalSettings;
  readonly prices: ReadonlyMap<string, BilledPrice>;
}

async function shown(
  deps: Deps,
  scope: Scope,
  { row, settings, prices }: Known & { row: Row },
): Promise<PortalSubscription> {
  const { isPaidAhead: _, openInvoiceId, items, credit, waiting, ...subscription } = row;
  const contracted: Contracted = { subscription, ...held({ items, credit, waiting }, row.id) };
  const { status, cancelAt = null, cancelAtPeriodEnd, pausedAt = null } = subscription;
  const acts = actsOf({ status, cancelAt, cancelAtPeriodEnd, pausedAt, items: items.length }, settings);
  return {
    view: viewSubscription({ links: deps.links, now: deps.clock.now(scope) }, contracted),
    contracted,
    upcoming: status === 'inactive' ? null : await upcomingOf(deps, scope, row.id),
    openInvoiceId,
    end: endOf(contracted, row),
    acts,
    prices: acts.includes('change') ? offered(prices, contracted) : [],
  };
}

/** The subscriptions of a customer, with what the account lets their buyer do. */
export async function portalSubscriptions(
  deps: Deps,
  scope: Scope,
  { customerId, id = null }: { customerId: string; id?: string | null },
): Promise<PortalSubscription[]> {
  const [settings, rows] = await Promise.all([
    readPortalSettings(deps, scope),
    readIn(deps.pool, scope, readOfCustomer, { customerId, id }),
  ]);
  const prices = await readBilledPrices(deps.pool, scope, settings.changePrices);
  return Promise.all(rows.map((row) => shown(deps, scope, { row, settings, prices })));
}

/** One of them; of another customer there is none. */
export async function portalSubscription(
  deps: Deps,
  scope: Scope,
  { customerId, id }: { customerId: string; id: string },
): Promise<PortalSubscription> {
  const [found] = await portalSubscriptions(deps, scope, { customerId, id });
  if (found === undefined) throw missing('subscription', id);
  return found;
}
