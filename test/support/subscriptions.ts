import type { Invoice, Subscription, SubscriptionCreate } from '@fatura/sdk';
import type { Deps } from '../../server/deps.ts';
import { performDue } from '../../server/subscriptions/billing/due.ts';
import { performStep } from '../../server/subscriptions/collection/step.ts';
import type { Merchant, TestApi } from './api.ts';
import { byCard, cards } from './cards.ts';
import { newCustomer, newPrice } from './factories.ts';

export const newMonthly = (merchant: Merchant, overrides: Parameters<typeof newPrice>[1] = {}) =>
  newPrice(merchant, { type: 'recurring', recurring: { interval: 'month' }, ...overrides });

/** A pending subscription; `amount` is the price of its one unit in cents. */
export async function subscribe(
  merchant: Merchant,
  overrides: Partial<SubscriptionCreate> & { amount?: number } = {},
): Promise<Subscription> {
  const { amount, ...rest } = overrides;
  const customerId = rest.customer_id ?? (await newCustomer(merchant)).id;
  const priceId = rest.price_id ?? (await newMonthly(merchant, amount === undefined ? {} : { unit_amount: amount })).id;
  return merchant.fatura.subscriptions.create({ ...rest, customer_id: customerId, price_id: priceId });
}

/** An active one, paid by card. */
export async function subscribeByCard(merchant: Merchant, ...overrides: Parameters<typeof byCard>) {
  const { id } = await subscribe(merchant);
  return merchant.fatura.subscriptions.checkout(id, byCard(...overrides));
}

/** An active one whose renewals stay open: its card is declined for each of them. */
export async function subscribeUnfunded(
  merchant: Merchant,
  recurring: { interval: 'day' | 'week' | 'month'; interval_count?: number } = { interval: 'month' },
): Promise<Subscription> {
  const price = await newPrice(merchant, { type: 'recurring', recurring });
  const { id } = await subscribe(merchant, { price_id: price.id });
  return merchant.fatura.subscriptions.checkout(id, byCard(cards.renewals_declined));
}

/** An active one that is paid by PIX. */
export async function subscribeByPix(
  merchant: Merchant,
  overrides: Parameters<typeof subscribe>[1] = {},
): Promise<Subscription> {
  const { id, latest_invoice: invoice } = await subscribe(merchant, overrides);
  await payByPix(merchant, invoice ?? '');
  return merchant.fatura.subscriptions.retrieve(id);
}

/** An active one whose buyer has paid its first bill by PIX and authorised those to come in the same act. */
export async function subscribeByMandate(
  merchant: Merchant,
  overrides: Parameters<typeof subscribe>[1] = {},
): Promise<Subscription> {
  const { id, latest_invoice: invoice } = await subscribe(merchant, overrides);
  const { fatura } = merchant;
  const { payment_intent: intent } = await fatura.invoices.checkout(invoice ?? '', {
    payment_method_type: 'pix_automatico',
  });
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  return fatura.subscriptions.retrieve(id);
}

/** Pays an invoice by the QR code that stands, or by a new one. */
export async function payByPix({ fatura }: Merchant, invoice: string): Promise<void> {
  const { payment_intent: intent } = await fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
}

/** Whose subscription time passes for. */
export interface Collected {
  readonly api: TestApi;
  readonly merchant: Merchant;
  readonly id: string;
}

interface DueThing {
  readonly source: 'step' | 'cycle';
  readonly id: string;
  readonly what: string;
  readonly at: number;
}

/** What falls due of one subscription and of its invoices, in the order of docs/product/collection.md#order-at-one-instant. */
const firstDue = `SELECT source, id, what, at FROM (
    SELECT 'step' AS source, i.id, i.step AS what, i.step_at AS at,
      CASE i.step WHEN 'charge' THEN 1 WHEN 'debit' THEN 1 WHEN 'mark_overdue' THEN 2 WHEN 'remind' THEN 5 ELSE 3 END AS rank
    FROM invoice i WHERE i.subscription_id = $1 AND i.step_at IS NOT NULL
    UNION ALL
    SELECT 'cycle', s.id, s.due, s.due_at, CASE WHEN s.due IN ('end', 'start', 'lapse_change') THEN 3 WHEN s.due IN ('tell_trial', 'tell_renewal') THEN 6 ELSE 4 END
    FROM subscription s WHERE s.id = $1 AND s.due_at IS NOT NULL) AS due
  ORDER BY at, rank, id LIMIT 1`;

async function nextThing({ api, id }: Collected): Promise<DueThing | null> {
  const { rows } = await api.composition.deps.pool.query<DueThing>(firstDue, [id]);
  return rows[0] ?? null;
}

const perform = (deps: Deps, { source, id }: DueThing): Promise<string> =>
  source === 'step' ? performStep(deps, id) : performDue(deps, id);

const moveTo = (api: TestApi, at: number): void => api.clock.advance(Math.max(0, at - api.clock.now()));

/** Years of a daily subscription. */
const THINGS_MAX = 5_000;

/** Does whatever falls due of a subscription, each thing at its own instant, until something is so; answers what was done. */
export async function pass(
  collected: Collected,
  isOver: (next: DueThing | null) => Promise<boolean>,
): Promise<string[]> {
  const done: string[] = [];
  while (done.length < THINGS_MAX) {
    const next = await nextThing(collected);
    if ((await isOver(next)) || next === null) return done;
    moveTo(collected.api, next.at);
    done.push(await perform(collected.api.composition.deps, next));
  }
  throw new Error(`${collected.id} is never done: ${done.slice(-5).join()}`);
}

/** Lets time pass up to an instant; answers what was done of the subscription. */
export async function passUntil(collected: Collected, until: number): Promise<string[]> {
  const done = await pass(collected, async (next) => next === null || next.at > until);
  moveTo(collected.api, until);
  return done;
}

const newest = async ({ merchant, id }: Collected): Promise<Invoice> => {
  const { latest_invoice: invoice } = await merchant.fatura.subscriptions.retrieve(id);
  return merchant.fatura.invoices.retrieve(invoice ?? '');
};

/**
 * Lets time pass until the next cycle is billed: by card as it begins, with a charge of that card, and by PIX ahead of it.
 * One that is to stay open has the card whose renewals are declined.
 */
export async function renew(collected: Collected): Promise<Invoice> {
  const { id: before } = await newest(collected);
  await pass(collected, async () => (await newest(collected)).id !== before);
  return newest(collected);
}

/** Leaves the open invoices of an active one unpaid until it is suspended. */
export async function suspend(collected: Collected): Promise<void> {
  const { subscriptions } = collected.merchant.fatura;
  await pass(collected, async () => (await subscriptions.retrieve(collected.id)).status === 'suspended');
}

/** Renews an active one and leaves it unpaid until it is suspended; answers the invoice that it waits for. */
export async function leaveUnpaid(collected: Collected): Promise<Invoice> {
  const invoice = await renew(collected);
  await suspend(collected);
  return collected.merchant.fatura.invoices.retrieve(invoice.id);
}
