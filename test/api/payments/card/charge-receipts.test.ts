import { describe, expect, test } from 'vitest';
import { pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { refundSettlementStep } from '../../../../server/payments/refunds/settlement.ts';
import { cards } from '../../../support/cards.ts';
import { CREATED, DECLINED, type OpenPix, PAID, PaymentScene, refusal, SENT, SURPLUS } from '../payment-scene.ts';

const scene = new PaymentScene();

/** A QR code that a card took over from; what became of that card's charge nobody knows. */
async function chargedMeanwhile(
  number: string = cards.approved,
  trouble: 'answer_lost' | 'request_lost' = 'answer_lost',
): Promise<{ pix: OpenPix; invoice: string; charge: string }> {
  const pix = await scene.openPix();
  scene.bank.meets('chargeCard', trouble);
  const charge = await scene.chargeCard(pix.invoice, { number });
  scene.bank.recovers();
  return { pix, invoice: pix.invoice, charge };
}

const receiptsOf = (invoice: string) =>
  scene.rows('SELECT intent_id, amount FROM pix_receipt WHERE invoice_id = $1 ORDER BY id', invoice);

/** Up to the charge by card that took over. */
const TAKEN_OVER = [CREATED, 'payment_intent.created', 'payment_intent.discarded', ...SENT];
const NEW_CHARGE = ['payment_intent.discarded', 'payment_intent.created', ...PAID];

describe('a PIX that comes while the card is at the acquirer', () => {
  test('is only stored: its invoice, its charge and the one at the acquirer stay as they were', async () => {
    const { pix, invoice, charge } = await chargedMeanwhile();
    const before = await scene.books(invoice);
    expect(await scene.payPix(pix.intent, 'paid_late')).toMatchObject({ id: pix.intent, status: 'discarded' });
    expect(await receiptsOf(invoice)).toEqual([{ intent_id: null, amount: 9990 }]);
    const after = await scene.books(invoice);
    expect({ ...after, receipts: [] }).toEqual(before);
    expect(await scene.casesOf(pix.txid)).toEqual(['pix-settlement']);
    expect(await pixSettlementStep(scene.deps, pix.txid)).toMatchObject({ done: false, status: 'charge in process' });
    expect(await scene.reconcile(charge)).toEqual({ done: true });
  });

  test('goes back when the card was approved', async () => {
    const { pix, invoice, charge } = await chargedMeanwhile();
    await scene.payPix(pix.intent, 'paid_late');
    expect(await scene.reconcile(charge)).toEqual({ done: true });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding']);
    const surplus = (await scene.intentsOf(invoice)).at(-1)?.id ?? '';
    expect(await receiptsOf(invoice)).toEqual([{ intent_id: surplus, amount: 9990 }]);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: charge, amount_paid: 9990 });
    expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...PAID, ...SURPLUS]);
    await refundSettlementStep(scene.deps, surplus);
    scene.api.clock.advance(5);
    expect(await refundSettlementStep(scene.deps, surplus)).toEqual({ done: true });
    expect(await scene.intent(surplus)).toMatchObject({ status: 'refunded', amount_refunded: 9990 });
    expect(await scene.invoice(invoice)).toMatchObject({ amount_refunded: 0 });
  });

  const comingToNothing = [
    ['declined', cards.insufficient_funds, 'answer_lost', 'insufficient_funds'],
    ['never charged', cards.approved, 'request_lost', 'processing_error'],
  ] as const;
  for (const [outcome, number, trouble, reason] of comingToNothing) {
    test(`settles the invoice by a charge of its own when the card was ${outcome}`, async () => {
      const { pix, invoice, charge } = await chargedMeanwhile(number, trouble);
      await scene.payPix(pix.intent, 'paid_late');
      await scene.passDeadline(charge);
      expect(await scene.reconcile(charge)).toEqual({ done: true });
      const now = scene.api.clock.now();
      const settling = (await scene.intentsOf(invoice)).at(-1)?.id ?? '';
      expect(await scene.intentsOf(invoice)).toMatchObject([
        { id: pix.intent, status: 'discarded' },
        { id: charge, status: 'discarded', decline_reason: reason, status_transitions: { discarded_at: now } },
        { id: settling, status: 'paid', payment_method_type: 'pix', attempts: 1, amount: 9990 },
      ]);
      expect(await receiptsOf(invoice)).toEqual([{ intent_id: settling, amount: 9990 }]);
      expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: settling });
      expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...DECLINED, ...NEW_CHARGE]);
    });
  }

  test('and comes twice, goes back twice when the card was approved', async () => {
    const { pix, invoice, charge } = await chargedMeanwhile();
    await scene.payPix(pix.intent, 'paid_late');
    await scene.payPix(pix.intent, 'paid_late');
    expect(await receiptsOf(invoice)).toEqual(Array(2).fill({ intent_id: null, amount: 9990 }));
    await scene.reconcile(charge);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding', 'refunding']);
    expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...PAID, ...SURPLUS, ...SURPLUS]);
  });

  test('and comes twice, settles once and goes back once when the card was declined', async () => {
    const { pix, invoice, charge } = await chargedMeanwhile(cards.issuer_declined);
    await scene.payPix(pix.intent, 'paid_late');
    await scene.payPix(pix.intent, 'paid_late');
    await scene.reconcile(charge);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid', 'refunding']);
    const intents = await scene.intentsOf(invoice);
    expect((await receiptsOf(invoice)).map(({ intent_id: id }) => id)).toEqual(intents.slice(2).map(({ id }) => id));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intents[2]?.id });
    expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...DECLINED, ...NEW_CHARGE, ...SURPLUS]);
  });

  test('and comes by two QR codes, settles by the first and sends the second back when the card was declined', async () => {
    const first = await scene.openPix();
    scene.api.clock.advance(86_400);
    const second = await scene.checkoutByPix(first.invoice);
    scene.bank.meets('chargeCard', 'answer_lost');
    const charge = await scene.chargeCard(first.invoice, { number: cards.issuer_declined });
    scene.bank.recovers();
    await scene.payPix(second.intent, 'paid_late');
    await scene.payPix(first.intent, 'paid_late');
    await scene.reconcile(charge);
    const statuses = ['discarded', 'discarded', 'discarded', 'paid', 'refunding'];
    expect(await scene.statusesOf(first.invoice)).toEqual(statuses);
    for (const { txid } of [first, second]) {
      expect(await pixSettlementStep(scene.deps, txid)).toEqual({ done: true });
      expect(await scene.casesOf(txid)).toEqual([]);
    }
    expect(await scene.statusesOf(first.invoice)).toEqual(statuses);
  });

  test('leaves its own case nothing to do once the card is decided', async () => {
    const { pix, invoice, charge } = await chargedMeanwhile(cards.issuer_declined);
    await scene.payPix(pix.intent, 'paid_late');
    await scene.reconcile(charge);
    const before = await scene.books(invoice);
    expect(await pixSettlementStep(scene.deps, pix.txid)).toEqual({ done: true });
    expect(await scene.casesOf(pix.txid)).toEqual([]);
    expect(await scene.books(invoice)).toEqual(before);
  });

  test('pays an uncollectible invoice whose card was declined', async () => {
    const { id: invoice } = await scene.merchant.fatura.invoices.markUncollectible(await scene.newInvoice());
    const pix = await scene.checkoutByPix(invoice);
    scene.bank.meets('chargeCard', 'answer_lost');
    const charge = await scene.chargeCard(invoice, { number: cards.issuer_declined });
    scene.bank.recovers();
    await scene.payPix(pix.intent, 'paid_late');
    await scene.reconcile(charge);
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', amount_paid: 9990 });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
  });
});

describe('a PIX that comes during the very call to the acquirer', () => {
  const paidDuringCall = async (number: string) => {
    const pix = await scene.openPix();
    scene.bank.meets('chargeCard', () => scene.payPix(pix.intent, 'paid_late').then(() => {}));
    return { ...pix, answer: () => scene.payByCard(pix.invoice, { number }) };
  };

  test('goes back, and the card that was approved is answered', async () => {
    const { invoice, answer } = await paidDuringCall(cards.approved);
    expect(await answer()).toMatchObject({ status: 'paid', amount_paid: 9990, payment_method: { type: 'card' } });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding']);
    expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...PAID, ...SURPLUS]);
  });

  test('settles the invoice, and the card is answered as declined', async () => {
    const { invoice, answer } = await paidDuringCall(cards.issuer_declined);
    await expect(answer()).rejects.toEqual(refusal('CARD_DECLINED', { declineReason: 'issuer_declined' }));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
    expect(await scene.events(invoice)).toEqual([...TAKEN_OVER, ...DECLINED, ...NEW_CHARGE]);
  });
});
