import { z } from 'zod';
import { amount, currency, field, innerList, liveMode, objectName, timestamp, typeId } from './kernel.ts';
import { Discount, LineItem } from './lines.ts';

export const InvoicePreview = z
  .object({
    object: objectName('invoice_preview'),
    subscription: typeId('sub', 'The subscription that will be billed.'),
    customer: typeId('cus', 'Who will pay.'),
    currency,
    cycle: field(z.int(), 'The number of the cycle that it will bill.', 2),
    period_start: timestamp('Start of the period that it will bill; the invoice is due then.'),
    period_end: timestamp('End of the period that it will bill.'),
    line_items: field(
      innerList(LineItem, { id: 'InvoicePreviewLineItems', description: 'What will be billed.' }),
      'What will be billed.',
      { object: 'list', data: [] },
    ),
    discounts: field(
      innerList(Discount, { id: 'InvoicePreviewDiscounts', description: 'Discounts in the order applied.' }),
      'Discounts that will still last, in the order applied.',
      { object: 'list', data: [] },
    ),
    subtotal: amount('Sum of the line items.'),
    total: amount('Line items less discounts.'),
    live_mode: liveMode,
  })
  .meta({
    id: 'InvoicePreview',
    description: 'An invoice as it would be made of what is known now. It is not stored.',
  });

export type InvoicePreview = z.output<typeof InvoicePreview>;
