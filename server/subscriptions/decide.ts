import type { InvoiceItem } from '../../contract/invoice-items.ts';
import type { CreditKind, LineKind } from '../../contract/lines.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { creditAmount, subtotalOf } from '../invoices/rules.ts';
import { type Cents, cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type AppliedDiscount, discountBill, type SubscriptionDiscount } from './discounts.ts';
import { cyclePeriod, type Period } from './rules.ts';

/** What a subscription bills each cycle, one of several. */
export interface Item {
  readonly id: string;
  readonly created: Timestamp;
  readonly quantity: number;
  readonly price: BilledPrice;
}

/** The items of a subscription, the first of them apart: it has at least one, and all renew at once. */
export type Items = readonly [Item, ...Item[]];

/** A line of a bill. */
export interface DecidedLine {
  readonly price: string;
  readonly quantity: number;
  /** Cents. */
  readonly unitAmount: number;
  readonly description: string;
  readonly kind: LineKind;
  /** The item that it bills; none: it is about none. */
  readonly item?: string;
  /** The charge that waited for it. */
  readonly invoiceItem?: string;
  /** Of what is billed for a period other than the bill's. */
  readonly period?: Period;
}

/** What waits for the bill. */
export interface PendingItem {
  readonly id: string;
  readonly type: InvoiceItem['type'];
  readonly kind: InvoiceItem['kind'];
  readonly priceId?: string | null | undefined;
  readonly itemId?: string | null | undefined;
  readonly quantity: number;
  /** Cents, as what follows. */
  readonly unitAmount: number;
  readonly amount: number;
  /** What former bills used of it. */
  readonly used: number;
  readonly description: string;
  readonly periodStart?: Timestamp | null | undefined;
  readonly periodEnd?: Timestamp | null | undefined;
}

/** A credit as a bill uses it. */
export interface DecidedCredit {
  /** The invoice item. */
  readonly item: string;
  readonly type: CreditKind;
  readonly amount: Cents;
  readonly description: string;
}

/** All that a bill is decided by. */
export interface Decided {
  readonly items: Items;
  readonly discounts: readonly SubscriptionDiscount[];
  /** The number of the bill, the first being 1. */
  readonly bill: number;
  /** In the order in which they are taken. */
  readonly pending: readonly PendingItem[];
}

export interface Decision {
  readonly lines: DecidedLine[];
  readonly applied: AppliedDiscount[];
  readonly subtotal: Cents;
  /** What recurs comes to, less its discounts. */
  readonly net: Cents;
  readonly credits: DecidedCredit[];
  readonly total: Cents;
}

const lineOf = ({ id, quantity, price }: Item): DecidedLine => ({
  price: price.id,
  quantity,
  unitAmount: price.unitAmount,
  description: price.productName,
  kind: 'recurring',
  // One that a preview adds has no id yet.
  ...(id !== '' && { item: id }),
});

const isLineKind = (kind: InvoiceItem['kind']): kind is Extract<LineKind, InvoiceItem['kind']> =>
  kind !== 'granted' && kind !== 'unused';

const isCreditKind = (kind: InvoiceItem['kind']): kind is CreditKind =>
  kind === 'proration' || kind === 'granted' || kind === 'unused';

/** A charge that waited. */
function chargeOf(item: PendingItem): DecidedLine[] {
  const { id, type, kind, priceId, itemId, periodStart: start, periodEnd: end } = item;
  if (type !== 'charge' || !isLineKind(kind) || priceId == null) return [];
  return [
    {
      price: priceId,
      quantity: item.quantity,
      unitAmount: item.unitAmount,
      description: item.description,
      kind,
      invoiceItem: id,
      ...(itemId != null && { item: itemId }),
      ...(start != null && end != null && { period: { start, end } }),
    },
  ];
}

/** Credits that wait, in their order, up to what is owed. */
function creditsTowards(owed: Cents, pending: readonly PendingItem[]): DecidedCredit[] {
  const credits: DecidedCredit[] = [];
  let left: number = owed;
  for (const { id, type, kind, amount, used, description } of pending) {
    const taken = cents(Math.min(left, amount - used));
    if (type !== 'credit' || !isCreditKind(kind) || taken === 0) continue;
    credits.push({ item: id, type: kind, amount: taken, description });
    left -= taken;
  }
  return credits;
}

/**
 * What a bill of a subscription asks for. Nothing else computes it: bills, previews and changes all decide by this
 * (docs/design/subscriptions.md#the-decision). Discounts are of what recurs, and a coupon's of setup fees that it names; what else waited is not discounted.
 */
export function decide({ items, discounts, bill, pending }: Decided): Decision {
  const lines = [...items.map(lineOf), ...pending.flatMap(chargeOf)];
  const { applied, net, total: owed } = discountBill(lines, { items, discounts, bill });
  const credits = creditsTowards(owed, pending);
  return { lines, applied, subtotal: subtotalOf(lines), net, credits, total: cents(owed - creditAmount(credits)) };
}

/** What the end of a subscription asks for: charges that still wait for a bill of it, and a penalty; credits are used as by every bill. */
export function decideEnd(
  pending: readonly PendingItem[],
  penalty: DecidedLine | null,
): Pick<Decision, 'lines' | 'credits' | 'total'> {
  const lines = [...pending.flatMap(chargeOf), ...(penalty === null ? [] : [penalty])];
  const owed = subtotalOf(lines);
  const credits = creditsTowards(owed, pending);
  return { lines, credits, total: cents(owed - creditAmount(credits)) };
}

/** What of a subscription says when its cycles begin. */
interface Anchored {
  readonly billingCycleAnchor: Timestamp;
  readonly anchorCycle: number;
}

/** The period of a cycle, counted from the one that begins at the anchor. */
export const periodOfCycle = (
  { subscription, items: [{ price }] }: { readonly subscription: Anchored; readonly items: Items },
  cycle: number,
): Period => cyclePeriod(subscription.billingCycleAnchor, price, cycle - subscription.anchorCycle);
