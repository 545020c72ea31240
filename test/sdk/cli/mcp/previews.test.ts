import { describe, expect, test } from 'vitest';
import { exampleId } from '../../../../contract/kernel.ts';
import { INVOICE, PAYMENT, refusal, startSession } from './scripted.ts';

const done = [201, {}] as const;
const SUBSCRIPTION = exampleId('sub');
const CUSTOMER = exampleId('cus');
const PRICE = exampleId('price');

describe('the checkout of a subscription', () => {
  const byPix = { id: SUBSCRIPTION, payment_method_type: 'pix' };
  const newest = { id: 'in_newest', customer_name: 'Maria', total: 5_000, amount_remaining: 5_000 };
  const oldest = { id: 'in_oldest', customer_name: 'Maria', total: 7_000, amount_remaining: 7_000 };
  const readsOf = (status: string, open: object[]) => () => ({
    [`/subscriptions/${SUBSCRIPTION}`]: { id: SUBSCRIPTION, status, latest_invoice: INVOICE },
    '/invoices': { object: 'list', data: open, has_more: false },
  });

  test('regression-151-shows and counts the oldest open invoice, which is the one that is charged', async () => {
    const { call } = startSession({ answers: [done], reads: readsOf('suspended', [newest, oldest]) });
    expect(await call('subscriptions_checkout', byPix)).toMatchObject({
      confirmation_needed: expect.stringContaining('Charge invoice in_oldest of "Maria", R$ 70,00'),
      amount: 7_000,
    });
  });

  test.each([
    ['no invoice is open', 'suspended', []],
    ['it waits for no payment', 'active', [newest]],
  ])('regression-151-is refused where %s', async (_, status, open) => {
    const { writes, call } = startSession({ answers: [done], reads: readsOf(status, open) });
    const { error } = await call('subscriptions_checkout', byPix);
    expect([error.code, writes]).toEqual(['SUBSCRIPTION_NOT_PENDING', []]);
  });
});

test('regression-152-a subscription is made after a yes: its buyer is written to', async () => {
  const reads = () => ({
    [`/customers/${CUSTOMER}`]: { id: CUSTOMER, name: 'Maria' },
    [`/prices/${PRICE}`]: { id: PRICE, unit_amount: 9_990, recurring: { interval: 'month', interval_count: 1 } },
  });
  const { writes, call, confirm } = startSession({ answers: [done], reads });
  const args = { customer_id: CUSTOMER, price_id: PRICE, quantity: 2, external_code: 'a-7' };
  const { confirmation_needed } = await call('subscriptions_create', args);
  expect(confirmation_needed).toBe(
    `Subscribe "Maria" (${CUSTOMER}) to 2 of R$ 99,90 (price ${PRICE}) each 1 month: {"external_code":"a-7"}. ` +
      'Its first invoice is open at once; the buyer is reminded of later ones by e-mail.',
  );
  expect(writes).toEqual([]);
  await confirm('subscriptions_create', args);
  expect(writes.map(({ body }) => body)).toEqual([{ subscription: args }]);
});

test('regression-153-what is left of a payment is without the parts that are on their way back', async () => {
  const reads = () => ({ [`/refunds/${PAYMENT}`]: { amount: 15_000 } });
  const { call, confirm, writes } = startSession({ answers: [done], reads });
  const { confirmation_needed } = await call('refunds_create', { payment_intent: PAYMENT });
  expect(confirmation_needed).toContain('Return R$ 50,00 of the R$ 50,00 left');
  await confirm('refunds_create', { payment_intent: PAYMENT });
  expect(writes.map(({ body }) => body.refund.amount)).toEqual([5_000]);
});

describe('QR codes of one invoice', () => {
  const byPix = { id: INVOICE, payment_method_type: 'pix' };

  test('regression-154-count once, and another charge of it counts beside them', async () => {
    const { session, writes, confirm } = startSession({ answers: [done], maxAmount: 30_000 });
    for (let call = 0; call < 3; call += 1) await confirm('invoices_checkout', byPix);
    expect(writes).toHaveLength(3);
    expect(session.limits).toContain('R$ 100,00');
    const card = { id: INVOICE, payment_method_type: 'card', test_card: 'approved' };
    expect(await confirm('invoices_checkout', card)).toMatchObject({ error: { code: 'MAX_AMOUNT' } });
  });

  test('count while one of them may be paid, whatever was refused since', async () => {
    const { session, confirm } = startSession({ answers: [done, refusal(422, 'INVALID_STATE')] });
    await confirm('invoices_checkout', byPix);
    await confirm('invoices_checkout', byPix);
    expect(session.limits).toContain('R$ 800,00');
  });
});
