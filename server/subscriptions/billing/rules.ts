import type { SubscriptionStatus } from '../../../contract/subscriptions.ts';
import { type InstallmentTerms, installmentsAllowed } from '../../catalog/rules.ts';
import type { Cents } from '../../kernel/money.ts';
import { DAY, type Timestamp } from '../../kernel/time.ts';

/**
 * What the calendar brings a subscription: `end` of one that was not paid in time, `renew` with a charge of its card,
 * `bill` ahead of a period that is paid by PIX, and `start_period` of a period that was billed ahead.
 */
export type DueKind = 'end' | 'renew' | 'bill' | 'start_period';

/** Their places among what falls at one instant: an end is one of collection's, cycles come after its steps (docs/product/collection.md#order-at-one-instant). */
export const DUE_RANKS: Readonly<Record<DueKind, number>> = { end: 3, renew: 4, bill: 4, start_period: 4 };

export interface Due {
  readonly due: DueKind;
  readonly at: Timestamp;
}

/** What of a subscription says what it waits for. */
export interface Calendared {
  readonly status: SubscriptionStatus;
  readonly paymentMethodType?: 'pix' | 'card' | null | undefined;
  /** The number of the cycle under way. */
  readonly cycle: number;
  /** The number of the newest cycle that an invoice was made for. */
  readonly billedCycle: number;
  readonly currentPeriodStart?: Timestamp | null | undefined;
  readonly currentPeriodEnd?: Timestamp | null | undefined;
  readonly pendingUntil?: Timestamp | null | undefined;
}

/** A bill that is paid by PIX comes so long before its period, but not before the one under way (docs/product/subscriptions.md#renewal-by-pix). */
const BILLED_AHEAD = 3 * DAY;

/** What falls due of a subscription next by itself; null: nothing does. One without a method is billed as by PIX. */
export function nextDue(subscription: Calendared): Due | null {
  const { status, cycle, billedCycle, paymentMethodType } = subscription;
  const { currentPeriodStart: start, currentPeriodEnd: end, pendingUntil } = subscription;
  if (status === 'pending') return pendingUntil == null ? null : { due: 'end', at: pendingUntil };
  if (status !== 'active' || start == null || end == null) return null;
  if (billedCycle > cycle) return { due: 'start_period', at: end };
  if (paymentMethodType === 'card') return { due: 'renew', at: end };
  return { due: 'bill', at: Math.max(end - BILLED_AHEAD, start) };
}

/** Installments of a renewal: those of the first charge, as far as the rules still allow them (docs/product/subscriptions.md#installments-of-renewals). */
export const renewalInstallments = (first: number, terms: InstallmentTerms, total: Cents): number =>
  Math.min(first, installmentsAllowed(terms, total));
