import { z } from 'zod';
import { UNIT_AMOUNT_MAX } from './catalog.ts';
import { conditional, without } from './conditions.ts';
import {
  amount,
  currency,
  DESCRIPTION_MAX,
  evenWhenInvalid,
  exampleId,
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  typeId,
} from './kernel.ts';
import { type CreditKind, lateKinds, QUANTITY_MAX } from './lines.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { paragraph } from './texts.ts';

export const invoiceItemTypes = ['charge', 'credit'] as const;
const InvoiceItemType = named(
  'InvoiceItemType',
  invoiceItemTypes,
  'What an item does to a bill: a `charge` adds a line, a `credit` takes off what is left after the discounts.',
);

/** What a charge is for. */
export const chargeKinds = ['one_time', 'setup', 'proration', 'penalty', ...lateKinds] as const;
export type ChargeKind = (typeof chargeKinds)[number];
export const invoiceItemKinds = [...chargeKinds, 'granted', 'unused'] as const satisfies readonly (
  | ChargeKind
  | CreditKind
)[];
const InvoiceItemKind = named('InvoiceItemKind', invoiceItemKinds, 'What an item is for, or where it comes from.');

export const invoiceItemStatuses = ['pending', 'billed', 'deleted'] as const;
const InvoiceItemStatus = named(
  'InvoiceItemStatus',
  invoiceItemStatuses,
  'Where an item stands: `pending` until bills took all of it (`billed`), or until it was taken back (`deleted`).',
);

export const InvoiceItem = z
  .object({
    id: typeId('ii', 'Identifier of the item.'),
    object: objectName('invoice_item'),
    amount: amount('What it comes to: unit price times quantity.'),
    amount_remaining: amount('What no bill took yet.'),
    created: timestamp('When the item was created.'),
    currency,
    customer: typeId('cus', 'Whose bills it waits for.'),
    description: field(z.string(), 'What the buyer is told.', 'Visita técnica'),
    invoice: field(
      typeId('in', 'The invoice.').nullable(),
      'The invoice that bills a charge; null while it is pending, and of a credit: invoices list the credits that they used.',
      null,
    ),
    kind: field(
      InvoiceItemKind,
      'Of a charge: `one_time`, `setup` (once, with the first bill), `proration` (a change within a period), `penalty` (an end before the minimum term), `late_fine` and `late_interest` (a bill that was paid late; they wait for one that the buyer pays by hand). Of a credit: `granted` (given by you), `proration`, `unused` (the rest of a paid period).',
      'one_time',
    ),
    live_mode: liveMode,
    period_start: field(
      z.int().nullable(),
      'Start of what it is for; null where that is no period. Unix time, seconds.',
      null,
    ),
    period_end: field(z.int().nullable(), 'End of what it is for. Unix time, seconds.', null),
    price: field(
      typeId('price', 'The price.').nullable(),
      'The price that it derives from; null of a credit of an amount.',
    ),
    quantity: field(z.int(), 'Units.', 1),
    status: field(InvoiceItemStatus, 'Where the item stands.', 'pending'),
    subscription: field(
      typeId('sub', 'The subscription.').nullable(),
      'The subscription whose bills it waits for; null: whichever of the customer is billed next.',
    ),
    subscription_item: field(
      typeId('si', 'The item of the subscription.').nullable(),
      'The item of the subscription that it is about; null of none.',
      null,
    ),
    type: field(InvoiceItemType, 'What it does to a bill.', 'charge'),
    unit_amount: amount('Price of one unit.'),
  })
  .meta({ id: 'InvoiceItem', description: 'A charge or a credit that waits for a bill of a subscription.' });

export type InvoiceItem = z.output<typeof InvoiceItem>;

const refusesBoth = (other: string) => `must be absent when ${other} is sent`;

interface AskedInvoiceItem {
  readonly customer_id?: string | undefined;
  readonly subscription_id?: string | undefined;
  readonly price_id?: string | undefined;
  readonly quantity?: number | undefined;
  readonly amount?: number | undefined;
  readonly description?: string | undefined;
}

