import { describe, expect, test } from 'vitest';
import { readScope } from '../../../server/accounts/scope.ts';
import { attachBuyer, type BuyerForm } from '../../../server/checkout/attach.ts';
import { newCustomer, unique } from '../../support/factories.ts';
import { refusal } from '../payments/payment-scene.ts';
import { SessionScene } from './session-scene.ts';

const scene = new SessionScene();

const form = (overrides: Partial<BuyerForm> = {}): BuyerForm => ({
  name: 'Ana Souza',
  identifier: '529.982.247-25',
  email: `ana${unique()}@loja.test`,
  phone: '(11) 98765-4321',
  ...overrides,
});

async function fill(id: string, buyer: BuyerForm): Promise<void> {
  const { accountId } = scene.merchant;
  await attachBuyer(scene.deps, await readScope(scene.deps.pool, { accountId, liveMode: false }), { id, buyer });
}

describe('a buyer who fills in the page', () => {
  test('becomes the customer, and what the session charges is made', async () => {
    const { id } = await scene.create({
      customer_id: null,
      amount: 10_000,
      discounts: [{ type: 'percentage', percentage: 10 }],
    });
    const buyer = form();
    await fill(id, buyer);
    const session = await scene.session(id);
    expect(session).toMatchObject({ amount: 9_000, status: 'open' });
    expect(await scene.merchant.fatura.customers.retrieve(session.customer ?? '')).toMatchObject({
      name: 'Ana Souza',
      identifier: '52998224725',
      email: buyer.email,
      phone: '+5511987654321',
    });
    expect(await scene.invoice(session.invoice ?? '')).toMatchObject({
      total: 9_000,
      billing_reason: 'checkout_session',
    });
    expect(await scene.told(session)).toEqual([
      'checkout_session.created',
      'invoice.created',
      'checkout_session.customer_attached',
    ]);
    await scene.payByCard(session.invoice ?? '');
    expect(await scene.session(id)).toMatchObject({ status: 'complete' });
  });

  test('gets a subscription where one is sold', async () => {
    const { id } = await scene.create({ customer_id: null, mode: 'subscription' });
    await fill(id, form());
    const session = await scene.session(id);
    expect(await scene.told(session)).toEqual([
      'checkout_session.created',
      'subscription.created',
      'invoice.created',
      'checkout_session.customer_attached',
    ]);
  });

  test('has nothing to pay where it comes to nothing', async () => {
    const { id } = await scene.create({ customer_id: null, discounts: [{ type: 'percentage', percentage: 100 }] });
    await fill(id, form());
    expect((await scene.told(await scene.session(id))).slice(-3)).toEqual([
      'checkout_session.customer_attached',
      'invoice.paid',
      'checkout_session.completed',
    ]);
  });

  test('is the customer of the same CPF and e-mail, whose data stay as they are', async () => {
    const email = `Ana${unique()}@loja.test`;
    const customer = await newCustomer(scene.merchant, { name: 'Ana', email });
    const [same, other] = [await scene.create({ customer_id: null }), await scene.create({ customer_id: null })];
    await fill(same.id, form({ email: email.toLowerCase(), name: 'Outra Ana' }));
    await fill(other.id, form({ email, identifier: '11.222.333/0001-81' }));
    expect(await scene.session(same.id)).toMatchObject({ customer: customer.id });
    expect(await scene.merchant.fatura.customers.retrieve(customer.id)).toEqual({
      ...customer,
      credit_balance: 0,
      trials: [],
    });
    expect((await scene.session(other.id)).customer).not.toBe(customer.id);
  });

  test('is taken once, of two at one instant', async () => {
    const { id } = await scene.create({ customer_id: null });
    await Promise.all([fill(id, form()), fill(id, form()), fill(id, form())]);
    const session = await scene.session(id);
    const count = (type: string, told: unknown[]) => told.filter((one) => one === type).length;
    const told = await scene.told(session);
    expect(count('checkout_session.customer_attached', told)).toBe(1);
    expect(count('invoice.created', told)).toBe(1);
  });

  test('comes too late for a session that has ended, or should have', async () => {
    const [late, expired] = [await scene.create({ customer_id: null }), await scene.create({ customer_id: null })];
    await scene.merchant.fatura.checkoutSessions.expire(expired.id);
    await scene.pass(late);
    for (const { id } of [late, expired]) await expect(fill(id, form())).rejects.toEqual(refusal('SESSION_NOT_OPEN'));
  });

  test('buys what was offered, though it was taken off sale since', async () => {
    const { id, line_items: lines } = await scene.create({ customer_id: null });
    await scene.merchant.fatura.prices.update(lines.data[0]?.price ?? '', { active: false });
    await fill(id, form());
    expect(await scene.session(id)).toMatchObject({ amount: 9_990 });
  });
});
