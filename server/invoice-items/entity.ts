import { defineEntity, type InferEntity } from '@mikro-orm/core';
import { invoiceItemKinds, invoiceItemStatuses, invoiceItemTypes } from '../../contract/invoice-items.ts';
import { creditKinds } from '../../contract/lines.ts';
import { check, index, inScope, p, scoped, scopeKey, told } from '../db/columns.ts';

/** What waits for a bill of a subscription: a charge that it will ask for, or a credit that it will use. */
export const InvoiceItemSchema = defineEntity({
  name: 'InvoiceItem',
  tableName: 'invoice_item',
  ...inScope,
  properties: {
    ...scoped,
    ...told,
    customerId: p.idIn('customer'),
    /** Null: of whichever subscription of the customer is billed next. */
    subscriptionId: p.idIn('subscription').nullable(),
    type: p.enum(invoiceItemTypes),
    kind: p.enum(invoiceItemKinds),
    status: p.enum(invoiceItemStatuses),
    /** What a charge derives from; null of a credit of an amount. */
    priceId: p.idIn('price').nullable(),
    /** The item of the subscription that it is about. */
    itemId: p.id().nullable(),
    quantity: p.integer().check('quantity BETWEEN 1 AND 999'),
    unitAmount: p.whole(),
    amount: p.whole().check('amount >= 1'),
    /** What bills took of it: of a charge all or nothing. */
    used: p.whole().default(0),
    description: p.text(),
    periodStart: p.whole().nullable(),
    periodEnd: p.whole().nullable(),
    /** The bill that asks for a charge; bills say themselves which credits they use. */
    invoiceId: p.idIn('invoice').nullable(),
  },
  uniques: [scopeKey],
  indexes: [
    index('invoice_item_customer', ['customerId', 'id']),
    index('invoice_item_subscription', ['subscriptionId', 'id'], 'subscription_id IS NOT NULL'),
    index('invoice_item_invoice', ['invoiceId'], 'invoice_id IS NOT NULL'),
    index('invoice_item_pending', ['customerId', 'id'], `status = 'pending'`),
  ],
  checks: [
    check('invoice_item_amount', 'amount = quantity * unit_amount'),
    check('invoice_item_used', `used BETWEEN 0 AND amount AND (type = 'credit' OR used IN (0, amount))`),
    check('invoice_item_billed', `(status = 'billed') = (used = amount) AND (status <> 'deleted' OR used = 0)`),
    check('invoice_item_invoice', `(invoice_id IS NOT NULL) = (type = 'charge' AND status = 'billed')`),
    check('invoice_item_kind', `type = 'charge' OR kind IN ('${creditKinds.join("', '")}')`),
    check('invoice_item_price', `type = 'credit' OR price_id IS NOT NULL`),
    check('invoice_item_period', '(period_start IS NULL) = (period_end IS NULL)'),
  ],
});

export type InvoiceItem = InferEntity<typeof InvoiceItemSchema>;
