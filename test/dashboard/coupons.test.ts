import { expect, test } from 'vitest';
import { subscribe } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

test('a coupon is made, gets a code, and both are switched off', async () => {
  const visit = await scene.open('/coupons?mode=sandbox', await scene.newPerson('finance'));
  const { page } = visit;
  const { fatura } = scene.shop();
  const button = (name: string) => page.getByRole('button', { name });
  await page.getByText('Nenhum cupom.').waitFor();
  await button('Novo cupom').click();
  const dialog = page.getByRole('dialog');
  await page.getByLabel('Nome').fill('Boas-vindas');
  await page.getByRole('textbox', { name: 'Porcentagem' }).fill('101');
  await dialog.getByRole('button', { name: 'Criar cupom' }).click();
  await page.getByText('Informe de 0,01 a 100.').waitFor();
  await page.getByRole('textbox', { name: 'Porcentagem' }).fill('12,5');
  await page.getByLabel('Cobranças de uma assinatura').fill('3');
  await page.getByLabel('Limite de resgates').fill('100');
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-coupon-dialog');
  await dialog.getByRole('button', { name: 'Criar cupom' }).dblclick();
  await page.getByRole('heading', { name: 'Boas-vindas' }).waitFor();
  await page.getByText('12,5% por 3 cobranças').waitFor();

  await button('Novo código').click();
  await dialog.getByRole('textbox', { name: 'Código' }).fill('bem-vindo');
  await dialog.getByRole('button', { name: 'Criar código' }).click();
  await page.getByText('BEM-VINDO').waitFor();
  const subscription = await subscribe(scene.shop(), { promotion_code: 'BEM-VINDO' });
  await page.reload();
  await page.getByText('1 de 100').waitFor();
  await inspect(visit, 'dashboard-coupon');
  await page.getByRole('button', { name: 'Desligar' }).click();
  await page.getByText('Desligado', { exact: true }).waitFor();
  await button('Ações').click();
  await page.getByRole('menuitem', { name: 'Desligar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desligar' }).click();
  await page.getByText('Desligado', { exact: true }).nth(1).waitFor();

  const coupons = await fatura.coupons.list().all({ max: 10 });
  expect(coupons).toMatchObject([{ percentage: 12.5, cycles: 3, max_redemptions: 100, active: false }]);
  await page.goto(page.url().replace(/coupons\/\w+/, `subscriptions/${subscription.id}`));
  await page.getByText('Boas-vindas: ').waitFor();
  await expectSound(visit);
});

test('support reads coupons, and makes none', async () => {
  await scene.shop().fatura.coupons.create({ name: 'Cinco', type: 'fixed', amount_cents: 500 });
  const { page } = await scene.open('/coupons?mode=sandbox', await scene.newPerson('support'));
  await page.getByText('R$ 5,00').waitFor();
  expect(await page.getByRole('button', { name: 'Novo cupom' }).count()).toBe(0);
});
