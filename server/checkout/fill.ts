import type { Prices } from '../catalog/lookup.ts';
import { lockRedemption, reserveFor } from '../coupons/redemption.ts';
import type { Buyer } from '../customers/customers.ts';
import { defaultDueAt } from '../invoices/create.ts';
import type { Invoice, StoredLine } from '../invoices/entity.ts';
import { type Bill, issue } from '../invoices/life.ts';
import { asDiscountInputs, lineOf } from '../invoices/lines.ts';
import { totalOf } from '../invoices/rules.ts';
import { newId } from '../kernel/ids.ts';
import type { Cents } from '../kernel/money.ts';
import type { ShownConsent } from '../subscriptions/consent.ts';
import { discountOfRedemption } from '../subscriptions/coupon.ts';
import { openByTime, openSubscription, type SoldItem } from '../subscriptions/create.ts';
import type { SubscriptionDiscount } from '../subscriptions/discounts.ts';
import { changedDays } from '../subscriptions/own-days.ts';
import { beginsOf } from '../subscriptions/start.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession, SessionDiscount, SessionLine } from './entity.ts';
import { closeSession } from './rows.ts';
import { viewSession } from './view.ts';

/** What a session sells, priced. */
export interface PricedSession {
  readonly lines: StoredLine[];
  readonly total: Cents;
  /** What a subscription of it bills each cycle, and what its first bill asks for beside. */
  readonly sold: readonly SoldItem[];
  readonly setup: readonly SoldItem[];
}

/** The prices of lines; each was found before. */
function soldOf(lines: readonly SessionLine[], prices: Prices): SoldItem[] {
  const sold = lines.flatMap(({ price: id, quantity }) => {
    const price = prices.get(id);
    return price === undefined ? [] : [{ price, quantity }];
  });
  if (sold.length < lines.length) throw new Error('a price of a session is gone');
  return sold;
}

/**
 * Prices what a session sells as it was offered: a price that was taken off sale since still counts. Its prices are never
 * deleted.
 */
export function priceSession(
  { mode, lineItems, discounts }: Pick<CheckoutSession, 'mode' | 'lineItems' | 'discounts'>,
  prices: Prices,
): PricedSession {
  const offered = soldOf(lineItems, prices);
  const isSetup = ({ price }: SoldItem): boolean => mode === 'subscription' && price.type === 'one_time';
  const lines = offered.map((item) => ({
    ...lineOf(item.quantity, item.price),
    ...(isSetup(item) && ({ kind: 'setup' } as const)),
  }));
  return {
    lines,
    total: totalOf(lines, asDiscountInputs(discounts), 'session.discounts'),
    sold: offered.filter((item) => !isSetup(item)),
    setup: offered.filter(isSetup),
  };
}

/** What tells that a session has its buyer: its creation, or the buyer's own doing. */
export type Filled = 'checkout_session.created' | 'checkout_session.customer_attached';

interface Filling {
  readonly buyer: Buyer;
  readonly purchase: PricedSession;
  readonly filled: Filled;
  /** What the buyer is shown of a subscription on the page. */
  readonly consent?: ShownConsent | null;
}

/** What a session asks for once its buyer is known. */
type Sold = Pick<CheckoutSession, 'invoiceId' | 'subscriptionId' | 'amount'>;

/**
 * Makes what the buyer of a session pays: its invoice, in mode `subscription` with the subscription, which alone is made where
 * nothing is charged yet. What comes to nothing is paid at once, and the session complete.
 */
export async function fillSession(
  tx: Tx,
  session: CheckoutSession,
  { buyer, purchase, filled, consent = null }: Filling,
): Promise<Invoice | null> {
  const announce = (sold: Sold): void => {
    Object.assign(session, { customerId: buyer.id, ...sold });
    if (filled === 'checkout_session.customer_attached') session.attachedAt = tx.now;
    tx.record(filled, viewSession(tx, session, null));
  };
  const made = { session, buyer, purchase, consent, announce };
  const { invoice, isComplete } = await (session.mode === 'payment'
    ? makeInvoice(tx, made)
    : makeSubscription(tx, made));
  if (isComplete) closeSession(tx, session, { action: 'complete', invoice });
  return invoice;
}

interface Made {
  readonly session: CheckoutSession;
  readonly buyer: Buyer;
  readonly purchase: PricedSession;
  readonly consent: ShownConsent | null;
  readonly announce: (sold: Sold) => void;
}

interface Charged {
  readonly invoice: Invoice | null;
  readonly isComplete: boolean;
}

const ofInvoice = ({ id, subscriptionId = null, total }: Invoice): Sold => ({
  invoiceId: id,
  subscriptionId,
  amount: total,
});

const filledBy = (invoice: Invoice): Charged => ({ invoice, isComplete: invoice.status === 'paid' });

async function makeInvoice(tx: Tx, { session, buyer, purchase, announce }: Made): Promise<Charged> {
  const id = newId('in');
  await lockRedemption(tx, session.discounts);
  reserveFor(tx, session.discounts, { customerId: buyer.id, invoiceId: id });
  const bill: Bill = {
    id,
    buyer,
    lineItems: purchase.lines,
    discounts: session.discounts,
    total: purchase.total,
    dueAt: defaultDueAt(tx.now),
    payableUntil: session.expiresAt,
    cycle: null,
  };
  return filledBy(issue(tx, bill, (invoice) => announce(ofInvoice(invoice))));
}

/** A trial or a start to come charges nothing: a card is stored, unless the trial begins without one. */
async function makeSubscription(tx: Tx, { session, buyer, purchase, consent, announce }: Made): Promise<Charged> {
  const { trial, minimum_term: minimumTerm = null, late_fees: lateFees = null, collection = {} } = session.terms ?? {};
  const begins = beginsOf(tx, session.terms ?? {}, { after: tx.now, root: 'session.subscription' });
  const redemption = await lockRedemption(tx, session.discounts);
  const coupon = redemption === null ? [] : [discountOfRedemption(redemption, purchase)];
  const inline = session.discounts.filter(({ redemption: given }) => given == null);
  const made = {
    buyer,
    sold: purchase.sold,
    setup: purchase.setup,
    externalCode: null,
    consent,
    discounts: [...coupon, ...inline.map(asCycleDiscount)],
    minimumTerm,
    lateFees,
    ownDays: changedDays(null, collection),
  };
  if (begins !== null) {
    const { contracted } = await openByTime(tx, { ...made, begins: { ...begins, card: null } });
    announce({ invoiceId: null, subscriptionId: contracted.subscription.id, amount: 0 });
    return { invoice: null, isComplete: trial?.requires_payment_method === false };
  }
  const opened = { ...made, payableUntil: session.expiresAt };
  const { invoice } = await openSubscription(tx, opened, (first) => announce(ofInvoice(first)));
  return filledBy(invoice);
}

/** A discount of a session as its subscription has it; a coupon by what it takes something off of what the session sells. */
export const asCycleDiscount = (discount: SessionDiscount): SubscriptionDiscount => ({
  type: discount.type,
  percentage: discount.percentage,
  amount: discount.amount_cents,
  cycles: discount.cycles,
  ...(discount.redemption != null && {
    redemption: discount.redemption,
    applies_to: discount.prices == null ? null : { products: [], prices: discount.prices },
  }),
});
