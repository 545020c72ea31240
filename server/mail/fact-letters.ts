import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import type { CardBrand } from '../../contract/payment-methods.ts';
import type { Subscription as SubscriptionView } from '../../contract/subscriptions.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import { perRecurrence } from '../catalog/rules.ts';
import { findBuyer } from '../customers/customers.ts';
import { hangsOn } from '../db/months.ts';
import { keyed, mine } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { lockInvoice } from '../invoices/life.ts';
import { purposeOf } from '../invoices/purpose.ts';
import type { AccountMail } from '../kernel/account.ts';
import { brandNames } from '../kernel/brand-names.ts';
import { inReais } from '../kernel/brazil.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Recorded } from '../unit-of-work/hooks.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { askToConfirm } from './bill-letters.ts';
import {
  type PaymentWords,
  type PlanWords,
  wordsOfPayment,
  wordsOfRenewal,
  wordsOfSubscription,
} from './fact-words.ts';
import { type AboutBuyer, isByBuyer, queueToBuyer, type ToBuyer } from './queue.ts';
import { wordsOfDispute, wordsOfRefund, wordsOfRefusedRefund, wordsOfSurplus } from './return-words.ts';
import { isWritten, senderIn } from './settings.ts';
import { factsToTell, type Payment, type ToldFact } from './told-facts.ts';
import { welcomeOf } from './typed-email.ts';

interface PaidBy {
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  /** When the subscription of the invoice is charged next. */
  readonly nextCharge: Timestamp | null;
}

const findPaidBy = keyed<PaidBy & { key: string }>(
  'find_paid_by',
  (
    isAsked,
  ) => `SELECT p.id AS key, a.brand, a.last4, CASE WHEN s.status = 'active' AND s.cancel_at IS NULL THEN s.current_period_end END AS "nextCharge"
   FROM payment_intent p LEFT JOIN subscription s ON s.id = p.subscription_id
     LEFT JOIN LATERAL (SELECT t.brand, t.last4 FROM charge_attempt t WHERE ${hangsOn('ca_', 't.intent_id', 'p.id')} AND ${mine('t')} ORDER BY t.id DESC LIMIT 1) a ON true
   WHERE ${isAsked('p.id')} AND ${mine('p')}`,
);

/** How something was paid, as its buyer knows it. */
function methodName(
  { brand, last4 }: Pick<PaidBy, 'brand' | 'last4'>,
  of: { type: string | null; installments: number },
): string {
  if (of.type === 'pix_automatico') return 'Pix Automático';
  if (of.type !== 'card') return 'PIX';
  const card = brand === null || last4 === null ? 'Cartão' : `${brandNames[brand]} final ${last4}`;
  return of.installments > 1 ? `${card} em ${of.installments}x` : card;
}

const hasNext = ({ status, cancel_at: at }: SubscriptionView): boolean => status === 'active' && at === null;

async function wordsOfPaid(
  tx: Tx,
  { invoice, intent }: Payment,
  subscription: SubscriptionView | null,
): Promise<PaymentWords> {
  const [found, { settings }] = await Promise.all([tx.find(findPaidBy, intent.id), senderIn(tx)]);
  const { nextCharge = null, ...card } = found ?? { brand: null, last4: null };
  const next = subscription === null ? nextCharge : hasNext(subscription) ? subscription.current_period_end : null;
  return {
    amount: intent.amount,
    purpose: purposeOf(invoice.line_items.data),
    method: methodName(card, { type: intent.payment_method_type, installments: intent.installments }),
    paidAt: tx.now,
    nextCharge: next,
    receipt: invoice.receipt_url ?? '',
    isAttached: settings.attachReceipt === true,
  };
}

/** The items as they are told: those to come where a change is scheduled, and just that is told. */
const itemsTold = (subscription: SubscriptionView, isChange: boolean) => {
  const { pending_change: pending, items } = subscription;
  return isChange && pending?.status === 'scheduled'
    ? pending.items_after.data.map(({ price, quantity }) => ({ price, quantity }))
    : items.data.map(({ price, quantity }) => ({ price: price.id, quantity }));
};

