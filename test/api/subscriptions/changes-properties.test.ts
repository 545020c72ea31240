import type { Invoice, Subscription, SubscriptionChange } from '@fatura/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

const DAY = 86_400;
const RUNS = Number(process.env.PROPERTY_RUNS ?? 200);
const RUNS_MS = 2_000 * RUNS;
/** Cents; the discount of some makes half cents. */
const PRICES = [990, 2_495, 4_990, 9_990, 33_333];
const PERCENT = 15;

const step = fc.record({
  days: fc.integer({ min: 0, max: 19 }),
  price: fc.nat({ max: PRICES.length - 1 }),
  effective: fc.constantFrom('now' as const, 'now' as const, 'period_end' as const),
  proration: fc.constantFrom('next_invoice' as const, 'invoice_now' as const, 'none' as const),
  months: fc.constantFrom(1, 1, 1, 3),
  /** Whether the invoice of a change that waits is paid by PIX; else the change lapses, or is taken back. */
  end: fc.constantFrom('paid' as const, 'paid' as const, 'lapsed' as const, 'canceled' as const),
});
const history = fc.record({
  method: fc.constantFrom('card' as const, 'pix' as const),
  isDiscounted: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});
type History = typeof history extends fc.Arbitrary<infer One> ? One : never;

const civilDay = (at: number): number =>
  Math.floor(
    Temporal.Instant.fromEpochMilliseconds(at * 1_000)
      .toZonedDateTimeISO('America/Sao_Paulo')
      .toPlainDate()
      .since('1970-01-01').days,
  );

/** What the first days of a period come to, half a cent up. */
const cumulated = (net: number, gone: number, days: number): number => Math.floor((2 * net * gone + days) / (2 * days));

/** A net that holds from an instant on, within the period of a cycle. */
interface Held {
  readonly cycle: number;
  readonly at: number;
  readonly net: number;
}

/** What a period comes to under the nets that held within it, day by day. */
function consumed(
  { cycle, period_start: start, period_end: end }: Invoice,
  billed: number,
  held: readonly Held[],
): number {
  const first = civilDay(start ?? 0);
  const days = civilDay(end ?? 0) - first;
  let sum = 0;
  let since = 0;
  let net = billed;
  for (const change of held.filter((one) => one.cycle === cycle)) {
    const gone = Math.min(days, Math.max(0, civilDay(change.at) - first));
    sum += cumulated(net, gone, days) - cumulated(net, since, days);
    since = gone;
    net = change.net;
  }
  return sum + cumulated(net, days, days) - cumulated(net, since, days);
}

/** Of a bill: its recurring lines less their discount. */
const netOfBill = ({ line_items, discounts }: Invoice): number => {
  const recurring = line_items.data.filter(({ kind }) => kind === 'recurring');
  const sum = recurring.reduce((total, { amount }) => total + amount, 0);
  return discounts.data.length === 0 ? sum : sum - Math.floor((sum * PERCENT * 100 + 5_000) / 10_000);
};

async function open({ method, isDiscounted }: History): Promise<Subscription> {
  const { id: customer } = await newCustomer(scene.merchant);
  const price = await newMonthly(scene.merchant, { unit_amount: 4_990 });
  const made = await scene.subscriptions.create({
    customer_id: customer,
    price_id: price.id,
    ...(isDiscounted && { discounts: [{ type: 'percentage', percentage: PERCENT }] }),
  });
  if (method === 'card')
    await scene.subscriptions.checkout(made.id, byCard(cards.approved, { card: { exp_year: 2099 } }));
  else await payByPix(scene.merchant, made.latest_invoice ?? '');
  return scene.subscriptions.retrieve(made.id);
}

async function payOpen(id: string): Promise<void> {
  for (const { id: invoice } of await scene.openInvoices(id)) await payByPix(scene.merchant, invoice);
}

type Step = History['steps'][number];

/** Has a change that waits for its payment come to its end; answers whether it holds. */
async function settle(id: string, change: SubscriptionChange, end: Step['end']): Promise<boolean> {
  if (change.status !== 'awaiting_payment') return change.status === 'applied';
  if (end === 'paid') await payByPix(scene.merchant, change.invoice ?? '');
  else if (end === 'canceled') await scene.fatura.subscriptionChanges.cancel(id, change.id);
  else await scene.pass(id, DAY);
  expect((await scene.subscriptions.retrieve(id)).pending_change?.id).not.toBe(change.id);
  return end === 'paid';
}

