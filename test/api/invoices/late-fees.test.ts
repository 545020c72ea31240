import type { Invoice, LateFees } from '@fatura/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { isBankDay } from '../../../server/kernel/bank-days.ts';
import { civilDay, isoDate } from '../../../server/kernel/brazil.ts';
import { handleNotice } from '../../../server/payments/pix/settlement.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { PaymentScene, refusal } from '../payments/payment-scene.ts';

const DAY = 86_400;
const HOUR = 3_600;
const scene = new PaymentScene();

const USUAL: LateFees = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' };

const ask = (lateFees: LateFees | null) => scene.merchant.fatura.collectionSettings.update({ late_fees: lateFees });
beforeAll(() => ask(USUAL));

const now = () => scene.api.clock.now();

/** Ten in the morning of the next day on which banks work. */
function nextBankDay(): number {
  let day = Temporal.PlainDate.from(isoDate(now())).add({ days: 1 });
  while (!isBankDay(day)) day = day.add({ days: 1 });
  return civilDay(day.toString()).from + 10 * HOUR;
}

/** A bill of R$ 99,90 that is so many days late now. */
async function lateBill(days: number): Promise<Invoice> {
  const due = nextBankDay();
  const { id } = await newInvoice(scene.merchant, { due_at: due });
  scene.api.clock.advance(due + days * DAY - now());
  return scene.invoice(id);
}

const linesOf = ({ line_items: { data } }: Invoice) => data.map(({ kind, amount }) => [kind, amount]);
const LATE_10 = [
  ['one_time', 9990],
  ['late_fine', 200],
  ['late_interest', 33],
];

const scopeNow = () => readScope(scene.deps.pool, { accountId: scene.merchant.accountId, liveMode: false });

describe('what late payment costs', () => {
  test('is frozen as the bill is opened, and told of each day', async () => {
    const bill = await lateBill(0);
    expect(bill).toMatchObject({ late_fees: USUAL, amount_late: 0, amount_due: 9990, amount_remaining: 9990 });
    await ask({ ...USUAL, fine_percentage: 1 });
    scene.api.clock.advance(10 * DAY);
    expect(await scene.invoice(bill.id)).toMatchObject({
      ...{ late_fees: USUAL, amount_late: 233, amount_due: 9990, amount_remaining: 9990 },
    });
    await ask(USUAL);
  });

  test('is paid by PIX: its code asks for the amount of the day, and the bill then shows what was paid', async () => {
    const { id } = await lateBill(10);
    const { intent, txid } = await scene.checkoutByPix(id);
    expect(await scene.intent(intent)).toMatchObject({ amount: 10_223 });
    const [qr] = await scene.rows('SELECT amount, expires_at FROM pix_charge WHERE id = $1', txid);
    expect(qr).toEqual({ amount: 10_223, expires_at: civilDay(isoDate(now())).to });
    await scene.payPix(intent);
    const paid = await scene.invoice(id);
    expect(paid).toMatchObject({
      ...{ status: 'paid', total: 10_223, subtotal: 10_223, amount_due: 10_223, amount_paid: 10_223 },
      ...{ amount_remaining: 0, amount_late: 0 },
    });
    expect(linesOf(paid)).toEqual(LATE_10);
    expect((await scene.facts(id)).findLast(({ type }) => type === 'invoice.paid')?.object).toEqual(paid);
  });

  test('is paid by card in as many installments as the whole amount allows', async () => {
    const { id } = await lateBill(10);
    await scene.payByCard(id);
    const paid = await scene.invoice(id);
    expect(linesOf(paid)).toEqual(LATE_10);
    expect(await scene.chargesAtBank(id)).toMatchObject([{ amount: 10_223, outcome: 'approved' }]);
  });

  test('is refunded with the bill', async () => {
    const { id } = await lateBill(10);
    await scene.payByCard(id);
    const { payment_intent: intent } = await scene.invoice(id);
    await scene.merchant.fatura.refunds.create({ payment_intent: intent ?? '' });
    expect(await scene.invoice(id)).toMatchObject({ amount_paid: 10_223, amount_refunded: 10_223 });
  });

  test('is paid of a bill that was given up, too', async () => {
    const { id } = await lateBill(10);
    await scene.merchant.fatura.invoices.markUncollectible(id);
    const { intent } = await scene.checkoutByPix(id);
    await scene.payPix(intent);
    expect(await scene.invoice(id)).toMatchObject({ status: 'paid', amount_paid: 10_223 });
  });

  test('is nothing where the account asks for nothing, or for the next bill, which a standalone one has not', async () => {
    for (const lateFees of [null, { ...USUAL, collect: 'next_invoice' } as const]) {
      await ask(lateFees);
      const { id } = await lateBill(10);
      const bill = await scene.invoice(id);
      expect(bill).toMatchObject({ late_fees: lateFees, amount_late: 0 });
      const page = await fetch(scene.api.baseUrl + new URL(bill.payment_url ?? '').pathname);
      expect([page.status, (await page.text()).includes('multa de')]).toEqual([200, false]);
      const { intent } = await scene.checkoutByPix(id);
      await scene.payPix(intent);
      expect(await scene.invoice(id)).toMatchObject({ status: 'paid', amount_paid: 9990 });
      const waiting =
        'SELECT count(*)::int AS items FROM invoice_item WHERE customer_id = (SELECT customer_id FROM invoice WHERE id = $1)';
      expect(await scene.rows(waiting, id)).toEqual([{ items: 0 }]);
    }
    await ask(USUAL);
  });
});

