import { type Fatura, type Invoice, isFaturaError, type Subscription } from '../../index.ts';
import { type Claim, reais } from './limits.ts';
import type { ConfirmedRoute } from './policy.ts';
import { Refusal } from './refusal.ts';

export type Args = Readonly<Record<string, unknown>>;

/** What a call would do, for a person to judge. */
export interface Preview extends Claim {
  readonly words: string;
  /** Arguments that the words promise and the caller left to the service. */
  readonly args?: Args;
}

type Look = (fatura: Fatura, args: Args, id: string) => Promise<Preview>;

const without = (words: string): Preview => ({ words, amount: 0 });
/** Names are others' words: quoted, so that none can pass for ours. */
const quoted = (name: string): string => JSON.stringify(name);
const changing = ({ id: _, ...changes }: Args): string => JSON.stringify(changes);
const named = ({ id, customer_name, total }: Invoice): string =>
  `invoice ${id} of ${quoted(customer_name)}, ${reais(total)}`;

const withInvoice =
  (say: (invoice: Invoice) => string): Look =>
  async (fatura, _args, id) =>
    without(say(await fatura.invoices.retrieve(id)));

const methodOf = ({ payment_method_type: type, test_card, installments = 1 }: Args): string =>
  type === 'pix' ? 'by PIX: makes a QR code, which the buyer pays' : `the test card "${test_card}" in ${installments}x`;

const charge = (invoice: Invoice, args: Args): Preview => ({
  words: `Charge ${named(invoice)}, ${methodOf(args)}.`,
  amount: invoice.amount_remaining,
  // Its QR codes can be shown again and again, and pay it once.
  ...(args.payment_method_type === 'pix' ? { once: `${invoice.id} by PIX` } : {}),
});

/** Of a payment's amount what was returned or is on its way; a part on its way is not in the payment itself yet. */
async function returnedOf(fatura: Fatura, id: string): Promise<number> {
  try {
    return (await fatura.refunds.retrieve(id)).amount;
  } catch (error) {
    if (isFaturaError(error, 'RESOURCE_MISSING')) return 0;
    throw error;
  }
}

/** More than a subscription can have open before it is ended. */
const OPEN_INVOICES_MAX = 100;

/** The invoice that a checkout of a subscription charges: the oldest open one, where it waits for one. */
async function invoiceToPay(fatura: Fatura, id: string): Promise<Invoice> {
  const { status } = await fatura.subscriptions.retrieve(id);
  const isWaiting = status === 'pending' || status === 'suspended';
  const open = fatura.invoices.list({ subscription_id: id, status: 'open', limit: OPEN_INVOICES_MAX });
  const oldest = isWaiting ? (await open.all({ max: OPEN_INVOICES_MAX })).at(-1) : undefined;
  if (oldest !== undefined) return oldest;
  throw new Refusal('SUBSCRIPTION_NOT_PENDING', `${id} is ${status}: it does not wait for a payment of its own`);
}

/** What an end before the minimum term charges, by today. */
const penaltyOf = (term: Subscription['minimum_term']): string =>
  term === null || term.penalty_now === 0 ? '' : ` It charges a penalty: ${reais(term.penalty_now)} as of now.`;

const REMINDED = 'Its buyer is reminded of it by e-mail';

const FIRST_INVOICES = {
  atOnce: 'Its first invoice is open at once',
  later: 'It begins later, and bills nothing before',
  trial: 'Its trial bills nothing',
} as const;

const beginningOf = ({ trial, start_date: start }: Args): keyof typeof FIRST_INVOICES => {
  if (trial !== undefined) return 'trial';
  return start === undefined ? 'atOnce' : 'later';
};

async function storedCard(fatura: Fatura, id: string): Promise<string> {
  const { card, customer } = await fatura.paymentMethods.retrieve(id);
  return `the ${card.brand} card ending in ${card.last4} (${id}) of ${customer}`;
}

