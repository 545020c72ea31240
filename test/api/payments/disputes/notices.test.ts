import { describe, expect, test } from 'vitest';
import { changeBehaviour, resetBehaviour } from '../../../../server/payments/acquirer/sandbox/behaviour.ts';
import { newInvoice } from '../../../support/factories.ts';
import { subscribeByPix } from '../../../support/subscriptions.ts';
import { refusal } from '../payment-scene.ts';
import { DisputeScene, GIVEN_BACK, TAKEN } from './dispute-scene.ts';

const scene = new DisputeScene();

describe('a notice of money that was taken', () => {
  test('states its fact once, however often it comes and to however many at once', async () => {
    const sale = await scene.soldByPix();
    await scene.takeUnheard(sale);
    await Promise.all(Array.from({ length: 20 }, () => scene.notice(sale)));
    expect(await scene.notice(sale)).toEqual({ done: true });
    expect(await scene.eventsSince(sale)).toEqual(TAKEN);
    await scene.takeUnheard(sale, 'reversed');
    await Promise.all(Array.from({ length: 20 }, () => scene.notice(sale)));
    expect(await scene.eventsSince(sale)).toEqual([...TAKEN, ...GIVEN_BACK]);
    expect(await scene.disputesOf(sale)).toHaveLength(1);
  });

  test('and of the payment itself is booked in that order', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPixUnheard(intent, 'paid_twice');
    await scene.rows(
      `INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused, natureza)
       SELECT 'D' || end_to_end_id, end_to_end_id, 100, paid_at, paid_at, false, 'MED_OPERACIONAL' FROM sandbox_bank.pix
       WHERE txid = (SELECT id FROM pix_charge WHERE intent_id = $1)`,
      intent,
    );
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid', amount_disputed: 100 });
    expect(await scene.events(invoice)).toEqual([
      'invoice.created',
      'payment_intent.created',
      'payment_intent.paid',
      'invoice.paid',
      'payment_intent.created',
      'payment_intent.paid',
      'payment_intent.refunding',
      ...TAKEN,
      ...TAKEN,
    ]);
    expect(await scene.invoice(invoice)).toMatchObject({ amount_disputed: 100 });
  });

  test('says nothing while the bank has the return in process', async () => {
    const sale = await scene.soldByPix();
    await scene.rows(
      `INSERT INTO sandbox_bank.devolucao (id, end_to_end_id, amount, requested_at, completes_at, refused, natureza)
       SELECT 'D' || id, id, 4000, $2::bigint, $2::bigint + 60, false, 'MED_FRAUDE' FROM pix_receipt WHERE intent_id = $1`,
      sale.intent,
      scene.now,
    );
    expect(await scene.notice(sale)).toEqual({ done: true });
    expect(await scene.disputesOf(sale)).toEqual([]);
    scene.api.clock.advance(60);
    expect(await scene.notice(sale)).toEqual({ done: true });
    expect(await scene.disputeOf(sale)).toMatchObject({ amount: 4000, created: scene.now });
  });

  test.each([
    'settlement.after-booking',
    'settlement.before-settle',
    'settlement.after-returns',
    'settlement.after-settle',
  ] as const)('survives a crash at %s', async (step) => {
    const sale = await scene.soldByPix();
    scene.failpoints.crashAt(step);
    const key = { idempotencyKey: `take-${sale.intent}` };
    await expect(scene.take(sale, 'fraud', key)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.take(sale, 'fraud', key)).toMatchObject({ amount_disputed: 10_000 });
    expect(await scene.disputeOf(sale)).toMatchObject({ amount: 10_000 });
    expect(await scene.eventsSince(sale)).toEqual(TAKEN);
    expect(await scene.casesOf(await scene.txidOf(sale))).toEqual([]);
  });

  test('that the bank does not explain is asked about again', async () => {
    const sale = await scene.soldByPix();
    scene.bank.meets('findPix', 'answer_lost');
    const key = { idempotencyKey: `take-${sale.intent}` };
    await expect(scene.take(sale, 'fraud', key)).rejects.toEqual(refusal('ACQUIRER_TIMEOUT', { status: 504 }));
    expect(await scene.disputesOf(sale)).toEqual([]);
    expect(await scene.casesOf(await scene.txidOf(sale))).toEqual(['pix-settlement']);
    scene.bank.recovers();
    expect(await scene.take(sale, 'fraud', key)).toMatchObject({ amount_disputed: 10_000 });
    expect(await scene.disputesOf(sale)).toHaveLength(1);
  });

  test('comes later where the operator has it so', async () => {
    const sale = await scene.soldByPix();
    const { accountId } = scene.merchant;
    await changeBehaviour(scene.deps.pool, { accountId, call: '*', changes: { notice_delay_seconds: 600 } });
    expect(await scene.take(sale)).toEqual(await scene.intent(sale.intent));
    await resetBehaviour(scene.deps.pool, accountId);
    expect(await scene.disputesOf(sale)).toEqual([]);
    expect(await scene.notice(sale)).toEqual({ done: true });
    expect(await scene.disputesOf(sale)).toHaveLength(1);
  });
});

