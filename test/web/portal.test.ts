import { describe, expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { newCustomer } from '../support/factories.ts';
import { subscribe, subscribeByCard } from '../support/subscriptions.ts';
import { expectSound, fillCard, inspect, payButton, paymentScene, type Visit } from './scene.ts';

const scene = paymentScene();

const portalOf = async (customer: string, link = {}): Promise<string> =>
  (await scene.shop().fatura.customers.createPortalLink(customer, link)).url;

/** Goes on by the keyboard until something has it, and answers whether its focus is seen. */
async function tabTo({ page }: Visit, name: RegExp): Promise<void> {
  for (let tabs = 0; tabs < 60; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if (!name.test((await focused.textContent()) ?? '')) continue;
    expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
    return;
  }
  throw new Error(`no Tab leads to ${name}`);
}

test('the page that asks for an address says what comes, by the keyboard alone', async () => {
  const visit = await scene.openUrl(`${scene.api().baseUrl}/portal`);
  const { page } = visit;
  await inspect(visit, 'portal-ask');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ninguem@outra.test');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Confira o seu e-mail' }).waitFor();
  await inspect(visit, 'portal-asked');
  await expectSound(visit);
});

test('a link that has ended leads to how another is asked for', async () => {
  const { page } = await scene.openUrl(`${scene.api().baseUrl}/portal/sandbox_${'x'.repeat(43)}`);
  await page.getByRole('heading', { name: 'Este link não vale mais' }).waitFor();
  await page.getByLabel('Seu e-mail').fill('ninguem@outra.test');
  await page.getByRole('button', { name: 'Enviar link' }).click();
  await page.getByRole('heading', { name: 'Confira o seu e-mail' }).waitFor();
});