const looks: Readonly<Record<ConfirmedRoute, Look>> = {
  'account.update': async (_fatura, args) =>
    without(`Change what buyers see of the merchant, in both modes: ${changing(args)}.`),
  'collectionSettings.update': async (_fatura, args) =>
    without(`Change how unpaid invoices are collected from now on: ${changing(args)}.`),
  'customers.update': async (fatura, args, id) =>
    without(
      `Change the customer ${id}, ${quoted((await fatura.customers.retrieve(id)).name)}: ${changing(args)}. Mails go where it says.`,
    ),
  'customers.anonymize': async (fatura, _args, id) =>
    without(`Erase the personal data of ${quoted((await fatura.customers.retrieve(id)).name)} (${id}) for good.`),
  'invoices.create': async (fatura, { customer_id, customer, draft, ...more }) => {
    const known = customer_id === undefined ? null : await fatura.customers.retrieve(String(customer_id));
    const whom = known === null ? JSON.stringify(customer) : `${quoted(known.name)} (${customer_id})`;
    const then = draft === true ? 'It stays a draft, of which nobody is told' : REMINDED;
    return without(`Make an invoice for ${whom}: ${JSON.stringify(more)}. ${then}.`);
  },
  'invoices.finalize': withInvoice((invoice) => `Open the draft of ${named(invoice)}. ${REMINDED}.`),
  'invoices.extend': async (fatura, args, id) => {
    const invoice = await fatura.invoices.retrieve(id);
    return without(`Move the due date of ${named(invoice)} ahead from ${invoice.due_at}: ${changing(args)}.`);
  },
  'invoices.send': withInvoice((invoice) => `Mail ${named(invoice)} to its customer.`),
  'invoices.void': withInvoice((invoice) => `Cancel ${named(invoice)} for good.`),
  'invoices.markUncollectible': withInvoice(
    (invoice) => `Give up ${named(invoice)}: nobody is reminded of it any more.`,
  ),
  'invoices.checkout': async (fatura, args, id) => charge(await fatura.invoices.retrieve(id), args),
  'checkoutSessions.expire': async (fatura, _args, id) => {
    const { amount } = await fatura.checkoutSessions.retrieve(id);
    return without(
      `Close the checkout session ${id}${amount === null ? '' : ` of ${reais(amount)}`} and void its invoice.`,
    );
  },
  'refunds.create': async (fatura, args) => {
    const intent = await fatura.paymentIntents.retrieve(String(args.payment_intent));
    const invoice = await fatura.invoices.retrieve(intent.invoice);
    const left = Math.max(0, intent.amount - (await returnedOf(fatura, intent.id)) - intent.amount_disputed);
    const amount = typeof args.amount === 'number' ? args.amount : left;
    const words = `Return ${reais(amount)} of the ${reais(left)} left of payment ${intent.id}: ${named(invoice)}.`;
    return { words, amount, args: { ...args, amount } };
  },
  'paymentMethods.setDefault': async (fatura, _args, id) =>
    without(
      `Make ${await storedCard(fatura, id)} the default: subscriptions that name no card are charged to it, for open renewals too.`,
    ),
  'paymentMethods.delete': async (fatura, _args, id) =>
    without(`Delete ${await storedCard(fatura, id)} for good, at the acquirer too.`),
  'mandates.cancel': async (fatura, _args, id) => {
    const { subscription } = await fatura.mandates.retrieve(id);
    return without(`End the mandate ${id} at the bank: bills of ${subscription} are paid by QR code from then on.`);
  },
  'subscriptions.create': async (fatura, { customer_id, price_id, quantity = 1, ...more }) => {
    const { name } = await fatura.customers.retrieve(String(customer_id));
    const { unit_amount, recurring } = await fatura.prices.retrieve(String(price_id));
    const cycle = recurring === undefined ? '' : ` each ${recurring.interval_count} ${recurring.interval}`;
    const bills = `${quantity} of ${reais(unit_amount)} (price ${price_id})${cycle}: ${JSON.stringify(more)}`;
    const isCharged = more.default_payment_method !== undefined && more.trial === undefined;
    const first = isCharged ? 'Its stored card is charged as it begins' : FIRST_INVOICES[beginningOf(more)];
    return {
      words: `Subscribe ${quoted(name)} (${customer_id}) to ${bills}. ${first}; the buyer is reminded of later ones by e-mail.`,
      amount: isCharged && more.start_date === undefined ? unit_amount * Number(quantity) : 0,
    };
  },
  'subscriptions.update': async (fatura, args, id) => {
    const { item } = await fatura.subscriptions.retrieve(id);
    const now = `${item.quantity} of ${reais(item.price.unit_amount)} each cycle`;
    return without(`Change the subscription ${id}, now ${now}: ${changing(args)}. Its next renewals are charged so.`);
  },
  'subscriptions.endTrial': async (fatura, _args, id) => {
    const { payment_method_type: type, trial_end_behavior: behavior, items } = await fatura.subscriptions.retrieve(id);
    const { total } = await fatura.subscriptions.upcomingInvoice(id);
    const bill = `${reais(total)} for ${items.data.length === 1 ? '1 item' : `${items.data.length} items`}`;
    if (type === 'card')
      return { words: `End the trial of ${id} now, and charge its stored card ${bill}.`, amount: total };
    const then = behavior === 'cancel' ? 'the subscription ends' : `an invoice of ${bill} awaits payment`;
    return without(`End the trial of ${id} now: no card is stored, so ${then}.`);
  },
  'subscriptions.cancelAt': async (fatura, { at = 'now', penalty }, id) => {
    const { customer, item, minimum_term: term } = await fatura.subscriptions.retrieve(id);
    const { name } = await fatura.customers.retrieve(customer);
    const instant = typeof at === 'number' ? new Date(at * 1_000).toISOString() : String(at);
    const costs = penalty === 'waive' ? '' : penaltyOf(term);
    return without(
      `Cancel the subscription ${id} of ${quoted(name)} (price ${item.price.id}), at: ${instant}.${costs}`,
    );
  },
  'subscriptionChanges.create': async (fatura, args, id) => {
    const { expected_total: _, ...change } = args;
    // The service refuses what is none of a change.
    const {
      effective,
      total,
      due_now: due,
      next_invoice: next,
    } = await fatura.subscriptionChanges.preview(id, change as never);
    return without(
      `Change what the subscription ${id} bills, effective ${effective}: charges and credits come to ${reais(total)}${due === 0 ? '' : ', charged at once to the stored card or asked for by an invoice'}, the next invoice to ${reais(next.total)}.`,
    );
  },
  'subscriptions.pause': async (fatura, { at = 'now' }, id) => {
    const { customer } = await fatura.subscriptions.retrieve(id);
    const { name } = await fatura.customers.retrieve(customer);
    return without(
      `Pause the subscription ${id} of ${quoted(name)}, at: ${String(at)}. It neither serves nor bills then.`,
    );
  },
  'subscriptions.resume': async (_fatura, _args, id) =>
    without(`Resume the subscription ${id}: it serves, and is billed again once its days left are over.`),
  'subscriptions.uncancel': async (_fatura, _args, id) =>
    without(`Take back the cancellation of the subscription ${id}: it renews and is charged again.`),
  'subscriptions.cancel': async (fatura, _args, id) => {
    const { customer, item, minimum_term: term } = await fatura.subscriptions.retrieve(id);
    const { name } = await fatura.customers.retrieve(customer);
    return without(
      `Cancel the subscription ${id} of ${quoted(name)} (price ${item.price.id}) at once, for good, and void its open invoices.${penaltyOf(term)}`,
    );
  },
  'subscriptions.checkout': async (fatura, args, id) => {
    const { status, trial_start: begun, trial_end_behavior: behavior } = await fatura.subscriptions.retrieve(id);
    const isOfTrial =
      status === 'trialing' || status === 'scheduled' || (status === 'pending' && behavior !== null && begun === null);
    if (!isOfTrial) return charge(await invoiceToPay(fatura, id), args);
    return without(`Store ${methodOf(args)} for what comes first of ${id}; nothing is charged now.`);
  },
  'subscriptions.updatePaymentMethod': async (_fatura, { test_card }, id) =>
    without(`Charge the renewals of subscription ${id} to the test card "${test_card}" from now on.`),
  'subscriptions.reactivate': async (_fatura, _args, id) =>
    without(`Let the suspended subscription ${id} wait 7 days for the payment of its open invoice.`),
  'events.resend': async (fatura, { webhook_endpoint_id: to }, id) => {
    const { type } = await fatura.events.retrieve(id);
    return without(`Send ${type} ${id} again to ${to === undefined ? 'every endpoint that subscribes to it' : to}.`);
  },
  'webhookEndpoints.update': async (fatura, args, id) => {
    const { url } = await fatura.webhookEndpoints.retrieve(id);
    return without(`Change the webhook endpoint ${id} (${url}): ${changing(args)}. Events go where it says.`);
  },
  'webhookEndpoints.delete': async (fatura, _args, id) =>
    without(`Delete the webhook endpoint ${id} (${(await fatura.webhookEndpoints.retrieve(id)).url}).`),
  'webhookEndpoints.recover': async (fatura, { since }, id) => {
    const { url } = await fatura.webhookEndpoints.retrieve(id);
    const from = new Date(Number(since) * 1_000).toISOString();
    return without(`Send again to ${url} (${id}) every event since ${from} that it did not accept.`);
  },
};

/** Looks what a call would do, without doing it. */
export const lookAhead = (fatura: Fatura, route: ConfirmedRoute, args: Args): Promise<Preview> =>
  looks[route](fatura, args, String(args.id));
