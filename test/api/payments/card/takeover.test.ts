import { describe, expect, test } from 'vitest';
import { pixExpiryStep } from '../../../../server/payments/pix/ending.ts';
import { cards } from '../../../support/cards.ts';
import { CREATED, DECLINED, PAID, PaymentScene, refusal, SENT, SURPLUS } from '../payment-scene.ts';

const DAY = 86_400;
const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

const scene = new PaymentScene();

/** Nobody asked the acquirer for money, and the buyer's QR code is what it was. */
const uncharged = async (invoice: string) => {
  expect(scene.bank.calls).not.toContain('chargeCard');
  expect(await scene.attemptsOf(invoice)).toEqual([]);
};

describe('a card takes over', () => {
  test('from a QR code, which is ended at the bank before the card is charged', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.recovers();
    const now = scene.api.clock.now();
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid', payment_method: { type: 'card' } });
    expect(scene.bank.calls).toEqual(['tokenizeCard', 'expirePix', 'chargeCard']);
    expect(await scene.intent(intent)).toMatchObject({
      status: 'discarded',
      status_transitions: { discarded_at: now, paid_at: null },
    });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
    expect(await scene.events(invoice)).toEqual([
      CREATED,
      'payment_intent.created',
      'payment_intent.discarded',
      ...SENT,
      ...PAID,
    ]);
    expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['ended', REMOVED]);
    expect(await scene.casesOf(txid)).toEqual([]);
  });

  test('from a QR code that cannot be paid any more; what is paid all the same goes back', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payByCard(invoice);
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INVALID_STATE', { status: 409 }));
    const paid = await scene.invoice(invoice);
    expect(await scene.payPix(intent, 'paid_late')).toMatchObject({ id: intent, status: 'discarded' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding']);
    expect(await scene.invoice(invoice)).toEqual(paid);
    expect((await scene.events(invoice)).slice(-5)).toEqual([...PAID, ...SURPLUS]);
  });

  test('from a QR code past its end', async () => {
    const { invoice } = await scene.openPix();
    scene.api.clock.advance(DAY);
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
  });

  test('from a QR code that the bank never made', async () => {
    const invoice = await scene.newInvoice();
    scene.bank.meets('createPix', 'unreachable');
    await expect(scene.checkoutByPix(invoice)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    scene.bank.recovers();
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
  });

  test('from a declined card', async () => {
    const invoice = await scene.newInvoice();
    const failed = await scene.chargeCard(invoice, { number: cards.issuer_declined });
    scene.bank.recovers();
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(scene.bank.calls).toEqual(['tokenizeCard', 'chargeCard']);
    expect(await scene.intent(failed)).toMatchObject({ status: 'discarded', decline_reason: 'issuer_declined' });
    expect(await scene.events(invoice)).toEqual([
      CREATED,
      ...SENT,
      ...DECLINED,
      'payment_intent.discarded',
      ...SENT,
      ...PAID,
    ]);
  });

  test('again and again, each time with a charge of its own', async () => {
    const invoice = await scene.newInvoice();
    for (const number of [cards.insufficient_funds, cards.suspected_fraud, cards.approved])
      await scene.chargeCard(invoice, { number });
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(3);
  });
});

describe('a QR code takes over', () => {
  test('from a declined card, and is paid', async () => {
    const invoice = await scene.newInvoice();
    await scene.chargeCard(invoice, { number: cards.issuer_declined });
    const { intent } = await scene.checkoutByPix(invoice);
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid', attempts: 1, payment_method_type: 'pix' });
    expect(await scene.events(invoice)).toEqual([
      CREATED,
      ...SENT,
      ...DECLINED,
      'payment_intent.discarded',
      'payment_intent.created',
      ...PAID,
    ]);
  });
});

describe('a card checkout of an invoice whose PIX', () => {
  test('was paid and not told yet settles that, is refused, and charges nothing', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPixUnheard(intent);
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(await scene.events(invoice)).toEqual([CREATED, 'payment_intent.created', ...PAID]);
    await uncharged(invoice);
  });

  test('was confirmed and not told yet is refused, and the PIX settles later', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    await scene.payPixUnheard(intent, 'confirmed_not_settled');
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(await scene.intent(intent)).toMatchObject({ status: 'pending' });
    expect(await scene.casesOf(txid)).toContain('pix-settlement');
    await uncharged(invoice);
    expect(await scene.payPix(intent)).toMatchObject({ status: 'paid' });
    expect(await scene.qrState(txid)).toBe('ended');
  });

  test('is confirmed and not settled is refused before the acquirer sees the card', async () => {
    const { invoice, intent } = await scene.openPix();
    await scene.payPix(intent, 'confirmed_not_settled');
    scene.bank.recovers();
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PIX_PAYMENT_CONFIRMED', { status: 409 }));
    expect(scene.bank.calls).toEqual([]);
    await scene.payPix(intent);
  });

  test('is paid between the end of the QR code and the charge is not charged', async () => {
    const { invoice, intent } = await scene.openPix();
    scene.failpoints.meanwhile('ending.after-acquirer', () => scene.payPix(intent, 'paid_late'));
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('INVOICE_NOT_OPEN', { status: 409 }));
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    await uncharged(invoice);
  });
});

