import { describe, expect, test } from 'vitest';
import { newPrice, newProduct } from '../support/factories.ts';
import { expectSound, inspect, paymentScene, type Visit } from './scene.ts';

const scene = paymentScene();
/** What a browser says that fetches a page before anybody asks for it. */
const AHEAD = { Purpose: 'prefetch' };

async function aLink(more: { max_sales?: number } = {}) {
  const shop = scene.shop();
  const product = await newProduct(shop, { name: 'Ingresso da festa' });
  const { id } = await newPrice(shop, { product_id: product.id, unit_amount: 5_000 });
  return shop.fatura.paymentLinks.create({ line_items: [{ price_id: id, quantity: 2 }], ...more });
}

const open = (link: { url: string | null }, options = {}): Promise<Visit> => scene.openUrl(link.url ?? '', options);
const countsOf = async (id: string): Promise<number[]> => {
  const { sales, reserved } = await scene.shop().fatura.paymentLinks.retrieve(id);
  return [sales, reserved];
};

describe('whoever opens a payment link in a browser', () => {
  test('is at a purchase of their own, which a reload and the way back lead to', async () => {
    const link = await aLink({ max_sales: 1 });
    const visit = await open(link);
    const { page } = visit;
    await page.getByText('Ingresso da festa').first().waitFor();
    const address = page.url();
    expect(new URL(address).pathname).toMatch(/^\/checkout\/cs_/);
    await page.reload();
    expect(page.url()).toBe(address);
    await page.goto(scene.api().baseUrl + new URL(link.url ?? '').pathname);
    expect(page.url()).toBe(address);
    await page.goBack();
    expect(page.url()).toBe(address);
    expect(await countsOf(link.id)).toEqual([0, 1]);
    await expectSound(visit);
  });

  test('pays, and stays with the receipt where the link says no address of a shop', async () => {
    const link = await aLink();
    const visit = await open(link);
    const { page } = visit;
    await page.getByLabel('Nome completo').fill('Ana Souza');
    await page.getByLabel('CPF', { exact: true }).pressSequentially('52998224725');
    await page.getByLabel('E-mail').fill('ana@loja.test');
    await page.getByLabel('Celular com DDD').pressSequentially('11987654321');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByRole('button', { name: 'Simular pagamento' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await page.getByText('oltar à loja').count()).toBe(0);
    await visit.page.getByText('Ver recibo').waitFor();
    expect(new URL(visit.page.url()).pathname).toMatch(/^\/checkout\/cs_/);
    expect(await countsOf(link.id)).toEqual([1, 0]);
    await expectSound(visit);
  });

  test('without a script, and asked for by the button, is at a purchase as well', async () => {
    const link = await aLink();
    const visit = await open(link, { javaScriptEnabled: false, extraHTTPHeaders: AHEAD });
    await visit.page.getByText('Ingresso da festa').waitFor();
    expect(await countsOf(link.id)).toEqual([0, 0]);
    await visit.page.getByRole('button', { name: 'Comprar' }).click();
    expect(new URL(visit.page.url()).pathname).toMatch(/^\/checkout\/cs_/);
    expect(await countsOf(link.id)).toEqual([0, 1]);
  });

  test('sees what is sold and a button where the page was fetched ahead', async () => {
    const visit = await open(await aLink(), { extraHTTPHeaders: AHEAD });
    await visit.page.getByRole('button', { name: 'Comprar' }).waitFor();
    await inspect(visit, 'payment-link-button');
    await expectSound(visit);
  });

  test('is told that others hold the last piece, and gets it once it is free', async () => {
    const link = await aLink({ max_sales: 1 });
    await open(link);
    const late = await open(link);
    await late.page.getByRole('heading', { name: 'Esgotado por agora' }).waitFor();
    await inspect(late, 'payment-link-on-hold');
    const [session] = (await scene.shop().fatura.checkoutSessions.list({ payment_link_id: link.id }).page()).data;
    await scene.shop().fatura.checkoutSessions.expire(session?.id ?? '');
    await late.page.getByRole('link', { name: 'Tentar de novo' }).click();
    expect(new URL(late.page.url()).pathname).toMatch(/^\/checkout\/cs_/);
    await expectSound(late);
  });

  test('is told that it sells no more', async () => {
    const link = await aLink();
    await scene.shop().fatura.paymentLinks.update(link.id, { active: false });
    const visit = await open(link);
    await visit.page.getByRole('heading', { name: 'Vendas encerradas' }).waitFor();
    await inspect(visit, 'payment-link-over');
  });
});
