import { expect, test } from 'vitest';
import { performDue } from '../../../../server/subscriptions/billing/due.ts';
import { cards, payByCard } from '../../../support/cards.ts';
import { mailsOf } from '../../../support/mails.ts';
import { rolesOf } from '../../../support/roles.ts';
import { PAID } from '../../payments/payment-scene.ts';
import { CardRetryScene } from './card-retry-scene.ts';

const DAY = 86_400;
const scene = new CardRetryScene();

/** What is asked of a subscription while its row is held comes behind the replacement of its card. */
async function behindReplacement<T>(id: string, work: () => Promise<T>): Promise<T> {
  const holder = await rolesOf(scene.deps.pool).superuser.connect();
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

test('regression-13-the QR code of a buyer outlives a scheduled charge that is not made', async () => {
  const { id, older, younger } = await scene.twoOpen();
  const paid = await scene.checkoutByPix(older);
  const { txid } = await scene.checkoutByPix(younger);
  await scene.payPix(paid.intent);
  expect(await scene.subscriptions.retrieve(id)).toMatchObject({ payment_method_type: 'pix' });
  expect(await scene.pass(id, DAY)).toEqual(['not_due', 'mark_overdue']);
  expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['active', 'ATIVA']);
  expect(await scene.chargesAtBank(younger)).toHaveLength(1);
});

test('regression-14-a renewal whose subscriber went over to PIX is reminded of', async () => {
  const { id, older, younger } = await scene.twoOpen();
  await scene.payPix((await scene.checkoutByPix(older)).intent);
  await scene.pass(id, 8 * DAY);
  expect((await mailsOf(scene.api, younger)).flatMap(({ step }) => step ?? [])).toEqual([3, 7]);
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
  expect((await mailsOf(scene.api, invoice)).flatMap(({ step }) => step ?? [])).toEqual([-3]);
});

test('regression-26-a renewal whose subscriber went over to PIX promises no attempt by card', async () => {
  const { id, older, younger } = await scene.twoOpen();
  await scene.payPix((await scene.checkoutByPix(older)).intent);
  expect(await scene.intentsOf(younger)).toMatchObject([{ status: 'failed', next_attempt: null }]);
  await scene.replaceCard(id);
  expect(await scene.intentsOf(younger)).toMatchObject([{ next_attempt: await scene.nextChargeOf(younger) }]);
});
