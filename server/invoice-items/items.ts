import type { z } from 'zod';
import type {
  InvoiceItemCreate,
  InvoiceItemListQuery,
  InvoiceItem as InvoiceItemView,
} from '../../contract/invoice-items.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import { createAdHocPrice } from '../catalog/prices.ts';
import { refuseUnlessSold } from '../catalog/sold.ts';
import { lockCustomer } from '../customers/customers.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { InvoiceItemSchema } from './entity.ts';
import { addInvoiceItem, invoiceItems, type NewInvoiceItem } from './pending.ts';
import { viewInvoiceItem } from './view.ts';

const findSubscription = statement<{ customerId: string; status: SubscriptionStatus }>(
  'find_subscription_of_invoice_item',
  `SELECT s.customer_id AS "customerId", s.status FROM subscription s WHERE ${mine('s')} AND s.id = :id`,
);

/** Whose bills the item waits for. */
async function waitsFor(
  tx: Tx,
  input: InvoiceItemCreate,
): Promise<Pick<NewInvoiceItem, 'customerId' | 'subscriptionId'>> {
  const { customer_id: customerId, subscription_id: id } = input;
  if (customerId !== undefined) {
    await lockCustomer(tx, customerId, 'invoice_item.customer_id');
    return { customerId, subscriptionId: null };
  }
  const [found] = id === undefined ? [] : await tx.query(findSubscription, { id });
  if (id === undefined || found === undefined) throw missing('subscription', id ?? '', 'invoice_item.subscription_id');
  if (found.status === 'inactive')
    throw new BillingError('INVALID_STATE', { message: `${id} is inactive: it makes no more bills` });
  await lockCustomer(tx, found.customerId);
  return { customerId: found.customerId, subscriptionId: id };
}

type Priced = Pick<NewInvoiceItem, 'priceId' | 'quantity' | 'unitAmount' | 'description'>;

/** What it comes to: a price on sale, or an amount, whose charge makes a price of its own. */
async function priced(tx: Tx, input: InvoiceItemCreate): Promise<Priced> {
  const { price_id: priceId, quantity = 1, amount = 0, description = '', type } = input;
  if (priceId === undefined) {
    const once = { quantity: 1, unitAmount: amount, description };
    return type === 'credit'
      ? { ...once, priceId: null }
      : { ...once, priceId: createAdHocPrice(tx, { name: description, unitAmount: amount }).id };
  }
  const price = (await findBilledPrices(tx, [priceId])).get(priceId);
  if (price === undefined) throw missing('price', priceId, 'invoice_item.price_id');
  refuseUnlessSold(price, 'one_time', 'invoice_item.price_id');
  const { unitAmount, productName } = price;
  if (unitAmount === 0)
    throw new BillingError('INVALID_STATE', { message: `${priceId} costs nothing: there is nothing to bill` });
  return { priceId, quantity, unitAmount, description: input.description ?? productName };
}

/** Creates a charge or a credit that waits for the next bill (docs/product/invoice-items.md#creation). */
export const createInvoiceItem = (deps: Deps, scope: Scope, input: InvoiceItemCreate): Promise<InvoiceItemView> =>
  deps.transaction(scope, async (tx) => {
    const owner = await waitsFor(tx, input);
    const { type } = input;
    const kind = type === 'credit' ? 'granted' : 'one_time';
    const view = viewInvoiceItem(addInvoiceItem(tx, { ...owner, ...(await priced(tx, input)), type, kind }));
    tx.record('invoice_item.created', view);
    return tx.answer(view);
  });

export const retrieveInvoiceItem = (deps: Deps, scope: Scope, id: string): Promise<InvoiceItemView> =>
  readOne({ deps, scope }, InvoiceItemSchema, { id, view: viewInvoiceItem });

export function listInvoiceItems(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof InvoiceItemListQuery>,
): Promise<Page<InvoiceItemView>> {
  const where = withoutUndefined({
    customerId: query.customer_id,
    subscriptionId: query.subscription_id,
    type: query.type,
    status: query.status,
  });
  return listPage({ deps, scope }, InvoiceItemSchema, {
    query,
    where,
    url: '/api/v1/invoice_items',
    view: viewInvoiceItem,
  });
}

/** Takes back what no bill took anything of (docs/product/invoice-items.md#taking-back). */
export const deleteInvoiceItem = (deps: Deps, scope: Scope, id: string): Promise<InvoiceItemView> =>
  deps.transaction(scope, async (tx) => {
    const item = await tx.lock(invoiceItems, id);
    if (item.status === 'deleted') return viewInvoiceItem(item);
    if (item.used > 0)
      throw new BillingError('INVALID_STATE', {
        message: `${id}: a bill took ${item.used} of its ${item.amount} cents, so that it cannot be taken back`,
      });
    item.status = 'deleted';
    const view = viewInvoiceItem(item);
    tx.record('invoice_item.deleted', view);
    return tx.answer(view);
  });
