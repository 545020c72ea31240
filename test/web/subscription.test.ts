import { describe, expect, test } from 'vitest';
import { cards } from '../support/cards.ts';
import { passUntil, subscribe, subscribeByCard, subscribeByPix, subscribeUnfunded } from '../support/subscriptions.ts';
import { expectSound, fillCard, inspect, payButton, paymentScene, typeCard } from './scene.ts';

const scene = paymentScene();

const pageOf = async (id: string): Promise<string> =>
  (await scene.shop().fatura.subscriptions.retrieve(id)).update_payment_url ?? '';
const methodOf = async (id: string) => (await scene.shop().fatura.subscriptions.retrieve(id)).payment_method_type;

describe('the page of a subscription without an open bill', () => {
  test('takes another card, which is checked and charged nothing', async () => {
    const { id } = await subscribeByCard(scene.shop());
    const visit = await scene.openUrl(await pageOf(id));
    const { page } = visit;
    await expect.poll(() => page.title()).toBe('Ativa: assinatura de Loja do Teste');
    await page.getByText('Forma de pagamento atual: cartão Visa final 4242.').waitFor();
    await inspect(visit, 'subscription-card');
    await fillCard(page, { number: cards.mastercard });
    await page.getByRole('button', { name: 'Salvar este cartão' }).click();
    await page.getByRole('heading', { name: 'Pronto' }).waitFor();
    await page.getByText('sua assinatura é paga no cartão Mastercard final 4444').waitFor();
    await inspect(visit, 'subscription-changed');
    await expectSound(visit);
    const { data } = await scene.shop().fatura.paymentIntents.list({ limit: 1 }).page();
    expect(data[0]).toMatchObject({ status: 'paid' });
    expect(await methodOf(id)).toBe('card');
  });

  test('tells of a card that its issuer refuses, and keeps the one it had', async () => {
    const { id } = await subscribeByCard(scene.shop());
    const { page } = await scene.openUrl(await pageOf(id));
    await fillCard(page, { number: cards.issuer_declined });
    await page.getByRole('button', { name: 'Salvar este cartão' }).click();
    await page.getByText('O banco não autorizou a compra').waitFor();
    await page.reload();
    await page.getByText('Forma de pagamento atual: cartão Visa final 4242.').waitFor();
  });

  test('turns to PIX', async () => {
    const { id } = await subscribeByCard(scene.shop());
    const visit = await scene.openUrl(await pageOf(id));
    const { page } = visit;
    await page.getByRole('radio', { name: /^PIX/ }).check();
    await inspect(visit, 'subscription-pix');
    await page.getByRole('button', { name: 'Pagar com PIX de agora em diante' }).click();
    await page.getByText('sua assinatura é paga por PIX').waitFor();
    await expectSound(visit);
    expect(await methodOf(id)).toBe('pix');
  });

  test('turns to PIX without a script', async () => {
    const { id } = await subscribeByCard(scene.shop());
    const { page } = await scene.openUrl(await pageOf(id), { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Pagar com PIX de agora em diante' }).click();
    await page.getByText('Forma de pagamento atual: PIX.').waitFor();
    await page.getByText('Sua assinatura já é paga por PIX').waitFor();
    expect(await methodOf(id)).toBe('pix');
  });

  test('takes a card of who paid by PIX', async () => {
    const { id } = await subscribeByPix(scene.shop());
    const { page } = await scene.openUrl(await pageOf(id));
    await page.getByText('Forma de pagamento atual: PIX.').waitFor();
    await fillCard(page, { number: cards.approved });
    await page.getByRole('button', { name: 'Salvar este cartão' }).click();
    await page.getByRole('heading', { name: 'Pronto' }).waitFor();
    expect(await methodOf(id)).toBe('card');
  });
});

test('the page of a trial says what is charged today and then, and begins it with a card', async () => {
  const { id } = await subscribe(scene.shop(), { trial: { days: 14 } });
  const visit = await scene.openUrl(await pageOf(id));
  const { page } = visit;
  await page.getByText('hoje R$ 0,00; R$ 99,90 em').waitFor();
  await inspect(visit, 'subscription-trial');
  await typeCard(page, { number: cards.approved });
  await page.getByRole('button', { name: 'Começar teste grátis' }).click();
  await page.getByText('Seu teste grátis começou.').waitFor();
  await expectSound(visit);
  const begun = await scene.shop().fatura.subscriptions.retrieve(id);
  expect(begun).toMatchObject({ status: 'trialing', latest_invoice: null, payment_method_type: 'card' });
});

test('the page of a subscription with an open bill is that of the bill', async () => {
  const { id, latest_invoice: invoice } = await subscribe(scene.shop());
  const visit = await scene.openUrl(await pageOf(id));
  expect(new URL(visit.page.url()).pathname).toBe(new URL(scene.addressOf(invoice ?? '')).pathname);
  await fillCard(visit.page, { number: cards.approved });
  await payButton(visit.page).click();
  await visit.page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  await expectSound(visit);
  expect(await methodOf(id)).toBe('card');
});

test('a page that was open when a bill came leads to it', async () => {
  const { id, current_period_end: end } = await subscribeUnfunded(scene.shop());
  const { page } = await scene.openUrl(await pageOf(id));
  await page.getByText('Forma de pagamento atual: cartão').waitFor();
  await passUntil({ api: scene.api(), merchant: scene.shop(), id }, end ?? 0);
  await page.getByRole('heading', { name: 'Há uma cobrança em aberto' }).waitFor();
  await page.getByRole('link', { name: 'Ver a cobrança' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
});

test('the page of a subscription that has ended is gone', async () => {
  const { id } = await subscribeByCard(scene.shop());
  const url = await pageOf(id);
  await scene.shop().fatura.subscriptions.cancel(id);
  const visit = await scene.openUrl(url);
  await visit.page.getByRole('heading', { name: 'Esta página não está mais disponível' }).waitFor();
  await inspect(visit, 'gone');
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).update_payment_url).toBeNull();
});

test('the page of a paused one says so, and of no charge to come', async () => {
  const { id } = await subscribeByCard(scene.shop());
  await scene.shop().fatura.subscriptions.pause(id);
  const visit = await scene.openUrl(await pageOf(id));
  const { page } = visit;
  await page.getByText('Sua assinatura está pausada: nada é renovado até ela ser retomada.').waitFor();
  await page.getByText('Forma de pagamento atual: cartão Visa final 4242.').waitFor();
  expect(await page.getByText('próxima cobrança').count()).toBe(0);
  await expectSound(visit);
});

test('who is bound to a minimum term reads how long, by which formula, and what an end would cost, before paying', async () => {
  const { fatura } = scene.shop();
  const made = await subscribe(scene.shop(), {
    minimum_term: { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 },
  });
  const { payment_url } = await fatura.invoices.retrieve(made.latest_invoice ?? '');
  const visit = await scene.openUrl(payment_url ?? '');
  const { page } = visit;
  await page
    .getByText(
      'Fidelidade de 12 meses a partir do pagamento. Encerrar antes custa 20% das cobranças que faltarem: hoje seriam R$ 219,78.',
    )
    .waitFor();
  await expectSound(visit);
  await fatura.subscriptions.checkout(made.id, { payment_method_type: 'pix' });
  const { payment_intent: intent } = await fatura.invoices.retrieve(made.latest_invoice ?? '');
  await fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  const after = await scene.openUrl(await pageOf(made.id));
  await after.page.getByText(/^Fidelidade até \d\d\/\d\d\/\d{4}\. Encerrar antes custa 20%/).waitFor();
});
