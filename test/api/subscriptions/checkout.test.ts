import { describe, expect, test } from 'vitest';
import { tokenOfSubscription } from '../../support/card-token.ts';
import { byCard, cards } from '../../support/cards.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { DECLINED, PAID, refusal, SENT, SURPLUS } from '../payments/payment-scene.ts';
import { refusalOf, send } from '../requests.ts';
import { ACTIVATED, SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const pix = { payment_method_type: 'pix' } as const;

/** The checkout as it goes over the wire: what came of it, in short. */
async function pay(id: string, key: string, body: object = byCard()) {
  const request = { method: 'POST', path: `/subscriptions/${id}/checkout`, key: scene.merchant.sandboxKey };
  const answer = await send(scene.api, { ...request, body, headers: { 'Idempotency-Key': key } });
  const isReplayed = answer.headers.get('Idempotent-Replayed') === 'true';
  const code = answer.status === 201 ? null : refusalOf(answer).code;
  return { status: answer.status, code, isReplayed, body: answer.body };
}

const intentOf = async (invoice: string | null) => (await scene.invoice(invoice ?? '')).payment_intent ?? '';

const chargesOf = async (invoice: string | null) =>
  (await scene.chargesAtBank(invoice ?? '')).map(({ outcome }) => outcome);

describe('a checkout of a subscription by card', () => {
  test('keeps the card of its customer, and shows its token nowhere', async () => {
    const made = await scene.subscribe();
    const paid = await scene.subscriptions.checkout(made.id, byCard(cards.amex));
    const kept = await scene.rows('SELECT * FROM payment_method WHERE customer_id = $1', made.customer);
    expect(kept).toEqual([
      {
        id: paid.payment_method?.id,
        account_id: scene.merchant.accountId,
        live_mode: false,
        created: scene.now(),
        customer_id: made.customer,
        last_event_id: expect.stringMatching(/^evt_/),
        last_event_at: scene.now(),
        sealed_token: expect.any(Buffer),
        token_index: expect.any(Buffer),
        brand: 'amex',
        last4: '0005',
        exp_month: 12,
        exp_year: 2040,
        network_origin: null,
        consent_ip: null,
        stored_at: scene.now(),
        is_default: false,
        closed_at: null,
        deleted_at: null,
        asked_at: null,
      },
    ]);
    const [card] = kept;
    const token = await tokenOfSubscription(scene.deps, made.id);
    expect(await scene.rows('SELECT brand, last4 FROM sandbox_bank.card WHERE token = $1', token)).toEqual([
      { brand: 'amex', last4: '0005' },
    ]);
    const [row] = await scene.rows('SELECT payment_method_id FROM subscription WHERE id = $1', made.id);
    expect(row).toEqual({ payment_method_id: card?.id });
    expect(paid.payment_method).toEqual({
      id: card?.id,
      object: 'payment_method',
      type: 'card',
      pix: null,
      card: { brand: 'amex', last4: '0005' },
      created: scene.now(),
    });
    const shown = JSON.stringify([paid, await scene.subscriptions.retrieve(made.id), await scene.facts(made.id)]);
    expect(shown).not.toContain(token);
  });

  test('keeps what it was paid in, and the retrieval shows it', async () => {
    const price = await newMonthly(scene.merchant, {
      unit_amount: 30_000,
      recurring: { interval: 'month', interval_count: 6 },
      card_installments_enabled: true,
    });
    const { id, latest_invoice: invoice } = await scene.subscribe({ price_id: price.id });
    await expect(scene.subscriptions.checkout(id, byCard(cards.approved, { installments: 7 }))).rejects.toEqual(
      refusal('INSTALLMENTS_NOT_ALLOWED', { status: 422, param: 'installments' }),
    );
    const paid = await scene.subscriptions.checkout(id, byCard(cards.approved, { installments: 6 }));
    expect(paid).toMatchObject({ status: 'active', installments: 6, payment_method_type: 'card' });
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ installments: 6 });
    expect(await scene.intent(await intentOf(invoice))).toMatchObject({ installments: 6, subscription: id });
  });

  test('takes installments of a price that has them, in parts of R$ 5,00 or more', async () => {
    const { id } = await scene.subscribe();
    await expect(scene.subscriptions.checkout(id, byCard(cards.approved, { installments: 2 }))).rejects.toEqual(
      refusal('INSTALLMENTS_NOT_ALLOWED', { status: 422 }),
    );
    const quarterly = { interval: 'month', interval_count: 3 } as const;
    const cheap = await newMonthly(scene.merchant, {
      unit_amount: 1_499,
      recurring: quarterly,
      card_installments_enabled: true,
    });
    const small = await scene.subscribe({ price_id: cheap.id });
    await expect(scene.subscriptions.checkout(small.id, byCard(cards.approved, { installments: 3 }))).rejects.toEqual(
      refusal('INSTALLMENT_BELOW_MINIMUM', { status: 422 }),
    );
    expect(await scene.subscriptions.checkout(small.id, byCard(cards.approved, { installments: 2 }))).toMatchObject({
      installments: 2,
    });
  });

  test('ends the QR code first; a payment of that is returned', async () => {
    const { id, invoice, intent, txid } = await scene.subscribeByPix();
    const told = await scene.told(id, () => scene.subscriptions.checkout(id, byCard()));
    expect(told).toEqual(['payment_intent.discarded', ...SENT, ...PAID, ...ACTIVATED]);
    expect(await scene.qrState(txid)).toBe('ended');
    const active = await scene.subscriptions.retrieve(id);
    expect(await scene.told(id, () => scene.payPix(intent, 'paid_late'))).toEqual(SURPLUS);
    expect(await scene.statusesOf(invoice)).toEqual(['discarded', 'paid', 'refunding']);
    expect(await scene.subscriptions.retrieve(id)).toEqual(active);
  });

  test('whose answer is lost, and whose PIX was paid meanwhile, is decided for the card, and the PIX returned', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    await scene.subscriptions.checkout(id, pix);
    const { intent } = await scene.checkoutByPix(invoice ?? '');
    await expect(scene.subscriptions.checkout(id, byCard(cards.answer_lost))).rejects.toEqual(
      refusal('ACQUIRER_TIMEOUT'),
    );
    await scene.payPix(intent, 'paid_late');
    expect(await scene.status(id)).toBe('pending');
    const told = await scene.told(id, async () => scene.reconcile(await intentOf(invoice)));
    expect(told).toEqual([...PAID, ...ACTIVATED, ...SURPLUS]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', payment_method_type: 'card' });
  });

  test('that never reached the acquirer leaves the subscription to a PIX that was paid meanwhile', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const { intent } = await scene.checkoutByPix(invoice ?? '');
    scene.bank.meets('chargeCard', 'request_lost');
    await expect(scene.subscriptions.checkout(id, byCard())).rejects.toEqual(refusal('ACQUIRER_TIMEOUT'));
    scene.bank.recovers();
    await scene.payPix(intent, 'paid_late');
    const charge = await intentOf(invoice);
    await scene.passDeadline(charge);
    const told = await scene.told(id, () => scene.reconcile(charge));
    expect(told).toEqual([...DECLINED, 'payment_intent.discarded', 'payment_intent.created', ...PAID, ...ACTIVATED]);
    expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'active', payment_method_type: 'pix' });
  });

  test('in live mode waits for an acquirer', async () => {
    const { live } = scene.merchant;
    const shop = { ...scene.merchant, fatura: live };
    const price = await newMonthly(shop);
    const customer = await live.customers.create({ name: 'Maria', identifier: '52998224725', email: 'm@example.com' });
    const { id } = await live.subscriptions.create({ customer_id: customer.id, price_id: price.id });
    for (const checkout of [byCard(), pix]) {
      await expect(live.subscriptions.checkout(id, checkout)).rejects.toEqual(
        refusal('ACQUIRER_UNAVAILABLE', { status: 503 }),
      );
    }
    expect(await live.subscriptions.cancel(id)).toMatchObject({ status: 'inactive', live_mode: true });
  });
});

