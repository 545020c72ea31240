import type { PaymentIntentListParams, PaymentIntentStatus } from '@fatura/sdk';
import type { CalendarDate } from '@internationalized/date';
import { daysOf, secondsOfDays } from '../../parts/period.ts';
import { centsOf } from '../../texts/numbers.ts';
import type { SalesFilters } from './search.ts';

/** Nobody has paid these, so they have no date of payment: their period is that of their creation. */
const UNPAID: readonly (PaymentIntentStatus | undefined)[] = ['pending', 'processing', 'failed', 'discarded'];
export const isUnpaid = ({ status }: SalesFilters): boolean => UNPAID.includes(status);

const amountOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : (centsOf(text) ?? undefined);

/** The filters of the address as the API takes them. */
export function paramsOf(filters: SalesFilters, today: CalendarDate): PaymentIntentListParams {
  const days = daysOf(filters.period, today);
  const { gte, lte } = days === null ? {} : secondsOfDays(days);
  const when = isUnpaid(filters) ? { created_gte: gte, created_lte: lte } : { paid_at_gte: gte, paid_at_lte: lte };
  const params = {
    ...when,
    payment_method_type: filters.method,
    status: filters.status,
    amount_gte: amountOf(filters.min),
    amount_lte: amountOf(filters.max),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}
