import { describe, expect, test } from 'vitest';
import { cards } from '../../support/cards.ts';
import { newCustomer } from '../../support/factories.ts';
import { ask, SEEN } from './link-scene.ts';
import { buyer, cardOf, PageScene, pathOf } from './page-scene.ts';
import type { SessionOverrides } from './session-scene.ts';

const scene = new PageScene();

const sell = (overrides: SessionOverrides = {}) =>
  scene.create({ mode: 'subscription', amount: 9_990, customer_id: null, ...overrides });

async function subscriptionOf(session: string) {
  const { subscription } = await scene.session(session);
  return scene.merchant.fatura.subscriptions.retrieve(subscription ?? '');
}

const name = 'Loja do Teste';
const FOR_PAYMENT =
  `Ao assinar, você autoriza ${name} a cobrar R$ 99,90 hoje e R$ 99,90 todo mês, até você cancelar. ` +
  'Se você pagar com cartão, ele fica guardado para essas cobranças. ' +
  'Para cancelar, use o link dos e-mails de cobrança ou fale com a loja; nada mais é cobrado a partir daí.';

describe('what the buyer of a subscription agrees to is kept', () => {
  test('with instant, address and the links of the merchant, once the first payment begins it', async () => {
    const { fatura } = scene.merchant;
    await fatura.account.update({ terms_url: 'https://loja.test/termos', privacy_url: 'https://loja.test/dados' });
    const session = await sell();
    await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    expect((await subscriptionOf(session.id)).consent).toBeNull();
    await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    const text = `${FOR_PAYMENT}\nTermos: https://loja.test/termos\nPrivacidade: https://loja.test/dados`;
    const { consent } = await subscriptionOf(session.id);
    expect(consent).toEqual({ at: scene.api.clock.now(), ip: expect.stringMatching(/127\.0\.0\.1$/), text });
    const { data } = await fatura.events.list({ type: ['subscription.activated'], limit: 1 }).page();
    expect(data[0]?.data.object).toMatchObject({ consent });
    await fatura.account.update({ terms_url: null, privacy_url: null });
    expect((await subscriptionOf(session.id)).consent).toEqual(consent);
  });

  test('in the language that the page was read in', async () => {
    const session = await sell();
    await scene.send(`${pathOf(session)}/buyer?locale=en`, { body: buyer });
    await scene.send(`${pathOf(session)}/card?locale=en`, { body: cardOf() });
    const { consent } = await subscriptionOf(session.id);
    expect(consent?.text).toMatch(
      /^By subscribing, you authorise Loja do Teste to charge R\$99\.90 today and R\$99\.90/,
    );
  });

  test('as whoever opened the page last has read it, though its code stood before', async () => {
    const session = await sell();
    await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    await scene.send(`${pathOf(session)}/pix`, { body: {} });
    const { invoice } = await scene.session(session.id);
    const { payment_intent: intent } = await scene.invoice(invoice ?? '');
    const opened = await ask(`${scene.api.baseUrl}${pathOf(session)}?locale=en`, { headers: SEEN });
    expect(opened.status).toBe(200);
    await scene.payPix(intent ?? '');
    expect((await subscriptionOf(session.id)).consent?.text).toMatch(/^By subscribing, you authorise/);
  });

  test('of a trial with the amount and the day of the first charge', async () => {
    const session = await sell({ subscription: { trial: { days: 14 } } });
    await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    const { consent, trial_end: end } = await subscriptionOf(session.id);
    const day = new Date((end ?? 0) * 1_000).toLocaleDateString('pt-BR', { timeZone: 'America/Sao_Paulo' });
    expect(consent?.text).toContain(`a cobrar R$ 99,90 em ${day} e, depois, R$ 99,90 todo mês, até você cancelar.`);
    expect(consent?.text).toContain(`cancele antes de ${day}`);
  });

  test('of a trial that no card is asked for, with the data of its buyer', async () => {
    const session = await sell({ subscription: { trial: { days: 14, requires_payment_method: false } } });
    await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    const subscription = await subscriptionOf(session.id);
    expect(subscription).toMatchObject({ status: 'trialing', consent: { at: scene.api.clock.now() } });
    expect(subscription.consent?.text).not.toContain('cartão');
  });

  test('with its price where discounts end, and what is charged today', async () => {
    const discounts = [{ type: 'percentage', percentage: 50, cycles: 1 }] as const;
    const session = await sell({ discounts: [...discounts] });
    await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
    await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
    const { consent } = await subscriptionOf(session.id);
    expect(consent?.text).toContain('a cobrar R$ 49,95 hoje e R$ 99,90 todo mês');
  });
});

test('a card that is declined agrees to nothing, and another one later does', async () => {
  const session = await sell();
  await scene.send(`${pathOf(session)}/buyer`, { body: buyer });
  await scene.send(`${pathOf(session)}/card`, { body: cardOf(cards.issuer_declined) });
  expect((await subscriptionOf(session.id)).consent).toBeNull();
  scene.api.clock.advance(60);
  await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
  expect((await subscriptionOf(session.id)).consent).toMatchObject({ at: scene.api.clock.now(), text: FOR_PAYMENT });
});

test('what is sold by the API alone has no consent', async () => {
  const { merchant } = scene;
  const session = await sell({ customer_id: (await newCustomer(merchant)).id });
  const { invoice } = await scene.session(session.id);
  const card = { payment_method_type: 'card', card: cardOf().card, billing_details: cardOf().billing_details } as const;
  await merchant.fatura.invoices.checkout(invoice ?? '', card);
  expect(await subscriptionOf(session.id)).toMatchObject({ status: 'active', consent: null });
});

test('an anonymization erases it, for the address and the words tell who it was', async () => {
  const { fatura } = scene.merchant;
  const session = await sell();
  await scene.send(`${pathOf(session)}/buyer`, { body: { ...buyer, email: 'apagada@loja.test' } });
  await scene.send(`${pathOf(session)}/card`, { body: cardOf() });
  const { id, customer, consent } = await subscriptionOf(session.id);
  expect(consent).not.toBeNull();
  await fatura.subscriptions.cancel(id);
  await fatura.customers.anonymize(customer);
  expect((await fatura.subscriptions.retrieve(id)).consent).toBeNull();
});
