import type { SubscriptionChange as ChangeView } from '../../contract/subscription-changes.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import type { Links } from '../kernel/links.ts';
import { BASIS_POINTS_IN_PERCENT } from '../kernel/money.ts';
import type { OwnDays } from '../kernel/own-days.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Item, Items } from './decide.ts';
import { viewDiscount } from './discounts.ts';
import type { ChangedItem, Subscription, SubscriptionChange } from './entity.ts';
import { penaltyAt, termEnd } from './penalty.ts';

function viewPriceSummary(price: BilledPrice): SubscriptionView['item']['price'] {
  return {
    id: price.id,
    object: 'price',
    active: price.active,
    created: price.created,
    currency: 'brl',
    product: price.productId,
    type: 'recurring',
    interval: price.interval,
    interval_count: price.intervalCount,
    unit_amount: price.unitAmount,
    unit_amount_decimal: String(price.unitAmount),
    nickname: price.description,
  };
}

const viewCancellation = ({ cancelReason, cancelComment }: Subscription): SubscriptionView['cancellation'] =>
  cancelReason == null && cancelComment == null
    ? null
    : { reason: cancelReason ?? null, comment: cancelComment ?? null };

/** What its buyer agreed to on the page that sold it. */
const viewConsent = ({ consentAt: at, consentIp: ip, consentText: text }: Subscription): SubscriptionView['consent'] =>
  at == null || ip == null || text == null ? null : { at, ip, text };

/** When it ends or has ended, and why. */
const viewEnd = (subscription: Subscription) => ({
  cancel_at: subscription.cancelAt ?? null,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  ended: subscription.ended ?? null,
  canceled_reason: subscription.canceledReason ?? null,
  cancellation: viewCancellation(subscription),
});

/** The minimum term, with what an end would cost now. */
function viewTerm(bound: Parameters<typeof penaltyAt>[0], now: Timestamp): SubscriptionView['minimum_term'] {
  const { penaltyType: type, penaltyValue: value } = bound.subscription;
  if (type == null || value == null) return null;
  return {
    ends_at: termEnd(bound),
    penalty_type: type,
    penalty_value: type === 'declining_amount' ? value : value / BASIS_POINTS_IN_PERCENT,
    penalty_now: penaltyAt(bound, now),
  };
}

/** The present pause, or one to come. */
const viewPause = ({ pausedAt, resumesAt, daysLeft }: Subscription): SubscriptionView['pause'] =>
  pausedAt == null ? null : { since: pausedAt, resumes_at: resumesAt ?? null, days_left: daysLeft ?? 0 };

export const viewChangedItems = (items: readonly ChangedItem[]): ChangeView['items_after'] => ({
  object: 'list',
  data: items.map(({ item, price, quantity }) => ({ object: 'subscription_change_item', item, price, quantity })),
});

/** The change as its creation answers it (docs/product/subscriptions.md#changes). */
export const viewChange = (change: SubscriptionChange): ChangeView => ({
  id: change.id,
  object: 'subscription_change',
  charge: change.charge,
  created: change.created,
  credit: change.credit,
  cycle: change.cycle ?? null,
  effective: change.effective,
  effective_at: change.effectiveAt,
  invoice: change.invoiceId ?? null,
  items_after: viewChangedItems(change.itemsAfter),
  items_before: viewChangedItems(change.itemsBefore),
  lapses_at: change.lapsesAt ?? null,
  live_mode: change.liveMode,
  proration: change.proration,
  status: change.status,
  subscription: change.subscriptionId,
  total: change.charge - change.credit,
});

/** The nearest: a change that waits for its payment is paid or lapses before the next cycle. */
function viewPending({ awaiting, later: [next] }: Viewed['scheduled']): ChangeView | null {
  const nearest = awaiting ?? next;
  return nearest === undefined ? null : viewChange(nearest.change);
}

type Period = Pick<SubscriptionView, 'current_period_start' | 'current_period_end'>;

const viewItem = (
  { id, created, quantity, price }: Item,
  { period, subscription }: { period: Period; subscription: string },
): SubscriptionView['item'] => ({
  id,
  object: 'subscription_item',
  created,
  ...period,
  quantity,
  subscription,
  price: viewPriceSummary(price),
});

interface Waiting {
  readonly change: SubscriptionChange;
}

/** What of a subscription is shown. */
interface Viewed {
  readonly subscription: Subscription;
  readonly items: Items;
  readonly credit: { readonly left: number };
  readonly scheduled: {
    readonly awaiting: Waiting | null;
    readonly later: readonly Waiting[];
  };
}

/** The subscription as its retrieval answers it (docs/product/subscriptions.md#the-subscription): without the dates of collection. */
export function viewSubscription(
  { links, now }: { readonly links: Links; readonly now: Timestamp },
  { subscription, items: [first, ...more], credit, scheduled }: Viewed,
): SubscriptionView {
  const period = {
    current_period_start: subscription.currentPeriodStart ?? null,
    current_period_end: subscription.currentPeriodEnd ?? null,
  };
  const items = [first, ...more].map((item) => viewItem(item, { period, subscription: subscription.id }));
  return {
    id: subscription.id,
    object: 'subscription',
    live_mode: subscription.liveMode,
    external_code: subscription.externalCode ?? null,
    status: subscription.status,
    start_date: subscription.startsAt ?? subscription.created,
    trial_start: subscription.trialStartAt ?? null,
    trial_end: subscription.trialEndAt ?? null,
    trial_end_behavior: subscription.trialEndBehavior ?? null,
    ...viewEnd(subscription),
    consent: viewConsent(subscription),
    pause: viewPause(subscription),
    minimum_term: viewTerm({ subscription, items: [first, ...more] }, now),
    pending_change: viewPending(scheduled),
    billing_cycle_anchor: subscription.billingCycleAnchor,
    ...period,
    created: subscription.created,
    credit_balance: credit.left,
    customer: subscription.customerId,
    mandate: subscription.mandateId ?? null,
    payment_method_type: subscription.paymentMethodType ?? null,
    default_payment_method: subscription.paymentMethodId ?? null,
    installments: subscription.installments,
    collection: viewOwnDays(subscription.ownDays),
    late_fees: subscription.lateFees ?? null,
    latest_invoice: subscription.latestInvoiceId ?? null,
    update_payment_url: subscription.status === 'inactive' ? null : links.updatePayment(subscription),
    discounts: { object: 'list', data: subscription.discounts.map(viewDiscount) },
    item: viewItem(first, { period, subscription: subscription.id }),
    items: { object: 'list', data: items },
  };
}

const viewOwnDays = (own: OwnDays | null | undefined): SubscriptionView['collection'] => ({
  overdue_days: own?.overdueDays ?? null,
  suspend_days: own?.suspendDays ?? null,
  cancel_days: own?.cancelDays ?? null,
  retry_days: own?.retryDays ? [...own.retryDays] : null,
  reminder_days: own?.reminderDays ? [...own.reminderDays] : null,
});
