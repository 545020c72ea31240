import { expect, test } from 'vitest';
import { invite } from '../../server/staff/members.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene, PASSWORD } from './scene.ts';

const scene = dashboardScene();

const newLink = async (email: string): Promise<string> =>
  (await invite(scene.api().operator, { accountId: scene.shop().accountId, email, role: 'owner' })).token;

test('a link of an invitation leads through a name and a password to the dashboard', async () => {
  const visit = await scene.open(`/setup#${await newLink('ana@loja.test')}`);
  const { page } = visit;
  await page.getByText('Você foi convidado para a conta Loja do Teste.').waitFor();
  await inspect(visit, 'dashboard-setup');
  await page.getByLabel('Seu nome').fill('Ana Souza');
  await page.getByLabel('Crie uma senha').fill(PASSWORD);
  await page.getByRole('button', { name: 'Criar acesso' }).click();
  await page.getByRole('heading', { name: 'Início' }).waitFor();
  expect(await page.title()).toBe('Início – Fatura');
  await expectSound(visit);
});

test('a link that was used says so', async () => {
  const { page } = await scene.open('/setup#nothing');
  await page.getByText('Este link já foi usado ou venceu.').waitFor();
});

test('whoever is not signed in signs in, and comes to the address that was asked for', async () => {
  const person = await scene.newPerson('support');
  const visit = await scene.open('/customers?mode=sandbox&name=maria');
  const { page } = visit;
  await page.getByRole('heading', { name: 'Entre na sua conta' }).waitFor();
  await inspect(visit, 'dashboard-sign-in');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Senha').fill('não é esta senha');
  await page.keyboard.press('Enter');
  await page.getByText('E-mail, senha ou código não conferem.').waitFor();
  await page.getByLabel('Senha').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Clientes' }).waitFor();
  expect(new URL(page.url()).search).toBe('?mode=sandbox&name=maria');
  await expectSound(visit);
});

test('an address of elsewhere is not where a sign-in leads', async () => {
  const person = await scene.newPerson('support');
  const { page } = await scene.open('/sign-in?to=//elsewhere.test/');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Senha').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Início' }).waitFor();
});

test('a session that ends leads to the sign-in and back', async () => {
  const person = await scene.newPerson('finance');
  const { page, context } = await scene.open('/customers?mode=sandbox', person);
  // Nothing is asked for behind it: on a slow machine the network idles before the list is asked for.
  await page.getByText('Nada por aqui ainda.').waitFor();
  await context.clearCookies();
  await page.getByRole('link', { name: 'Vendas' }).click();
  await page.getByRole('heading', { name: 'Entre na sua conta' }).waitFor();
  expect(new URL(page.url()).searchParams.get('to')).toMatch(/^\/sales\?.*mode=sandbox/);
});

test('one ends other sessions and signs out', async () => {
  const person = await scene.newPerson('viewer');
  await person.post('/auth/login', { email: person.email, password: PASSWORD });
  const visit = await scene.open('/you?mode=sandbox', person);
  const { page } = visit;
  await page.getByText('esta sessão').waitFor();
  await inspect(visit, 'dashboard-you');
  await expectSound(visit);
  await page.getByRole('button', { name: /^Sua conta/ }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  await page.getByRole('heading', { name: 'Entre na sua conta' }).waitFor();
  await expect.poll(async () => (await person.get('/auth/session')).status).toBe(401);
});

test('language and theme are a person’s choice, and stay', async () => {
  const person = await scene.newPerson('viewer');
  const { page } = await scene.open('/sales?mode=sandbox', person);
  await page.getByRole('button', { name: /^Sua conta/ }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Sales' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sales' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('en-US');
  await page.getByRole('button', { name: /^You/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 21, 19)');
});

test('at an address that is no name there are no passkeys, and the screens say so', async () => {
  const { page } = await scene.open('/you?mode=sandbox', await scene.newPerson('viewer'));
  await page.getByText('Neste endereço (127.0.0.1) não há chaves de acesso').waitFor();
  expect(await page.getByRole('button', { name: 'Criar chave de acesso' }).count()).toBe(0);
  const { page: entrance } = await scene.open('/sign-in');
  await entrance.getByRole('button', { name: 'Entrar' }).waitFor();
  expect(await entrance.getByRole('button', { name: 'Usar chave de acesso' }).count()).toBe(0);
});
