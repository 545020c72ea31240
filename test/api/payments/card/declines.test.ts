import { describe, expect, test } from 'vitest';
import { CVC, cards } from '../../../support/cards.ts';
import { newInvoice } from '../../../support/factories.ts';
import { send } from '../../requests.ts';
import { CREATED, DECLINED, PAID, PaymentScene, refusal, SENT } from '../payment-scene.ts';

const scene = new PaymentScene();

/** The test cards that are declined, with what stays between the acquirer and us. */
const declines = [
  { reason: 'issuer_declined', code: '05', isReversible: true },
  { reason: 'insufficient_funds', code: '51', isReversible: true },
  { reason: 'expired_card', code: '54', isReversible: false },
  { reason: 'invalid_card_data', code: '14', isReversible: false },
  { reason: 'suspected_fraud', code: '59', isReversible: true },
  { reason: 'processing_error', code: '96', isReversible: true },
] as const;

for (const { reason, code, isReversible } of declines) {
  describe(`a card declined for ${reason}`, () => {
    const number = cards[reason];

    test('is refused with the reason, and the invoice stays open', async () => {
      const invoice = await newInvoice(scene.merchant, { amount: 9990 });
      await expect(scene.payByCard(invoice.id, { number })).rejects.toEqual(
        refusal('CARD_DECLINED', {
          status: 402,
          type: 'card_error',
          declineReason: reason,
          param: null,
          message: `The card was declined: ${reason.replaceAll('_', ' ')}`,
        }),
      );
      const { payment_intent: id } = await scene.invoice(invoice.id);
      expect(await scene.invoice(invoice.id)).toEqual({ ...invoice, payment_intent: id });
      const now = scene.api.clock.now();
      const [intent] = await scene.intentsOf(invoice.id);
      expect(intent).toMatchObject({
        id,
        status: 'failed',
        decline_reason: reason,
        attempts: 1,
        max_attempts: 1,
        next_attempt: null,
        payment_method_type: 'card',
        status_transitions: { processing_at: now, failed_at: now, paid_at: null, discarded_at: null },
      });
      expect(await scene.events(invoice.id)).toEqual([CREATED, ...SENT, ...DECLINED]);
    });

    test('keeps the code of the acquirer and whether it may be tried again to ourselves', async () => {
      const invoice = await scene.newInvoice();
      const intent = await scene.chargeCard(invoice, { number });
      expect(await scene.attemptsOf(invoice)).toEqual([
        {
          status: 'declined',
          decline_reason: reason,
          acquirer_code: code,
          is_reversible: isReversible,
          amount: 9990,
          installments: 1,
          brand: 'visa',
          last4: number.slice(-4),
        },
      ]);
      const shown = JSON.stringify([await scene.intent(intent), ...(await scene.facts(invoice))]);
      expect(shown).not.toContain('reversible');
      expect(shown).not.toContain('acquirer_code');
      expect(shown).not.toContain(`"${code}"`);
    });
  });
}

describe('a declined card', () => {
  test('has its reason in the error body, besides the code', async () => {
    const invoice = await scene.newInvoice();
    const { key, path } = { key: scene.merchant.sandboxKey, path: `/invoices/${invoice}/checkout` };
    const body = {
      payment_method_type: 'card',
      card: { number: cards.insufficient_funds, exp_month: 12, exp_year: 2040, cvc: CVC },
      billing_details: { name: 'MARIA DA SILVA', document: '52998224725' },
    };
    const answer = await send(scene.api, { method: 'POST', path, key, body });
    expect(answer.status).toBe(402);
    expect(answer.body).toEqual({
      error: {
        type: 'card_error',
        code: 'CARD_DECLINED',
        message: 'The card was declined: insufficient funds',
        param: null,
        decline_reason: 'insufficient_funds',
        payment_intent: null,
        request_id: answer.headers.get('Request-Id'),
        doc_url: expect.stringContaining('CARD_DECLINED'),
      },
    });
  });

  test('tells the reason from the decline on, and the new charge has none', async () => {
    const invoice = await scene.newInvoice();
    await scene.chargeCard(invoice, { number: cards.suspected_fraud });
    await scene.payByCard(invoice);
    const told = (await scene.facts(invoice)).map(({ type, object }) => ({ type, ...Object(object) }));
    expect(told.map(({ type, decline_reason: reason }) => [type, reason])).toEqual([
      [CREATED, undefined],
      ['payment_intent.created', null],
      ['payment_intent.processing', null],
      ['payment_intent.failed', 'suspected_fraud'],
      ['invoice.payment_failed', undefined],
      ['payment_intent.discarded', 'suspected_fraud'],
      ['payment_intent.created', null],
      ['payment_intent.processing', null],
      ['payment_intent.paid', null],
      ['invoice.paid', undefined],
    ]);
    expect(told[4]).toMatchObject({ object: 'invoice', status: 'open', payment_intent: told[3]?.id });
  });

  test('on an uncollectible invoice leaves it uncollectible', async () => {
    const { id } = await scene.merchant.fatura.invoices.markUncollectible(await scene.newInvoice());
    await expect(scene.payByCard(id, { number: cards.issuer_declined })).rejects.toEqual(refusal('CARD_DECLINED'));
    expect(await scene.invoice(id)).toMatchObject({ status: 'uncollectible', amount_paid: 0 });
    expect(await scene.events(id)).toEqual([CREATED, 'invoice.marked_uncollectible', ...SENT, ...DECLINED]);
  });

  test('in the place of a QR code leaves that ended, and what is paid by it late settles the invoice', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.chargeCard(invoice, { number: cards.issuer_declined });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'failed']);
    await scene.payPix(intent, 'paid_late');
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
    expect(await scene.events(invoice)).toEqual([
      CREATED,
      'payment_intent.created',
      'payment_intent.discarded',
      ...SENT,
      ...DECLINED,
      'payment_intent.discarded',
      'payment_intent.created',
      ...PAID,
    ]);
  });

  test('leaves no case: its outcome is known', async () => {
    const intent = await scene.chargeCard(await scene.newInvoice(), { number: cards.issuer_declined });
    expect(await scene.casesOf(intent)).toEqual([]);
    expect(await scene.reconcile(intent)).toEqual({ done: true });
  });
});
