import { describe, expect, test } from 'vitest';
import { runExpiry } from '../../../server/checkout/run.ts';
import { byCard, cards } from '../../support/cards.ts';
import { refusal } from '../payments/payment-scene.ts';
import { DECISION, SessionScene } from './session-scene.ts';

const scene = new SessionScene();
const expire = (id: string) => scene.merchant.fatura.checkoutSessions.expire(id);

describe('expire', () => {
  test('voids what is charged, and leaves the deadline as it was', async () => {
    const session = await scene.create();
    const { intent } = await scene.checkoutByPix(session.invoice ?? '');
    const expired = await expire(session.id);
    expect(expired).toEqual({ ...session, status: 'expired', payment_intent: intent });
    expect(await scene.invoice(session.invoice ?? '')).toMatchObject({ status: 'void' });
    expect((await scene.told(session)).slice(-3)).toEqual([
      'payment_intent.discarded',
      'invoice.voided',
      'checkout_session.expired',
    ]);
    expect(await expire(session.id)).toEqual(expired);
    await expect(scene.checkoutByPix(session.invoice ?? '')).rejects.toEqual(refusal('INVOICE_NOT_OPEN'));
  });

  test('ends the pending subscription', async () => {
    const session = await scene.create({ mode: 'subscription' });
    await expire(session.id);
    const subscription = await scene.merchant.fatura.subscriptions.retrieve(session.subscription ?? '');
    expect(subscription).toMatchObject({ status: 'inactive' });
    expect((await scene.told(session)).slice(-3)).toEqual([
      'invoice.voided',
      'subscription.canceled',
      'checkout_session.expired',
    ]);
  });

  test('of a session without a customer expires it alone', async () => {
    const session = await scene.create({ customer_id: null });
    expect(await expire(session.id)).toMatchObject({ status: 'expired', invoice: null });
    expect(await scene.told(session)).toEqual(['checkout_session.created', 'checkout_session.expired']);
  });

  test('of a complete session is refused', async () => {
    const session = await scene.create();
    await scene.payByCard(session.invoice ?? '');
    await expect(expire(session.id)).rejects.toEqual(refusal('SESSION_NOT_OPEN', { status: 409 }));
  });

  test('is refused while a payment is on its way', async () => {
    const [confirmed, unknown] = [await scene.create(), await scene.create()];
    const { intent } = await scene.checkoutByPix(confirmed.invoice ?? '');
    await scene.payPix(intent, 'confirmed_not_settled');
    await scene.chargeCard(unknown.invoice ?? '', { number: cards.answer_lost });
    for (const { id } of [confirmed, unknown]) {
      await expect(expire(id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS', { status: 409 }));
      expect(await scene.session(id)).toMatchObject({ status: 'open' });
    }
    await scene.payPix(intent);
    await scene.reconcile((await scene.session(unknown.id)).payment_intent ?? '');
    for (const { id } of [confirmed, unknown]) expect(await scene.session(id)).toMatchObject({ status: 'complete' });
  });

  test('finds a payment that nobody heard of, and the session is complete', async () => {
    const session = await scene.create();
    const { intent } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.payPixUnheard(intent);
    await expect(expire(session.id)).rejects.toEqual(refusal('PAYMENT_IN_PROGRESS'));
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
    await expect(expire(session.id)).rejects.toEqual(refusal('SESSION_NOT_OPEN'));
  });

  test('of another account or mode finds nothing', async () => {
    const session = await scene.create();
    const other = await scene.api.newMerchant();
    for (const fatura of [other.fatura, scene.merchant.live]) {
      await expect(fatura.checkoutSessions.expire(session.id)).rejects.toEqual(refusal('RESOURCE_MISSING'));
      await expect(fatura.checkoutSessions.retrieve(session.id)).rejects.toEqual(refusal('RESOURCE_MISSING'));
    }
    expect(await scene.session(session.id)).toEqual(session);
  });
});

test('the invoice of an open session is not ended without it', async () => {
  const { id, invoice } = await scene.create();
  for (const close of ['void', 'markUncollectible'] as const)
    await expect(scene.merchant.fatura.invoices[close](invoice ?? '')).rejects.toEqual(
      refusal('INVALID_STATE', { message: expect.stringContaining(`/checkout/sessions/${id}/expire`) }),
    );
});

describe('from its deadline on a session', () => {
  test('takes no payment, whatever has run', async () => {
    const session = await scene.create({ mode: 'subscription' });
    const { fatura } = scene.merchant;
    await scene.pass(session);
    const checkouts = [
      () => fatura.invoices.checkout(session.invoice ?? '', { payment_method_type: 'pix' }),
      () => fatura.invoices.checkout(session.invoice ?? '', byCard()),
      () => fatura.subscriptions.checkout(session.subscription ?? '', byCard()),
    ];
    for (const checkout of checkouts)
      await expect(checkout()).rejects.toEqual(refusal('SESSION_NOT_OPEN', { status: 409 }));
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired' });
    expect(await scene.decide(session.id)).toBe('expired');
    await expect(checkouts[0]?.()).rejects.toEqual(refusal('SESSION_NOT_OPEN'));
    expect(await scene.decide(session.id)).toBe('not_due');
  });

  test('is expired by the run, and not a second before', async () => {
    const sessions = [
      await scene.create(),
      await scene.create({ customer_id: null }),
      await scene.create({ mode: 'subscription' }),
    ];
    const [first] = sessions;
    if (first === undefined) throw new Error('no session');
    await scene.pass(first, -1);
    // What the tests before left open.
    await runExpiry(scene.deps, { mode: 'sandbox', told: () => {} });
    expect(await runExpiry(scene.deps, { mode: 'sandbox', told: () => {} })).toEqual({ due: 0 });
    await scene.pass(first);
    expect(await runExpiry(scene.deps, { mode: 'sandbox', told: () => {} })).toMatchObject({ expired: 3 });
    for (const { id } of sessions) expect(await scene.session(id)).toMatchObject({ status: 'expired' });
  });

  test('waits for what the bank knows of its QR code', async () => {
    const session = await scene.create();
    const { intent, txid } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.pass(session, -1);
    await scene.payPixUnheard(intent);
    await scene.pass(session);
    expect(await scene.decide(session.id)).toBe('postponed');
    await scene.pass(session, DECISION - 1);
    expect(await scene.decide(session.id)).toBe('not_due');
    await scene.pass(session, DECISION);
    expect(await scene.decide(session.id)).toBe('postponed');
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
    expect(await scene.qrState(txid)).toBe('ended');
  });

  test('expires with a QR code that nobody paid, which is ended at the bank', async () => {
    const session = await scene.create();
    const { txid } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.pass(session, DECISION);
    expect(await scene.decide(session.id)).toBe('expired');
    expect(await scene.qrState(txid)).toBe('ended');
    expect(await scene.told(session)).toEqual([
      'invoice.created',
      'checkout_session.created',
      'payment_intent.created',
      'payment_intent.discarded',
      'invoice.voided',
      'checkout_session.expired',
    ]);
  });

  test('expires all the same when the bank is silent; what was paid is returned', async () => {
    const session = await scene.create();
    const { intent, txid } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.pass(session, -1);
    await scene.payPixUnheard(intent);
    await scene.pass(session, DECISION);
    for (const call of ['findPix', 'expirePix'] as const) scene.bank.meets(call, 'unreachable');
    expect(await scene.decide(session.id)).toBe('expired');
    scene.bank.recovers();
    expect(await scene.casesOf(txid)).toContain('pix-expiry');
    await scene.merchant.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' }).catch(() => {});
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired' });
    const intents = await scene.intentsOf(session.invoice ?? '');
    expect(intents.map(({ status }) => status)).toEqual(['discarded', 'refunding']);
  });

  test('gives back what is paid after it, before and after it is decided', async () => {
    const session = await scene.create();
    const { intent } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.pass(session, 1);
    await scene.payPix(intent, 'paid_late');
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired' });
    expect(await scene.statusesOf(session.invoice ?? '')).toEqual(['pending', 'refunding']);
    await scene.pass(session, DECISION);
    expect(await scene.decide(session.id)).toBe('expired');
    await scene.payPix(intent, 'paid_late');
    expect(await scene.statusesOf(session.invoice ?? '')).toEqual(['discarded', 'refunding', 'refunding']);
  });

  test('is decided by a charge that was at the acquirer: declined, it expires; approved, it is complete', async () => {
    for (const outcome of ['declined', 'approved'] as const) {
      const session = await scene.create();
      const number = outcome === 'declined' ? cards.issuer_declined : cards.approved;
      scene.bank.meets('chargeCard', 'answer_lost');
      const intent = await scene.chargeCard(session.invoice ?? '', { number });
      scene.bank.recovers();
      await scene.pass(session, DECISION);
      expect(await scene.decide(session.id)).toBe('postponed');
      expect(await scene.decide(session.id)).toBe('not_due');
      await scene.reconcile(intent);
      if (outcome === 'declined') expect(await scene.decide(session.id)).toBe('expired');
      const status = outcome === 'declined' ? 'expired' : 'complete';
      expect(await scene.session(session.id)).toMatchObject({ status });
    }
  });

  test('is looked at again while a PIX is confirmed and not settled', async () => {
    const session = await scene.create();
    const { intent } = await scene.checkoutByPix(session.invoice ?? '');
    await scene.payPix(intent, 'confirmed_not_settled');
    await scene.pass(session, DECISION);
    expect(await scene.decide(session.id)).toBe('postponed');
    await scene.payPix(intent);
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
  });
});

test('payment and expiry at one instant: exactly one of them', async () => {
  for (let round = 0; round < 8; round += 1) {
    const session = await scene.create();
    const pays =
      round % 2 === 0 ? () => scene.payByCard(session.invoice ?? '') : await payerByPix(session.invoice ?? '');
    await Promise.allSettled([pays(), expire(session.id), expire(session.id)]);
    const { status } = await scene.session(session.id);
    const invoice = await scene.invoice(session.invoice ?? '');
    expect([status, invoice.status]).toEqual(status === 'complete' ? ['complete', 'paid'] : ['expired', 'void']);
  }
});

async function payerByPix(invoice: string): Promise<() => Promise<unknown>> {
  const { intent } = await scene.checkoutByPix(invoice);
  return () => scene.payPix(intent);
}