async function planOf(tx: Tx, subscription: SubscriptionView, isChange = false): Promise<PlanWords> {
  const items = itemsTold(subscription, isChange);
  const sold = await findBilledPrices(
    tx,
    items.map(({ price }) => price),
  );
  const lines = items.flatMap(({ price, quantity }) => {
    const one = sold.get(price);
    return one === undefined ? [] : [{ ...one, quantity, description: one.productName }];
  });
  const [first] = lines;
  if (first === undefined) throw new Error(`${subscription.id} sells nothing`);
  const amount = lines.reduce((sum, { unitAmount, quantity }) => sum + unitAmount * quantity, 0);
  return { name: purposeOf(lines), price: `${inReais(amount)} ${perRecurrence(first)}` };
}

interface Reader {
  readonly name: string;
  readonly recipient: string;
}

/**
 * Whom a letter about a subscription goes to; null: nobody. No anonymization passes between this and the commit: it is refused while a
 * subscription goes on, which this one did until now.
 */
async function readerOf(tx: Tx, customerId: string): Promise<Reader | null> {
  const buyer = await findBuyer(tx, customerId);
  return buyer === null || buyer.email === null ? null : { name: buyer.name, recipient: buyer.email };
}

const readerOfInvoice = ({ customer_name: name, customer_email: email }: InvoiceView): Reader | null =>
  email === null ? null : { name, recipient: email };

type Letter = Omit<ToBuyer, 'recipient' | 'name'>;

/** Queues a letter that tells of a payment: its buyer has proven the address by that, or has another one confirmed. */
async function writePaid(tx: Tx, reader: Reader | null, letter: Letter): Promise<void> {
  if (reader !== null) await queueToBuyer(tx, { ...reader, ...letter });
}

/** Queues any other letter; an address that its buyer typed is asked for its confirmation first, once. */
async function write(
  tx: Tx,
  { reader, purpose, letter }: { reader: Reader | null; purpose: string; letter: Letter },
): Promise<void> {
  if (reader === null) return;
  const { about } = letter;
  const { recipient } = reader;
  const welcome = await welcomeOf(tx, { customerId: about.customerId, email: recipient });
  if (welcome === 'any') await queueToBuyer(tx, { ...reader, ...letter });
  if (welcome === 'confirmation') await askToConfirm(tx, { about, recipient, purpose, amount: null });
}

type Told<Kind extends ToldFact['kind']> = Extract<ToldFact, { readonly kind: Kind }>;

async function tellPaid(tx: Tx, { payment }: Told<'paid'>): Promise<void> {
  const { invoice } = payment;
  const [{ look }, words] = await Promise.all([senderIn(tx), wordsOfPaid(tx, payment, null)]);
  await writePaid(tx, readerOfInvoice(invoice), {
    occasion: 'paid',
    about: { customerId: invoice.customer, invoiceId: invoice.id, subscriptionId: invoice.subscription },
    words: wordsOfPayment({ merchant: look.name, payment: words }),
    isOfPayment: true,
  });
}

/** Where a letter of a subscription leads, and what its buyer does there. */
const leadOf = (tx: Tx, { id, live_mode: liveMode }: SubscriptionView) => ({
  link: tx.links.updatePayment({ id, liveMode }),
  isByBuyer: isByBuyer(tx),
});

async function tellSubscription(
  tx: Tx,
  { kind, subscription, payment, lastBill }: Exclude<ToldFact, Told<'paid' | 'dispute_decided'>>,
): Promise<void> {
  const { id, customer: customerId } = subscription;
  const [{ look }, plan, paid] = await Promise.all([
    senderIn(tx),
    planOf(tx, subscription, kind === 'plan_changed'),
    payment === null ? null : wordsOfPaid(tx, payment, subscription),
  ]);
  const words = wordsOfSubscription[kind]({
    ...{ merchant: look.name, subscription, plan, payment: paid, ...leadOf(tx, subscription) },
    lastBill: lastBill === null ? null : { amount: lastBill.total, link: lastBill.payment_url ?? '' },
  });
  const about = { customerId, subscriptionId: id };
  if (payment !== null) {
    const { invoice } = payment;
    const letter = { occasion: kind, about: { ...about, invoiceId: invoice.id }, words, isOfPayment: true };
    return writePaid(tx, readerOfInvoice(invoice), letter);
  }
  const letter = { occasion: kind, about, words, isOptional: kind !== 'suspended' && kind !== 'trial_ending' };
  await write(tx, { reader: await readerOf(tx, customerId), purpose: plan.name, letter });
}

const aboutInvoice = ({ id: invoiceId, customerId, subscriptionId }: Invoice): AboutBuyer => ({
  ...{ customerId, invoiceId, subscriptionId },
});

