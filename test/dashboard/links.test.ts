import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { newPerson } from '../support/people.ts';
import { newMonthly } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();
const CHARGE_MS = 20_000;

const button = (page: Page, name: string) => page.getByRole('button', { name });
const invoicesOf = (id: string) => scene.shop().fatura.invoices.list({ customer_id: id }).all({ max: 10 });

test('somebody new is charged in a few seconds: link, QR code and the text for the buyer', async () => {
  const visit = await scene.open('/links/charges?mode=sandbox', await scene.newPerson('finance'));
  const { page } = visit;
  await page.getByText('Nenhuma cobrança por aqui.').waitFor();
  await inspect(visit, 'dashboard-links-empty');
  const begun = performance.now();
  await page.getByRole('link', { name: 'Nova cobrança' }).click();
  await page.getByLabel('Nome').fill('Joana Prado');
  await page.getByLabel('CPF ou CNPJ').fill('529.982.247-25');
  await page.getByLabel('E-mail').fill('joana@example.com');
  await page.getByLabel('Valor', { exact: true }).fill('123,45');
  const day = await page.getByLabel('Vence em').inputValue();
  await button(page, 'Criar cobrança').dblclick();
  await page.getByRole('img', { name: 'QR code do PIX' }).waitFor();
  expect(performance.now() - begun).toBeLessThan(CHARGE_MS);
  await page.setViewportSize(PHONE);
  await expectSound(visit);
  await inspect(visit, 'dashboard-charge-made');
  const { fatura } = scene.shop();
  const [customer, ...others] = await fatura.customers.list({ query: 'joana' }).all({ max: 10 });
  expect(others).toEqual([]);
  const [invoice, ...rest] = await invoicesOf(customer?.id ?? '');
  expect(rest).toEqual([]);
  expect(invoice).toMatchObject({
    total: 12_345,
    status: 'open',
    due_at: Date.parse(`${day}T23:59:59-03:00`) / 1_000,
  });
  await page.getByText(invoice?.payment_url ?? '?', { exact: true }).waitFor();
  await page.getByText(`Olá, Joana! Segue o link para pagar R$ 123,45 até`).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Joana Prado' }).waitFor();
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-links');
  await expectSound(visit);
});

test('a link of an amount is made, handed on with its text, and switched off', async () => {
  const visit = await scene.open('/links?mode=sandbox', await scene.newPerson('support'));
  const { page } = visit;
  await page.getByText('Nenhum link de pagamento.').waitFor();
  await button(page, 'Novo link').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Descrição').fill('Rifa da festa junina');
  await dialog.getByLabel('Valor', { exact: true }).fill('0');
  await dialog.getByLabel('Limite de vendas').fill('50');
  await button(page, 'Criar link').click();
  await page.getByText('Informe um valor entre R$ 0,01 e R$ 9.999,99.').waitFor();
  await dialog.getByLabel('Valor', { exact: true }).fill('10,00');
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-link-dialog');
  await button(page, 'Criar link').dblclick();
  await page.getByRole('heading', { name: 'Rifa da festa junina' }).waitFor();
  const [link, ...others] = await scene.shop().fatura.paymentLinks.list().all({ max: 10 });
  expect(others).toEqual([]);
  expect(link).toMatchObject({ amount: 1_000, max_sales: 50, active: true });
  const { name } = await scene.shop().fatura.account.retrieve();
  const message = `Olá! Aqui é ${name}. Compre Rifa da festa junina por R$ 10,00, por PIX ou cartão, neste link: ${link?.url}`;
  await page.getByText(message, { exact: true }).waitFor();
  await page.getByText('0 de 50').waitFor();
  await inspect(visit, 'dashboard-link');
  await button(page, 'Ações').click();
  await page.getByRole('menuitem', { name: 'Desligar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desligar' }).click();
  await page.getByText('Desligado', { exact: true }).waitFor();
  expect((await scene.shop().fatura.paymentLinks.list().all({ max: 10 }))[0]?.active).toBe(false);
  await page.goBack();
  await page.getByRole('link', { name: 'Rifa da festa junina' }).waitFor();
  await inspect(visit, 'dashboard-payment-links');
  await expectSound(visit);
});

