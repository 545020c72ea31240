import { expect, test } from 'vitest';
import { performDue } from '../../../server/subscriptions/billing/due.ts';
import { runBilling } from '../../../server/subscriptions/billing/run.ts';
import { collectionStanding } from '../../../server/subscriptions/collection/case.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { mailsOf } from '../../support/mails.ts';
import { leaveUnpaid } from '../../support/subscriptions.ts';
import { PAID, refusal } from '../payments/payment-scene.ts';
import { CardRetryScene } from './renewals/card-retry-scene.ts';

const DAY = 86_400;
const scene = new CardRetryScene();

/** What is asked of a subscription while its row is held comes behind the replacement of its card. */
async function behindReplacement<T>(id: string, work: () => Promise<T>): Promise<T> {
  const holder = await scene.deps.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM subscription WHERE id = $1 FOR UPDATE', [id]);
    const replaced = scene.replaceCard(id, cards.elo);
    await scene.lockWaiters(1);
    const done = work();
    await scene.lockWaiters(2);
    await holder.query('COMMIT');
    await replaced;
    return await done;
  } finally {
    holder.release();
  }
}

const chargedBrands = async (invoice: string) => (await scene.attemptsOf(invoice)).map(({ brand }) => brand);

/** The open invoices of a weekly subscription a week after the first of them was left unpaid, oldest first. */
async function twoOpen(): Promise<{ id: string; older: string; younger: string; at: number }> {
  const { id } = await scene.subscribeUnfunded({ interval: 'week' });
  const { id: older } = await scene.renew(id);
  const at = scene.now();
  const { id: younger } = await scene.renew(id);
  return { id, older, younger, at };
}

const statusesByCycle = async (id: string) =>
  (await scene.cycles(id)).invoices.map(([cycle, status]) => [cycle, status]);

test('regression-9-a renewal that waits for the replacement of its card is charged with the new one', async () => {
  const { id } = await scene.subscribeByCard();
  await scene.untilDue(id);
  expect(await behindReplacement(id, () => performDue(scene.deps, id))).toBe('approved');
  const { latest_invoice: invoice } = await scene.subscriptions.retrieve(id);
  expect(await chargedBrands(invoice ?? '')).toEqual(['elo']);
});

test('regression-10-a retry that waits for the replacement of its card is charged with the new one', async () => {
  const { id, invoice } = await scene.renewal();
  scene.api.clock.advance(DAY);
  expect(await behindReplacement(id, () => scene.perform(invoice))).toBe('charge');
  expect(await chargedBrands(invoice)).toEqual(['visa', 'elo']);
  expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
});

test('regression-11-a charge that is due as another card is stored is made with that card', async () => {
  const renewed = await scene.renewal();
  const last = renewed.at + 7 * DAY;
  await scene.toldUntil(renewed, 6);
  scene.api.clock.advance(last - scene.now());
  expect(await scene.nextChargeOf(renewed.invoice)).toBe(last);
  await scene.replaceCard(renewed.id, cards.mastercard);
  expect(await scene.nextChargeOf(renewed.invoice)).toBe(last);
  expect(await scene.told(renewed.id, () => scene.perform(renewed.invoice))).toEqual([
    'payment_intent.processing',
    ...PAID,
  ]);
});

test('regression-12-a charge of a forgiven invoice that is declined no longer holds up the end of the subscription', async () => {
  const { id, invoice: forgiven } = await scene.renewal();
  await scene.fatura.invoices.markUncollectible(forgiven);
  await leaveUnpaid(scene.collected(id));
  await scene.subscriptions.reactivate(id);
  await scene.untilDue(id);
  scene.failpoints.meanwhile('card.after-charge', async () => {
    expect(await performDue(scene.deps, id)).toBe('postponed');
  });
  const declined = payByCard(scene.merchant, forgiven, { number: cards.insufficient_funds });
  await expect(declined).rejects.toEqual(refusal('CARD_DECLINED'));
  expect(await scene.pass(id, DAY)).toEqual(['ended']);
  expect(await scene.status(id)).toBe('inactive');
});

test('regression-13-the QR code of a buyer outlives a scheduled charge that is not made', async () => {
  const { id, older, younger } = await twoOpen();
  const paid = await scene.checkoutByPix(older);
  const { txid } = await scene.checkoutByPix(younger);
  await scene.payPix(paid.intent);
  expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix' });
  expect(await scene.pass(id, DAY)).toEqual(['not_due', 'mark_overdue']);
  expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['active', 'ATIVA']);
  expect(await scene.chargesAtBank(younger)).toHaveLength(1);
});

test('regression-14-a renewal whose subscriber went over to PIX is reminded of', async () => {
  const { id, older, younger } = await twoOpen();
  await scene.payPix((await scene.checkoutByPix(older)).intent);
  await scene.pass(id, 8 * DAY);
  expect((await mailsOf(scene.api, younger)).map(({ step }) => step)).toEqual([3, 7]);
});

