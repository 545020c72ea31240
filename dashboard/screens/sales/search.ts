import type { PaymentIntentStatus, PaymentMethodType } from '@fatura/sdk';
import { periodOf } from '../../parts/period-names.ts';
import { choiceOf, known, type RawSearch, textOf } from '../../parts/search-params.ts';

export const methods = ['pix', 'card', 'pix_automatico'] as const satisfies readonly PaymentMethodType[];
export const statuses = [
  'paid',
  'pending',
  'scheduled',
  'processing',
  'failed',
  'refunding',
  'refunded',
  'discarded',
] as const satisfies readonly PaymentIntentStatus[];

export interface SalesFilters {
  readonly period?: string | undefined;
  readonly method?: PaymentMethodType | undefined;
  readonly status?: PaymentIntentStatus | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** The filters of an address. Without a period it is the day that most people ask for. */
export const salesSearch = (search: RawSearch): SalesFilters =>
  known({
    period: periodOf(search.period) ?? 'today',
    method: choiceOf(search.method, methods),
    status: choiceOf(search.status, statuses),
    min: textOf(search.min),
    max: textOf(search.max),
  });