describe('while the bank cannot be told to end the QR code', () => {
  for (const trouble of ['unreachable', 'answer_lost', 'request_lost', 'fault'] as const) {
    test(`(${trouble}) nothing is charged; the next PIX checkout ends it and makes another`, async () => {
      const { invoice, intent, txid } = await scene.openPix();
      scene.bank.meets('expirePix', trouble);
      await expect(scene.payByCard(invoice)).rejects.toEqual(
        refusal('ACQUIRER_UNAVAILABLE', { status: 503, message: expect.stringContaining('nothing happened') }),
      );
      await uncharged(invoice);
      expect(await scene.intent(intent)).toMatchObject({ status: 'pending' });
      expect(await scene.events(invoice)).toEqual([CREATED, 'payment_intent.created']);
      expect(await scene.qrState(txid)).toBe('retiring');
      await expect(scene.checkoutByPix(invoice)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE', { status: 503 }));
      scene.bank.recovers();
      const second = await scene.checkoutByPix(invoice);
      expect(second.txid).not.toBe(txid);
      expect([await scene.qrState(txid), await scene.cobStatus(txid)]).toEqual(['ended', REMOVED]);
      expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'pending']);
    });
  }

  test('nothing is charged; a card once the bank is back is', async () => {
    const { invoice, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    scene.bank.recovers();
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.cobStatus(txid)).toBe(REMOVED);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('and nobody comes back, its case ends it, and it is paid late all the same', async () => {
    const { invoice, intent, txid } = await scene.openPix();
    scene.bank.meets('expirePix', 'unreachable');
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('ACQUIRER_UNAVAILABLE'));
    expect(await scene.casesOf(txid)).toEqual(['pix-expiry']);
    scene.bank.recovers();
    expect(await pixExpiryStep(scene.deps, txid)).toEqual({ done: true });
    expect(await scene.cobStatus(txid)).toBe(REMOVED);
    expect(await scene.payPix(intent, 'paid_late')).toMatchObject({ status: 'paid' });
    expect(await scene.invoice(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
  });
});

describe('a QR code that another checkout made between the end of the first and the charge', () => {
  test('is ended as well, and the card is charged once', async () => {
    const first = await scene.openPix();
    const { invoice } = first;
    let second = first;
    scene.failpoints.meanwhile('ending.after-acquirer', async () => {
      second = await scene.checkoutByPix(invoice);
    });
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(second.txid).not.toBe(first.txid);
    expect([await scene.cobStatus(first.txid), await scene.cobStatus(second.txid)]).toEqual([REMOVED, REMOVED]);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'discarded', 'paid']);
    expect(scene.bank.calls.filter((call) => call === 'chargeCard')).toHaveLength(1);
    expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
  });

  test('is ended as well; a third one sends the caller back, uncharged, and stands', async () => {
    const { invoice } = await scene.openPix();
    let third = { intent: '', txid: '' };
    scene.failpoints.meanwhile('ending.after-acquirer', async () => {
      await scene.checkoutByPix(invoice);
      scene.failpoints.meanwhile('ending.after-acquirer', async () => {
        third = await scene.checkoutByPix(invoice);
      });
    });
    await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
    await uncharged(invoice);
    expect([await scene.qrState(third.txid), await scene.cobStatus(third.txid)]).toEqual(['active', 'ATIVA']);
    expect(await scene.payPix(third.intent)).toMatchObject({ status: 'paid' });
  });

  test('where none stood before, is ended and the card is charged', async () => {
    const invoice = await scene.newInvoice();
    let made = { txid: '' };
    scene.failpoints.meanwhile('card.after-tokenize', async () => {
      made = await scene.checkoutByPix(invoice);
    });
    expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
    expect(await scene.cobStatus(made.txid)).toBe(REMOVED);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid']);
  });
});

describe('a card checkout that ends before its charge', () => {
  for (const step of ['card.after-tokenize', 'ending.after-retiring', 'ending.after-acquirer'] as const) {
    test(`(${step}) charged nothing and stands in nobody's way`, async () => {
      const { invoice } = await scene.openPix();
      scene.failpoints.crashAt(step);
      await expect(scene.payByCard(invoice)).rejects.toEqual(refusal('INTERNAL_ERROR', { status: 500 }));
      await uncharged(invoice);
      expect(await scene.events(invoice)).toEqual([CREATED, 'payment_intent.created']);
      expect(await scene.payByCard(invoice)).toMatchObject({ status: 'paid' });
      expect(await scene.chargesAtBank(invoice)).toHaveLength(1);
    });
  }
});