describe('a QR code', () => {
  test('of before the due date ends with the last day on which nothing is asked', async () => {
    const due = nextBankDay() + 3 * DAY;
    const { id } = await newInvoice(scene.merchant, { due_at: due });
    await scene.rows('UPDATE account SET pix_validity_seconds = 2592000 WHERE id = $1', scene.merchant.accountId);
    const { txid } = await scene.checkoutByPix(id);
    await scene.rows('UPDATE account SET pix_validity_seconds = DEFAULT WHERE id = $1', scene.merchant.accountId);
    const [{ expires_at: end } = {}] = await scene.rows('SELECT expires_at FROM pix_charge WHERE id = $1', txid);
    scene.api.clock.advance(Number(end) - 1 - now());
    expect(await scene.invoice(id)).toMatchObject({ amount_late: 0 });
    scene.api.clock.advance(1);
    expect((await scene.invoice(id)).amount_late).toBeGreaterThan(0);
  });

  test('of yesterday is replaced by one of today', async () => {
    const { id } = await lateBill(10);
    const first = await scene.checkoutByPix(id);
    expect((await scene.checkoutByPix(id)).txid).toBe(first.txid);
    scene.api.clock.advance(DAY);
    const second = await scene.checkoutByPix(id);
    expect(second.txid).not.toBe(first.txid);
    expect(await scene.intent(second.intent)).toMatchObject({ amount: 10_227 });
  });

  test('that was paid yesterday, of which the bank tells today, pays the bill with what it asked for', async () => {
    const { id } = await lateBill(10);
    const { intent, txid } = await scene.checkoutByPix(id);
    await scene.payPixUnheard(intent);
    scene.api.clock.advance(DAY);
    await handleNotice(scene.deps, await scopeNow(), { txid });
    const paid = await scene.invoice(id);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 10_223 });
    expect(linesOf(paid)).toEqual(LATE_10);
  });

  test('of yesterday that is paid while today’s stands settles the bill once, by what it asked for', async () => {
    const { id } = await lateBill(10);
    const first = await scene.checkoutByPix(id);
    scene.api.clock.advance(DAY);
    const second = await scene.checkoutByPix(id);
    // The bank took it all the same.
    await scene.rows(
      `INSERT INTO sandbox_bank.pix (end_to_end_id, txid, amount, paid_at, settles_at)
       SELECT 'E' || md5($1), txid, amount, $2, $2 FROM sandbox_bank.cob WHERE txid = $1`,
      ...[first.txid, now()],
    );
    await scene.rows(`UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = $1`, first.txid);
    await handleNotice(scene.deps, await scopeNow(), { txid: first.txid });
    const paid = await scene.invoice(id);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 10_223 });
    expect(linesOf(paid)).toEqual(LATE_10);
    expect(await scene.intent(second.intent)).toMatchObject({ status: 'discarded' });
  });

  test('that asks for late fees is not handed out any more once the due date is moved', async () => {
    const { id } = await lateBill(10);
    const { intent } = await scene.checkoutByPix(id);
    const extended = await scene.merchant.fatura.invoices.extend(id, { due_at: now() + 5 * DAY });
    expect(extended).toMatchObject({ amount_late: 0 });
    expect(await scene.intent(intent)).toMatchObject({ status: 'discarded' });
    const fresh = await scene.checkoutByPix(id);
    expect(await scene.intent(fresh.intent)).toMatchObject({ amount: 9990 });
    await scene.payPix(fresh.intent);
    expect(await scene.invoice(id)).toMatchObject({ status: 'paid', amount_paid: 9990 });
  });
});

