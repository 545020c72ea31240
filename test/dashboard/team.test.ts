import { expect, test } from 'vitest';
import { Browser, newPerson } from '../support/people.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, PASSWORD } from './scene.ts';

const scene = dashboardScene();

/** Several people at once see one account; each test takes its own. */
async function aTeam() {
  const { accountId } = await scene.api().newMerchant();
  return { accountId, owner: await newPerson(scene.api(), { accountId, role: 'owner' }) };
}

test('an owner invites somebody, who comes in by the link, and changes what they may', async () => {
  const { owner } = await aTeam();
  const visit = await scene.open('/settings/team?mode=sandbox', owner, { viewport: PHONE });
  const { page } = visit;
  await page.getByText('você', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Convidar pessoa' }).click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill('bia@loja.test');
  await page.getByRole('radio', { name: /^Financeiro/ }).check({ force: true });
  await inspect(visit, 'dashboard-team-invite');
  await page.getByRole('button', { name: 'Criar convite' }).click();
  await page.getByText('Entregue este link a bia@loja.test:').waitFor();
  const link = (await page.getByRole('alertdialog').getByRole('code').textContent()) ?? '';
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-team-link');
  await page.getByRole('button', { name: 'Concluir' }).click();
  expect(await page.getByText(link).count()).toBe(0);
  await page.getByText(/^Convite vale até/).waitFor();

  const invited = new Browser(scene.api().baseUrl);
  const token = new URL(link).hash.slice(1);
  const { body } = await invited.post('/auth/setup', { token, name: 'Bia Reis', password: PASSWORD });
  expect(body.accounts).toMatchObject([{ role: 'finance' }]);
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.reload();
  await page.getByText('Bia Reis', { exact: true }).waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-team');
  await page.getByRole('button', { name: 'Ações de Bia Reis' }).click();
  await page.getByRole('menuitem', { name: 'Alterar papel' }).click();
  await page.getByRole('radio', { name: /^Somente leitura/ }).check({ force: true });
  await page.getByRole('button', { name: 'Salvar papel' }).click();
  await page.getByText('Papel alterado.').waitFor();
  await expect.poll(async () => (await invited.get('/auth/session')).body.accounts[0].role).toBe('viewer');
  await expectSound(visit);
});

test('whoever is removed is out at once, and is told so where they were signed in', async () => {
  const { accountId, owner } = await aTeam();
  const person = await newPerson(scene.api(), { accountId, role: 'support' });
  const theirs = await scene.open('/customers?mode=sandbox', person);
  await theirs.page.getByRole('heading', { name: 'Clientes' }).waitFor();
  const { page } = await scene.open('/settings/team?mode=sandbox', owner);
  await page.getByRole('button', { name: 'Ações de Pessoa support' }).click();
  await page.getByRole('menuitem', { name: 'Remover da equipe' }).click();
  await page.getByText('perde o acesso a esta conta na hora').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover da equipe' }).click();
  await page.getByText('Removido da equipe.').waitFor();
  await expect.poll(async () => (await person.get('/api/v1/customers')).status).toBe(403);
  await theirs.page.reload();
  await theirs.page.getByText('Você não tem acesso a nenhuma conta.').waitFor();
});

test('the last owner stays, and the menu says why', async () => {
  const { accountId, owner } = await aTeam();
  await newPerson(scene.api(), { accountId, role: 'finance' });
  const { page } = await scene.open('/settings/team?mode=sandbox', owner);
  await page.getByRole('button', { name: 'Ações de Pessoa owner' }).click();
  const remove = page.getByRole('menuitem', { name: 'Remover da equipe' });
  await remove.getByText('É o único dono da conta.').waitFor();
  await remove.click();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
});

test('an owner who is not the last one removes themself, and is led out', async () => {
  const { accountId, owner } = await aTeam();
  await newPerson(scene.api(), { accountId, role: 'owner' });
  const visit = await scene.open('/settings/team?mode=sandbox', owner);
  const { page } = visit;
  const own = page.getByRole('row').filter({ hasText: owner.email });
  await own.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Remover da equipe' }).click();
  await page.getByText('o seu acesso a esta conta termina agora').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remover da equipe' }).click();
  await page.getByText('Você não tem acesso a nenhuma conta.').waitFor();
  expect(visit.complaints).toEqual([]);
});

test('a new set-up link asks for a fresh login, takes away the former password, and shows itself once', async () => {
  const owner = await scene.newPersonOfBefore('owner');
  const person = await scene.newPerson('viewer');
  const { page } = await scene.open('/settings/team?mode=sandbox', owner);
  await page.getByRole('row').filter({ hasText: person.email }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Criar novo link de acesso' }).click();
  await page.getByRole('button', { name: 'Criar link' }).click();
  await page.getByText('Confirme que é você').waitFor();
  await page.getByLabel('Senha').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await page.getByText(`Entregue este link a ${person.email}:`).waitFor();
  const link = (await page.getByRole('alertdialog').getByRole('code').textContent()) ?? '';
  const anew = new Browser(scene.api().baseUrl);
  const token = new URL(link).hash.slice(1);
  expect((await anew.post('/auth/setup', { token, name: 'Outra', password: 'outra senha comprida' })).status).toBe(200);
  expect((await person.get('/auth/session')).status).toBe(401);
});

test('whoever is no owner sees the people, and is told why nothing more', async () => {
  const { accountId, owner } = await aTeam();
  const viewer = await newPerson(scene.api(), { accountId, role: 'viewer' });
  const visit = await scene.open('/settings/team?mode=sandbox', viewer);
  const { page } = visit;
  await page.getByText('Só quem é dono da conta convida').waitFor();
  await page.getByText(owner.email).waitFor();
  await page.getByRole('button', { name: 'Convidar pessoa' }).click();
  await page.getByText('O seu papel (Somente leitura) não permite isto.').waitFor();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  await expectSound(visit);
});
