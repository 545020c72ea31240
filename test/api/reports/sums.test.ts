import type { CashFlowReport, PaymentIntent } from '@fatura/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';

const HOUR = 3_600;
const ALL = { max: 1_000 };

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const amount = fc.integer({ min: 100, max: 100_000 });
const step = fc.oneof(
  fc.record({ does: fc.constantFrom('pix' as const, 'pix twice' as const, 'card' as const), amount }),
  // So much of the newest payment that has it left.
  fc.record({ does: fc.constantFrom('refund' as const, 'dispute' as const), amount }),
  fc.record({ does: fc.constant('reverse' as const) }),
  fc.record({ does: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const leftOf = (one: PaymentIntent): number => one.amount - one.amount_refunded - one.amount_disputed;
const sum = <T>(rows: readonly T[], of: (row: T) => number): number => rows.reduce((all, row) => all + of(row), 0);

/** A shop to which what was drawn happens. */
class Shop {
  readonly merchant: Merchant;
  /** Payments that were taken and belong to their invoice. */
  readonly #intents: string[] = [];
  readonly from = api.clock.now();

  constructor(merchant: Merchant) {
    this.merchant = merchant;
  }

  async #sell(kind: 'pix' | 'pix twice' | 'card', cents: number): Promise<void> {
    const { fatura } = this.merchant;
    const { id } = await newInvoice(this.merchant, { amount: cents });
    if (kind === 'card') {
      this.#intents.push((await payByCard(this.merchant, id)).payment_intent ?? '');
      return;
    }
    const { payment_intent: intent } = await fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    const scenario = kind === 'pix' ? 'paid' : 'paid_twice';
    await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario });
    this.#intents.push(intent ?? '');
  }

  /** The newest payment of which money is left. */
  async #ableTo(isAble: (one: PaymentIntent) => boolean): Promise<PaymentIntent | undefined> {
    for (const id of this.#intents.toReversed()) {
      const one = await this.merchant.fatura.paymentIntents.retrieve(id);
      if (isAble(one)) return one;
    }
    return undefined;
  }

  /** What is on its way to buyers arrives. */
  async settle(): Promise<void> {
    api.clock.advance(5);
    const { rows } = await api.composition.deps.pool.query<{ id: string }>(
      `SELECT DISTINCT intent_id AS id FROM refund_part WHERE account_id = $1 AND status = 'refunding'`,
      [this.merchant.accountId],
    );
    for (const { id } of rows) await refundSettlementStep(api.composition.deps, id);
    if (rows.length === 0) return;
    api.clock.advance(5);
    for (const { id } of rows) await refundSettlementStep(api.composition.deps, id);
  }

  async happen(one: Step): Promise<void> {
    const { refunds, testHelpers } = this.merchant.fatura;
    if (one.does === 'wait') return api.clock.advance(one.hours * HOUR);
    if (one.does === 'pix' || one.does === 'pix twice' || one.does === 'card') return this.#sell(one.does, one.amount);
    if (one.does === 'refund') {
      const paid = await this.#ableTo((payment) => leftOf(payment) > 0);
      if (paid === undefined) return;
      await refunds.create({ payment_intent: paid.id, amount: Math.min(one.amount, leftOf(paid)) });
      return this.settle();
    }
    const isPix = (payment: PaymentIntent) => payment.payment_method_type === 'pix';
    if (one.does === 'dispute') {
      const paid = await this.#ableTo((payment) => isPix(payment) && leftOf(payment) > 0);
      const taken = { scenario: 'fraud' as const, amount: Math.min(one.amount, paid === undefined ? 0 : leftOf(paid)) };
      if (paid !== undefined) await testHelpers.paymentIntents.dispute(paid.id, taken);
      return;
    }
    const paid = await this.#ableTo((payment) => isPix(payment) && payment.amount_disputed > 0);
    if (paid !== undefined) await testHelpers.paymentIntents.dispute(paid.id, { scenario: 'reversed' });
  }
}

const dayOf = (instant: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' }).format(new Date(instant * 1_000));

/** The sums of the lists, as the report should have them. */
async function expectAsTheLists({ merchant, from }: Shop, { totals }: CashFlowReport): Promise<void> {
  const { paymentIntents, disputes, refunds } = merchant.fatura;
  const paid = await paymentIntents.list({ paid_at_gte: from, limit: 100 }).all(ALL);
  const byCard = paid.filter(({ payment_method_type: method }) => method === 'card');
  const taken = await disputes.list({ limit: 100 }).all(ALL);
  const parts = (await refunds.list({ limit: 100 }).all(ALL)).flatMap((refund) => refund.parts);
  expect(totals).toMatchObject({
    received: { card: sum(byCard, (one) => one.amount), total: totals.received.pix + totals.received.card },
    refunded: {
      amount: sum(
        parts.filter(({ status }) => status === 'refunded'),
        (part) => part.amount,
      ),
    },
    disputed: { amount: sum(taken, (one) => one.amount), count: taken.length },
    reinstated: {
      amount: sum(
        taken.filter(({ funds }) => funds === 'reinstated'),
        (one) => one.amount,
      ),
    },
    net: sum(paid, leftOf),
  });
  expect(totals.received.total + totals.surplus_received).toBe(sum(paid, (one) => one.amount));
  expect(totals.refunded.amount + totals.surplus_returned).toBe(sum(paid, (one) => one.amount_refunded));
}

/** The days are those of the summary, and months and days have the same sums. */
async function expectAsTheSummaries({ merchant }: Shop, report: CashFlowReport): Promise<void> {
  for (const row of report.rows) {
    const { received, refunded } = await merchant.fatura.summary.retrieve({ date: row.from });
    expect({ date: row.from, received: row.received, refunded: row.refunded }).toEqual({
      date: row.from,
      received,
      refunded,
    });
  }
  const { from, until, totals } = report;
  const byMonth = await merchant.fatura.reports.cashFlow({ from, until, by: 'month' });
  expect(byMonth.totals).toEqual(totals);
  for (const { rows } of [report, byMonth]) expect(sum(rows, ({ net }) => net)).toBe(totals.net);
}

test('the cash flow is the sum of the lists, and of the summaries of its days, to the cent', async () => {
  const steps = fc.array(step, { minLength: 8, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const shop = new Shop(await api.newMerchant());
      for (const one of drawn) await shop.happen(one);
      await shop.settle();
      const period = { from: dayOf(shop.from), until: dayOf(api.clock.now()) };
      const report = await shop.merchant.fatura.reports.cashFlow(period);
      await expectAsTheLists(shop, report);
      await expectAsTheSummaries(shop, report);
    }),
    { numRuns: 6 },
  );
});