/** One of the customer and the subscription; a price, or an amount with what it is for. */
function checkAsked(asked: AskedInvoiceItem, context: z.core.$RefinementCtx): void {
  const refuse = (field: keyof AskedInvoiceItem, message: string, missing = false) =>
    context.addIssue({ code: 'custom', path: [field], message, ...(missing && { params: { missing } }) });
  if (asked.customer_id === undefined && asked.subscription_id === undefined)
    refuse('customer_id', 'or subscription_id is required', true);
  if (asked.customer_id !== undefined && asked.subscription_id !== undefined)
    refuse('subscription_id', refusesBoth('customer_id'));
  if (asked.price_id !== undefined) {
    if (asked.amount !== undefined) refuse('amount', refusesBoth('price_id'));
    return;
  }
  if (asked.amount === undefined) refuse('price_id', 'or amount is required', true);
  else if (asked.description === undefined) refuse('description', 'is required with an amount', true);
  if (asked.quantity !== undefined) refuse('quantity', refusesBoth('amount'));
}

export const InvoiceItemCreate = z
  .strictObject({
    customer_id: typeId('cus', 'Whose next bill it waits for, of whichever subscription.').optional(),
    subscription_id: typeId('sub', 'The subscription whose next bill it waits for.').optional(),
    type: field(InvoiceItemType, 'What it does to that bill.', 'charge'),
    price_id: typeId('price', 'A one-time, active price of what it is for.').optional(),
    quantity: field(z.int().min(1).max(QUANTITY_MAX).optional(), 'Units of the price: 1 to 999; default 1.', 1),
    amount: field(
      z.int().min(1).max(UNIT_AMOUNT_MAX).optional(),
      'In the place of `price_id`: integer cents, 1 to 999,999.',
      15_000,
    ),
    description: field(
      paragraph({ max: DESCRIPTION_MAX }).optional(),
      'What the buyer is told: up to 1,000 characters. Required with an amount; with a price by default the name of its product.',
      'Visita técnica',
    ),
  })
  .superRefine(checkAsked, evenWhenInvalid)
  .meta({
    id: 'InvoiceItemCreate',
    description: 'A new charge or credit.',
    examples: [
      { subscription_id: exampleId('sub'), type: 'charge', price_id: exampleId('price'), quantity: 1 },
      { customer_id: exampleId('cus'), type: 'credit', amount: 1_500, description: 'Um dia sem serviço' },
    ],
    ...conditional({
      when: { required: ['customer_id'] },
      so: without('subscription_id'),
      otherwise: { required: ['subscription_id'] },
    }),
  });

export type InvoiceItemCreate = z.output<typeof InvoiceItemCreate>;

const InvoiceItemBody = z
  .strictObject({ invoice_item: InvoiceItemCreate })
  .meta({ id: 'InvoiceItemCreateBody', description: 'A new charge or credit.' });

export const InvoiceItemListQuery = z.strictObject({
  ...pageQuery('ii'),
  customer_id: typeId('cus', 'Only items of this customer.').optional(),
  subscription_id: typeId('sub', 'Only items of this subscription.').optional(),
  type: InvoiceItemType.optional().meta({ description: 'Only charges, or only credits.' }),
  status: InvoiceItemStatus.optional().meta({ description: 'Only items of this status.' }),
});

const invoiceItemPath = pathId('invoice_item', 'ii');
export const invoiceItems = c.router(
  {
    create: {
      method: 'POST',
      path: '/invoice_items',
      summary: 'Create an invoice item',
      body: InvoiceItemBody,
      responses: { 201: InvoiceItem, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/invoice_items/:invoice_item_id',
      pathParams: invoiceItemPath,
      summary: 'Retrieve an invoice item',
      responses: { 200: InvoiceItem, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'ii' }),
    },
    list: {
      method: 'GET',
      path: '/invoice_items',
      summary: 'List invoice items',
      query: InvoiceItemListQuery,
      responses: { 200: listOf(InvoiceItem, { id: 'InvoiceItemList', url: '/api/v1/invoice_items' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    delete: {
      method: 'DELETE',
      path: '/invoice_items/:invoice_item_id',
      pathParams: invoiceItemPath,
      summary: 'Take an invoice item back',
      body: emptyBody,
      responses: { 200: InvoiceItem, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'ii' }),
    },
  },
  routerOptions,
);
