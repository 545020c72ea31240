import type { InvoiceItem as InvoiceItemView } from '../../contract/invoice-items.ts';
import type { InvoiceItem } from './entity.ts';

/** The item as its retrieval answers it (docs/product/invoice-items.md#the-item). */
export const viewInvoiceItem = (item: InvoiceItem): InvoiceItemView => ({
  id: item.id,
  object: 'invoice_item',
  amount: item.amount,
  amount_remaining: item.status === 'deleted' ? 0 : item.amount - item.used,
  created: item.created,
  currency: 'brl',
  customer: item.customerId,
  description: item.description,
  invoice: item.invoiceId ?? null,
  kind: item.kind,
  live_mode: item.liveMode,
  period_start: item.periodStart ?? null,
  period_end: item.periodEnd ?? null,
  price: item.priceId ?? null,
  quantity: item.quantity,
  status: item.status,
  subscription: item.subscriptionId ?? null,
  subscription_item: item.itemId ?? null,
  type: item.type,
  unit_amount: item.unitAmount,
});
