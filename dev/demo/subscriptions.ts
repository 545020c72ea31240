import type { Invoice } from '@fatura/sdk';
import {
  anotherCard,
  byCard,
  CARDS,
  DAY,
  drawByShare,
  type Habit,
  newCustomer,
  payByPix,
  type Shop,
  type Subscriber,
  unlessRefused,
} from './shop.ts';

/** How subscribers pay, and how often of 100. */
const HABITS: readonly { readonly habit: Habit; readonly share: number }[] = [
  { habit: 'card', share: 44 },
  { habit: 'punctual', share: 22 },
  { habit: 'late', share: 10 },
  { habit: 'unfunded', share: 7 },
  { habit: 'forgetful', share: 6 },
  { habit: 'retried', share: 4 },
  { habit: 'refused', share: 3 },
  { habit: 'undecided', share: 4 },
];

const cardOf: Partial<Record<Habit, string>> = {
  card: CARDS.visa,
  retried: CARDS.renewalsRetried,
  unfunded: CARDS.renewalsUnfunded,
  refused: CARDS.renewalsRefused,
};

/** Days from the due date until who pays renewals by PIX pays one; who is not listed never does. */
const paysAfterDays: Partial<Record<Habit, number>> = { punctual: 0, late: 3 };
/** Whose card is declined gives another one so many days after the due date, or pays the invoice itself. */
const MENDED_AFTER_DAYS = 5;

/** Somebody subscribes, and pays the first cycle unless undecided; who has a given habit is billed by the week, so that it shows soon. */
export async function subscribe(shop: Shop, given?: Habit): Promise<void> {
  const { random, catalogue, subscribers } = shop;
  const customer_id = await newCustomer(shop);
  // One of each first: what comes of it shows within a month.
  const habit = given ?? HABITS[subscribers.length]?.habit;
  const { price: price_id } = habit === undefined ? drawByShare(random, catalogue.plans) : catalogue.weekly;
  return begin(shop, { customer_id, price_id, habit: habit ?? drawByShare(random, HABITS).habit });
}

async function begin(
  shop: Shop,
  { habit, ...terms }: { customer_id: string; price_id: string; habit: Habit },
): Promise<void> {
  const { fatura, random, subscribers } = shop;
  const { id, latest_invoice: invoice } = await fatura.subscriptions.create({
    ...terms,
    external_code: `assinatura-${subscribers.length + 1}`,
    ...(random.chance(0.15) && { quantity: 2 }),
    ...(random.chance(0.2) && { discounts: [{ type: 'percentage', percentage: 20, cycles: 3 }] }),
  });
  subscribers.push({ id, habit });
  const card = cardOf[habit];
  if (card !== undefined) await fatura.subscriptions.checkout(id, byCard(shop, card));
  else if (habit !== 'undecided') await payByPix(shop, invoice ?? '');
}

const OPEN_MAX = 2_000;

/** Subscribers pay what is billed by their habits. */
export async function payRenewals(shop: Shop, now: number): Promise<void> {
  const { fatura, subscribers } = shop;
  const byId = new Map(subscribers.map((one) => [one.id, one]));
  const open = await fatura.invoices.list({ status: 'open', limit: 100 }).all({ max: OPEN_MAX });
  for (const invoice of open) {
    const subscriber = byId.get(invoice.subscription ?? '');
    if (subscriber !== undefined) await payRenewal(shop, { invoice, subscriber, now });
  }
}

async function payRenewal(
  shop: Shop,
  { invoice, subscriber: { id, habit }, now }: { invoice: Invoice; subscriber: Subscriber; now: number },
): Promise<void> {
  const { fatura, random } = shop;
  const daysLate = (now - invoice.due_at) / DAY;
  const paysAfter = paysAfterDays[habit];
  if (paysAfter !== undefined && daysLate >= paysAfter) await payByPix(shop, invoice.id);
  // Half of those whose card has no money for it find another way; the others are suspended, and end.
  const mends = (habit === 'unfunded' || habit === 'refused') && daysLate >= MENDED_AFTER_DAYS && random.chance(0.15);
  if (!mends) return;
  if (random.chance(0.5)) {
    const card = anotherCard(shop, CARDS.mastercard);
    await unlessRefused(fatura.subscriptions.updatePaymentMethod(id, card), 'INVALID_STATE', 'PAYMENT_IN_PROGRESS');
  } else await payByPix(shop, invoice.id);
}

/** What happens to subscriptions beside their renewals: cancelled, changed, and paid again after a suspension. */
export async function changeSubscriptions(shop: Shop): Promise<void> {
  const { fatura, random, subscribers } = shop;
  const chosen = random.pick(subscribers);
  const drawn = random.next();
  if (chosen === undefined) return;
  const { id } = chosen;
  const gone = ['INVALID_STATE', 'PAYMENT_IN_PROGRESS'] as const;
  if (drawn < 0.05) await unlessRefused(fatura.subscriptions.cancel(id), ...gone);
  else if (drawn < 0.09)
    await unlessRefused(fatura.subscriptions.update(id, { quantity: random.between(1, 3) }), ...gone);
  else if (drawn < 0.25) {
    const { status } = await fatura.subscriptions.retrieve(id);
    const payment = byCard(shop, CARDS.visa);
    if (status === 'suspended')
      await unlessRefused(fatura.subscriptions.checkout(id, payment), 'INVOICE_NOT_OPEN', ...gone);
  }
}