describe('a checkout that is repeated under its key', () => {
  test('is answered the same subscription, and charges nothing more', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const first = await pay(id, 'paid');
    expect(first).toMatchObject({ status: 201, isReplayed: false, body: { id, status: 'active' } });
    expect(await pay(id, 'paid')).toEqual({ ...first, isReplayed: true });
    expect(await chargesOf(invoice)).toEqual(['approved']);
    expect(await pay(id, 'paid', byCard(cards.elo))).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is declined once', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const declined = byCard(cards.insufficient_funds);
    expect(await pay(id, 'declined', declined)).toMatchObject({
      status: 402,
      code: 'CARD_DECLINED',
      isReplayed: false,
    });
    expect(await pay(id, 'declined', declined)).toMatchObject({ status: 402, code: 'CARD_DECLINED', isReplayed: true });
    expect(await chargesOf(invoice)).toEqual(['declined']);
    expect(await scene.status(id)).toBe('pending');
  });

  test('is of unknown outcome until that is known', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const lost = byCard(cards.answer_lost);
    expect(await pay(id, 'lost', lost)).toMatchObject({ status: 504, code: 'ACQUIRER_TIMEOUT' });
    expect(await pay(id, 'lost', lost)).toMatchObject({ status: 504, code: 'ACQUIRER_TIMEOUT' });
    await scene.reconcile(await intentOf(invoice));
    const known = await pay(id, 'lost', lost);
    expect(known).toMatchObject({ status: 201, isReplayed: true, body: { id, status: 'active' } });
    expect(await pay(id, 'lost', lost)).toEqual(known);
    expect(await chargesOf(invoice)).toEqual(['approved']);
  });

  test('by a card that is known to be charged is answered what the subscription is by then', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const lost = byCard(cards.answer_lost);
    expect(await pay(id, 'late', lost)).toMatchObject({ status: 504 });
    await scene.reconcile(await intentOf(invoice));
    const renewal = await scene.renew(id);
    await scene.reconcile(await intentOf(renewal.id));
    await scene.subscriptions.cancel(id);
    const known = await pay(id, 'late', lost);
    expect(known).toMatchObject({
      status: 201,
      body: { id, status: 'inactive', payment_method: { type: 'card', card: { last4: '4087' } } },
    });
    expect(await chargesOf(invoice)).toEqual(['approved']);
  });

  test('by PIX never gets the QR code of a renewal', async () => {
    const { id } = await scene.subscribe();
    scene.bank.meets('createPix', 'answer_lost');
    expect(await pay(id, 'qr', pix)).toMatchObject({ status: 504, code: 'ACQUIRER_TIMEOUT' });
    scene.bank.recovers();
    await scene.subscriptions.checkout(id, byCard(cards.renewals_declined));
    const renewal = await scene.renew(id);
    expect(await pay(id, 'qr', pix)).toMatchObject({ status: 409, code: 'SUBSCRIPTION_NOT_PENDING' });
    expect(await scene.invoice(renewal.id)).toEqual(renewal);
    expect(await scene.statusesOf(renewal.id)).toEqual(['failed']);
  });

  test('at the same moment runs once', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(id, 'at-once')));
    for (const { status, code } of answers)
      expect([201, 409]).toContain(status === 409 && code !== 'IDEMPOTENCY_KEY_IN_USE' ? 0 : status);
    expect(await pay(id, 'at-once')).toMatchObject({ status: 201, isReplayed: true });
    expect(await chargesOf(invoice)).toEqual(['approved']);
  });
});

