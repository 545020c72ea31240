import type { CheckoutSessionCreate } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../../support/cards.ts';
import { newPrice } from '../../support/factories.ts';
import { newMonthly, passUntil } from '../../support/subscriptions.ts';
import { buyer, cardOf, PageScene, pathOf } from './page-scene.ts';
import { HOUR, type SessionOverrides } from './session-scene.ts';

const scene = new PageScene();
const DAY = 86_400;
type Terms = NonNullable<CheckoutSessionCreate['subscription']>;

const FREE = { days: 14, requires_payment_method: false } as const;

const sell = (subscription: Terms, overrides: SessionOverrides = {}) =>
  scene.create({ mode: 'subscription', amount: 4_990, subscription, ...overrides });

async function subscriptionOf(session: string) {
  const { subscription } = await scene.session(session);
  return scene.merchant.fatura.subscriptions.retrieve(subscription ?? '');
}

const now = (): number => scene.api.clock.now();

describe('a session with a trial', () => {
  test('stores a card on its page, charges nothing, and is complete with it', async () => {
    const session = await sell({ trial: { days: 14 } }, { customer_id: null });
    expect(session).toMatchObject({ status: 'open', amount: null, invoice: null, subscription: null });
    const filled = await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    expect(filled.purchase).toMatchObject({
      ...{ standing: 'card_needed', kind: 'session', cardFor: 'trial', isChargedLater: true, amount: 4_990 },
      dueAt: now() + 14 * DAY,
    });
    expect(await scene.session(session.id)).toMatchObject({ status: 'open', amount: 0, invoice: null });
    expect(await subscriptionOf(session.id)).toMatchObject({ status: 'pending', latest_invoice: null });

    const pix = await scene.send(`${pathOf(session)}/pix`);
    expect([pix.status, pix.problem.code]).toEqual([422, 'PAYMENT_METHOD_NEEDED']);
    const begun = await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    expect(begun).toMatchObject({ status: 200, purchase: { standing: 'begun', dueAt: now() + 14 * DAY } });
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', amount: 0, invoice: null });
    const trialing = await subscriptionOf(session.id);
    expect(trialing).toMatchObject({ status: 'trialing', trial_end: now() + 14 * DAY, payment_method_type: 'card' });
    expect(await scene.told(session)).toEqual([
      ...['checkout_session.created', 'subscription.created', 'checkout_session.customer_attached'],
      ...['subscription.trial_started', 'checkout_session.completed'],
    ]);

    await passUntil({ api: scene.api, merchant: scene.merchant, id: trialing.id }, trialing.trial_end ?? 0);
    const active = await subscriptionOf(session.id);
    expect(active).toMatchObject({ status: 'active', billing_cycle_anchor: trialing.trial_end });
    expect(await scene.merchant.fatura.invoices.retrieve(active.latest_invoice ?? '')).toMatchObject({
      ...{ status: 'paid', total: 4_990, amount_paid: 4_990 },
    });
  });

  test('is complete as well by a card that the API is sent', async () => {
    const session = await sell({ trial: { days: 14 } });
    const { id } = await subscriptionOf(session.id);
    await scene.merchant.fatura.subscriptions.checkout(id, byCard());
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', subscription: id });
    expect((await subscriptionOf(session.id)).status).toBe('trialing');
  });

  test('keeps its place where the card is refused', async () => {
    const session = await sell({ trial: { days: 14 } });
    const refused = await scene.send(`${pathOf(session)}/card`, { body: cardOf(cards.expired_card) });
    expect([refused.status, refused.purchase.standing]).toEqual([402, 'card_needed']);
    expect((await scene.session(session.id)).status).toBe('open');
    const begun = await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    expect(begun.purchase.standing).toBe('begun');
  });

  test('that begins without a card is complete as soon as its buyer is known', async () => {
    const session = await sell({ trial: FREE }, { customer_id: null });
    const filled = await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    expect(filled.purchase).toMatchObject({ standing: 'begun', dueAt: now() + 14 * DAY });
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete', amount: 0, invoice: null });
    expect((await subscriptionOf(session.id)).status).toBe('trialing');

    const known = await sell({ trial: FREE });
    expect(known).toMatchObject({ status: 'complete', amount: 0, invoice: null });
  });

  test('bills what is sold once with the first cycle', async () => {
    const [{ id: monthly }, { id: once }] = await Promise.all([
      newMonthly(scene.merchant, { unit_amount: 4_990 }),
      newPrice(scene.merchant, { unit_amount: 2_000 }),
    ]);
    const lines = [monthly, once].map((price_id) => ({ price_id, quantity: 1 }));
    const session = await sell({ trial: { days: 7 } }, { line_items: lines });
    const begun = await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    expect(begun.purchase.amount).toBe(6_990);
    const { id, trial_end: end } = await subscriptionOf(session.id);
    await passUntil({ api: scene.api, merchant: scene.merchant, id }, end ?? 0);
    const { latest_invoice: invoice } = await subscriptionOf(session.id);
    expect((await scene.merchant.fatura.invoices.retrieve(invoice ?? '')).total).toBe(6_990);
  });
});

