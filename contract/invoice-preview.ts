import { z } from 'zod';
import { amount, currency, exampleId, field, innerList, liveMode, objectName, timestamp, typeId } from './kernel.ts';
import { Discount, InvoiceCredit, LineItem } from './lines.ts';

export const InvoicePreview = z
  .object({
    object: objectName('invoice_preview'),
    subscription: field(
      typeId('sub', 'The subscription.').nullable(),
      'The subscription that will be billed; null while it is not created.',
      exampleId('sub'),
    ),
    customer: field(
      typeId('cus', 'Who will pay.').nullable(),
      'Who will pay; null where the customer would be created with the subscription.',
      exampleId('cus'),
    ),
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
    credits: field(
      innerList(InvoiceCredit, {
        id: 'InvoicePreviewCredits',
        description: 'Credits that will be used, oldest first.',
      }),
      'Credits that will be used, oldest first.',
      { object: 'list', data: [] },
    ),
    credit_amount: amount('Sum of these credits.', 0),
    credit_after: amount('What will be left of the credits that wait for a bill of the subscription.', 0),
    total: amount('Line items less discounts and credits.'),
    live_mode: liveMode,
  })
  .meta({
    id: 'InvoicePreview',
    description: 'An invoice as it would be made of what is known now. It is not stored.',
  });

export type InvoicePreview = z.output<typeof InvoicePreview>;
