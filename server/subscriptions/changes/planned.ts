import type { ChangeInput } from '../../../contract/subscription-changes.ts';
import type { Prices } from '../../catalog/lookup.ts';
import { BillingError } from '../../kernel/errors.ts';
import type { Cents } from '../../kernel/money.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { type Decision, decide, type Items } from '../decide.ts';
import type { AskedItem } from '../entity.ts';
import type { Contracted } from '../rows.ts';
import type { Period } from '../rules.ts';

/** A bill of a subscription, as far as a change asks. */
export interface KnownBill {
  readonly isPaid: boolean;
  readonly isOpen: boolean;
  /** Its number among the bills of the subscription. */
  readonly number: number;
}

/** What a change is decided by. */
export interface ChangeAsked extends Pick<ChangeInput, 'effective' | 'proration' | 'penalty'> {
  readonly asked: readonly AskedItem[];
  readonly prices: Prices;
  readonly now: Timestamp;
  /** That of the current period; null: there is none. */
  readonly current: KnownBill | null;
  /** That of the next period, where it was made already. */
  readonly ahead: KnownBill | null;
}

/** What a change charges and credits. */
export interface Proration {
  readonly charge: Cents;
  readonly credit: Cents;
  /** What is charged for the whole period from then on. */
  readonly net: Cents;
}

/** A change as it was decided. */
export interface PlannedChange {
  readonly effective: 'now' | 'period_end' | 'cycle';
  readonly effectiveAt: Timestamp;
  /** The cycle with which it begins to hold; null: it holds at once. */
  readonly cycle: number | null;
  readonly proration: 'next_invoice' | 'invoice_now' | 'none';
  /** Of the minimum term, once it holds. */
  readonly penalty: Cents;
  readonly before: Items;
  readonly after: Items;
  /** Of the rest of the current period; null: no money moves. */
  readonly current: Proration | null;
  /** Of the next period, where that was billed ahead and paid. */
  readonly ahead: Proration | null;
  /** The first period of another interval, which begins with it; null: the current period goes on. */
  readonly anew: NewPeriod | null;
}

/** A period that a change begins. */
export interface NewPeriod {
  readonly cycle: number;
  readonly period: Period;
  /** Its number among the bills. */
  readonly bill: number;
  /** What its bill comes to, before the credit of the former period. */
  readonly decision: Decision;
}

/** What a bill of the items comes to, less its discounts. */
export const netOf = ({ subscription }: Contracted, items: Items, bill: number): Cents =>
  decide({ items, discounts: subscription.discounts, bill, pending: [] }).net;

/** One change at a time waits for its payment. */
export function refuseWhileAwaiting({ subscription: { id }, scheduled: { awaiting } }: Contracted): void {
  if (awaiting === null) return;
  const { id: change, invoiceId } = awaiting.change;
  throw new BillingError('CHANGE_PENDING', {
    message: `${change} of ${id} waits for the payment of ${invoiceId}: take it back by DELETE /api/v1/subscriptions/${id}/changes/${change}, or wait until it is paid or lapses`,
  });
}

/** Whether a change has an invoice of its own, and waits for its payment: not where nothing is left to pay. */
export const isInvoiced = (planned: PlannedChange): boolean =>
  planned.proration === 'invoice_now' && moneyOf(planned).total > 0;

/** Both periods together, in cents. */
export function moneyOf({ current, ahead }: PlannedChange): { charge: number; credit: number; total: number } {
  const charge = (current?.charge ?? 0) + (ahead?.charge ?? 0);
  const credit = (current?.credit ?? 0) + (ahead?.credit ?? 0);
  return { charge, credit, total: charge - credit };
}
