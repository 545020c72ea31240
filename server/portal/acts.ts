import type { ChangePreview } from '../../contract/subscription-changes.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { deleteStoredCard, makeDefaultCard, retrieveStoredCard } from '../payments/card/customer-cards.ts';
import { pauseSubscription, resumeSubscription } from '../subscriptions/billing/pause.ts';
import { cancelSubscriptionAt, uncancelSubscription } from '../subscriptions/cancel-at.ts';
import { changeSubscription } from '../subscriptions/change.ts';
import { previewChange } from '../subscriptions/change-preview.ts';
import { cancelMandate } from '../subscriptions/mandates/end.ts';
import { retrieveMandate } from '../subscriptions/mandates/list.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import type { PortalAct } from './rules.ts';
import { type PortalSubscription, portalSubscription } from './subscriptions.ts';

/** Something of a customer that its buyer acts on. */
export interface Of {
  readonly customerId: string;
  readonly id: string;
}

/** Refuses what its account does not let a buyer do with a subscription now. */
function refuseUnless({ acts, view }: PortalSubscription, act: PortalAct): void {
  if (acts.includes(act)) return;
  throw new BillingError('INVALID_STATE', {
    message: `${view.id} is ${view.status}, and its buyer may not ${act} it now`,
  });
}

/** The subscription, of this customer, if its account lets the buyer do this now. */
async function allowed(deps: Deps, scope: Scope, { act, ...of }: Of & { act: PortalAct }): Promise<PortalSubscription> {
  const found = await portalSubscription(deps, scope, of);
  refuseUnless(found, act);
  return found;
}

/** Ends at the period's end, with the penalty that the page has shown. Told a second time it is said already. */
export async function cancelByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  const found = await portalSubscription(deps, scope, of);
  if (found.view.cancel_at_period_end && found.view.status !== 'inactive') return;
  refuseUnless(found, 'cancel');
  await cancelSubscriptionAt(deps, scope, { id: of.id, at: 'period_end', penalty: 'apply' });
}

export async function uncancelByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  const found = await portalSubscription(deps, scope, of);
  if (found.view.cancel_at === null && found.view.status !== 'inactive') return;
  refuseUnless(found, 'uncancel');
  await uncancelSubscription(deps, scope, of.id);
}

/** At once: the days left are kept. */
export async function pauseByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  await allowed(deps, scope, { ...of, act: 'pause' });
  await pauseSubscription(deps, scope, { id: of.id, at: 'now' });
}

export async function resumeByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  await allowed(deps, scope, { ...of, act: 'resume' });
  await resumeSubscription(deps, scope, of.id);
}

/** Another price in the place of the one that is billed; what that costs in a minimum term is shown before. */
async function changeTo(deps: Deps, scope: Scope, { priceId, ...of }: Of & { priceId: string }) {
  const found = await allowed(deps, scope, { ...of, act: 'change' });
  const price = found.prices.find(({ id }) => id === priceId);
  if (price === undefined) throw missing('price', priceId);
  const [item] = found.contracted.items;
  return {
    found,
    price,
    change: { id: of.id, items: [{ item: item.id, price_id: priceId }], penalty: 'apply' as const },
  };
}

export async function previewByBuyer(deps: Deps, scope: Scope, of: Of & { priceId: string }) {
  const { found, price, change } = await changeTo(deps, scope, of);
  const preview: ChangePreview = await previewChange(deps, scope, change);
  return { found, price, preview };
}

/** Refused with PREVIEW_OUTDATED where it comes to another sum than its buyer was shown. */
export async function changeByBuyer(
  deps: Deps,
  scope: Scope,
  { expectedTotal, ...of }: Of & { priceId: string; expectedTotal: number },
): Promise<void> {
  const { change } = await changeTo(deps, scope, of);
  await changeSubscription(deps, scope, { ...change, expected_total: expectedTotal });
}

/** A card of another customer is none. */
async function cardOf(deps: Deps, scope: Scope, { customerId, id }: Of): Promise<void> {
  const card = await retrieveStoredCard(deps, scope, id);
  if (card.customer !== customerId) throw missing('payment_method', id);
}

export async function preferCardByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  await cardOf(deps, scope, of);
  await makeDefaultCard(deps, scope, of.id);
}

export async function removeCardByBuyer(deps: Deps, scope: Scope, of: Of): Promise<void> {
  await cardOf(deps, scope, of);
  await deleteStoredCard(deps, scope, of.id);
}

export async function endMandateByBuyer(deps: Deps, scope: Scope, { customerId, id }: Of): Promise<void> {
  const mandate = await retrieveMandate(deps, scope, id);
  if (mandate.customer !== customerId) throw missing('mandate', id);
  await cancelMandate(deps, scope, id);
}
