import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Deps } from '../../../../server/deps.ts';
import { runDue } from '../../../../server/jobs/due-run.ts';
import { dueWork, runBilling } from '../../../../server/subscriptions/billing/due.ts';
import { performStep } from '../../../../server/subscriptions/collection/step.ts';
import { groupTransactions } from '../../../../server/unit-of-work/grouped.ts';
import type { Merchant } from '../../../support/api.ts';
import { byCard, cards } from '../../../support/cards.ts';
import { dump, type Row, rowsOfCustomers } from '../../../support/dump.ts';
import { newCustomer, newProduct } from '../../../support/factories.ts';
import { newMonthly, subscribe, subscribeByCard, subscribeByPix } from '../../../support/subscriptions.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const BOOKS = 3;
const TEST_MS = 300_000;
const scene = new SubscriptionScene();

/** How one subscription of a book is sold. */
const sale = fc.record({
  paidBy: fc.constantFrom(...(['approved', 'approved', 'approved', 'renewals_declined', 'pix'] as const)),
  interval: fc.constantFrom(...(['month', 'month', 'week'] as const)),
  amount: fc.integer({ min: 1_000, max: 90_000 }),
  quantity: fc.integer({ min: 1, max: 3 }),
  hasCoupon: fc.boolean(),
  waits: fc.constantFrom('nothing', 'nothing', 'charge', 'change', 'end'),
});
type Sale = typeof sale extends fc.Arbitrary<infer One> ? One : never;

const tenPercent = { name: 'Dez', type: 'percentage', percentage: 10 } as const;
const shipping = { type: 'charge', amount: 500, description: 'Frete' } as const;

/** Sells one; answers the customer. */
async function sell(merchant: Merchant, of: Sale): Promise<string> {
  const { fatura } = merchant;
  const product = await newProduct(merchant, { name: 'Plano' });
  const [{ id: customer_id }, price] = await Promise.all([
    newCustomer(merchant, { email: 'maria@example.com' }),
    newMonthly(merchant, { product_id: product.id, unit_amount: of.amount, recurring: { interval: of.interval } }),
  ]);
  const coupon = of.hasCoupon ? await fatura.coupons.create(tenPercent) : null;
  const terms = { customer_id, price_id: price.id, quantity: of.quantity, ...(coupon && { coupon_id: coupon.id }) };
  const { id } = await (of.paidBy === 'pix' ? subscribeByPix(merchant, terms) : subscribe(merchant, terms));
  if (of.paidBy !== 'pix') await fatura.subscriptions.checkout(id, byCard(cards[of.paidBy]));
  if (of.waits === 'charge') await fatura.invoiceItems.create({ ...shipping, subscription_id: id });
  if (of.waits === 'end') await fatura.subscriptions.cancelAt(id, { at: 'period_end' });
  if (of.waits === 'change') {
    const [item] = (await fatura.subscriptions.retrieve(id)).items.data;
    const items = [{ item: item?.id ?? '', quantity: of.quantity + 1 }];
    await fatura.subscriptionChanges.create(id, { items, effective: 'period_end' });
  }
  return customer_id;
}

/** Everything that is due of an account, each in a transaction of its own. */
async function oneByOne(accountId: string): Promise<void> {
  const only = dueWork(scene.deps, { mode: 'sandbox' }).map(({ claim, perform }) => ({
    claim,
    perform: async (id: string) => {
      const owned = await scene.rows(
        `SELECT FROM (SELECT id, account_id FROM subscription UNION ALL SELECT id, account_id FROM invoice) o WHERE id = $1 AND account_id = $2`,
        id,
        accountId,
      );
      return owned.length === 0 ? 'not_due' : perform(id);
    },
  }));
  await runDue(scene.deps, { mode: 'sandbox', told: () => {} }, only);
}

const NAME = /\b(?:[a-z]+_)?[0-9a-hjkmnp-tv-z]{26}\b|\b[ED]\d{8,}\w+\b/gi;
/** Links end with a secret. */
const LINK = /https?:[^"\\]+/g;
/** Real time, what is sealed with a nonce, and what is made of secrets; the shard is that of the account. */
const OF_ITS_OWN =
  /(?:^word|^copy_paste|_at|_digest|_html|_text|_until|token|sealed\w*|personal|_index|fingerprint|signature|version)$/;

/** Rows of a customer with every name as its number among those of the customer, by which two customers compare. */
function comparable(rows: ReadonlySet<Row>): string[] {
  const names = new Map<string, string>();
  const numbered = (text: string): string =>
    text.replace(LINK, 'link').replace(NAME, (name) => {
      const known = names.get(name) ?? `name ${names.size + 1}`;
      names.set(name, known);
      return known;
    });
  // Answers of requests are theirs; nothing of a run has a key.
  const inOrder = [...rows]
    .filter((row) => !('hash' in row))
    .toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
  // Objects are numbered in the order in which they were made, whatever names them first.
  for (const { id } of inOrder) numbered(String(id));
  const kept = inOrder.map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([key, value]) =>
        key === 'id'
          ? typeof value === 'string'
          : key !== 'shard' && (!OF_ITS_OWN.test(key) || typeof value === 'number'),
      ),
    ),
  );
  return kept.map((row) => numbered(JSON.stringify(row))).toSorted();
}

/** So many subscriptions of a merchant whose renewals are due, and their dependencies with transactions counted. */
async function dueAtOnce(count: number) {
  const merchant = await scene.api.newMerchant();
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await subscribeByCard(merchant)).id);
  scene.api.clock.advance(31 * DAY);
  const used = { transactions: 0 };
  const { transaction } = scene.deps;
  const deps: Deps = {
    ...scene.deps,
    transaction: (scope, work) => {
      used.transactions += 1;
      return transaction(scope, work);
    },
  };
  return { ids, deps, used };
}