describe('a card is charged no more than its buyer agreed to', () => {
  const expecting = (total: number) => ({ ...byCard(), expected_total: total });

  test('at another amount than the buyer saw nothing is charged, and the refusal says how much it is', async () => {
    const { id } = await lateBill(10);
    await expect(scene.merchant.fatura.invoices.checkout(id, expecting(10_220))).rejects.toEqual(
      refusal('PREVIEW_OUTDATED', { param: 'expected_total' }),
    );
    expect(await scene.chargesAtBank(id)).toEqual([]);
    await scene.merchant.fatura.invoices.checkout(id, expecting(10_223));
    expect(await scene.invoice(id)).toMatchObject({ status: 'paid', amount_paid: 10_223 });
  });

  test('where midnight comes between the look and the charge', async () => {
    const { id } = await lateBill(10);
    const tomorrow = civilDay(isoDate(now())).to;
    scene.api.clock.advance(tomorrow - 1 - now());
    scene.bank.meets('tokenizeCard', async () => scene.api.clock.advance(2));
    await expect(scene.merchant.fatura.invoices.checkout(id, expecting(10_223))).rejects.toEqual(
      refusal('PREVIEW_OUTDATED', { param: 'expected_total' }),
    );
    expect(await scene.chargesAtBank(id)).toEqual([]);
  });

  test('whose charge of yesterday is found approved today has paid what it was charged', async () => {
    const { id } = await lateBill(10);
    const intent = await scene.chargeCard(id, { number: cards.answer_lost });
    scene.api.clock.advance(DAY);
    await scene.reconcile(intent);
    const paid = await scene.invoice(id);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 10_223 });
    expect(linesOf(paid)).toEqual(LATE_10);
  });
});

describe('settings', () => {
  const ABOVE = [
    ['fine_percentage', 2.01],
    ['interest_percentage', 1.01],
  ] as const;
  test.each(ABOVE)('%s above the legal limit is refused, by whatever way it comes', async (field, value) => {
    const lateFees = { ...USUAL, [field]: value };
    await expect(ask(lateFees)).rejects.toEqual(
      refusal('LATE_FEES_ABOVE_LIMIT', { param: `collection_settings.late_fees.${field}` }),
    );
    expect((await scene.merchant.fatura.collectionSettings.retrieve()).late_fees).toEqual(USUAL);
  });

  test.each<[string, object, string]>([
    ['a negative fine', { fine_percentage: -0.01 }, 'fine_percentage'],
    ['three decimals', { interest_percentage: 0.333 }, 'interest_percentage'],
    ['31 days of grace', { grace_days: 31 }, 'grace_days'],
    ['another moment', { collect: 'never' }, 'collect'],
  ])('%s is invalid', async (_, over, field) => {
    await expect(ask({ ...USUAL, ...over })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: `collection_settings.late_fees.${field}` }),
    );
  });

  test('are those of a mode', async () => {
    expect((await scene.merchant.live.collectionSettings.retrieve()).late_fees).toBeNull();
  });
});
