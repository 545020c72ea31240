import type { InvoicePreview } from '../../contract/invoice-preview.ts';
import type { Deps } from '../deps.ts';
import { viewLines } from '../invoices/view.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { decide, periodOfCycle } from './decide.ts';
import { readContracted } from './list.ts';
import { viewDiscount } from './view.ts';

/** What the next bill of a subscription would be (docs/product/subscriptions.md#the-next-invoice): it is decided as the bill itself. */
export async function previewUpcoming(deps: Deps, scope: Scope, id: string): Promise<InvoicePreview> {
  const { subscription, items } = await readContracted(deps, scope, id);
  if (subscription.status !== 'active')
    throw new BillingError('INVALID_STATE', {
      message: `${id} is ${subscription.status}: it bills nothing by itself`,
    });
  const cycle = subscription.billedCycle + 1;
  const { start, end } = periodOfCycle({ subscription, items }, cycle);
  const { lines, applied, subtotal, total } = decide({
    items,
    discounts: subscription.discounts,
    bill: subscription.bills + 1,
  });
  const period = { period_start: start, period_end: end };
  return {
    object: 'invoice_preview',
    subscription: id,
    customer: subscription.customerId,
    currency: 'brl',
    cycle,
    ...period,
    line_items: { object: 'list', data: viewLines(lines, period) },
    discounts: { object: 'list', data: applied.map(viewDiscount) },
    subtotal,
    total,
    live_mode: subscription.liveMode,
  };
}
