import type { z } from 'zod';
import type { PaymentIntentListQuery, PaymentIntent as PaymentIntentView } from '../../../contract/payments.ts';
import type { Deps } from '../../deps.ts';
import type { Page } from '../../kernel/pages.ts';
import { listPage, moneyRanges, readEach, readOne, withoutUndefined } from '../../unit-of-work/lists.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { PaymentIntentSchema } from '../entity.ts';
import { viewIntent } from '../view.ts';

export const retrieveIntent = (deps: Deps, scope: Scope, id: string): Promise<PaymentIntentView> =>
  readOne({ deps, scope }, PaymentIntentSchema, { id, view: viewIntent });

export const readIntents = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<PaymentIntentView[]> =>
  readEach({ deps, scope }, PaymentIntentSchema, { ids, view: viewIntent });

/** A debit by mandate is a PIX that is shown as a method of its own. */
function byMethod(method: PaymentIntentView['payment_method_type'] | undefined) {
  if (method === 'pix_automatico') return { mandateId: { $ne: null } };
  return { paymentMethodType: method ?? undefined, mandateId: method === 'pix' ? null : undefined };
}

export function listIntents(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof PaymentIntentListQuery>,
): Promise<Page<PaymentIntentView>> {
  const where = withoutUndefined({
    ...moneyRanges(query),
    customerId: query.customer_id,
    invoiceId: query.invoice_id,
    status: query.status,
    ...byMethod(query.payment_method_type),
  });
  return listPage({ deps, scope }, PaymentIntentSchema, {
    query,
    where,
    url: '/api/v1/payment_intents',
    view: viewIntent,
  });
}
