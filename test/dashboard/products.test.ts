import { expect, test } from 'vitest';
import { newPrice, newProduct } from '../support/factories.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

test('a product is made, gets a price by the month and one at once, and is sold', async () => {
  const visit = await scene.open('/products?mode=sandbox', await scene.newPerson('finance'));
  const { page } = visit;
  const { fatura } = scene.shop();
  const button = (name: string) => page.getByRole('button', { name });
  await page.getByText('Nenhum produto.').waitFor();
  await button('Novo produto').click();
  await page.getByLabel('Nome').fill('Clube do Livro');
  await page.getByRole('dialog').getByRole('button', { name: 'Criar produto' }).dblclick();
  await page.getByRole('heading', { name: 'Clube do Livro' }).waitFor();
  await page.getByText('Sem preço, o produto não pode ser cobrado.').waitFor();

  await button('Novo preço').click();
  await page.getByLabel('Como é cobrado').selectOption('recurring');
  await page.getByLabel('Valor').fill('10.000,00');
  await page.getByRole('dialog').getByRole('button', { name: 'Criar preço' }).click();
  await page.getByText('Informe um valor de R$ 0,00 a R$ 9.999,99.').waitFor();
  await page.getByLabel('Valor').fill('99,90');
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-price-dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Criar preço' }).dblclick();
  await page.getByText('R$ 99,90 por mês').waitFor();

  await button('Novo preço').click();
  await page.getByLabel('Valor').fill('600');
  await page.getByText('Permitir parcelas no cartão').click();
  await page.getByLabel('Até quantas parcelas').selectOption('6');
  await page.getByRole('dialog').getByRole('button', { name: 'Criar preço' }).click();
  await page.getByText('R$ 600,00 uma vez').waitFor();
  await page.getByText('até 6× no cartão').waitFor();
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-product');

  const products = await fatura.products.list().all({ max: 10 });
  expect(products).toMatchObject([{ name: 'Clube do Livro', active: true }]);
  const prices = await fatura.prices.list({ product_id: products[0]?.id ?? '' }).all({ max: 10 });
  expect(prices).toMatchObject([
    { type: 'one_time', unit_amount: 60_000, max_card_installments: 6, card_installments_enabled: true },
    { type: 'recurring', unit_amount: 9_990, recurring: { interval: 'month', interval_count: 1 } },
  ]);
  await expectSound(visit);
});

test('a product is renamed and taken out of sale, and a price of it too', async () => {
  const shop = scene.shop();
  const product = await newProduct(shop, { name: 'Plano Antigo' });
  const price = await newPrice(shop, { product_id: product.id });
  const visit = await scene.open(`/products/${product.id}?mode=sandbox`, await scene.newPerson('owner'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Desativar' }).click();
  await page.getByText('Inativo', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Alterar' }).click();
  await page.getByLabel('Nome').fill('Plano Novo');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByRole('heading', { name: 'Plano Novo' }).waitFor();
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Tirar de venda' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Tirar de venda' }).click();
  await page.getByText('Fora de venda', { exact: true }).waitFor();
  const { fatura } = shop;
  expect(await fatura.products.retrieve(product.id)).toMatchObject({ name: 'Plano Novo', active: false });
  expect((await fatura.prices.retrieve(price.id)).active).toBe(false);
  await page.goto(page.url().replace(`/${product.id}`, '').replace('mode=sandbox', 'mode=sandbox&status=inactive'));
  await page.getByRole('link', { name: 'Plano Novo' }).waitFor();
  expect(await page.getByRole('link', { name: 'Clube do Livro' }).count()).toBe(0);
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-products');
  await expectSound(visit);
});

test('support reads products, and is told why nothing can be changed', async () => {
  const { id } = await newProduct(scene.shop(), { name: 'Plano Ouro' });
  await newPrice(scene.shop(), { product_id: id });
  const { page } = await scene.open(`/products/${id}?mode=sandbox`, await scene.newPerson('support'));
  await page.getByText('R$ 99,90 uma vez').waitFor();
  expect(await page.getByRole('button', { name: 'Desativar' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Novo preço.*O seu papel \(Atendimento\) não permite isto/ }).waitFor();
});
