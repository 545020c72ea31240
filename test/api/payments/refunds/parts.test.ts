import { expect, test } from 'vitest';
import { REFUND_PARTS_MAX } from '../../../../server/payments/rules.ts';
import { refusal } from '../payment-scene.ts';
import { RefundScene } from './refund-scene.ts';

const scene = new RefundScene();

const SETTLED_AFTER = 5;
/** More steps than the parts of one refund need. */
const STEPS_MAX = 2_000;

test('a refund of as many parts as there may be is made by the bank, part by part; one more is refused', async () => {
  const sale = await scene.soldByPix(REFUND_PARTS_MAX + 50);
  for (let made = 0; made < REFUND_PARTS_MAX; made += 1) await scene.refund(sale, { amount: 1 });
  await expect(scene.refund(sale, { amount: 1 })).rejects.toEqual(
    refusal('INVALID_STATE', { status: 409, message: expect.stringContaining(`${REFUND_PARTS_MAX} parts`) }),
  );
  let step = await scene.settle(sale);
  for (let steps = 1; !step.done && steps < STEPS_MAX; steps += 1) {
    scene.api.clock.advance(SETTLED_AFTER);
    step = await scene.settle(sale);
  }
  expect(step).toEqual({ done: true });
  const refund = await scene.merchant.fatura.refunds.retrieve(sale.intent);
  expect(refund).toMatchObject({ amount: REFUND_PARTS_MAX, status: 'refunded' });
  expect(await scene.merchant.fatura.paymentIntents.retrieve(sale.intent)).toMatchObject({
    status: 'paid',
    amount_refunded: REFUND_PARTS_MAX,
  });
});
