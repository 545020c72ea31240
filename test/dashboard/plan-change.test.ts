import { expect, test } from 'vitest';
import { byCard } from '../support/cards.ts';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { subscribe } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();
const recurring = { interval: 'month' } as const;

/** An active subscription, and a dearer plan to change it to. */
async function sell() {
  const shop = scene.shop();
  const { id: product } = await newProduct(shop, { name: 'Plano Ouro' });
  const plan = { product_id: product, type: 'recurring', recurring } as const;
  const low = await newPrice(shop, { ...plan, unit_amount: 4_990 });
  const high = await newPrice(shop, { ...plan, unit_amount: 9_990 });
  const { id: customer } = await newCustomer(shop, { name: 'Caio Prado' });
  const { id } = await subscribe(shop, { customer_id: customer, price_id: low.id });
  await shop.fatura.subscriptions.checkout(id, byCard());
  return { id, low: low.id, high: high.id };
}

const current = (id: string) => scene.shop().fatura.subscriptions.retrieve(id);

test('a plan is changed once it was seen what that comes to', async () => {
  const { id, high } = await sell();
  const visit = await scene.open(`/subscriptions/${id}?mode=sandbox`, await scene.newPerson('finance'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Mudar plano' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Plano').selectOption('Plano Ouro – R$ 99,90 por mês');
  await dialog.getByLabel('Quantidade').fill('1000');
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  await dialog.getByText(/quantity/).waitFor();
  await dialog.getByLabel('Quantidade').fill('2');
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  // On the day that the period began all of it is charged anew, by the next bill.
  await dialog.getByText('A pagar agora').waitFor();
  expect(await dialog.getByText('R$ 199,80').count()).toBeGreaterThan(0);
  expect(await dialog.getByText('R$ 349,70').count()).toBe(1);
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-plan-change');
  await dialog.getByRole('button', { name: 'Mudar', exact: true }).click();
  await page.getByText('Plano mudado.').waitFor();
  expect((await current(id)).item).toMatchObject({ quantity: 2, price: { id: high } });
  await expectSound(visit);
});

test('a change for the end of the period is shown, and taken back', async () => {
  const { id, low } = await sell();
  const visit = await scene.open(`/subscriptions/${id}?mode=sandbox`, await scene.newPerson('finance'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Mudar plano' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Plano').selectOption('Plano Ouro – R$ 99,90 por mês');
  await dialog.getByLabel('Quando').selectOption('No fim do período');
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  await dialog.getByRole('button', { name: 'Mudar', exact: true }).click();
  await page.getByText(/^Marcada para \d\d\/\d\d\/\d{4}$/).waitFor();
  expect((await current(id)).pending_change).toMatchObject({ status: 'scheduled' });
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Desfazer mudança' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desfazer mudança' }).click();
  await page.getByText('Mudança desfeita.').waitFor();
  expect(await current(id)).toMatchObject({ pending_change: null, item: { price: { id: low } } });
  await expectSound(visit);
});
