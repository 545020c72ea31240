import type { Invoice, LateFees } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { civilDaysBetween } from '../../../server/kernel/brazil.ts';
import { byCard, cards } from '../../support/cards.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

const NEXT: LateFees = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'next_invoice' };
const AT_PAYMENT: LateFees = { ...NEXT, collect: 'at_payment' };

const linesOf = ({ line_items: { data } }: Invoice) => data.map(({ kind, amount }) => [kind, amount]);

/** The charges that wait for a bill of a subscription, and those that were billed. */
const itemsOf = async (id: string) =>
  (await scene.fatura.invoiceItems.list({ subscription_id: id }).all({ max: 100 })).toReversed();

/** The bill of the next period, which is open and so many days late now. */
async function lateRenewal(id: string, days: number): Promise<Invoice> {
  const bill = await scene.renew(id);
  await scene.pass(id, bill.due_at + days * DAY - scene.now());
  return scene.invoice(bill.id);
}

/** Interest of R$ 99,90 at 1 % a month for so many days, half a cent rounding up. */
const interest = (days: number): number => Math.floor((2 * 9990 * 100 * days + 300_000) / 600_000);

const daysLate = ({ due_at: due }: Invoice): number => civilDaysBetween(due, scene.now());

describe('late fees that the next bill asks for', () => {
  test('wait from the payment on as fine and interest, with the number of the bill that was late', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    const late = await lateRenewal(id, 5);
    expect(late).toMatchObject({
      late_fees: NEXT,
      amount_late: 200 + interest(daysLate(late)),
      amount_remaining: 9990,
    });
    const days = daysLate(late);
    await payByPix(scene.merchant, late.id);
    expect(await scene.invoice(late.id)).toMatchObject({ status: 'paid', amount_paid: 9990, amount_late: 0 });
    expect(await itemsOf(id)).toMatchObject([
      {
        ...{ kind: 'late_fine', type: 'charge', status: 'pending', amount: 200 },
        description: `Multa por atraso da fatura ${late.id} (2%)`,
      },
      {
        ...{ kind: 'late_interest', type: 'charge', status: 'pending', amount: interest(days) },
        description: `Juros por atraso da fatura ${late.id} (1% ao mês)`,
      },
    ]);
    const next = await scene.renew(id);
    expect(linesOf(next)).toEqual([
      ['recurring', 9990],
      ['late_fine', 200],
      ['late_interest', interest(days)],
    ]);
    expect((await itemsOf(id)).map(({ status, invoice }) => [status, invoice])).toEqual([
      ['billed', next.id],
      ['billed', next.id],
    ]);
  });

  test('are foreseen by the preview of the next bill', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    const late = await lateRenewal(id, 5);
    await payByPix(scene.merchant, late.id);
    const upcoming = await scene.subscriptions.upcomingInvoice(id);
    expect(upcoming.line_items.data.map(({ kind }) => kind)).toEqual(['recurring', 'late_fine', 'late_interest']);
  });

  test('are never asked for late fees that were late themselves', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    await payByPix(scene.merchant, (await lateRenewal(id, 5)).id);
    const second = await lateRenewal(id, 5);
    expect(second.total).toBeGreaterThan(9990);
    expect(second.amount_late).toBe(200 + interest(daysLate(second)));
  });

  test('arise once, however many tell of the payment at once', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    const late = await lateRenewal(id, 5);
    const { intent } = await scene.checkoutByPix(late.id);
    await scene.payPixUnheard(intent);
    await Promise.allSettled(Array.from({ length: 5 }, () => scene.payPix(intent)));
    expect((await itemsOf(id)).map(({ kind }) => kind)).toEqual(['late_fine', 'late_interest']);
  });

  test('can be waived until they are billed', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    await payByPix(scene.merchant, (await lateRenewal(id, 5)).id);
    for (const item of await itemsOf(id)) await scene.fatura.invoiceItems.delete(item.id);
    expect(linesOf(await scene.renew(id))).toEqual([['recurring', 9990]]);
  });

  test('of a card that is charged by itself wait until the buyer pays by hand', async () => {
    const { id } = await scene.subscribe({ late_fees: NEXT });
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    const late = await lateRenewal(id, 2);
    await scene.payByCard(late.id);
    expect((await itemsOf(id)).map(({ kind, status }) => [kind, status])).toEqual([
      ['late_fine', 'pending'],
      ['late_interest', 'pending'],
    ]);
    const byItself = await scene.renew(id);
    expect(byItself).toMatchObject({ status: 'paid', total: 9990 });
    expect(linesOf(byItself)).toEqual([['recurring', 9990]]);
    expect((await scene.subscriptions.upcomingInvoice(id)).total).toBe(9990);
    await scene.subscriptions.updatePaymentMethod(id, byCard(cards.renewals_declined));
    await payByPix(scene.merchant, (await scene.renew(id)).id);
    expect((await scene.subscriptions.upcomingInvoice(id)).total).toBeGreaterThan(9990);
    expect(linesOf(await scene.renew(id)).map(([kind]) => kind)).toEqual(['recurring', 'late_fine', 'late_interest']);
  });

  test('that a bill asks for are charged to no card by itself, which its buyer gave meanwhile', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    await payByPix(scene.merchant, (await lateRenewal(id, 5)).id);
    const bill = await scene.renew(id);
    expect(bill.line_items.data).toHaveLength(3);
    await scene.subscriptions.updatePaymentMethod(id, byCard());
    await scene.pass(id, 9 * DAY);
    expect(await scene.attemptsOf(bill.id)).toEqual([]);
    expect(await scene.invoice(bill.id)).toMatchObject({ status: 'open' });
  });

  test('of a subscription that has ended are asked for by nothing', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    const late = await lateRenewal(id, 5);
    await scene.subscriptions.cancel(id);
    const open = await scene.invoice(late.id);
    if (open.status === 'open') await payByPix(scene.merchant, late.id);
    expect(await itemsOf(id)).toEqual([]);
  });

  test('that wait as a subscription ends are no part of its last bill', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: NEXT });
    await payByPix(scene.merchant, (await lateRenewal(id, 5)).id);
    await scene.fatura.invoiceItems.create({ subscription_id: id, type: 'charge', amount: 500, description: 'Visita' });
    await scene.subscriptions.cancel(id);
    expect((await itemsOf(id)).filter(({ kind, status }) => kind !== 'one_time' && status !== 'pending')).toEqual([]);
  });
});

