import { INSTALLMENTS_MAX } from '../../contract/catalog.ts';
import { type Cents, cents } from '../kernel/money.ts';

/** Least value of one installment: R$ 5,00 (docs/product/catalog.md#installments). */
const INSTALLMENT_MINIMUM = cents(500);

export interface Recurrence {
  readonly interval: 'day' | 'week' | 'month';
  readonly intervalCount: number;
}

const INTERVALS = {
  day: ['dia', 'dias'],
  week: ['semana', 'semanas'],
  month: ['mês', 'meses'],
} as const satisfies Record<Recurrence['interval'], readonly [string, string]>;

/** How often something is charged: `mês`, `3 meses`. */
export function recurrenceName({ interval, intervalCount }: Recurrence): string {
  const [one, several] = INTERVALS[interval];
  return intervalCount === 1 ? one : `${intervalCount} ${several}`;
}

/** The same behind an amount: `por mês`, `a cada 3 meses`. */
export const perRecurrence = (recurrence: Recurrence): string =>
  `${recurrence.intervalCount === 1 ? 'por' : 'a cada'} ${recurrenceName(recurrence)}`;

/** A price as invoices and subscriptions bill it. Its recurrence counts only where `type` is `recurring`. */
export interface BilledPrice extends Recurrence {
  readonly id: string;
  readonly type: 'one_time' | 'recurring';
  /** Whether the price itself is active; renewals go on without. */
  readonly active: boolean;
  /** Whether its product is, too. */
  readonly isSold: boolean;
  readonly created: number;
  readonly productId: string;
  readonly productName: string;
  readonly unitAmount: number;
  readonly description: string | null;
}

/** What a price says of installments. */
export interface InstallmentTerms {
  readonly cardInstallmentsEnabled: boolean;
  readonly maxCardInstallments: number;
  /** Null for a one-time price. */
  readonly recurrence: Recurrence | null;
}

/** What of a stored price says its recurrence. */
interface StoredRecurrence {
  readonly recurringInterval?: Recurrence['interval'] | null | undefined;
  readonly recurringIntervalCount?: number | null | undefined;
}

/** Null for a one-time price. */
export function recurrenceOf({
  recurringInterval: interval,
  recurringIntervalCount: intervalCount,
}: StoredRecurrence): Recurrence | null {
  // The database holds both or neither.
  return interval == null || intervalCount == null ? null : { interval, intervalCount };
}

/** What the installment rules read of a stored price. */
export function installmentTerms(
  price: StoredRecurrence & Pick<InstallmentTerms, 'cardInstallmentsEnabled' | 'maxCardInstallments'>,
): InstallmentTerms {
  const { cardInstallmentsEnabled, maxCardInstallments } = price;
  return { cardInstallmentsEnabled, maxCardInstallments, recurrence: recurrenceOf(price) };
}

/** Months between two charges, as far as installments may reach: a recurrence in days or weeks allows none. */
const recurrenceMonths = ({ interval, intervalCount }: Recurrence): number =>
  interval === 'month' ? intervalCount : 0;

/** Most installments the price itself allows, whatever is charged (docs/product/catalog.md#installments). */
export function installmentsByTerms(terms: InstallmentTerms): number {
  if (!terms.cardInstallmentsEnabled) return 1;
  const byRecurrence = terms.recurrence === null ? INSTALLMENTS_MAX : recurrenceMonths(terms.recurrence);
  return Math.max(1, Math.min(terms.maxCardInstallments, byRecurrence, INSTALLMENTS_MAX));
}

/** Most installments of R$ 5,00 or more; one is always possible (docs/product/catalog.md#installments). */
export const installmentsByValue = (total: Cents): number => Math.max(1, Math.floor(total / INSTALLMENT_MINIMUM));

/** Most installments of a charge: `total` is the price's `unit_amount`, or the total of an invoice whose first item has this price. */
export function installmentsAllowed(terms: InstallmentTerms, total: Cents): number {
  return Math.min(installmentsByTerms(terms), installmentsByValue(total));
}