const splits = async (): Promise<number> => (await scene.deps.metrics.groupsSplit.get()).values[0]?.value ?? 0;

test(
  'forty renewals of an account are opened and booked in a few transactions',
  async () => {
    const { deps, used } = await dueAtOnce(40);
    const counts = await runBilling(deps, { mode: 'sandbox', told: () => {} });
    expect(counts).toEqual({ due: 40, approved: 40 });
    expect(used.transactions).toBeLessThanOrEqual(12);
  },
  TEST_MS,
);

test(
  'of a group with one that cannot be done, that one alone fails',
  async () => {
    const { ids, deps } = await dueAtOnce(32);
    const [broken = ''] = ids;
    const [card] = await scene.rows(
      'SELECT m.id, m.sealed_token FROM payment_method m JOIN subscription s ON s.payment_method_id = m.id WHERE s.id = $1',
      broken,
    );
    const hold = (token: unknown) =>
      scene.rows('UPDATE payment_method SET sealed_token = $2 WHERE id = $1', card?.id, token);
    await hold(null);
    const before = await splits();
    const counts = await runBilling(deps, { mode: 'sandbox', told: () => {} });
    expect(counts).toMatchObject({ failed: 1 });
    expect(await splits()).toBe(before + 1);
    const cycles = await Promise.all(ids.map(async (id) => (await scene.cycles(id)).cycle));
    expect(cycles).toEqual(ids.map((id) => (id === broken ? 1 : 2)));
    const [charged] = await scene.rows(
      `SELECT count(*)::int AS count FROM charge_attempt t JOIN invoice i ON i.id = t.invoice_id
       WHERE i.subscription_id = ANY ($1) AND i.cycle = 2`,
      ids,
    );
    expect(charged).toEqual({ count: 31 });
    await hold(card?.sealed_token);
  },
  TEST_MS,
);

test('bills of one subscription that are overdue at once begin one episode', async () => {
  const merchant = await scene.api.newMerchant();
  await merchant.fatura.collectionSettings.update({ reminder_days: [] });
  const price = await newMonthly(merchant, { recurring: { interval: 'day' } });
  const { id } = await subscribeByPix(merchant, { price_id: price.id });
  const [, calendar] = dueWork(scene.deps, { mode: 'sandbox' });
  for (let day = 0; day < 6; day += 1) {
    scene.api.clock.advance(DAY);
    // Bills are made, and their steps wait for the run behind.
    if (calendar !== undefined) await runDue(scene.deps, { mode: 'sandbox', told: () => {} }, [calendar]);
  }
  // The bank, which is asked first about a code that stands, would part them.
  const codes = `invoice_id IN (SELECT id FROM invoice WHERE subscription_id = $1 AND status = 'open')`;
  await scene.rows(`UPDATE pix_charge SET state = 'ended' WHERE ${codes}`, id);
  const deps = { ...scene.deps, grouped: groupTransactions(scene.deps) };
  const late = `subscription_id = $1 AND status = 'open' AND step = 'mark_overdue'`;
  const due = await scene.rows(`SELECT id FROM invoice WHERE ${late}`, id);
  const done = await Promise.all(due.map(({ id: invoice }) => performStep(deps, String(invoice))));
  await scene.rows(`UPDATE pix_charge SET state = 'active' WHERE ${codes}`, id);
  expect(done.filter((step) => step === 'mark_overdue').length).toBeGreaterThan(1);
  const told = await scene.rows(`SELECT id FROM event WHERE type = 'subscription.overdue' AND object_id = $1`, id);
  expect(told).toHaveLength(1);
});

test('what waits for the next bill of a customer is on one of two that are made together', async () => {
  const merchant = await scene.api.newMerchant();
  const { id: customer_id } = await newCustomer(merchant, { email: 'maria@example.com' });
  const ids: string[] = [];
  for (let made = 0; made < 2; made += 1) {
    const { id } = await subscribe(merchant, { customer_id });
    await merchant.fatura.subscriptions.checkout(id, byCard(cards.approved));
    ids.push(id);
  }
  await merchant.fatura.invoiceItems.create({ ...shipping, customer_id });
  const before = await splits();
  scene.api.clock.advance(31 * DAY);
  await runBilling(scene.deps, { mode: 'sandbox', told: () => {} });
  const bills = await scene.rows(
    'SELECT total FROM invoice WHERE subscription_id = ANY ($1) AND cycle = 2 ORDER BY total',
    ids,
  );
  expect(bills.map(({ total }) => Number(total))).toEqual([9_990, 10_490]);
  expect(await splits()).toBe(before);
});

test(
  'what a run does together leaves the rows that each would leave alone, of any book',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(sale, { minLength: 6, maxLength: 12 }), async (book) => {
        const [alone, together] = [await scene.api.newMerchant(), await scene.api.newMerchant()];
        const customers: [string, string][] = [];
        for (const of of book) customers.push([await sell(alone, of), await sell(together, of)]);
        for (const days of [7, 20, 5, 31]) {
          scene.api.clock.advance(days * DAY);
          await oneByOne(alone.accountId);
          await runBilling(scene.deps, { mode: 'sandbox', told: () => {} });
        }
        const dumped = await dump(scene.deps.pool);
        for (const [one, other] of customers)
          expect(comparable(rowsOfCustomers(dumped, [other]))).toEqual(comparable(rowsOfCustomers(dumped, [one])));
      }),
      { seed: 36, numRuns: BOOKS, endOnFailure: true },
    );
  },
  TEST_MS,
);
