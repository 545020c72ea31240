import { beforeAll, expect, test } from 'vitest';
import { cards, payByCard } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { newPerson } from '../support/people.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, type Signed } from './scene.ts';

const DAY = 86_400;

const scene = dashboardScene();
let person: Signed;

beforeAll(async () => {
  person = await scene.newPerson('owner');
});

const open = (options = {}) => scene.open('/?mode=sandbox', person, options);

test('somebody new is led to a charge, its payment and its refund', async () => {
  const visit = await open();
  const { page } = visit;
  await page.getByText('Nada precisa de você agora.').waitFor();
  await page.getByRole('listitem').filter({ hasText: '1. Faça uma cobrança' }).waitFor();
  expect(await page.getByText('(feito)').count()).toBe(0);
  await expectSound(visit);
  await page.getByRole('link', { name: 'Criar cobrança' }).click();
  await page.getByLabel('CPF ou CNPJ').waitFor();
  const { invoice, payment } = await scene.sell({ amount: 1_000 });
  await page.goBack();
  await page.reload();
  await expect.poll(() => page.getByText('(feito)').count()).toBe(2);
  await page.getByRole('listitem').filter({ hasText: '3. Devolva' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'Fatura de R$ 10,00' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/invoices/${invoice}`);
  await scene.shop().fatura.refunds.create({ payment_intent: payment });
  await page.goBack();
  await page.reload();
  await page.getByText('Nada precisa de você agora.').waitFor();
  await expect.poll(() => page.getByText('Primeiros passos').count()).toBe(0);
});

test('what needs somebody stands there, and leads to where it is', async () => {
  const shop = scene.shop();
  await newInvoice(shop, { amount: 7_000, due_at: scene.api().clock.now() + 60 });
  scene.api().clock.advance(2 * DAY);
  person = await scene.newPerson('owner');
  await payByCard(shop, (await newInvoice(shop, { amount: 3_000 })).id, { number: cards.issuer_declined }).catch(
    () => {},
  );
  const { payment } = await scene.sell({ amount: 9_990 });
  await shop.fatura.testHelpers.paymentIntents.dispute(payment, { scenario: 'fraud' });
  const visit = await open({ viewport: PHONE });
  const { page } = visit;
  await page.getByRole('link', { name: '1 cobrança recusada hoje R$ 30,00' }).waitFor();
  await page.getByRole('link', { name: '1 fatura vencida em aberto R$ 70,00' }).waitFor();
  await page.getByText('Hoje entraram R$ 99,90').waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-start');
  await page.getByRole('link', { name: '1 contestação nos últimos 7 dias R$ 99,90' }).click();
  await page.getByRole('heading', { name: 'Contestações' }).waitFor();
  await page.getByText('Soma de 1 linha').waitFor();
});

test('whoever reads only sees the same, and live mode has no first steps', async () => {
  const viewer = await newPerson(scene.api(), { accountId: scene.shop().accountId, role: 'viewer' });
  const { page } = await scene.open('/?mode=live', viewer);
  await page.getByText('Nada precisa de você agora.').waitFor();
  expect(await page.getByText('Primeiros passos').count()).toBe(0);
  await page.getByRole('link', { name: 'Ver as vendas' }).click();
  await page.getByRole('heading', { name: 'Vendas' }).waitFor();
});