describe('a process that ends', () => {
  test('before the card is sent has charged nothing: a repeat is told so once that is certain', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    scene.failpoints.crashAt('card.after-attempt');
    expect(await pay(id, 'sent')).toMatchObject({ status: 500 });
    expect(await pay(id, 'sent')).toMatchObject({ status: 504 });
    const intent = await intentOf(invoice);
    await scene.passDeadline(intent);
    await scene.reconcile(intent);
    expect(await pay(id, 'sent')).toMatchObject({ status: 402, code: 'CARD_DECLINED', isReplayed: true });
    expect(await chargesOf(invoice)).toEqual([]);
    expect(await scene.status(id)).toBe('pending');
    expect(await pay(id, 'sent-anew')).toMatchObject({ status: 201 });
  });

  test('after the card is charged answers a repeat the active subscription', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    scene.failpoints.crashAt('card.after-charge');
    expect(await pay(id, 'charged')).toMatchObject({ status: 500 });
    expect(await scene.status(id)).toBe('pending');
    expect(await pay(id, 'charged')).toMatchObject({ status: 504 });
    await scene.reconcile(await intentOf(invoice));
    expect(await pay(id, 'charged')).toMatchObject({ status: 201, isReplayed: true, body: { status: 'active' } });
    expect(await chargesOf(invoice)).toEqual(['approved']);
    expect((await scene.types(id)).slice(-4)).toEqual([...PAID, ...ACTIVATED]);
  });

  test('after the payment is booked answers a repeat the same', async () => {
    const { id, latest_invoice: invoice } = await scene.subscribe();
    scene.failpoints.crashAt('card.after-outcome');
    expect(await pay(id, 'booked')).toMatchObject({ status: 500 });
    expect(await pay(id, 'booked')).toMatchObject({ status: 201, isReplayed: true, body: { status: 'active' } });
    expect(await chargesOf(invoice)).toEqual(['approved']);
  });

  test.each(['card.after-tokenize', 'ending.after-retiring', 'ending.after-acquirer'] as const)(
    'at %s has charged nothing, and a repeat charges',
    async (step) => {
      const { id, invoice } = await scene.subscribeByPix();
      scene.failpoints.crashAt(step);
      expect(await pay(id, step)).toMatchObject({ status: 500 });
      expect(await chargesOf(invoice)).toEqual([]);
      expect(await pay(id, step)).toMatchObject({ status: 201, isReplayed: false, body: { status: 'active' } });
      expect(await chargesOf(invoice)).toEqual(['approved']);
    },
  );

  test.each(['pix.after-intent', 'pix.after-acquirer'] as const)(
    'at %s gives a repeat the QR code of the same charge',
    async (step) => {
      const { id, latest_invoice: invoice } = await scene.subscribe();
      scene.failpoints.crashAt(step);
      expect(await pay(id, step, pix)).toMatchObject({ status: 500 });
      const intent = await intentOf(invoice);
      const again = await pay(id, step, pix);
      expect(again).toMatchObject({ status: 201, body: { id, status: 'pending', payment_method: { type: 'pix' } } });
      expect(await intentOf(invoice)).toBe(intent);
      await scene.payPix(intent);
      expect(await scene.status(id)).toBe('active');
      expect(await pay(id, step, pix)).toMatchObject({ status: 201, body: again.body });
    },
  );

  test('as the bank tells of the payment activates it when the bank tells again', async () => {
    const { id, intent } = await scene.subscribeByPix();
    scene.failpoints.crashAt('settlement.before-settle');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.status(id)).toBe('pending');
    scene.failpoints.crashAt('settlement.after-settle');
    await expect(scene.payPix(intent)).rejects.toEqual(refusal('INTERNAL_ERROR'));
    expect(await scene.status(id)).toBe('active');
    expect(await scene.told(id, () => scene.payPix(intent))).toEqual([]);
  });
});
