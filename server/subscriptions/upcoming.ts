import type { InvoicePreview } from '../../contract/invoice-preview.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { showDiscounts } from '../coupons/rules.ts';
import { mine, readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { pendingItemsOf } from '../invoice-items/pending.ts';
import { creditAmount } from '../invoices/rules.ts';
import { viewCredits, viewLines } from '../invoices/view.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { termsOf } from './changes/scheduled.ts';
import { decide, type PendingItem, periodOfCycle } from './decide.ts';
import { discountOfBill } from './discounts.ts';
import type { Subscription } from './entity.ts';
import { readContracted } from './list.ts';
import type { Period } from './rules.ts';
import { firstBillAt } from './trial.ts';

const pendingStatement = statement<{ pending: PendingItem[] }>(
  'read_pending_of_subscription',
  `SELECT ${pendingItemsOf('s')} AS pending FROM subscription s WHERE ${mine('s')} AND s.id = :id`,
);

const leftOf = (pending: readonly PendingItem[]): number =>
  pending.reduce((sum, { type, amount, used }) => sum + (type === 'credit' ? amount - used : 0), 0);

/** Those that bill by themselves. */
const billing: readonly SubscriptionStatus[] = ['scheduled', 'trialing', 'active'];

/** The first cycle is to begin when the trial ends, or with the subscription. */
function anchored(subscription: Subscription): Pick<Subscription, 'billingCycleAnchor' | 'anchorCycle'> {
  const { created, anchorCycle } = subscription;
  return { anchorCycle, billingCycleAnchor: firstBillAt(subscription, created) };
}

type Waited = Parameters<typeof termsOf>[0];

/** The period of a cycle that is still to begin. */
function periodOf(contracted: Waited, cycle: number): Period {
  const { subscription } = contracted;
  const terms = termsOf(contracted, cycle);
  return periodOfCycle(subscription.cycle > 0 ? terms : { ...terms, subscription: anchored(subscription) }, cycle);
}

/** What the next bill of a subscription would be (docs/product/subscriptions.md#the-next-invoice): it is decided as the bill itself. */
export async function previewUpcoming(deps: Deps, scope: Scope, id: string): Promise<InvoicePreview> {
  const contracted = await readContracted(deps, scope, id);
  const { subscription } = contracted;
  if (!billing.includes(subscription.status))
    throw new BillingError('INVALID_STATE', {
      message: `${id} is ${subscription.status}: it bills nothing by itself`,
    });
  const cycle = subscription.billedCycle + 1;
  refuseUnlessBilling(subscription, periodOf(contracted, cycle).start);
  const pending = await readPending(deps, scope, id);
  return previewBill(contracted, { cycle, bill: subscription.bills + 1, pending });
}

export async function readPending(deps: Deps, scope: Scope, id: string): Promise<PendingItem[]> {
  const [row] = await readIn(deps.pool, scope, pendingStatement, { id });
  return row?.pending ?? [];
}

/** What a bill of a cycle to come would be, with its number among the bills and what would wait for it. */
export function previewBill(
  contracted: Waited,
  { cycle, bill, pending }: { cycle: number; bill: number; pending: readonly PendingItem[] },
): InvoicePreview {
  const { subscription } = contracted;
  const terms = termsOf(contracted, cycle);
  const { start, end } = periodOf(contracted, cycle);
  const { discounts } = subscription;
  const { lines, applied, subtotal, credits, total } = decide({ items: terms.items, discounts, bill, pending });
  const period = { period_start: start, period_end: end };
  return {
    object: 'invoice_preview',
    subscription: subscription.id,
    customer: subscription.customerId,
    currency: 'brl',
    cycle,
    ...period,
    line_items: { object: 'list', data: viewLines(lines, period) },
    discounts: { object: 'list', data: showDiscounts(applied.map(discountOfBill)) },
    subtotal,
    credits: viewCredits(credits),
    credit_amount: creditAmount(credits),
    credit_after: leftOf(pending) - creditAmount(credits),
    total,
    live_mode: subscription.liveMode,
  };
}

/** One that ends or is paused before that period begins does not bill it in its time. */
function refuseUnlessBilling({ id, cancelAt, pausedAt }: Subscription, start: Timestamp): void {
  const stops = Math.min(cancelAt ?? Number.POSITIVE_INFINITY, pausedAt ?? Number.POSITIVE_INFINITY);
  if (stops > start) return;
  throw new BillingError('INVALID_STATE', {
    message: `${id} ends or is paused at ${stops}: it bills nothing after that`,
  });
}