describe('the page of a customer', () => {
  test('shows what there is of them, and nothing wider than a small phone', async () => {
    const { customer } = await subscribeByCard(scene.shop());
    await scene.anInvoice({ customer_id: customer });
    const visit = await scene.openUrl(await portalOf(customer, { return_url: 'https://loja.test/conta' }));
    const { page } = visit;
    expect(await page.title()).toBe('Suas assinaturas e cobranças – Loja do Teste');
    await page.getByText('Próxima cobrança: R$ 99,90 em').waitFor();
    await page.getByRole('link', { name: 'Pagar R$ 99,90 Plano Ouro' }).waitFor();
    expect(await page.getByRole('link', { name: 'Voltar à loja' }).getAttribute('href')).toBe(
      'https://loja.test/conta',
    );
    await inspect(visit, 'portal');
    await page.setViewportSize({ width: 320, height: 640 });
    await expectSound(visit);
  });

  test('says so where there is nothing', async () => {
    const { id } = await newCustomer(scene.shop());
    const visit = await scene.openUrl(await portalOf(id));
    await visit.page.getByText('Ainda não há nada aqui').waitFor();
    await inspect(visit, 'portal-empty');
    await expectSound(visit);
  });

  test.each([true, false])(
    'cancels in two taps, and takes that back, by the keyboard alone (script: %s)',
    async (javaScriptEnabled) => {
      const { id, customer, current_period_end: end } = await subscribeByCard(scene.shop());
      const visit = await scene.openUrl(await portalOf(customer), { javaScriptEnabled });
      const { page } = visit;
      await tabTo(visit, /^Cancelar assinatura/);
      await page.keyboard.press('Enter');
      await page
        .getByText('e depois não é renovada. Nada é cobrado por isso. Você pode voltar atrás até lá.')
        .waitFor();
      if (javaScriptEnabled) await inspect(visit, 'portal-cancel');
      await tabTo(visit, /^Sim, cancelar/);
      await page.keyboard.press('Enter');
      await page.getByRole('status').filter({ hasText: 'Cancelamento confirmado.' }).waitFor();
      await page.getByText(/^Cancelada: vale até/).waitFor();
      expect(await scene.shop().fatura.subscriptions.retrieve(id)).toMatchObject({
        status: 'active',
        cancel_at: end,
        cancel_at_period_end: true,
      });
      if (javaScriptEnabled) {
        // The keyboard goes on from what was said.
        expect(await page.locator(':focus').textContent()).toContain('Cancelamento confirmado.');
        await inspect(visit, 'portal-canceled');
      }
      await tabTo(visit, /^Continuar assinando/);
      await page.keyboard.press('Enter');
      await page.getByText('Pronto: sua assinatura continua.').waitFor();
      await page.getByText('Próxima cobrança: R$ 99,90 em').waitFor();
      expect((await scene.shop().fatura.subscriptions.retrieve(id)).cancel_at).toBeNull();
      await expectSound(visit);
    },
  );

  test('says what the end of a minimum term costs before it is confirmed', async () => {
    const { id, customer } = await subscribe(scene.shop(), {
      minimum_term: { cycles: 12, penalty_type: 'remaining_percentage', penalty_value: 20 },
    });
    await scene.shop().fatura.subscriptions.checkout(id, byCard(cards.approved));
    const visit = await scene.openUrl(await portalOf(customer));
    await visit.page.getByText('Cancelar assinatura').click();
    await visit.page.getByText('encerrar nesse dia custa R$ 219,78, que chegam em uma última cobrança').waitFor();
    await inspect(visit, 'portal-penalty');
    await expectSound(visit);
  });

  test('leads to the bill, which is paid and leads back', async () => {
    const { customer } = await subscribe(scene.shop());
    const visit = await scene.openUrl(await portalOf(customer));
    const { page } = visit;
    const home = page.url();
    await page.getByRole('link', { name: /^Pagar R\$ 99,90/ }).click();
    await fillCard(page, { number: cards.approved });
    await payButton(page).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    await page.getByRole('link', { name: 'Voltar para minhas assinaturas' }).click();
    expect(page.url()).toBe(home);
    await page.getByText('Ativa').waitFor();
    const receipt = page.getByRole('link', { name: /^Ver recibo/ });
    await receipt.click();
    await page.getByRole('heading', { name: /^Recibo/ }).waitFor();
    await expectSound(visit);
  });

  test('leads to where another card is given, and back', async () => {
    const { customer } = await subscribeByCard(scene.shop());
    const visit = await scene.openUrl(await portalOf(customer));
    const { page } = visit;
    await page.getByRole('link', { name: /^Trocar a forma de pagamento/ }).click();
    await page.getByRole('link', { name: 'Voltar para minhas assinaturas' }).waitFor();
    await inspect(visit, 'portal-another-card');
    await fillCard(page, { number: cards.mastercard });
    await page.getByRole('button', { name: 'Salvar este cartão' }).click();
    await page.getByRole('heading', { name: 'Pronto' }).waitFor();
    await page.getByRole('link', { name: 'Voltar para minhas assinaturas' }).click();
    await page.getByText('Mastercard final 4444').first().waitFor();
    await page.getByRole('button', { name: 'Tornar o principal Mastercard final 4444' }).click();
    await page.getByText('Pronto: este é agora o seu cartão principal.').waitFor();
    await page.getByText('Remover Visa final 4242', { exact: true }).click();
    await page.getByRole('button', { name: 'Sim, remover Visa final 4242' }).click();
    await page.getByText('O cartão foi removido.').waitFor();
    expect(await page.getByText('Visa final 4242').count()).toBe(0);
    await expectSound(visit);
  });

  test('pauses, resumes and changes to a listed price where the account lets it, with a preview first', async () => {
    const { fatura } = scene.shop();
    const { id, customer, item } = await subscribeByCard(scene.shop());
    const product = await fatura.products.create({ name: 'Plano Platina' });
    const price = await fatura.prices.create({
      ...{ product_id: product.id, unit_amount: 19_990, type: 'recurring' },
      recurring: { interval: 'month' },
    });
    await fatura.collectionSettings.update({ portal: { pause: true, change_prices: [price.id, item.price.id] } });
    const visit = await scene.openUrl(await portalOf(customer));
    const { page } = visit;
    await page.getByText('Mudar de plano').click();
    await page.getByRole('link', { name: 'Plano Platina: R$ 199,90 por mês' }).click();
    await page.getByText('A diferença do período atual, de R$ 100,00, vem na próxima cobrança.').waitFor();
    await inspect(visit, 'portal-change');
    await page.getByRole('button', { name: 'Confirmar mudança' }).click();
    await page.getByText('Mudança confirmada.').waitFor();
    expect((await fatura.subscriptions.retrieve(id)).item.price.id).toBe(price.id);
    await page.getByText('Pausar', { exact: false }).first().click();
    await page.getByRole('button', { name: 'Sim, pausar' }).click();
    await page.getByText('Sua assinatura está pausada.', { exact: true }).waitFor();
    await inspect(visit, 'portal-paused');
    await page.getByRole('button', { name: 'Retomar' }).click();
    await page.getByText('Pronto: sua assinatura voltou.').waitFor();
    expect(await fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active', pause: null });
    await expectSound(visit);
  });
});

describe('in English', () => {
  const inEnglish = { locale: 'en-US' };

  test('a customer reads the page, cancels and takes that back', async () => {
    const { customer } = await subscribeByCard(scene.shop());
    await scene.anInvoice({ customer_id: customer });
    const visit = await scene.openUrl(await portalOf(customer), inEnglish);
    const { page } = visit;
    expect(await page.title()).toBe('Your subscriptions and bills – Loja do Teste');
    await page.getByText('Next charge: R$99.90 on').waitFor();
    await page.getByText('R$99.90 every month', { exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    const text = (await page.locator('body').textContent()) ?? '';
    expect(text).not.toMatch(/assinatur|cobran|cart[ãõ]|Vence|Pagar|recibo/i);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectSound(visit);
    await inspect(visit, 'portal-en');
    await page.getByText('Cancel the subscription').first().click();
    await page.getByRole('button', { name: 'Yes, cancel' }).click();
    await page.getByText('Cancelled. Your subscription lasts until').waitFor();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('Done: your subscription goes on.').waitFor();
    await expectSound(visit);
  });

  test('the language of the address stays through forms, lists and bills', async () => {
    const { customer, id } = await subscribeByCard(scene.shop());
    await scene.anInvoice({ customer_id: customer });
    const { page } = await scene.visit(`${scene.api().baseUrl}${new URL(await portalOf(customer)).pathname}?locale=en`);
    await page.getByText('Cancel the subscription').first().click();
    await page.getByRole('button', { name: 'Yes, cancel' }).click();
    await page.getByText('Cancelled. Your subscription lasts until').waitFor();
    expect(new URL(page.url()).searchParams.get('locale')).toBe('en');
    expect((await scene.shop().fatura.subscriptions.retrieve(id)).cancel_at).not.toBeNull();
    await page.getByRole('link', { name: /^Pay R\$/ }).click();
    await page.getByText('How do you want to pay?').waitFor();
    await page.getByRole('link', { name: 'Back to my subscriptions' }).click();
    await page.getByRole('heading', { name: 'Your subscriptions and bills' }).waitFor();
  });

  test('an address is asked for, and what is sent is said', async () => {
    const { page } = await scene.visit(`${scene.api().baseUrl}/portal?locale=en`);
    await page.getByLabel('Your e-mail').fill('ninguem@outra.test');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Look at your e-mail' }).waitFor();
    const ended = await scene.openUrl(`${scene.api().baseUrl}/portal/sandbox_${'x'.repeat(43)}`, inEnglish);
    await ended.page.getByRole('heading', { name: 'This link is not good any more' }).waitFor();
  });
});
