import type { LateFees } from '../../contract/late-fees.ts';
import type { MinimumTermInput } from '../../contract/minimum-term.ts';
import type { SubscriptionCreate } from '../../contract/subscription-inputs.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import type { Prices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { refuseUnlessSold } from '../catalog/sold.ts';
import { reserveFor } from '../coupons/redemption.ts';
import { requireBuyer } from '../customers/create.ts';
import type { Buyer } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';
import type { InvoiceItem } from '../invoice-items/entity.ts';
import { addInvoiceItem, lockInvoiceItems, tellInvoiceItem } from '../invoice-items/pending.ts';
import type { Invoice } from '../invoices/entity.ts';
import type { Announce } from '../invoices/life.ts';
import { readPrices } from '../invoices/lines.ts';
import { missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { checkLateFees } from '../kernel/late-fee-limits.ts';
import type { OwnDays } from '../kernel/own-days.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type OpenedCharge, sendScheduled } from '../payments/card/attempts.ts';
import { type ChosenCard, chosenCard } from '../payments/card/stored.ts';
import type { NewRow } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { askedItems, askedSetup, type PlacedItem } from './asked.ts';
import { type ShownConsent, shownConsent } from './consent.ts';
import { redeemForSubscription } from './coupon.ts';
import type { Items } from './decide.ts';
import { refuseExcess, type SubscriptionDiscount, storeDiscount } from './discounts.ts';
import type { Subscription } from './entity.ts';
import { firstBill, issueFirst } from './first-bill.ts';
import { readOwnDays } from './own-days.ts';
import { storedTerm } from './penalty.ts';
import { refuseOtherIntervals } from './recurrence.ts';
import { addTerm, type Contracted, knowBeside, subscriptions } from './rows.ts';
import { AT_CREATION, begin, beginsOf, cardAwaitedUntil, type StartTerms } from './start.ts';
import { viewSubscription } from './view.ts';

/** Creates a subscription with its first invoice, open or, when it comes to 0, paid (docs/product/subscriptions.md#first-payment). */
export async function createSubscription(
  deps: Deps,
  scope: Scope,
  input: SubscriptionCreate,
): Promise<SubscriptionView> {
  const { view, opened } = await deps.transaction(scope, async (tx) => {
    const created = await createIn(tx, input);
    return { view: tx.answer(created.view), opened: created.opened };
  });
  if (opened !== null) await sendScheduled(deps, scope, opened);
  return view;
}

interface Created {
  readonly view: SubscriptionView;
  /** The charge of a stored card for the first bill. */
  readonly opened: OpenedCharge | null;
}

async function createIn(tx: Tx, input: SubscriptionCreate): Promise<Created> {
  const { made, begins } = await readCreation(tx, input);
  const { contracted, opened } =
    begins === null
      ? { ...(await openSubscription(tx, made)), opened: null }
      : await openByTime(tx, { ...made, begins });
  return { view: viewSubscription(tx, contracted), opened };
}

/** What is asked for, found and held to the rules; `begins` is null where the first invoice waits for a payment. */
export async function readCreation(
  tx: Tx,
  input: SubscriptionCreate,
): Promise<{ made: NewSubscription; begins: Begins | null }> {
  checkLateFees(input.late_fees, 'subscription.late_fees');
  const ownDays = readOwnDays(tx, input.collection, { own: null, param: 'subscription.collection' });
  const begins = beginsOf(tx, input, { after: tx.now, root: 'subscription' });
  const asked = askedItems(input);
  const setup = askedSetup(input);
  const { buyer, prices } = await readReferences(tx, input, [...asked, ...setup]);
  const sold = { sold: soldItems(asked, prices), setup: soldAtOnce(setup, prices) };
  const card = await readCard(tx, input, buyer);
  const coupon = await redeemForSubscription(tx, input, { ...sold, customerId: buyer.id });
  const made: NewSubscription = {
    ...{ buyer, ...sold },
    externalCode: input.external_code ?? null,
    discounts: [...coupon, ...(input.discounts ?? []).map(storeDiscount)],
    minimumTerm: input.minimum_term ?? null,
    lateFees: input.late_fees ?? null,
    ownDays,
  };
  return { made, begins: begins === null && card === null ? null : { ...(begins ?? AT_CREATION), card } };
}

/** The stored card that its bills are charged to from the first one on. */
async function readCard(
  tx: Tx,
  { default_payment_method: id }: SubscriptionCreate,
  { id: customerId }: Buyer,
): Promise<ChosenCard | null> {
  return id === undefined ? null : chosenCard(tx, { id, customerId, param: 'subscription.default_payment_method' });
}

/** A price and how many of it each cycle bills. */
export interface SoldItem {
  readonly price: BilledPrice;
  readonly quantity: number;
}

/** What a subscription is made of. */
export interface NewSubscription {
  readonly buyer: Buyer;
  /** At least one; all of one recurrence. */
  readonly sold: readonly SoldItem[];
  readonly externalCode: string | null;
  readonly discounts: SubscriptionDiscount[];
  readonly minimumTerm?: MinimumTermInput | null;
  /** What it costs to pay its bills late; none: what its account asks. */
  readonly lateFees?: LateFees | null;
  readonly ownDays?: OwnDays | null;
  /** One-time prices of the first bill. */
  readonly setup?: readonly SoldItem[];
  /** From then on its first invoice takes no payment; none: it does as long as it is open. */
  readonly payableUntil?: Timestamp;
  /** What its buyer is shown on the page that sells it. */
  readonly consent?: ShownConsent | null;
  /** Of one whose first invoice does not wait for a payment from its creation on. */
  readonly begins?: Begins;
}

/** When a subscription begins, with which trial, and with which card. */
interface Begins extends StartTerms {
  readonly card: ChosenCard | null;
}

/** A subscription with its first invoice, which waits for payment; one that comes to 0 is paid, and the subscription active. */
export async function openSubscription(tx: Tx, made: NewSubscription, announce?: Announce): Promise<Opened> {
  const { buyer, payableUntil } = made;
  const { contracted, asked } = await insertSubscription(tx, made);
  const pending = payableUntil === undefined ? await pendingBeside(tx, contracted.subscription, asked) : asked;
  const bill = firstBill(tx, contracted, { buyer, pending });
  tell(tx, contracted, asked);
  return { contracted, invoice: issueFirst(tx, contracted, { bill, payableUntil, ...(announce && { announce }) }) };
}

/** A subscription with a trial, with a start that is to come, or whose stored card is charged for its first bill at once. */
export async function openByTime(
  tx: Tx,
  made: NewSubscription & { readonly begins: Begins },
): Promise<{ contracted: Contracted; opened: OpenedCharge | null }> {
  const { contracted, asked } = await insertSubscription(tx, made);
  tell(tx, contracted, asked);
  const { startsAt, card: chosen } = made.begins;
  if (startsAt !== null) return { contracted, opened: null };
  const pending = await pendingBeside(tx, contracted.subscription, asked);
  const { name: customerName, email: customerEmail } = made.buyer;
  const card = chosen?.card ?? null;
  const terms = { customerName, customerEmail, card, hasPending: pending.length > 0, ...ONE_CHARGE };
  return { contracted, opened: await begin(tx, { contracted, terms, pending }) };
}

/** No buyer chose installments yet. */
const ONE_CHARGE = { cardInstallmentsEnabled: false, maxCardInstallments: 1 };

/** A new subscription with its items, and what its first bill asks for once; nobody is told of it yet. */
export async function insertSubscription(
  tx: Tx,
  made: NewSubscription,
): Promise<{ contracted: Contracted; asked: InvoiceItem[] }> {
  const { sold, setup = [] } = made;
  const subscription = tx.insert(subscriptions, newSubscription(tx, made));
  const beside = await knowBeside(tx, subscription.id, { items: newItems(tx, sold), credit: 0, waiting: null });
  addTerm(tx, subscription, beside);
  refuseExcess(beside.items, made.discounts);
  reserveFor(tx, made.discounts, { subscriptionId: subscription.id, customerId: subscription.customerId });
  return { contracted: { subscription, ...beside }, asked: setup.flatMap((item) => setupOf(tx, subscription, item)) };
}

function tell(tx: Tx, contracted: Contracted, asked: readonly InvoiceItem[]): void {
  tx.record('subscription.created', viewSubscription(tx, contracted));
  for (const item of asked) tellInvoiceItem(tx, item);
}

/** What is asked for once waits for the first bill; what costs nothing is none of it. */
function setupOf(tx: Tx, { id, customerId }: Subscription, { price, quantity }: SoldItem): InvoiceItem[] {
  const { id: priceId, unitAmount, productName: description } = price;
  if (unitAmount === 0) return [];
  const item = {
    customerId,
    subscriptionId: id,
    type: 'charge',
    kind: 'setup',
    priceId,
    quantity,
    unitAmount,
  } as const;
  return [addInvoiceItem(tx, { ...item, description })];
}

/** What waits for whichever subscription of the customer is billed next comes along; a session asks for what it showed alone. */
export const pendingBeside = async (
  tx: Tx,
  { id: subscriptionId, customerId }: Subscription,
  setup: readonly InvoiceItem[],
): Promise<InvoiceItem[]> => [
  ...setup,
  ...(await lockInvoiceItems(tx, { customerId, subscriptionId, takesLate: false })),
];

interface Opened {
  readonly contracted: Contracted;
  readonly invoice: Invoice;
}

function newItems(tx: Tx, sold: readonly SoldItem[]): Items {
  const [first, ...more] = sold.map((item) => ({ ...item, id: newId('si'), created: tx.now }));
  if (first === undefined) throw new Error('validation lets no subscription pass without an item');
  return [first, ...more];
}

/** Buyer and prices in one round trip; what does not exist is told before what cannot be used (docs/product/requests.md#order-of-refusals). */
async function readReferences(
  tx: Tx,
  input: SubscriptionCreate,
  asked: readonly PlacedItem[],
): Promise<{ buyer: Buyer; prices: Prices }> {
  const [buyer, prices] = await Promise.allSettled([requireBuyer(tx, input, 'subscription'), requirePrices(tx, asked)]);
  if (prices.status === 'rejected') throw prices.reason;
  if (buyer.status === 'rejected') throw buyer.reason;
  return { buyer: buyer.value, prices: prices.value };
}

async function requirePrices(tx: Tx, asked: readonly PlacedItem[]): Promise<Prices> {
  const prices = await readPrices(tx, asked);
  for (const { price_id: id, param } of asked) if (!prices.has(id)) throw missing('price', id, param);
  return prices;
}

/** Recurring prices on sale, all of one recurrence (422 otherwise). */
function soldItems(asked: readonly PlacedItem[], prices: Prices): SoldItem[] {
  const sold = asked.flatMap(({ price_id: id, quantity, param }) => {
    const price = prices.get(id);
    if (price === undefined) return [];
    refuseUnlessSold(price, 'recurring', param);
    return [{ price, quantity, param }];
  });
  refuseOtherIntervals(sold);
  return sold;
}

/** One-time prices on sale. */
const soldAtOnce = (asked: readonly PlacedItem[], prices: Prices): SoldItem[] =>
  asked.flatMap(({ price_id: id, quantity, param }) => {
    const price = prices.get(id);
    if (price === undefined) return [];
    refuseUnlessSold(price, 'one_time', param);
    return [{ price, quantity }];
  });

function newSubscription(
  tx: Tx,
  {
    buyer,
    externalCode,
    discounts,
    begins,
    minimumTerm = null,
    lateFees = null,
    ownDays = null,
    consent = null,
  }: NewSubscription,
): NewRow<Subscription> {
  const pending = { status: 'pending', pendingUntil: cardAwaitedUntil(tx, begins?.trialEndAt) } as const;
  return {
    id: newId('sub'),
    customerId: buyer.id,
    externalCode,
    discounts,
    billingCycleAnchor: tx.now,
    ...{ lateFees, ownDays },
    ...(begins?.startsAt == null ? pending : { status: 'scheduled' }),
    ...(begins !== undefined && timed(begins)),
    ...(minimumTerm !== null && storedTerm(minimumTerm)),
    ...(consent !== null && shownConsent(consent)),
  };
}

/** Nothing is billed of it yet. */
const timed = ({ card, ...times }: Begins) => ({
  ...times,
  billedCycle: 0,
  ...(card !== null && ({ paymentMethodType: 'card', paymentMethodId: card.ownId } as const)),
});