test('regression-15-of one subscription at one instant a renewal is charged before another suspends it', async () => {
  const { id, older, younger, at } = await twoOpen();
  await scene.pass(id, at + 10 * DAY - 1 - scene.now());
  await scene.issuerAnswers({ id }, 'approved');
  scene.api.clock.advance(1);
  expect(await collectionStanding(scene.deps, id)).toMatchObject({ kind: 'charge', invoiceId: younger });
  await scene.perform(younger);
  expect(await collectionStanding(scene.deps, id)).toMatchObject({ kind: 'suspend', invoiceId: older });
  await scene.perform(older);
  expect(await statusesByCycle(id)).toEqual([
    [1, 'paid'],
    [2, 'open'],
    [3, 'paid'],
  ]);
  expect(await scene.status(id)).toBe('suspended');
});

test('regression-16-a suspension by a younger invoice leaves the oldest to be paid', async () => {
  const { id } = await scene.subscribeUnfunded({ interval: 'week' });
  await scene.withDays('suspend_days = 29', async () => {
    await scene.renew(id);
    await scene.renew(id);
  });
  await scene.suspend(id);
  expect(await statusesByCycle(id)).toEqual([
    [1, 'paid'],
    [2, 'open'],
    [3, 'void'],
    [4, 'void'],
  ]);
});

test('regression-17-a payment by PIX whose notice was lost is asked about before it suspends the subscription', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { id: invoice, payment_intent: intent } = await scene.renew(id);
  await scene.payPixUnheard(intent ?? '');
  const told = await scene.told(id, () => scene.pass(id, 13 * DAY));
  expect(told.slice(-2)).toEqual(PAID);
  expect(await scene.status(id)).toBe('active');
  expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
});

test('regression-18-a bill that the bank made no QR code for gets it with its next reminder', async () => {
  const { id } = await scene.subscribePaidByPix();
  scene.bank.meets('createPix', 'unreachable');
  const { id: invoice } = await scene.renew(id);
  const qrCodes = () => scene.rows('SELECT state FROM pix_charge WHERE invoice_id = $1', invoice);
  expect(await qrCodes()).toEqual([{ state: 'creating' }]);
  scene.bank.recovers();
  await scene.pass(id, 3 * DAY);
  expect(await qrCodes()).toEqual([{ state: 'active' }]);
  expect((await mailsOf(scene.api, invoice)).map(({ step }) => step)).toEqual([-3, 0]);
});

test('regression-22-a suspension whose case is late comes before the cycle of its instant', async () => {
  const { id } = await scene.subscribeUnfunded({ interval: 'day' });
  await scene.renew(id);
  const at = scene.now();
  await scene.pass(id, 10 * DAY - 1);
  await scene.issuerAnswers({ id }, 'approved');
  scene.api.clock.advance(at + 10 * DAY - scene.now());
  await runBilling(scene.deps, { told: () => {} });
  expect(await scene.status(id)).toBe('suspended');
  expect((await scene.cycles(id)).cycle).toBe(11);
});

test('regression-23-a subscription with a month of unpaid QR codes is cancelled at the first try', async () => {
  const { id } = await scene.subscribePaidByPix({ interval: 'day' });
  await scene.withDays('suspend_days = 40, cancel_days = 60', async () => {
    await scene.pass(id, 30 * DAY);
  });
  expect(await scene.openInvoices(id)).toHaveLength(31);
  expect(await scene.subscriptions.cancel(id)).toMatchObject({ status: 'inactive' });
  expect(await scene.openInvoices(id)).toEqual([]);
});

test('regression-24-a bill by PIX that is open as its buyer pays another by card is charged as its period begins', async () => {
  const { id } = await scene.subscribePaidByPix({ interval: 'week' });
  const { id: older } = await scene.renew(id);
  const { id: younger, due_at: dueAt } = await scene.renew(id);
  await payByCard(scene.merchant, older, { number: cards.elo });
  await scene.pass(id, dueAt - scene.now());
  expect(await scene.invoice(younger)).toMatchObject({ status: 'paid' });
  expect(await chargedBrands(younger)).toEqual(['elo']);
});

test('regression-25-a bill by PIX whose subscriber gave a card is not reminded of any more', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { id: invoice } = await scene.renew(id);
  await scene.pass(id, DAY);
  await scene.replaceCard(id, cards.renewals_declined);
  await scene.pass(id, 8 * DAY);
  expect((await mailsOf(scene.api, invoice)).map(({ step }) => step)).toEqual([-3]);
});

test('regression-26-a renewal whose subscriber went over to PIX promises no attempt by card', async () => {
  const { id, older, younger } = await twoOpen();
  await scene.payPix((await scene.checkoutByPix(older)).intent);
  expect(await scene.intentsOf(younger)).toMatchObject([{ status: 'failed', next_attempt: null }]);
  await scene.replaceCard(id);
  expect(await scene.intentsOf(younger)).toMatchObject([{ next_attempt: await scene.nextChargeOf(younger) }]);
});

test('regression-27-a payment by PIX whose notice was lost is asked about before its bill is told overdue', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { payment_intent: intent } = await scene.renew(id);
  await scene.payPixUnheard(intent ?? '');
  const told = await scene.told(id, () => scene.pass(id, 5 * DAY));
  expect(told).toEqual(['subscription.period_started', ...PAID]);
});
