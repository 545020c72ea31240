import type { SubscriptionStatus } from '@fatura/sdk';
import { periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch, textOf } from '../../parts/search-params.ts';

export const statuses = [
  ...(['active', 'trialing', 'pending', 'scheduled', 'paused', 'suspended', 'inactive'] as const),
] satisfies readonly SubscriptionStatus[];

export interface SubscriptionFilters {
  readonly status?: SubscriptionStatus | undefined;
  /** What one knows of the customer, or its id. */
  readonly customer?: string | undefined;
  readonly period?: string | undefined;
}

export const subscriptionSearch = (search: RawSearch): SubscriptionFilters =>
  known({
    status: choiceOf(search.status, statuses),
    customer: textOf(search.customer),
    period: periodOf(search.period),
  });
