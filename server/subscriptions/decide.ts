import type { BilledPrice } from '../catalog/rules.ts';
import { subtotalOf } from '../invoices/rules.ts';
import type { Cents } from '../kernel/money.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type AppliedDiscount, billOf, type CycleDiscount, cyclePeriod, type Period } from './rules.ts';

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
  readonly kind: 'recurring';
  /** The item that it bills. */
  readonly item: string;
}

/** All that a bill is decided by. */
export interface Decided {
  readonly items: Items;
  readonly discounts: readonly CycleDiscount[];
  /** The number of the bill, the first being 1. */
  readonly bill: number;
}

export interface Decision {
  readonly lines: DecidedLine[];
  readonly applied: AppliedDiscount[];
  readonly subtotal: Cents;
  readonly total: Cents;
}

const lineOf = ({ id, quantity, price }: Item): DecidedLine => ({
  price: price.id,
  quantity,
  unitAmount: price.unitAmount,
  description: price.productName,
  kind: 'recurring',
  item: id,
});

/**
 * What a bill of a subscription asks for. Nothing else computes it: bills, previews and changes all decide by this
 * (docs/design/subscriptions.md#the-decision).
 */
export function decide({ items, discounts, bill }: Decided): Decision {
  const lines = items.map(lineOf);
  const subtotal = subtotalOf(lines);
  const { applied, total } = billOf(subtotal, discounts, bill);
  return { lines, applied, subtotal, total };
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