/** Previews and makes each change; answers what held from when, as the preview said it. */
async function live(subscription: Subscription, { steps, isDiscounted }: History): Promise<Held[]> {
  const { id } = subscription;
  const held: Held[] = [];
  for (const { days, price, effective, months, end: settled, ...wished } of steps) {
    await scene.pass(id, days * DAY);
    await payOpen(id);
    const { item, current_period_end: end, pending_change: waits } = await scene.subscriptions.retrieve(id);
    const cents = PRICES[price] ?? 0;
    if (item.price.unit_amount === cents) continue;
    const recurring = { interval: 'month', interval_count: months } as const;
    const to = await newMonthly(scene.merchant, { unit_amount: cents, recurring });
    const isAnew = effective === 'now' && months !== item.price.interval_count;
    const proration = isAnew ? 'invoice_now' : wished.proration;
    const asked = { items: [{ item: item.id, price_id: to.id }], effective, proration };
    const before = await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 });
    const current = before.find((one) => one.status !== 'void' && one.period_end === end)?.cycle ?? 0;
    const isAhead = before.some((one) => one.status === 'paid' && (one.cycle ?? 0) > current);
    const isPaidAhead = waits !== null && isAhead && (waits.cycle ?? 0) <= current + 1;
    if (effective === 'period_end' && isPaidAhead) {
      await expect(scene.fatura.subscriptionChanges.create(id, asked)).rejects.toMatchObject({ code: 'INVALID_STATE' });
      continue;
    }
    const shown = await scene.fatura.subscriptionChanges.preview(id, asked);
    const made = await scene.fatura.subscriptionChanges.create(id, { ...asked, expected_total: shown.total });
    expect([made.charge, made.credit]).toEqual([shown.charge, shown.credit]);
    const at = scene.now();
    if (!(await settle(id, made, settled))) continue;
    const next = await scene.subscriptions.upcomingInvoice(id).catch(() => null);
    // The preview is of the bill that is made next.
    if (next !== null && next.cycle === shown.next_invoice.cycle) expect(next.total).toBe(shown.next_invoice.total);
    if (proration === 'none') continue;
    const net = isDiscounted ? cents - Math.floor((cents * PERCENT * 100 + 5_000) / 10_000) : cents;
    held.push({ cycle: current, at, net: isAnew ? 0 : net });
    // The next period was paid ahead: all of it is credited, or charged anew unless what it was paid for still holds there.
    if (isAhead && isAnew) held.push({ cycle: current + 1, at: 0, net: 0 });
    else if (isAhead && !isPaidAhead) held.push({ cycle: current + 1, at: 0, net });
  }
  return held;
}

test(
  'whatever changes, what is billed is what was consumed, and each preview is what is made',
  async () => {
    const property = fc.asyncProperty(history, async (lived) => {
      const subscription = await open(lived);
      const { id } = subscription;
      const held = await live(subscription, lived);
      await scene.pass(id, 1);
      const bills = (await scene.fatura.invoices.list({ subscription_id: id }).all({ max: 100 })).filter(
        ({ status }) => status !== 'void',
      );
      const waiting = await scene.fatura.invoiceItems
        .list({ subscription_id: id, status: 'pending' })
        .all({ max: 100 });
      const left = (type: 'charge' | 'credit') =>
        waiting.filter((item) => item.type === type).reduce((sum, item) => sum + item.amount_remaining, 0);
      const billed = bills.reduce((sum, { total }) => sum + total, 0) + left('charge') - left('credit');
      // What a change charged within a period is no period of its own.
      const periods = bills.filter(({ cycle }) => cycle !== null);
      const wanted = periods.reduce((sum, bill) => sum + consumed(bill, netOfBill(bill), held), 0);
      expect(billed).toBe(wanted);
      expect((await scene.subscriptions.retrieve(id)).credit_balance).toBe(left('credit'));
      await scene.subscriptions.cancel(id);
    });
    await fc.assert(property, { numRuns: RUNS });
  },
  RUNS_MS,
);
