import { afterEach, expect, test } from 'vitest';
import { run } from '../../../server/db/statement.ts';
import type { RunShard } from '../../../server/kernel/shards.ts';
import { runBilling } from '../../../server/subscriptions/billing/due.ts';
import { performStep } from '../../../server/subscriptions/collection/step.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { ownStatement } from '../../support/statements.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { type CardShop, cardScene } from './card-shop.ts';

const scene = cardScene();
const GOOD = '4000000000000010';
const DAY = 86_400;
const SETUP_MS = 60_000;

const opened: CardShop[] = [];

/** Nothing of another test may be due in a run. */
afterEach(async () => {
  for (const { fatura } of opened.splice(0))
    for await (const { id } of fatura.subscriptions.list()) await fatura.subscriptions.cancel(id);
});

async function openShop(chargesPerSecond: number): Promise<CardShop> {
  const shop = await scene.openShop({ chargesPerSecond });
  opened.push(shop);
  return shop;
}

/** Subscriptions that are paid by card. */
async function subscribed(shop: CardShop, count: number): Promise<void> {
  const [{ id: customer_id }, { id: price_id }] = [await newCustomer(shop), await newMonthly(shop)];
  for (let nth = 0; nth < count; nth += 1) {
    const { id } = await shop.fatura.subscriptions.create({ customer_id, price_id });
    await shop.fatura.subscriptions.checkout(id, await shop.byToken(GOOD));
  }
}

/** Notes whose charge is sent when, in milliseconds; the rate of each acquirer stays as it is. */
function watchCharges(): { accountId: string; atMs: number }[] {
  const sent: { accountId: string; atMs: number }[] = [];
  const { live } = scene.deps().acquirers;
  const { card } = live;
  Object.assign(live, {
    card: async (accountId: string) => {
      const acquirer = await card(accountId);
      if (acquirer === null) return null;
      const chargeCard: typeof acquirer.chargeCard = (merchant, request) => {
        sent.push({ accountId, atMs: performance.now() });
        return acquirer.chargeCard(merchant, request);
      };
      return { ...acquirer, chargeCard };
    },
  });
  return sent;
}

const billing = (runShard?: RunShard) =>
  runBilling(scene.deps(), { mode: 'live', told: () => {}, ...(runShard === undefined ? {} : { runShard }) });

const rateOf = async (shop: CardShop) => (await scene.deps().acquirers.live.card(shop.accountId))?.rate?.perSecond;

test(
  'a run asks the acquirer of an account as often as it may, and holds up neither another account nor a buyer',
  async () => {
    const [limited, other] = [await openShop(5), await openShop(20)];
    await subscribed(limited, 20);
    await subscribed(other, 10);
    scene.api().clock.advance(32 * DAY);
    const { id: invoice } = await newInvoice(limited, { amount: 4_000 });
    const token = await limited.byToken(GOOD);
    const sent = watchCharges();
    const running = billing();
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    expect(await limited.fatura.invoices.checkout(invoice, token)).toMatchObject({ status: 'paid' });
    const sentByThen = sent.filter(({ accountId }) => accountId === limited.accountId).length;
    expect(await running).toEqual({ due: 30, approved: 30 });
    // The buyer did not wait for the end of the run.
    expect(sentByThen).toBeLessThan(21);
    const ofLimited = sent.filter(({ accountId }) => accountId === limited.accountId);
    expect(ofLimited).toHaveLength(21);
    const [first, last] = [sent.at(0), ofLimited.at(-1)];
    // 19 tokens after the first, of which one may be taken 50 ms sooner.
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(3_700);
    expect(sent.at(-1)).toBe(last);
    expect(sent.findLastIndex(({ accountId }) => accountId === other.accountId)).toBeLessThan(sent.length - 5);
  },
  SETUP_MS,
);

const letQuietPass = ownStatement(
  'charge_rate_quiet',
  `UPDATE charge_attempt SET deadline_at = deadline_at - interval '10 minutes' WHERE account_id = $1 AND status = 'sent'`,
);

test(
  'a charge that the acquirer refuses for its rate was not made, is tried again by its schedule, and halves the rate',
  async () => {
    const shop = await openShop(40);
    await subscribed(shop, 1);
    const before = shop.own.charges.size;
    const [{ current_period_end: end } = {}] = await shop.fatura.subscriptions.list().all({ max: 10 });
    scene.api().clock.advance((end ?? 0) - scene.api().clock.real());
    scene.fake().troubles.set({ kind: 'too_many', merchant: shop.own.secretKey, operation: 'createOrder', next: 1 });
    expect(await rateOf(shop)).toBe(40);
    expect(await billing()).toEqual({ due: 1, unknown: 1 });
    expect(await rateOf(shop)).toBe(20);
    // Nobody is told of a decline before it is known that nothing was charged.
    const [open] = await shop.fatura.invoices.list({ status: 'open' }).all({ max: 10 });
    const intentOf = () => shop.fatura.paymentIntents.retrieve(open?.payment_intent ?? '');
    expect(await intentOf()).toMatchObject({ status: 'processing', attempts: 1 });
    await run(scene.deps().pool, letQuietPass, [shop.accountId]);
    await shop.rest();
    const failed = await intentOf();
    expect(failed).toMatchObject({ status: 'failed', decline_reason: 'processing_error', attempts: 1 });
    expect(shop.own.charges.size).toBe(before);
    scene.api().clock.advance((failed.next_attempt ?? 0) - scene.api().clock.real());
    expect(await performStep(scene.deps(), open?.id ?? '')).toBe('charge');
    expect(await shop.fatura.invoices.retrieve(open?.id ?? '')).toMatchObject({ status: 'paid' });
    expect(shop.own.charges.size).toBe(before + 1);
  },
  SETUP_MS,
);

test(
  'a shard has its share of the rate',
  async () => {
    const shop = await openShop(8);
    await subscribed(shop, 12);
    scene.api().clock.advance(32 * DAY);
    const sent = watchCharges();
    const shards = [0, 1, 2, 3].map((shard) => ({ shard, of: 4 }) as const);
    const counts = await Promise.all(shards.map(billing));
    expect(counts.reduce((sum, { due }) => sum + due, 0)).toBe(12);
    // Each shard sends its first charge at once, and two a second of those that follow.
    const most = Math.max(...counts.map(({ due }) => due));
    const [first, last] = [sent.at(0), sent.at(-1)];
    expect((last?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan((most - 1) * 500 - 100);
  },
  SETUP_MS,
);
