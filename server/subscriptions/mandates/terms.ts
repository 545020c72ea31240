import type { Recurrence } from '../../catalog/rules.ts';
import { isoDate } from '../../kernel/brazil.ts';
import { BillingError } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { CivilDay, MandateFinding, MandatePeriod } from '../../payments/acquirer/port.ts';
import { periodOfCycle } from '../decide.ts';
import type { Contracted } from '../rows.ts';
import { cycleStart } from '../rules.ts';
import type { Mandate } from './entity.ts';

const MONTHLY: Readonly<Partial<Record<number, MandatePeriod>>> = { 1: 'month', 3: 'quarter', 6: 'half', 12: 'year' };

/** How often a mandate of a recurrence is charged; null: no mandate is. */
export function mandatePeriodOf({ interval, intervalCount }: Recurrence): MandatePeriod | null {
  if (interval === 'week' && intervalCount === 1) return 'week';
  return interval === 'month' ? (MONTHLY[intervalCount] ?? null) : null;
}

/** The recurrence that a mandate can have. */
export interface MandateRecurrence {
  readonly interval: Mandate['interval'];
  readonly intervalCount: number;
}

/** Of a subscription whose bills can be debited; 422 otherwise. */
export function mandateRecurrence({ subscription: { id }, items: [{ price }] }: Contracted): MandateRecurrence {
  const { interval, intervalCount } = price;
  if (mandatePeriodOf(price) !== null && interval !== 'day') return { interval, intervalCount };
  throw new BillingError('MANDATE_INTERVAL_UNSUPPORTED', {
    message: `${id} renews every ${intervalCount} ${interval}: Pix Automático debits every week, month, 3, 6 or 12 months`,
  });
}

/** The first day on which a subscription may be debited: the first period that is not billed yet, where it is known. */
export function startsOnOf(contracted: Contracted, now: Timestamp): CivilDay {
  const { subscription, items } = contracted;
  const { status, cycle, billedCycle, currentPeriodEnd, trialEndAt } = subscription;
  if (status === 'trialing' && trialEndAt != null) return isoDate(trialEndAt);
  if (status === 'active' && currentPeriodEnd != null)
    return isoDate(billedCycle > cycle ? periodOfCycle(contracted, billedCycle + 1).start : currentPeriodEnd);
  // Its cycles are counted from the payment that it waits for.
  return isoDate(cycleStart(now, items[0].price, 1));
}

/** What recurs of a renewal now, in cents: a fixed amount is this. */
export const recurringAmount = ({ items }: Contracted): number =>
  items.reduce((sum, { quantity, price }) => sum + quantity * price.unitAmount, 0);

/** What the acquirer's books say of a mandate, to ours; null: nothing that changes it. */
export function verdictOf(
  { status }: Pick<Mandate, 'status'>,
  finding: Pick<MandateFinding, 'status' | 'endedBy'>,
): 'activate' | NonNullable<Mandate['endReason']> | null {
  if (status !== 'pending' && status !== 'active') return null;
  switch (finding.status) {
    case 'created':
      return null;
    case 'approved':
      return status === 'pending' ? 'activate' : null;
    case 'rejected':
      return 'rejected';
    case 'expired':
      return 'expired';
    case 'cancelled':
      return cancelledBy[finding.endedBy ?? 'bank'];
  }
}

const cancelledBy = {
  payer: 'cancelled_by_payer',
  payer_bank: 'cancelled_by_payer_bank',
  merchant: 'cancelled_by_merchant',
  bank: 'cancelled_by_bank',
} as const;