test('a link of a price that recurs is made with free days, codes and a last day', async () => {
  const shop = await scene.api().newMerchant();
  const product = await newProduct(shop, { name: 'Academia' });
  const price = await newMonthly(shop, { product_id: product.id });
  const owner = await newPerson(scene.api(), { accountId: shop.accountId, role: 'owner' });
  const visit = await scene.open('/links?mode=sandbox', owner, { viewport: PHONE });
  const { page } = visit;
  await button(page, 'Novo link').click();
  const trial = page.getByLabel('Dias grátis');
  expect(await trial.count()).toBe(0);
  await page.getByLabel('O quê').selectOption(price.id);
  await trial.fill('731');
  await page.getByText('O comprador pode usar um código promocional').click();
  const day = new Date((scene.api().clock.now() + 10 * 86_400) * 1_000).toISOString().slice(0, 10);
  await page.getByLabel('Vende até').fill(day);
  await button(page, 'Criar link').click();
  await page.getByText('Confira este campo.').waitFor();
  await trial.fill('14');
  await expectSound(visit);
  await inspect(visit, 'dashboard-link-terms');
  await button(page, 'Criar link').click();
  await page.getByText('14 dias').waitFor();
  const [link] = await shop.fatura.paymentLinks.list().all({ max: 1 });
  expect(link).toMatchObject({
    allow_promotion_codes: true,
    expires_at: Date.parse(`${day}T23:59:59-03:00`) / 1_000,
    subscription_terms: { trial: { days: 14, requires_payment_method: true, end_behavior: 'invoice' } },
  });
});

test('a link of a price that recurs tells how often, in Portuguese whatever the dashboard is read in', async () => {
  const shop = scene.shop();
  const product = await newProduct(shop, { name: 'Clube do livro' });
  const price = await newPrice(shop, { product_id: product.id, type: 'recurring', recurring: { interval: 'month' } });
  const link = await shop.fatura.paymentLinks.create({ line_items: [{ price_id: price.id, quantity: 1 }] });
  const { page } = await scene.open(`/links/${link.id}?mode=sandbox`, await scene.newPerson('support'));
  await page.getByText('Assine Clube do livro por R$ 99,90 por mês, por PIX ou cartão').waitFor();
});

test('a customer who is there already is found by the CPF as one types, and is not made again', async () => {
  const shop = scene.shop();
  const price = await newPrice(shop, { product_id: (await newProduct(shop, { name: 'Aula avulsa' })).id });
  const customer = await newCustomer(shop, { name: 'Bruno Reis', identifier: '11144477735' });
  const visit = await scene.open('/links/new?mode=sandbox', await scene.newPerson('support'));
  const { page } = visit;
  await page.getByLabel('Nome').fill('Bru');
  await page.getByRole('button', { name: /^Bruno Reis/ }).waitFor();
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-charge-form');
  await page.getByLabel('CPF ou CNPJ').fill('111.444.777-35');
  await button(page, 'Trocar cliente').waitFor();
  expect(await page.getByLabel('E-mail').count()).toBe(0);
  await page.getByLabel('Descrição').fill('Aula de sábado');
  await button(page, 'Criar cobrança').click();
  await page.getByRole('img', { name: 'QR code do PIX' }).waitFor();
  expect(await invoicesOf(customer.id)).toMatchObject([
    { total: 9_990, description: 'Aula de sábado', line_items: { data: [{ price: price.id }] } },
  ]);
  expect(await shop.fatura.customers.list({ identifier: '11144477735' }).all({ max: 10 })).toHaveLength(1);
  await expectSound(visit);
});

test('the same amount twice is one price, and what the service refuses stands at its field', async () => {
  const shop = scene.shop();
  const customer = await newCustomer(shop, { name: 'Carla Nunes', identifier: '39053344705' });
  const { page } = await scene.open(`/links/new?mode=sandbox&customer=${customer.id}`, await scene.newPerson('owner'));
  for (const sale of [1, 2]) {
    await button(page, 'Trocar cliente').waitFor();
    await page.getByLabel('Valor', { exact: true }).fill('77,00');
    await button(page, 'Criar cobrança').click();
    await page.getByRole('img', { name: 'QR code do PIX' }).waitFor();
    expect(await invoicesOf(customer.id)).toHaveLength(sale);
    await button(page, 'Nova cobrança').click();
  }
  const prices = await shop.fatura.prices.list({ external_code: 'cobranca-avulsa-7700' }).all({ max: 10 });
  expect(prices).toHaveLength(1);
  await button(page, 'Trocar cliente').click();
  await page.getByLabel('Nome').fill('Davi Melo');
  await page.getByLabel('CPF ou CNPJ').fill('111.111.111-11');
  await page.getByLabel('E-mail').fill('davi@example.com');
  await page.getByLabel('Valor', { exact: true }).fill('10000');
  await button(page, 'Criar cobrança').click();
  await page.getByText('Informe um valor entre R$ 0,01 e R$ 9.999,99.').waitFor();
  await page.getByLabel('Valor', { exact: true }).fill('10,00');
  await button(page, 'Criar cobrança').click();
  await page.getByText('Confira este campo.').waitFor();
  expect(await shop.fatura.customers.list({ query: 'davi' }).all({ max: 10 })).toEqual([]);
});

test('who may only read sees the links and is told why there is no new one', async () => {
  const visit = await scene.open('/links/new?mode=sandbox', await scene.newPerson('viewer'));
  await visit.page.getByText('O seu papel (Somente leitura) não permite isto').waitFor();
  expect(await button(visit.page, 'Criar cobrança').count()).toBe(0);
  await expectSound(visit);
});
