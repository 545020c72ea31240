import { expect, test } from 'vitest';
import { pixExpiryStep } from '../../../../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { cards, payByCard } from '../../../support/cards.ts';
import { PaymentScene, refusal } from '../payment-scene.ts';

const scene = new PaymentScene();

const alarms = async (kind: string): Promise<number> => {
  const { values } = await scene.deps.metrics.alarms.get();
  return values.find(({ labels }) => labels.kind === kind)?.value ?? 0;
};

/** The bank of this scene with other answers to some calls, until the work is done. */
async function withBank<T>(changes: object, work: () => Promise<T>): Promise<T> {
  const { acquirers } = scene.deps;
  const { sandbox } = acquirers;
  Object.assign(acquirers, { sandbox: { ...sandbox, ...changes } });
  try {
    return await work();
  } finally {
    Object.assign(acquirers, { sandbox });
  }
}

const broken = () => Promise.reject(Object.assign(new Error('socket hang up'), { config: { data: cards.approved } }));

test('an acquirer that fails to take a card in has done nothing, and what its error holds is told nowhere', async () => {
  const invoice = await scene.newInvoice();
  const refused = refusal('ACQUIRER_UNAVAILABLE', { status: 503 });
  await expect(withBank({ tokenizeCard: broken }, () => payByCard(scene.merchant, invoice))).rejects.toEqual(refused);
  expect(await scene.events(invoice)).toEqual(['invoice.created']);
});

test('an acquirer that fails while it charges leaves the outcome unknown, to be asked for soon', async () => {
  const invoice = await scene.newInvoice();
  const refused = refusal('ACQUIRER_TIMEOUT', { status: 504 });
  await expect(withBank({ chargeCard: broken }, () => payByCard(scene.merchant, invoice))).rejects.toEqual(refused);
  const intent = (await scene.invoice(invoice)).payment_intent ?? '';
  expect(await scene.reconcile(intent)).toMatchObject({ done: false, dueInSeconds: expect.closeTo(2, 0) });
  await scene.passDeadline(intent);
  expect(await scene.reconcile(intent)).toEqual({ done: true });
});

test('an acquirer that approves what it proved never to have charged raises an alarm', async () => {
  const invoice = await scene.newInvoice();
  const before = await alarms('charge_outcome_contradicted');
  const lost = () => payByCard(scene.merchant, invoice, { number: cards.answer_lost, key: `contradicted-${invoice}` });
  await expect(lost()).rejects.toEqual(refusal('ACQUIRER_TIMEOUT'));
  const intent = (await scene.invoice(invoice)).payment_intent ?? '';
  // Both cases look at once: the one that is told the truth comes second.
  await scene.passDeadline(intent);
  const notFound = async () => ({ known: true, value: { status: 'not_found' } });
  scene.failpoints.meanwhile('reconciliation.after-asking', () =>
    withBank({ findCharge: notFound }, () => scene.reconcile(intent)),
  );
  await scene.reconcile(intent);
  expect(await alarms('charge_outcome_contradicted')).toBe(before + 1);
  // What such an acquirer took is for an operator to give back; here it never happened.
  await scene.rows(
    'DELETE FROM sandbox_bank.charge WHERE reference = (SELECT id FROM charge_attempt WHERE intent_id = $1)',
    intent,
  );
});

test('a bank that says "paid" before it shows the payment keeps the card from being charged', async () => {
  const { invoice, intent, txid } = await scene.openPix();
  const nothing = async () => ({ known: true, value: { txid, status: 'concluded', payments: [] } });
  await withBank({ findPix: nothing }, async () => {
    // The buyer pays, and the notice finds nothing yet.
    await scene.payPix(intent);
    await expect(payByCard(scene.merchant, invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(await pixSettlementStep(scene.deps, txid)).toMatchObject({ done: false });
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
  });
  expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
  expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
  await scene.rows(`DELETE FROM outbox WHERE key = $1`, txid);
});

test('a buyer who repeats a payment under its key after the bank was silent pays once', async () => {
  const { invoice, intent } = await scene.openPix();
  const key = `once-${intent}`;
  const pay = () =>
    scene.merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid_late' }, { idempotencyKey: key });
  scene.bank.meets('findPix', 'unreachable');
  for (let tries = 0; tries < 3; tries += 1)
    await expect(pay()).rejects.toEqual(refusal('ACQUIRER_TIMEOUT', { status: 504 }));
  scene.bank.recovers();
  expect(await pay()).toMatchObject({ status: 'paid' });
  const payments = await scene.rows(
    `SELECT p.end_to_end_id FROM sandbox_bank.pix p JOIN pix_charge c ON c.id = p.txid WHERE c.invoice_id = $1`,
    invoice,
  );
  expect(payments).toHaveLength(1);
});

test('many receipts that waited for a charge are decided, some with it and the rest by their cases', async () => {
  const { invoice, intent, txid } = await scene.openPix();
  await payByCard(scene.merchant, invoice, { number: cards.answer_lost }).catch(() => {});
  for (let paid = 0; paid < 13; paid += 1) await scene.payPix(intent, 'paid_late');
  const charged = (await scene.invoice(invoice)).payment_intent ?? '';
  const undecided = () => scene.rows('SELECT id FROM pix_receipt WHERE invoice_id = $1 AND intent_id IS NULL', invoice);
  expect(await undecided()).toHaveLength(13);
  await scene.reconcile(charged);
  expect(await undecided()).toHaveLength(3);
  expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
  expect(await undecided()).toEqual([]);
});
