import type { Event, Invoice } from '@fatura/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { CPF } from '../support/factories.ts';
import { civilOf, instantOf, Stories, type Story } from '../support/story.ts';

const stories = new Stories();
const DAY = 86_400;
/** A run lives twice through months of several subscriptions. */
const RUNS = Number(process.env.TIME_RUNS ?? 6);
const TEST_MS = 240_000;

interface Plan {
  readonly interval: 'day' | 'week' | 'month';
  readonly count: number;
  readonly method: 'pix' | 'card';
  readonly card: keyof typeof cards;
  readonly cycles: number | null;
  readonly quantity: number;
  /** Days of its trial; null: it has none. */
  readonly trial: number | null;
  /** Seconds after the former one was made. */
  readonly after: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  interval: fc.constantFrom('day', 'week', 'month'),
  count: fc.integer({ min: 1, max: 3 }),
  method: fc.constantFrom('pix', 'card'),
  card: fc.constantFrom('approved', 'renewals_declined', 'renewals_delayed'),
  cycles: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  quantity: fc.integer({ min: 1, max: 3 }),
  trial: fc.option(fc.integer({ min: 1, max: 20 }), { nil: null }),
  after: fc.integer({ min: 0, max: 3 * DAY }),
});

/** From the last day of a month to any other. */
const anchor = fc
  .tuple(fc.integer({ min: 2024, max: 2028 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 15, 28, 30, 31))
  .map(([year, month, day]) => Temporal.PlainDate.from({ year, month, day }, { overflow: 'constrain' }).toString());

const run = fc.record({
  anchor,
  plans: fc.array(plan, { minLength: 1, maxLength: 4 }),
  days: fc.integer({ min: 20, max: 100 }),
  /** Where the many steps end, as shares of the whole. */
  steps: fc.array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { minLength: 2, maxLength: 12 }),
});

async function begin(story: Story, plans: readonly Plan[], start: number): Promise<number> {
  let now = start;
  for (const { interval, count, method, card, cycles, quantity, trial, after } of plans) {
    if (after > 0) {
      now += after;
      await story.to(civilOf(now));
    }
    const discounts = cycles === null ? [] : [{ type: 'fixed' as const, amount: 1_234, cycles }];
    const customer = await story.fatura.customers.create({ name: 'Ana', identifier: CPF, email: 'ana@example.com' });
    const price = { recurring: { interval, interval_count: count } };
    const bought = { customer_id: customer.id, price, quantity, discounts };
    // Without a card the trial is followed by a bill that nobody pays.
    if (trial !== null)
      await tryOut(story, { ...bought, trial: { days: trial, requires_payment_method: method === 'card' } }, card);
    else if (method === 'pix') await story.subscribeByPix(bought);
    else {
      const { id } = await story.subscribe(bought);
      await story.fatura.subscriptions.checkout(id, byCard(cards[card]));
    }
  }
  return now;
}

async function tryOut(
  story: Story,
  bought: Parameters<Story['subscribe']>[0] & { trial: { days: number; requires_payment_method: boolean } },
  card: Plan['card'],
): Promise<void> {
  const { id } = await story.subscribe(bought);
  if (bought.trial.requires_payment_method) await story.fatura.subscriptions.checkout(id, byCard(cards[card]));
}

/** The hash of an id at the end of a link. */
const SIGNATURE = /\/[\w-]{43}(?=["/])/g;

/** Ids become their number in the order they first occur: all else must be the same. */
function anonymous<T>(value: T): T {
  const known = new Map<string, string>();
  const text = JSON.stringify(value)
    .replaceAll(SIGNATURE, '/signature')
    .replace(/\b(evt|cus|prod|price|sub|si|in|pi|txn)_[0-9a-z]{26}\b/g, (id, prefix) => {
      if (!known.has(id)) known.set(id, `${prefix} ${known.size}`);
      return known.get(id) ?? id;
    });
  return JSON.parse(text) as T; // only strings within it were replaced
}

async function lived(story: Story) {
  const events = await story.rows<{ body: string }>('SELECT body FROM event WHERE account_id = $1 ORDER BY id');
  const invoices = await story.fatura.invoices.list().all({ max: 1_000 });
  return anonymous({
    events: events.map(({ body }) => JSON.parse(body) as Event).map(withoutName),
    invoices: invoices.toReversed().map(withoutLine),
    mails: (await story.mails()).map(({ step, created }) => [step, created]),
  });
}

/** Products of the factories are numbered. */
const withoutName = (event: Event): unknown => JSON.parse(JSON.stringify(event).replace(/Plano \d+/g, 'Plano'));
const withoutLine = (invoice: Invoice): unknown => JSON.parse(JSON.stringify(invoice).replace(/Plano \d+/g, 'Plano'));

/** The cycles of each subscription: one begins where the one before ends. */
function gaps(invoices: readonly Invoice[]): string[] {
  return [...Map.groupBy(invoices, ({ subscription }) => subscription)].flatMap(([subscription, bills]) => {
    const periods = bills.flatMap(({ period_start: start, period_end: end }) =>
      start === null || end === null ? [] : [{ start, end }],
    );
    const sorted = periods.toSorted((one, other) => one.start - other.start);
    return sorted
      .slice(1)
      .flatMap(({ start }, index) =>
        start === sorted[index]?.end
          ? []
          : [`${subscription}: ${civilOf(start)} after ${civilOf(sorted[index]?.end ?? 0)}`],
      );
  });
}

test(
  'one jump and many small steps bring the same events, invoices, amounts and e-mails, and no cycle twice or left out',
  async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ anchor: day, plans, days, steps }) => {
        const [jumping, stepping] = [await stories.startOn(day), await stories.startOn(day)];
        const begun = await begin(jumping, plans, instantOf(day));
        expect(await begin(stepping, plans, instantOf(day))).toBe(begun);
        const end = begun + days * DAY;
        await jumping.to(civilOf(end));
        for (const share of steps.toSorted((one, other) => one - other))
          await stepping.toAtLeast(begun + Math.floor(share * days * DAY));
        await stepping.to(civilOf(end));
        const [one, other] = [await lived(jumping), await lived(stepping)];
        expect(other).toEqual(one);
        expect(gaps(await jumping.fatura.invoices.list().all({ max: 1_000 }))).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: true, ...(process.env.TIME_SEED ? { seed: Number(process.env.TIME_SEED) } : {}) },
    );
  },
  TEST_MS,
);
