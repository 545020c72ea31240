import { describe, expect, test } from 'vitest';
import { cards, payByCard } from '../../../support/cards.ts';
import { newInvoice, newPrice } from '../../../support/factories.ts';
import { CREATED, PAID, PaymentScene, SENT } from '../payment-scene.ts';

const scene = new PaymentScene();

const brands = [
  ['visa', cards.approved, '4242'],
  ['mastercard', cards.mastercard, '4444'],
  ['amex', cards.amex, '0005'],
  ['elo', cards.elo, '8311'],
  ['hipercard', cards.hipercard, '4001'],
] as const;

/** An invoice whose price allows twelve installments. */
async function installmentInvoice(amount: number) {
  const { id } = await newPrice(scene.merchant, { unit_amount: amount, card_installments_enabled: true });
  return newInvoice(scene.merchant, { line_items: [{ price_id: id, quantity: 1 }] });
}

describe('an approved card', () => {
  for (const [brand, number, last4] of brands) {
    test(`of ${brand} pays the invoice in the answer, which shows its brand and last digits`, async () => {
      const invoice = await newInvoice(scene.merchant, { amount: 9990 });
      const now = scene.api.clock.now();
      const answer = await payByCard(scene.merchant, invoice.id, { number });
      expect(answer).toEqual({
        ...invoice,
        status: 'paid',
        paid: true,
        amount_paid: 9990,
        amount_remaining: 0,
        payment_intent: expect.stringMatching(/^pi_[0-9a-z]{26}$/),
        receipt_url: `${invoice.payment_url}/receipt`,
        status_transitions: { ...invoice.status_transitions, paid_at: now },
        payment_method: {
          id: expect.stringMatching(/^txn_[0-9a-z]{26}$/),
          object: 'payment_method',
          type: 'card',
          pix: null,
          card: { brand, last4 },
          created: now,
        },
      });
      const { payment_method, ...shown } = answer;
      expect(await scene.invoice(invoice.id)).toEqual(shown);
    });
  }

  test('makes one charge of one attempt, which is paid at once', async () => {
    const invoice = await newInvoice(scene.merchant, { amount: 9990 });
    const now = scene.api.clock.now();
    const { payment_intent: id } = await payByCard(scene.merchant, invoice.id);
    expect(await scene.intentsOf(invoice.id)).toEqual([
      {
        id,
        object: 'payment_intent',
        amount: 9990,
        amount_refunded: 0,
        amount_disputed: 0,
        attempts: 1,
        max_attempts: 1,
        next_attempt: null,
        created: now,
        currency: 'brl',
        customer: invoice.customer,
        decline_reason: null,
        due_at: invoice.due_at,
        installments: 1,
        invoice: invoice.id,
        live_mode: false,
        mandate: null,
        payment_method_type: 'card',
        scheduled_for: null,
        status: 'paid',
        status_transitions: {
          scheduled_at: null,
          processing_at: now,
          paid_at: now,
          failed_at: null,
          refunding_at: null,
          refunded_at: null,
          discarded_at: null,
        },
        subscription: null,
      },
    ]);
    expect(await scene.chargesAtBank(invoice.id)).toEqual([{ amount: 9990, installments: 1, outcome: 'approved' }]);
  });

  test('tells each step with the object as it stood then', async () => {
    const invoice = await newInvoice(scene.merchant, { amount: 9990 });
    const paid = await payByCard(scene.merchant, invoice.id);
    const intent = await scene.intent(paid.payment_intent ?? '');
    const never = { ...intent.status_transitions, processing_at: null, paid_at: null };
    const pending = { ...intent, status: 'pending', attempts: 0, status_transitions: never };
    const processing = {
      ...intent,
      status: 'processing',
      status_transitions: { ...never, processing_at: intent.status_transitions.processing_at },
    };
    const { payment_method, ...paidInvoice } = paid;
    expect(await scene.facts(invoice.id)).toEqual([
      { type: 'invoice.created', object: invoice },
      { type: 'payment_intent.created', object: pending },
      { type: 'payment_intent.processing', object: processing },
      { type: 'payment_intent.paid', object: intent },
      { type: 'invoice.paid', object: paidInvoice },
    ]);
  });

  test('leaves nothing to do and no stored card: a token is kept for subscriptions alone', async () => {
    const invoice = await scene.newInvoice();
    const intent = await scene.chargeCard(invoice);
    expect(await scene.casesOf(intent)).toEqual([]);
    expect(await scene.rows('SELECT id FROM payment_method WHERE account_id = $1', scene.merchant.accountId)).toEqual(
      [],
    );
  });

  test('is charged in as many installments as were asked for', async () => {
    const invoice = await installmentInvoice(9990);
    const { payment_intent: intent } = await payByCard(scene.merchant, invoice.id, { installments: 12 });
    expect(await scene.intent(intent ?? '')).toMatchObject({ status: 'paid', installments: 12, amount: 9990 });
    expect(await scene.chargesAtBank(invoice.id)).toEqual([{ amount: 9990, installments: 12, outcome: 'approved' }]);
  });

  test('pays an uncollectible invoice', async () => {
    const { id } = await scene.merchant.fatura.invoices.markUncollectible(await scene.newInvoice());
    scene.api.clock.advance(60);
    expect(await scene.payByCard(id)).toMatchObject({
      status: 'paid',
      amount_paid: 9990,
      status_transitions: { marked_uncollectible_at: scene.api.clock.now() - 60, paid_at: scene.api.clock.now() },
    });
    expect(await scene.events(id)).toEqual([CREATED, 'invoice.marked_uncollectible', ...SENT, ...PAID]);
  });

  test('pays once, however many checkouts come at once', async () => {
    const invoice = await scene.newInvoice();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => scene.payByCard(invoice)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(['PAYMENT_IN_PROGRESS', 'INVOICE_NOT_OPEN']).toContain(result.reason.code);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    expect(await scene.events(invoice)).toEqual([CREATED, ...SENT, ...PAID]);
  });
});
