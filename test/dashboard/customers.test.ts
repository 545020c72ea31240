import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { subscribeByCard } from '../support/subscriptions.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

test('a customer is found by a part of the name, and tells what was paid and is owed', async () => {
  const { customer } = await scene.sell({ name: 'Beatriz Nogueira', amount: 9_990 });
  await scene.bill({ name: 'Carlos Lima' });
  const visit = await scene.open('/customers?mode=sandbox', await scene.newPerson('support'));
  const { page } = visit;
  await page.getByRole('link', { name: 'Carlos Lima' }).waitFor();
  await inspect(visit, 'dashboard-customers');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('Nome, e-mail, CPF/CNPJ ou telefone').fill('nogu');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('link', { name: 'Carlos Lima' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Beatriz Nogueira' }).click();
  await page.getByRole('heading', { name: 'Beatriz Nogueira' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/customers/${customer.id}`);
  await page.getByText('2 clientes com este CPF/CNPJ.').waitFor();
  await page.getByText('Fatura paga').waitFor();
  expect(await page.getByText('529.982.247-25').count()).toBe(0);
  await page.getByRole('button', { name: 'mostrar' }).click();
  await page.getByText('529.982.247-25').waitFor();
  await inspect(visit, 'dashboard-customer');
  await expectSound(visit);
});

test('the tabs are walked by the keyboard, and stand in the address', async () => {
  const { customer } = await scene.sell();
  const { page } = await scene.open(`/customers/${customer.id}?mode=sandbox`, await scene.newPerson('viewer'));
  await page.getByRole('tab', { name: 'Linha do tempo' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('link', { name: 'Plano Ouro' }).waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('invoices');
  await page.reload();
  await page.getByRole('link', { name: 'Plano Ouro' }).click();
  await page.getByRole('heading', { name: 'Fatura de R$ 99,90' }).waitFor();
});

test('a change is judged by the service, field by field', async () => {
  const { customer } = await scene.sell({ name: 'Maria Lima' });
  const visit = await scene.open(`/customers/${customer.id}?mode=sandbox&tab=data`, await scene.newPerson('support'));
  const { page } = visit;
  await page.getByLabel('Telefone').fill('123');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Confira este campo.').waitFor();
  await inspect(visit, 'dashboard-customer-data');
  await page.getByLabel('Telefone').fill('(21) 3333-4444');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Cadastro alterado.').waitFor();
  expect(await scene.shop().fatura.customers.retrieve(customer.id)).toMatchObject({
    name: 'Maria Lima',
    phone: '+552133334444',
  });
  expect(await page.getByRole('button', { name: 'Apagar dados pessoais' }).count()).toBe(0);
  await expectSound(visit);
});

test('an owner erases the data of whoever owes nothing, after a question', async () => {
  const owner = await scene.newPerson('owner');
  const { customer: owing } = await scene.bill({ name: 'Carlos Lima', amount: 5_000 });
  const blocked = await scene.open(`/customers/${owing.id}?mode=sandbox&tab=data`, owner);
  await blocked.page.getByText('fatura em aberto de R$ 50,00').waitFor();
  const { customer } = await scene.sell({ name: 'Ana Dias' });
  const { page } = await scene.open(`/customers/${customer.id}?mode=sandbox&tab=data`, owner);
  await page.getByRole('button', { name: 'Apagar dados pessoais' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Apagar dados pessoais' }).click();
  await page.getByText('Dados pessoais apagados.').waitFor();
  expect((await scene.shop().fatura.customers.retrieve(customer.id)).identifier).toBeNull();
});

test('a note is written and read with its author; who may not write is told so', async () => {
  const { customer } = await scene.sell({ name: 'Rita Prado' });
  const support = await scene.newPerson('support');
  const visit = await scene.open(`/customers/${customer.id}?mode=sandbox&tab=notes`, support);
  const { page } = visit;
  await page.getByText('Nenhuma nota sobre este cliente.').waitFor();
  await page.getByLabel('Nova nota').fill('Ligou hoje:\nprefere falar à tarde.');
  await page.getByRole('button', { name: 'Guardar nota' }).dblclick();
  await page.getByRole('list', { name: 'Notas' }).getByText('prefere falar à tarde.').waitFor();
  expect(await page.getByLabel('Nova nota').inputValue()).toBe('');
  await inspect(visit, 'dashboard-customer-notes');
  expect(await scene.shop().fatura.customers.listNotes(customer.id).all({ max: 10 })).toMatchObject([
    { text: 'Ligou hoje:\nprefere falar à tarde.', author: { kind: 'staff' } },
  ]);
  await expectSound(visit);
  const reader = await scene.open(`/customers/${customer.id}?mode=sandbox&tab=notes`, await scene.newPerson('viewer'));
  await reader.page.getByText('prefere falar à tarde.').waitFor();
  await reader.page.getByText('O seu papel (Somente leitura) não permite isto').waitFor();
  expect(await reader.page.getByLabel('Nova nota').count()).toBe(0);
});

test('an owner downloads all that is stored of a customer, and nobody else does', async () => {
  const { customer } = await scene.sell({ name: 'Rui Tavares' });
  const address = `/customers/${customer.id}?mode=sandbox&tab=data`;
  const visit = await scene.open(address, await scene.newPerson('owner'));
  const coming = visit.page.waitForEvent('download');
  await visit.page.getByRole('button', { name: 'Baixar tudo o que é guardado' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe(`${customer.id}.json`);
  const copy = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(copy).toMatchObject({ object: 'customer_export', customer: { id: customer.id, name: 'Rui Tavares' } });
  await expectSound(visit);
  const other = await scene.open(address, await scene.newPerson('support'));
  expect(await other.page.getByRole('button', { name: 'Baixar tudo o que é guardado' }).isDisabled()).toBe(true);
});

test('stored cards are shown, one is made the default, and one that no subscription is charged to is deleted', async () => {
  const { id, customer } = await subscribeByCard(scene.shop());
  await scene.shop().fatura.subscriptions.updatePaymentMethod(id, byCard(cards.mastercard));
  const address = `/customers/${customer}?mode=sandbox&tab=subscriptions`;
  const visit = await scene.open(address, await scene.newPerson('support'));
  const { page } = visit;
  const list = page.getByRole('list', { name: 'Cartões guardados' });
  await list.locator('strong', { hasText: 'Mastercard •••• 4444' }).waitFor();
  await page.getByRole('button', { name: 'Ações Mastercard •••• 4444' }).click();
  await page.getByText('Uma assinatura é cobrada neste cartão: troque-o antes.').waitFor();
  await page.getByRole('menuitem', { name: 'Tornar padrão' }).click();
  await list.getByText('Padrão', { exact: true }).waitFor();
  await inspect(visit, 'dashboard-customer-cards');
  await page.getByRole('button', { name: 'Ações Visa •••• 4242' }).click();
  await page.getByRole('menuitem', { name: 'Apagar cartão' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Apagar cartão' }).click();
  await page.getByText('Cartão apagado.').waitFor();
  expect(await scene.shop().fatura.paymentMethods.list(customer).all({ max: 9 })).toMatchObject([
    { card: { last4: '4444' }, is_default: true },
  ]);
  await expectSound(visit);
});

test('whoever sells copies a link to the page of a customer, which opens it; who only looks makes none', async () => {
  const { customer } = await scene.sell({ name: 'Lia Nunes' });
  const visit = await scene.open(`/customers/${customer.id}?mode=sandbox`, await scene.newPerson('support'));
  const { page, context } = visit;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Copiar link do portal' }).click();
  await page.getByText('Link do portal copiado.').waitFor();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const opened = await fetch(`${scene.api().baseUrl}${link.pathname}`);
  expect([opened.status, link.pathname]).toEqual([200, expect.stringMatching(/^\/portal\/sandbox_/)]);
  await expectSound(visit);
  const reader = await scene.open(`/customers/${customer.id}?mode=sandbox`, await scene.newPerson('viewer'));
  await reader.page.getByRole('button', { name: 'Ações' }).click();
  await reader.page.getByRole('menuitem', { name: 'Copiar link do portal' }).click();
  await reader.page.getByText('O seu papel (Somente leitura) não permite isto').first().waitFor();
});