describe('late fees that are paid with the bill', () => {
  test('are in the code of the day, of the bill of a period too', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: AT_PAYMENT });
    const late = await lateRenewal(id, 5);
    const days = daysLate(late);
    await payByPix(scene.merchant, late.id);
    const paid = await scene.invoice(late.id);
    expect(linesOf(paid)).toEqual([
      ['recurring', 9990],
      ['late_fine', 200],
      ['late_interest', interest(days)],
    ]);
    expect(await itemsOf(id)).toEqual([]);
    expect(linesOf(await scene.renew(id))).toEqual([['recurring', 9990]]);
  });

  test('are never charged to a card by schedule, and none of them is left to pay', async () => {
    const { id } = await scene.subscribe({ late_fees: AT_PAYMENT });
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    const late = await lateRenewal(id, 2);
    expect(late.amount_late).toBeGreaterThan(0);
    await scene.subscriptions.updatePaymentMethod(id, byCard());
    await scene.pass(id, 6 * DAY);
    expect(await scene.invoice(late.id)).toMatchObject({ status: 'paid', amount_paid: 9990 });
    const charged = (await scene.chargesAtBank(late.id)).map(({ amount }) => amount);
    expect(new Set(charged)).toEqual(new Set([9990]));
  });

  test('do not change what is credited for the days of a period', async () => {
    const { id } = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: AT_PAYMENT });
    const late = await lateRenewal(id, 5);
    await payByPix(scene.merchant, late.id);
    const [row] = await scene.rows('SELECT period_net FROM subscription WHERE id = $1', id);
    expect(row).toEqual({ period_net: 9990 });
  });
});

describe('the late fees of a subscription', () => {
  test('are its own, or those of its account as each bill is opened', async () => {
    await scene.fatura.collectionSettings.update({ late_fees: AT_PAYMENT });
    const none = { ...NEXT, fine_percentage: 0, interest_percentage: 0 };
    const own = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: none });
    const other = await scene.subscribePaidByPix();
    expect([own.late_fees, other.late_fees]).toEqual([none, null]);
    expect((await scene.renew(own.id)).late_fees).toEqual(none);
    expect((await scene.renew(other.id)).late_fees).toEqual(AT_PAYMENT);
    const changing = await scene.subscribePaidByPix({ interval: 'month' }, { late_fees: none });
    expect((await scene.subscriptions.update(changing.id, { late_fees: null })).late_fees).toBeNull();
    await scene.fatura.collectionSettings.update({ late_fees: null });
    expect((await scene.renew(changing.id)).late_fees).toBeNull();
  });

  test.each([
    ['a new one', (late_fees: LateFees) => scene.subscribe({ late_fees }), 'subscription.late_fees'],
    [
      'a change',
      async (late_fees: LateFees) => scene.subscriptions.update((await scene.subscribe()).id, { late_fees }),
      'subscription.late_fees',
    ],
  ])('are refused above the legal limit: of %s', async (_, make, param) => {
    const fine = { ...NEXT, fine_percentage: 2.5 };
    await expect(make(fine)).rejects.toEqual(refusal('LATE_FEES_ABOVE_LIMIT', { param: `${param}.fine_percentage` }));
  });
});
