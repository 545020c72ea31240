import type { SubscriptionCreate, Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { type Buyer, lockCustomer } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import { type Announce, issue } from '../invoices/life.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { NewRow } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { activate, beginCycle } from './activation.ts';
import { billOfCycle } from './billing/renew.ts';
import type { Subscription, SubscriptionDiscount } from './entity.ts';
import { subscriptions } from './rows.ts';
import { PENDING_SECONDS } from './rules.ts';
import { viewSubscription } from './view.ts';

/** Creates a subscription with its first invoice, open or, when it comes to 0, paid (docs/product/subscriptions.md#first-payment). */
export function createSubscription(deps: Deps, scope: Scope, input: SubscriptionCreate): Promise<SubscriptionView> {
  return deps.transaction(scope, async (tx) => tx.answer(await createIn(tx, input)));
}

async function createIn(tx: Tx, input: SubscriptionCreate): Promise<SubscriptionView> {
  const { buyer, price } = await readReferences(tx, input);
  refuseUnlessSold(price);
  const { subscription } = await openSubscription(tx, {
    buyer,
    price,
    quantity: input.quantity ?? 1,
    externalCode: input.external_code ?? null,
    discounts: (input.discounts ?? []).map(storeDiscount),
  });
  return viewSubscription(tx, subscription, price);
}

/** What a subscription is made of. */
export interface NewSubscription {
  readonly buyer: Buyer;
  readonly price: BilledPrice;
  readonly quantity: number;
  readonly externalCode: string | null;
  readonly discounts: SubscriptionDiscount[];
  /** From then on its first invoice takes no payment; none: it does as long as it is open. */
  readonly payableUntil?: Timestamp;
}

/** A subscription with its first invoice, which waits for payment; one that comes to 0 is paid, and the subscription active. */
export async function openSubscription(tx: Tx, made: NewSubscription, announce?: Announce): Promise<Opened> {
  const { buyer, price, payableUntil } = made;
  const subscription = tx.insert(subscriptions, newSubscription(tx, made));
  const contracted = { subscription, price };
  const bill = await billOfCycle(tx, contracted, {
    number: 1,
    billingReason: 'subscription_create',
    buyer,
    dueAt: tx.now + PENDING_SECONDS,
    period: null,
    collection: 'awaited',
  });
  tx.record('subscription.created', viewSubscription(tx, subscription, price));
  // A bill of nothing is paid at once, and its cycle begins.
  const period = bill.total === 0 ? beginCycle(tx, contracted, 1) : null;
  const invoice = issue(tx, { ...bill, payableUntil, cycle: { ...bill.cycle, period } }, announce);
  if (invoice.status === 'paid') activate(tx, contracted, { invoice, payment: null });
  return { subscription, invoice };
}

interface Opened {
  readonly subscription: Subscription;
  readonly invoice: Invoice;
}

/** Buyer and price in one round trip; what does not exist is told before what cannot be used (docs/product/requests.md#order-of-refusals). */
async function readReferences(tx: Tx, input: SubscriptionCreate): Promise<{ buyer: Buyer; price: BilledPrice }> {
  const [buyer, price] = await Promise.allSettled([
    lockCustomer(tx, input.customer_id, 'subscription.customer_id'),
    requirePrice(tx, input.price_id),
  ]);
  if (price.status === 'rejected') throw price.reason;
  if (buyer.status === 'rejected') throw buyer.reason;
  return { buyer: buyer.value, price: price.value };
}

async function requirePrice(tx: Tx, id: string): Promise<BilledPrice> {
  const price = (await findBilledPrices(tx, [id])).get(id);
  if (price === undefined) throw missing('price', id, 'subscription.price_id');
  return price;
}

function refuseUnlessSold({ id, type, isSold }: BilledPrice): void {
  const param = 'subscription.price_id';
  if (type !== 'recurring')
    throw new BillingError('PRICE_TYPE_MISMATCH', {
      message: `${param} must be a recurring price, ${id} is not`,
      param,
    });
  if (!isSold)
    throw new BillingError('PRICE_INACTIVE', { message: `${param}: ${id} or its product is not active`, param });
}

function newSubscription(
  tx: Tx,
  { buyer, price, quantity, externalCode, discounts }: NewSubscription,
): NewRow<Subscription> {
  return {
    id: newId('sub'),
    customerId: buyer.id,
    priceId: price.id,
    itemId: newId('si'),
    quantity,
    externalCode,
    discounts,
    status: 'pending',
    billingCycleAnchor: tx.now,
    pendingUntil: tx.now + PENDING_SECONDS,
  };
}

const storeDiscount = (discount: NonNullable<SubscriptionCreate['discounts']>[number]): SubscriptionDiscount => ({
  type: discount.type,
  amount: discount.type === 'fixed' ? discount.amount : null,
  percentage: discount.type === 'percentage' ? discount.percentage : null,
  cycles: discount.cycles ?? null,
});
