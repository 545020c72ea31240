import type { Invoice, InvoicePreview } from '@fatura/sdk';
import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { newMonthly, payByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { type Standing, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();

/** What a preview and the invoice that is made of it both say. */
const billed = ({
  cycle,
  period_start,
  period_end,
  line_items,
  discounts,
  subtotal,
  total,
}: Invoice | InvoicePreview) => ({
  ...{ cycle, period_start, period_end, line_items, discounts, subtotal, total },
});

async function sell(
  items: readonly { cents: number; quantity: number }[],
  discounts: readonly { percentage: number; cycles: number }[] = [],
) {
  const priced = [];
  for (const { cents, quantity } of items)
    priced.push({ price_id: (await newMonthly(scene.merchant, { unit_amount: cents })).id, quantity });
  const { id } = await newCustomer(scene.merchant);
  return scene.subscriptions.create({
    customer_id: id,
    items: priced,
    discounts: discounts.map((discount) => ({ type: 'percentage', ...discount })),
  });
}

/** The bill that follows, whatever its buyer is told before. */
async function nextBill(id: string, before: string | null): Promise<string | null> {
  for (let due = 0; due < 3; due += 1) {
    await scene.untilDue(id);
    await scene.pass(id, 0);
    const { latest_invoice: made } = await scene.subscriptions.retrieve(id);
    if (made !== before) return made;
  }
  throw new Error(`${id} is billed no more`);
}

describe('the next invoice', () => {
  test('is what is billed then, by card and by PIX, whatever was sold', async () => {
    const sales = record({
      method: constantFrom('card', 'pix'),
      items: array(record({ cents: integer({ min: 1_000, max: 999_999 }), quantity: integer({ min: 1, max: 9 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      discounts: array(
        record({
          percentage: integer({ min: 1, max: 9_000 }).map((bp) => bp / 100),
          cycles: integer({ min: 1, max: 3 }),
        }),
        { maxLength: 2 },
      ),
    });
    const isKept = asyncProperty(sales, async ({ method, items, discounts }) => {
      const { id, latest_invoice: first } = await sell(items, discounts);
      if (method === 'card') await scene.subscriptions.checkout(id, byCard());
      else await payByPix(scene.merchant, first ?? '');
      for (let cycle = 2; cycle <= 4; cycle += 1) {
        const preview = await scene.subscriptions.upcomingInvoice(id);
        const { latest_invoice: before } = await scene.subscriptions.retrieve(id);
        const made = await nextBill(id, before);
        expect(billed(await scene.invoice(made ?? ''))).toEqual(billed(preview));
        expect(preview.cycle).toBe(cycle);
        if (method === 'pix') {
          await payByPix(scene.merchant, made ?? '');
          await scene.untilDue(id);
          await scene.pass(id, 0);
        }
      }
    });
    await assert(isKept, { numRuns: 8 });
  });

  test('of one that was billed ahead is the one after that', async () => {
    const { id } = await scene.subscribePaidByPix();
    await scene.untilDue(id);
    await scene.pass(id, 0);
    const { current_period_end: end } = await scene.subscriptions.retrieve(id);
    const preview = await scene.subscriptions.upcomingInvoice(id);
    expect(preview.cycle).toBe(3);
    expect(preview.period_start).toBeGreaterThan(end ?? 0);
  });

  test('changes no row', async () => {
    const { id } = await scene.subscribeByCard();
    // A row that is written, or only locked, changes what the database keeps of it beside its columns.
    const rows = () =>
      scene.rows(
        `SELECT s.xmin, s.xmax, s.ctid, (SELECT count(*) FROM invoice i WHERE i.subscription_id = s.id) AS invoices,
           (SELECT count(*) FROM subscription_term m WHERE m.subscription_id = s.id) AS items,
           (SELECT count(*) FROM event e WHERE e.related @> ARRAY[s.id]) AS events FROM subscription s WHERE s.id = $1`,
        id,
      );
    const before = await rows();
    await scene.subscriptions.upcomingInvoice(id);
    expect(await rows()).toEqual(before);
  });

  test('is none of one that ends before the period of that bill, and one again when that is taken back', async () => {
    const { id, current_period_end: end } = await scene.subscribeByCard();
    const preview = await scene.subscriptions.upcomingInvoice(id);
    const none = refusal('INVALID_STATE', { status: 409 });
    await scene.subscriptions.cancelAt(id, { at: 'period_end' });
    await expect(scene.subscriptions.upcomingInvoice(id)).rejects.toEqual(none);
    await scene.subscriptions.cancelAt(id, { at: (end ?? 0) - 60 });
    await expect(scene.subscriptions.upcomingInvoice(id)).rejects.toEqual(none);
    await scene.subscriptions.cancelAt(id, { at: (end ?? 0) + 60 });
    expect(await scene.subscriptions.upcomingInvoice(id)).toEqual(preview);
    await scene.subscriptions.uncancel(id);
    expect(await scene.subscriptions.upcomingInvoice(id)).toEqual(preview);
  });

  test.each<[Standing]>([['pending'], ['suspended'], ['reactivated'], ['inactive']])(
    'is none of one that is %s',
    async (standing) => {
      const { id } = await scene.make(standing);
      await expect(scene.subscriptions.upcomingInvoice(id)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    },
  );
});
