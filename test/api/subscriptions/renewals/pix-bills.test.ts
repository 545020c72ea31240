import { expect, test } from 'vitest';
import { mailsOf } from '../../../support/mails.ts';
import { PAID } from '../../payments/payment-scene.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

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

test('regression-27-a payment by PIX whose notice was lost is asked about before its bill is told overdue', async () => {
  const { id } = await scene.subscribePaidByPix();
  const { payment_intent: intent } = await scene.renew(id);
  await scene.payPixUnheard(intent ?? '');
  const told = await scene.told(id, () => scene.pass(id, 5 * DAY));
  expect(told).toEqual(['subscription.period_started', ...PAID]);
});