describe('a request to take money', () => {
  test('takes it once for its key, and once for each of many at once', async () => {
    const sale = await scene.soldByPix();
    const options = { amount: 1000, idempotencyKey: `take-${sale.intent}` };
    const first = await scene.take(sale, 'fraud', options);
    expect(await scene.take(sale, 'fraud', options)).toEqual(first);
    expect(await scene.disputesOf(sale)).toHaveLength(1);
    await Promise.all(Array.from({ length: 9 }, () => scene.take(sale, 'fraud', { amount: 1000 })));
    expect(await scene.disputesOf(sale)).toHaveLength(10);
    expect(await scene.intent(sale.intent)).toMatchObject({ amount_disputed: 10_000 });
  });

  test('is of the sandbox alone, and of its own account', async () => {
    const sale = await scene.soldByPix();
    await scene.take(sale);
    const { id } = await scene.disputeOf(sale);
    const stranger = await scene.api.newMerchant();
    const take = (fatura: typeof stranger.fatura) =>
      fatura.testHelpers.paymentIntents.dispute(sale.intent, { scenario: 'reversed' });
    await expect(take(stranger.fatura)).rejects.toEqual(refusal('RESOURCE_MISSING'));
    await expect(take(scene.merchant.live)).rejects.toEqual(refusal('ENVIRONMENT_MISMATCH'));
    for (const fatura of [stranger.fatura, scene.merchant.live])
      await expect(fatura.disputes.retrieve(id)).rejects.toEqual(refusal('RESOURCE_MISSING', { status: 404 }));
  });
});

test('a subscription goes on as it was, and its events tell of the dispute', async () => {
  const subscription = await subscribeByPix(scene.merchant);
  const invoice = await scene.invoice(subscription.latest_invoice ?? '');
  const sale = { invoice: invoice.id, intent: invoice.payment_intent ?? '' };
  await scene.take(sale);
  const { id } = await scene.disputeOf(sale);
  expect(await scene.merchant.fatura.subscriptions.retrieve(subscription.id)).toEqual(subscription);
  expect(await scene.invoice(invoice.id)).toEqual({ ...invoice, amount_disputed: invoice.total });
  const found = await scene.merchant.fatura.events
    .list({ related_object: subscription.id, type: ['dispute.created'] })
    .page();
  expect(found.data.map((event) => event.data.object.id)).toEqual([id]);
});

test('a dispute is dated by the clock of its account', async () => {
  const now = scene.now + 400 * 86_400;
  const merchant = await scene.api.newMerchant({ clock: now });
  const { intent } = await scene.checkoutByPix((await newInvoice(merchant)).id, merchant);
  const { disputes, testHelpers } = merchant.fatura;
  await testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
  await testHelpers.paymentIntents.dispute(intent, { scenario: 'fraud' });
  expect((await disputes.list().page()).data).toMatchObject([{ created: now, closed_at: now }]);
});

test('an endpoint that asks for disputes is sent them', async () => {
  const { id: endpoint } = await scene.merchant.fatura.webhookEndpoints.create({
    url: 'http://127.0.0.1:9/hook',
    event_types: ['dispute.*'],
  });
  const sale = await scene.soldByPix();
  await scene.take(sale);
  const sent = await scene.rows(
    'SELECT e.type FROM delivery d JOIN event e ON e.day = d.day AND e.id = d.event_id WHERE d.endpoint_id = $1 ORDER BY e.id',
    endpoint,
  );
  expect(sent.map(({ type }) => type)).toEqual(TAKEN);
});

test('a customer with a dispute can be anonymized', async () => {
  const sale = await scene.soldByPix();
  await scene.take(sale);
  const { customer } = await scene.disputeOf(sale);
  expect(await scene.merchant.fatura.customers.anonymize(customer)).toMatchObject({ name: 'Anonimizado' });
});