/** Of an invoice under its lock. */
function readerOfLocked({ customerEmail, customerName: name }: Invoice): Reader | null {
  return customerEmail == null ? null : { name, recipient: customerEmail };
}

async function tellDispute(tx: Tx, { dispute }: Told<'dispute_decided'>): Promise<void> {
  const [invoice, { look }] = await Promise.all([lockInvoice(tx, dispute.invoice), senderIn(tx)]);
  const purpose = purposeOf(invoice.lineItems);
  await writePaid(tx, readerOfLocked(invoice), {
    occasion: 'dispute_decided',
    about: aboutInvoice(invoice),
    words: wordsOfDispute({ merchant: look.name, purpose, dispute }),
  });
}

async function tell(tx: Tx, fact: ToldFact): Promise<void> {
  if (fact.kind === 'paid') return tellPaid(tx, fact);
  if (fact.kind === 'dispute_decided') return tellDispute(tx, fact);
  return tellSubscription(tx, fact);
}

/** Writes to the buyers of what a transaction recorded, in that transaction: once, and only if it commits. */
export async function writeOfFacts(tx: Tx, recorded: readonly Recorded[]): Promise<void> {
  const facts = factsToTell(recorded);
  if (facts.length === 0) return;
  const { settings } = await senderIn(tx);
  const written = facts.flatMap((fact) => writtenOf(settings, fact));
  await Promise.all(written.map((fact) => tell(tx, fact)));
}

/** What is written of a fact: where its occasion is off, the payment that came with it is told alone. */
function writtenOf(settings: AccountMail, fact: ToldFact): ToldFact[] {
  if (isWritten(settings, fact.kind)) return [fact];
  const payment = 'payment' in fact ? fact.payment : null;
  return payment !== null && isWritten(settings, 'paid') ? [{ kind: 'paid', payment }] : [];
}

/** A payment of which some went back, or was refused to. */
interface Returned {
  readonly invoice: Invoice;
  readonly intent: {
    readonly id: string;
    readonly surplus: boolean;
    readonly paymentMethodType?: string | null | undefined;
    readonly installments: number;
  };
  readonly part: { readonly amount: number; readonly status: string };
}

/** Writes to the buyer of a payment of which some went back, or did not; a surplus that the bank refuses is asked back anew. */
export async function writeOfReturn(tx: Tx, { invoice, intent, part }: Returned): Promise<void> {
  const isBack = part.status === 'refunded';
  if (intent.surplus && !isBack) return;
  const [{ look }, found] = await Promise.all([senderIn(tx), tx.find(findPaidBy, intent.id)]);
  const isPix = intent.paymentMethodType !== 'card';
  const told = {
    ...{ amount: part.amount, isPix, merchant: look.name, purpose: purposeOf(invoice.lineItems) },
    method: methodName(found ?? { brand: null, last4: null }, { type: isPix ? 'pix' : 'card', installments: 1 }),
  };
  const wordsOf = intent.surplus ? wordsOfSurplus : isBack ? wordsOfRefund : wordsOfRefusedRefund;
  await writePaid(tx, readerOfLocked(invoice), {
    occasion: intent.surplus ? 'pix_returned' : 'refunded',
    about: aboutInvoice(invoice),
    words: wordsOf(told),
  });
}

/** Writes to the buyer of a subscription ahead of a renewal (docs/product/mail.md#what-happened). */
export async function writeOfRenewal(
  tx: Tx,
  { subscription, amount, on }: { subscription: SubscriptionView; amount: number; on: Timestamp },
): Promise<void> {
  const { id, customer: customerId } = subscription;
  const isChange = subscription.pending_change?.status === 'scheduled';
  const [{ look, settings }, plan] = await Promise.all([senderIn(tx), planOf(tx, subscription, isChange)]);
  const told = { merchant: look.name, subscription, plan, payment: null, lastBill: null, ...leadOf(tx, subscription) };
  const days = subscription.collection.reminder_days ?? tx.scope.account.reminderDays;
  const firstReminder = isWritten(settings, 'reminder') ? (days[0] ?? null) : null;
  const words = wordsOfRenewal({ ...told, amount, on, firstReminder });
  const letter = { occasion: 'renewal_ahead' as const, about: { customerId, subscriptionId: id }, words };
  await write(tx, { reader: await readerOf(tx, customerId), purpose: plan.name, letter });
}
