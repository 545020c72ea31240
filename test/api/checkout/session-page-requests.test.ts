import { describe, expect, test } from 'vitest';
import { cards } from '../../support/cards.ts';
import { newInvoice, newPrice, unique } from '../../support/factories.ts';
import { bodies, buyer, cardOf, PageScene, partsOf, pathOf } from './page-scene.ts';

const scene = new PageScene();

describe('a request of another site is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a browser that tells the origin alone', { Origin: 'https://elsewhere.example' }],
    ['a host that is named like ours', { Origin: 'http://127.0.0.1:3000.elsewhere.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['no browser', {}],
  ])('that of %s', async (_, headers) => {
    const sessions = [await scene.create(), await scene.create({ customer_id: null })];
    for (const session of sessions) {
      for (const [below, body] of Object.entries(bodies)) {
        const { status, problem } = await scene.send(`${pathOf(session)}/${below}`, { headers, body });
        expect([below, status, problem.code]).toEqual([below, 403, 'CROSS_SITE']);
      }
      await scene.expectUntouched(session);
    }
  });
});

describe('a body with more than is asked for is refused', () => {
  const forged: [below: string, what: string, body: object][] = [
    ['pix', 'an amount', { amount: 1 }],
    ['pix', 'an invoice', { invoice: 'in_01kaj4w2n8e9r7t5v3x1z0q6d4' }],
    ['buyer', 'a total', { ...buyer, total: 1 }],
    ['buyer', 'a customer', { ...buyer, customer_id: 'cus_01kaj4w2n8e9r7t5v3x1z0q6d4' }],
    ['buyer', 'discounts', { ...buyer, discounts: [{ type: 'percentage', percentage: 100 }] }],
    ['card', 'a total', cardOf(cards.approved, { total: 1, amount: 1 })],
    ['card', 'another session', cardOf(cards.approved, { session: 'cs_01kaj4w2n8e9r7t5v3x1z0q6d4' })],
    ['card', '13 installments', cardOf(cards.approved, { installments: 13 })],
    ['card', 'no installments', cardOf(cards.approved, { installments: 0 })],
    ['simulation', 'a scenario', { scenario: 'paid_twice' }],
  ];
  test.each(forged)('%s with %s', async (below, _, body) => {
    const sessions = [await scene.create(), await scene.create({ customer_id: null })];
    for (const session of sessions) {
      const { status, problem } = await scene.send(`${pathOf(session)}/${below}`, { body });
      expect([status, problem.code]).toEqual([400, 'PARAMETER_INVALID']);
      await scene.expectUntouched(session);
    }
  });

  test('and installments are as many as the price allows, of the total that the session came to', async () => {
    const { id: price } = await newPrice(scene.merchant, { unit_amount: 3_000, card_installments_enabled: true });
    const session = await scene.create({
      line_items: [{ price_id: price, quantity: 1 }],
      discounts: [{ type: 'fixed', amount_cents: 1_000 }],
    });
    const forged = await scene.send(`${pathOf(session)}/card`, { body: cardOf(cards.approved, { installments: 5 }) });
    expect([forged.status, forged.problem.code]).toEqual([422, 'INSTALLMENT_BELOW_MINIMUM']);
    await scene.expectUntouched(session);
    const paid = await scene.send(`${pathOf(session)}/card`, { body: cardOf(cards.approved, { installments: 4 }) });
    expect([paid.status, paid.purchase.paidBy]).toEqual([200, { method: 'card', installments: 4 }]);
    expect(await scene.intentsOf(session.invoice ?? '')).toMatchObject([{ amount: 2_000, installments: 4 }]);
  });
});

describe('a key of one session', () => {
  test('says nothing of another, and nothing of an invoice', async () => {
    const [one, other] = [await scene.create(), await scene.create()];
    const { id: invoice } = await newInvoice(scene.merchant);
    const sending = { key: `key-${unique()}`, body: cardOf(cards.insufficient_funds) };
    const places = [
      `${pathOf(one)}/card`,
      `${pathOf(other)}/card`,
      `${pathOf({ url: scene.deps.links.payment({ id: invoice, liveMode: false }) })}/card`,
    ];
    for (const path of places) {
      const answers = [await scene.send(path, sending), await scene.send(path, sending)];
      for (const { status, problem } of answers) expect([status, problem.code]).toEqual([402, 'CARD_DECLINED']);
    }
    for (const id of [one.invoice ?? '', other.invoice ?? '', invoice]) {
      expect(await scene.intentsOf(id)).toMatchObject([{ status: 'failed', attempts: 1 }]);
    }
  });

  test('is good for one request there', async () => {
    const session = await scene.create();
    const path = `${pathOf(session)}/card`;
    const key = `key-${unique()}`;
    const paid = [await scene.send(path, { key, body: cardOf() }), await scene.send(path, { key, body: cardOf() })];
    for (const { status, purchase } of paid) expect([status, purchase.standing]).toEqual([200, 'paid']);
    const other = await scene.send(path, { key, body: cardOf(cards.mastercard) });
    expect([other.status, other.problem.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await scene.intentsOf(session.invoice ?? '')).toMatchObject([{ status: 'paid', attempts: 1 }]);
  });
});

test('many tries at one session are refused for a while, and other sessions are not concerned', async () => {
  const [one, other] = [await scene.create(), await scene.create()];
  const statuses: number[] = [];
  for (let tried = 0; tried < 7; tried += 1) {
    statuses.push((await scene.send(`${pathOf(one)}/card`, { body: cardOf(cards.issuer_declined) })).status);
  }
  expect(statuses).toEqual([402, 402, 402, 402, 402, 402, 429]);
  expect((await scene.send(`${pathOf(other)}/card`, { body: cardOf() })).status).toBe(200);
});

test('the link of a session that has ended shows that, and takes nothing', async () => {
  const [known, unknown] = [await scene.create(), await scene.create({ customer_id: null })];
  await scene.pass(known);
  for (const session of [known, unknown]) {
    await scene.decide(session.id);
    for (const [below, body] of Object.entries(bodies)) {
      const { status, purchase } = await scene.send(`${pathOf(session)}/${below}`, { body });
      expect([below, status, purchase.standing]).toEqual([below, 409, 'expired']);
    }
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired', payment_intent: null });
    expect((await fetch(`${scene.api.baseUrl}${pathOf(session)}/events`)).status).toBe(204);
  }
});

test('an answer names nobody and nothing that the page does not show', async () => {
  const session = await scene.create();
  const state = await (await fetch(`${scene.api.baseUrl}${pathOf(session)}/state`)).text();
  expect(state).not.toMatch(/acct_|cus_|in_|pi_|price_|maria/i);
  expect(state).not.toContain(partsOf(session).signature);
});
