import type { Subscription } from '@fatura/sdk';
import type { Merchant, TestApi } from '../api.ts';
import { payByCard } from '../cards.ts';
import { billAhead, leaveUnpaid, renew, subscribe, subscribeByCard, suspend } from '../subscriptions.ts';

interface Subscribed {
  readonly id: string;
  /** Its newest invoice. */
  readonly invoice: string;
  /** The first of its invoices. */
  readonly first: string;
}

/** Subscriptions in each of their states, as the API leaves them, and the collection to come. */
export interface SubscriptionShop {
  /** Without a charge. */
  readonly pending: Subscribed;
  /** Paid by card for three cycles. */
  readonly active: Subscribed;
  readonly suspended: Subscribed;
  /** Suspended, and waiting for its payment anew. */
  readonly reactivated: Subscribed;
  /** Suspended, and paid by PIX. */
  readonly resumed: Subscribed;
  /** Cancelled before it was paid. */
  readonly inactive: Subscribed;
  /** The card that `active` was paid with first. */
  readonly stored: string;
}

interface Counter {
  readonly api: TestApi;
  readonly merchant: Merchant;
}

export async function subscribeInEveryWay(api: TestApi, merchant: Merchant): Promise<SubscriptionShop> {
  const counter = { api, merchant };
  await subscribe(merchant, { discounts: [{ type: 'percentage', percentage: 100, cycles: 1 }] });
  const { active, stored } = await payThreeCycles(counter);
  await cancelRenewed(counter);
  return {
    active,
    stored,
    suspended: await suspendOne(counter),
    reactivated: await reactivateOne(counter),
    resumed: await resumeOne(counter),
    inactive: await cancelUnpaid(counter),
    pending: await standing(counter, await subscribe(merchant, { quantity: 2 })),
  };
}

async function standing({ merchant }: Counter, { id }: Pick<Subscription, 'id'>): Promise<Subscribed> {
  const invoices = await merchant.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
  return { id, invoice: invoices.at(0)?.id ?? '', first: invoices.at(-1)?.id ?? '' };
}

async function payThreeCycles(counter: Counter): Promise<Pick<SubscriptionShop, 'active' | 'stored'>> {
  const made = await subscribeByCard(counter.merchant);
  const collected = { ...counter, id: made.id };
  await payByCard(counter.merchant, (await renew(collected)).id);
  await payByCard(counter.merchant, (await renew(collected)).id);
  const { rows } = await counter.api.composition.deps.pool.query<{ id: string }>(
    'SELECT payment_method_id AS id FROM subscription WHERE id = $1',
    [made.id],
  );
  return { active: await standing(counter, made), stored: rows[0]?.id ?? '' };
}

async function suspendOne(counter: Counter): Promise<Subscribed> {
  const made = await subscribeByCard(counter.merchant);
  await leaveUnpaid({ ...counter, id: made.id });
  return standing(counter, made);
}

async function reactivateOne(counter: Counter): Promise<Subscribed> {
  const made = await suspendOne(counter);
  await counter.merchant.fatura.subscriptions.reactivate(made.id);
  return made;
}

/** An invoice that was made ahead is voided with the suspension, so that a number of its cycles is left out. */
async function resumeOne(counter: Counter): Promise<Subscribed> {
  const { fatura } = counter.merchant;
  const made = await subscribeByCard(counter.merchant);
  const collected = { ...counter, id: made.id };
  await renew(collected);
  await billAhead(collected);
  await suspend(collected);
  counter.api.clock.advance(1);
  const { payment_method: _, ...waiting } = await fatura.subscriptions.checkout(made.id, {
    payment_method_type: 'pix',
  });
  const [unpaid] = await fatura.invoices.list({ subscription_id: waiting.id, status: 'open' }).all({ max: 1 });
  await fatura.testHelpers.paymentIntents.payPix(unpaid?.payment_intent ?? '', { scenario: 'paid' });
  return standing(counter, made);
}

/** With a QR code, which is paid all the same: that is returned. */
async function cancelUnpaid(counter: Counter): Promise<Subscribed> {
  const { fatura } = counter.merchant;
  const made = await subscribe(counter.merchant);
  await fatura.subscriptions.checkout(made.id, { payment_method_type: 'pix' });
  const { payment_intent: intent } = await fatura.invoices.retrieve(made.latest_invoice ?? '');
  await fatura.subscriptions.cancel(made.id);
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid_late' });
  return standing(counter, made);
}

async function cancelRenewed(counter: Counter): Promise<void> {
  const { id } = await subscribeByCard(counter.merchant);
  await renew({ ...counter, id });
  await counter.merchant.fatura.subscriptions.cancel(id);
}
