import { mkdirSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, test } from 'vitest';
import { cards } from '../support/cards.ts';
import { newPrice, newProduct } from '../support/factories.ts';
import { png, serveFile } from '../support/images.ts';
import { leaveUnpaid, subscribeByPix, subscribeUnfunded } from '../support/subscriptions.ts';
import { fillCard, paymentScene, typeCard, type Visit } from './scene.ts';

const scene = paymentScene();

/** Screenshots are kept where somebody wants to look at them. */
const { SCREENSHOTS: folder } = process.env;

const SIZES = [
  { width: 320, height: 640 },
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
];

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** At each size, in light and dark: nothing is wider than the window, and axe finds nothing. */
async function lookAt({ page, complaints }: Visit, name: string): Promise<void> {
  for (const viewport of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const shown = `${name}-${viewport.width}-${colorScheme}`;
      if (folder !== undefined) {
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: `${folder}/${shown}.png`, fullPage: true });
      }
      expect([shown, await page.evaluate(overflow)]).toEqual([shown, 0]);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${shown}: ${id} at ${nodes.map(({ html }) => html).join()}`)).toEqual(
        [],
      );
    }
  }
  // The browser itself tells of a decline, which is no 2xx; the page means it.
  expect(complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
}

const dress = async () =>
  scene.shop().fatura.account.update({
    ...{ name: 'Padaria Aurora', tax_id: '12ABC34501DE35', support_email: 'ajuda@aurora.test' },
    ...{ color: '#6b21a8', cover_color: '#f3ead7', corner_radius: 18, font: 'serif' },
    ...{ terms_url: 'https://aurora.test/termos', privacy_url: 'https://aurora.test/privacidade' },
    logo_url: await serveFile(png({ width: 400, height: 120 })),
  });

async function sell(price: object, session: object = {}) {
  const { id: product_id } = await newProduct(scene.shop(), { name: 'Clube do livro' });
  const { id: price_id } = await newPrice(scene.shop(), { product_id, unit_amount: 9_990, ...price });
  return scene.shop().fatura.checkoutSessions.create({
    ...{ mode: 'payment', success_url: 'https://aurora.test/obrigado', return_url: 'https://aurora.test/carrinho' },
    line_items: [{ price_id, quantity: 1 }],
    ...session,
  });
}

const MONTHLY = { type: 'recurring', recurring: { interval: 'month' } };

describe('at each size, in light and dark,', { timeout: 120_000 }, () => {
  test('the code of an invoice stands', async () => {
    const { id } = await scene.anInvoice();
    const visit = await scene.open(id);
    await visit.page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await lookAt(visit, 'invoice');
  });

  test('the form of a card, with installments and a decline', async () => {
    await dress();
    const { id } = await scene.anInvoice({
      price: { unit_amount: 55_878, card_installments_enabled: true, max_card_installments: 12 },
    });
    const visit = await scene.open(id);
    await fillCard(visit.page, { number: cards.issuer_declined });
    await visit.page.getByRole('radio', { name: /^3x/ }).check();
    await visit.page.getByRole('button', { name: 'Pagar 3x de R$ 186,26' }).click();
    await visit.page.getByText('O banco não autorizou a compra').waitFor();
    await lookAt(visit, 'card');
  });

  test('the buyer of a session is asked, and the code stands', async () => {
    await dress();
    const { url } = await sell({});
    const visit = await scene.openUrl(url);
    const { page } = visit;
    await page.getByLabel('E-mail').fill('ana@gmail.con');
    await page.getByRole('button', { name: 'Você quis dizer ana@gmail.com?' }).waitFor();
    await lookAt(visit, 'buyer');
    await page.getByRole('button', { name: 'Você quis dizer' }).click();
    await page.getByLabel('Nome completo').fill('Ana Souza');
    await page.getByLabel('CPF').pressSequentially('52998224725');
    await page.getByLabel('Celular com DDD').pressSequentially('11987654321');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await lookAt(visit, 'session');
  });

  test('a subscription is agreed to, in English too', async () => {
    await dress();
    const customer = await scene.shop().fatura.customers.create({
      ...{ name: 'Ana Souza', identifier: '52998224725', email: 'ana@loja.test', phone: '+5511987654321' },
    });
    const { url } = await sell(MONTHLY, { mode: 'subscription', customer_id: customer.id });
    const visit = await scene.visit(`${scene.api().baseUrl}${new URL(url).pathname}?locale=en`);
    await visit.page.getByRole('radio', { name: 'Card' }).check();
    await visit.page.getByRole('checkbox', { name: 'It is my CPF (•••.982.247-••)' }).waitFor();
    await visit.page.getByRole('button', { name: 'Subscribe for R$99.90/month' }).waitFor();
    await lookAt(visit, 'subscription');
  });

  test('a trial begins, and the page goes on to the shop unless somebody stays', async () => {
    const { url } = await sell(MONTHLY, {
      ...{ mode: 'subscription', subscription: { trial: { days: 14 } } },
      customer_id: (
        await scene.shop().fatura.customers.create({ name: 'Ana', identifier: '52998224725', email: 'ana@loja.test' })
      ).id,
    });
    const visit = await scene.openUrl(url);
    const { page } = visit;
    await page.getByText('Ao começar o teste grátis, você autoriza').waitFor();
    await lookAt(visit, 'trial');
    await typeCard(page, { number: cards.approved });
    await page.getByRole('button', { name: 'Começar teste grátis' }).click();
    await page.getByText(/^Voltando para a loja em \d s$/).waitFor();
    await page.keyboard.press('Shift');
    await expect.poll(() => page.getByText('Voltando para a loja').count()).toBe(0);
    await lookAt(visit, 'begun');
  });

  test('the bill of a suspended subscription says what was declined, and works again by a PIX', async () => {
    const merchant = scene.shop();
    const { id } = await subscribeUnfunded(merchant);
    const bill = await leaveUnpaid({ api: scene.api(), merchant, id });
    const visit = await scene.open(bill.id);
    const { page } = visit;
    await page.getByText('Sua assinatura está suspensa: o cartão Visa final 0341 não tinha limite.').waitFor();
    await page.getByText('Ao pagar esta cobrança, ela volta a funcionar.').waitFor();
    await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await lookAt(visit, 'suspended');
    const english = await scene.visit(`${scene.addressOf(bill.id)}?locale=en`);
    await english.page.getByText('Once you pay this bill, it works again.').waitFor();
    await page.getByRole('button', { name: 'Simular pagamento' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await page.getByText('Sua assinatura está suspensa').count()).toBe(0);
    await lookAt(visit, 'suspended-paid');
    expect(await merchant.fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
  });

  test('the bill of a suspended subscription without a card says so, and nothing of a card', async () => {
    const merchant = scene.shop();
    const { id } = await subscribeByPix(merchant);
    const bill = await leaveUnpaid({ api: scene.api(), merchant, id });
    const visit = await scene.open(bill.id);
    await visit.page
      .getByText('Sua assinatura está suspensa. Ao pagar esta cobrança, ela volta a funcionar.')
      .waitFor();
    await lookAt(visit, 'suspended-by-pix');
  });
});