describe('a session of a start to come', () => {
  test('stores the card that its first bill is charged to', async () => {
    const startsAt = now() + 10 * DAY;
    const session = await sell({ start_date: startsAt });
    expect(await subscriptionOf(session.id)).toMatchObject({ status: 'scheduled', start_date: startsAt });
    const stored = await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    expect(stored.purchase).toMatchObject({ standing: 'begun', dueAt: startsAt });
    expect((await scene.session(session.id)).status).toBe('complete');
    const { id } = await subscriptionOf(session.id);
    await passUntil({ api: scene.api, merchant: scene.merchant, id }, startsAt);
    expect(await subscriptionOf(session.id)).toMatchObject({ status: 'active', billing_cycle_anchor: startsAt });
  });
});

describe('the deadline of a session that asks for a card alone', () => {
  const terms: [string, () => Terms][] = [
    ['a trial', () => ({ trial: { days: 14 } })],
    ['a start to come', () => ({ start_date: now() + 10 * DAY })],
  ];
  test.each(terms)('ends what it sells: %s', async (_, asked) => {
    const session = await sell(asked());
    await scene.pass(session, -1);
    expect(await scene.decide(session.id)).toBe('not_due');
    await scene.pass(session);
    const late = await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    expect(late).toMatchObject({ status: 409, purchase: { standing: 'expired' } });
    const { id } = await subscriptionOf(session.id);
    await expect(scene.merchant.fatura.subscriptions.checkout(id, byCard())).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    expect(await scene.decide(session.id)).toBe('expired');
    expect((await scene.session(session.id)).status).toBe('expired');
    expect(await subscriptionOf(session.id)).toMatchObject({ status: 'inactive', canceled_reason: 'unpaid' });
  });

  test.each(terms)('and so does its expiry by hand, and the end of its subscription: %s', async (_, asked) => {
    const expired = await sell(asked());
    await scene.merchant.fatura.checkoutSessions.expire(expired.id);
    expect((await subscriptionOf(expired.id)).status).toBe('inactive');
    const canceled = await sell(asked());
    await scene.merchant.fatura.subscriptions.cancel((await subscriptionOf(canceled.id)).id);
    expect((await scene.session(canceled.id)).status).toBe('expired');
  });

  test('takes one of a card and an end that come at once', async () => {
    for (let lap = 0; lap < 5; lap += 1) {
      const session = await sell({ trial: { days: 14 } });
      const [card] = await Promise.all([
        scene.send(`${pathOf(session)}/card`, { body: cardOf() }),
        scene.merchant.fatura.checkoutSessions.expire(session.id).catch(() => null),
      ]);
      const { status } = await scene.session(session.id);
      const subscribed = await subscriptionOf(session.id);
      expect([card.status === 200, status, subscribed.status]).toEqual(
        status === 'complete' ? [true, 'complete', 'trialing'] : [false, 'expired', 'inactive'],
      );
    }
  });
});

describe('the terms of a session', () => {
  test.each<[string, () => Terms, string]>([
    ['a trial that ends before the session', () => ({ trial: { end: now() + HOUR } }), 'trial.end'],
    ['a start before the session ends', () => ({ start_date: now() + HOUR }), 'start_date'],
    ['a start beyond two years', () => ({ start_date: now() + 731 * DAY }), 'start_date'],
    [
      'a trial that ends before the start',
      () => ({ start_date: now() + 9 * DAY, trial: { end: now() + 8 * DAY } }),
      'trial.end',
    ],
  ])('refuse %s', async (_, asked, param) => {
    await expect(sell(asked())).rejects.toMatchObject({
      ...{ status: 400, code: 'PARAMETER_INVALID', param: `subscription.${param}` },
    });
  });

  test('are none of a session that is charged once', async () => {
    await expect(scene.create({ subscription: { trial: { days: 14 } } })).rejects.toMatchObject({
      ...{ status: 400, param: 'subscription' },
    });
  });

  test('hold a minimum term, which the page tells before anybody is known', async () => {
    const term = { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 } as const;
    const session = await sell({ minimum_term: term }, { customer_id: null });
    const page = await (await fetch(`${scene.api.baseUrl}${pathOf(session)}`)).text();
    expect(page).toContain(
      'Fidelidade de 12 meses a partir do pagamento. Encerrar antes custa 20% das cobranças que faltarem',
    );
    const filled = await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    expect(filled.purchase.standing).toBe('payable');
    expect(filled.purchase.notice.pt).toContain('Fidelidade de 12 meses');
    expect(await subscriptionOf(session.id)).toMatchObject({ minimum_term: { ends_at: null, penalty_value: 20 } });
  });
});
