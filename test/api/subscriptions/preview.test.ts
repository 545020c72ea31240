import type { InvoicePreview, SubscriptionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice, unique } from '../../support/factories.ts';
import { newMonthly, passUntil } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;

/** What of a bill both tell: the ids of items are of the subscription alone. */
const told = ({
  line_items,
  discounts,
  subtotal,
  credit_amount,
  total,
}: Pick<InvoicePreview, 'line_items' | 'subtotal' | 'credit_amount' | 'total'> & {
  discounts?: InvoicePreview['discounts'] | undefined;
}) => ({
  lines: line_items.data.map(({ subscription_item: _, period_start: __, period_end: ___, ...line }) => line),
  discounts: discounts?.data ?? [],
  ...{ subtotal, credit_amount, total },
});

const rowsOf = () =>
  scene.rows(
    `SELECT (SELECT count(*) FROM subscription) AS subscriptions, (SELECT count(*) FROM customer) AS customers,
       (SELECT count(*) FROM invoice) AS invoices, (SELECT count(*) FROM invoice_item) AS items, (SELECT count(*) FROM event) AS events`,
  );

async function sold(): Promise<{ monthly: string; once: string; customer: string }> {
  const [monthly, once, customer] = await Promise.all([
    newMonthly(scene.merchant, { unit_amount: 4_990 }),
    newPrice(scene.merchant, { unit_amount: 2_000 }),
    newCustomer(scene.merchant),
  ]);
  return { monthly: monthly.id, once: once.id, customer: customer.id };
}

type Asking = (of: Awaited<ReturnType<typeof sold>>) => SubscriptionCreate;

const cases: [string, Asking][] = [
  ['an item', ({ customer, monthly }) => ({ customer_id: customer, price_id: monthly, quantity: 3 })],
  [
    'a setup fee and discounts',
    ({ customer, monthly, once }) => ({
      ...{ customer_id: customer, price_id: monthly, setup: [{ price_id: once, quantity: 2 }] },
      discounts: [
        { type: 'percentage', percentage: 33 },
        { type: 'fixed', amount: 500, cycles: 1 },
      ],
    }),
  ],
  [
    'a customer that is created with it',
    ({ monthly }) => ({
      customer: {
        name: 'Ana Souza',
        identifier: '52998224725',
        email: 'ana@loja.test',
        external_code: `cliente-${unique()}`,
      },
      price_id: monthly,
    }),
  ],
];

describe('a preview of a subscription', () => {
  test.each(cases)('comes to what its creation bills, and writes nothing: %s', async (_, asking) => {
    const asked = asking(await sold());
    const before = await rowsOf();
    const preview = await scene.subscriptions.preview(asked);
    expect(await rowsOf()).toEqual(before);
    expect(preview).toMatchObject({
      subscription: null,
      customer: asked.customer_id ?? null,
      cycle: 1,
      period_start: scene.now(),
    });
    const { latest_invoice: invoice } = await scene.subscriptions.create(asked);
    expect(told(await scene.fatura.invoices.retrieve(invoice ?? ''))).toEqual(told(preview));
  });

  test('takes what waits for the bills of its customer', async () => {
    const { customer, monthly } = await sold();
    const asked = { customer_id: customer, price_id: monthly };
    await scene.fatura.invoiceItems.create({
      customer_id: customer,
      type: 'credit',
      amount: 1_200,
      description: 'Cortesia',
    });
    const preview = await scene.subscriptions.preview(asked);
    expect(preview).toMatchObject({ credit_amount: 1_200, total: 3_790, credit_after: 0 });
    const { latest_invoice: invoice } = await scene.subscriptions.create(asked);
    expect(told(await scene.fatura.invoices.retrieve(invoice ?? ''))).toEqual(told(preview));
  });

  test('of a trial, or of a start to come, is of the bill that comes then', async () => {
    const { customer, monthly, once } = await sold();
    const start = scene.now() + 20 * DAY;
    const asked = { customer_id: customer, price_id: monthly, setup: [{ price_id: once }], trial: { days: 14 } };
    expect(await scene.subscriptions.preview(asked)).toMatchObject({
      total: 6_990,
      period_start: scene.now() + 14 * DAY,
    });
    const later = await scene.subscriptions.preview({ ...asked, start_date: start });
    expect(later.period_start).toBe(start + 14 * DAY);
    const made = await scene.subscriptions.create(asked);
    const preview = await scene.subscriptions.preview(asked);
    await scene.subscriptions.checkout(made.id, byCard());
    await passUntil(scene.collected(made.id), preview.period_start);
    const { latest_invoice: invoice } = await scene.subscriptions.retrieve(made.id);
    const billed = await scene.fatura.invoices.retrieve(invoice ?? '');
    expect(told(billed)).toEqual(told(preview));
    expect(billed.due_at).toBe(preview.period_start);
  });

  test('is refused as the creation', async () => {
    const { customer, once } = await sold();
    const asked = { customer_id: customer, price_id: once };
    const refused = await Promise.all(
      [scene.subscriptions.preview(asked), scene.subscriptions.create(asked)].map((work) =>
        Promise.resolve(work).then(
          () => null,
          ({ code, param, message }) => ({ code, param, message }),
        ),
      ),
    );
    expect(refused[0]).toMatchObject({ code: 'PRICE_TYPE_MISMATCH' });
    expect(refused[0]).toEqual(refused[1]);
  });
});
