import { expect, test } from 'vitest';
import { sdkFor } from '../support/api.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene, PASSWORD } from './scene.ts';

const scene = dashboardScene();

/** The key as programs would use it. */
const accountBy = async (key: string): Promise<string> =>
  (await sdkFor(scene.api().baseUrl, key).account.retrieve()).id;

/** Two sign-ins and two windows. Milliseconds. */
const LONG_MS = 90_000;

test(
  'a key is made after a fresh sign-in, shown once, replaced by another, and revoked',
  async () => {
    const visit = await scene.open('/developer/keys?mode=sandbox', await scene.newPersonOfBefore('developer'));
    const { page } = visit;
    await page.getByRole('button', { name: 'Criar chave' }).click();
    const dialog = page.getByRole('dialog', { name: 'Criar chave' });
    await dialog.getByLabel('Nome').fill('ERP');
    await dialog.getByLabel('Redes').fill('no lugar nenhum');
    await dialog.getByLabel('Permissão').selectOption('Tudo');
    await dialog.getByLabel('Vale até').fill('2020-01-01T10:00');
    await dialog.getByRole('button', { name: 'Criar chave' }).click();
    await dialog.getByText('Informe uma data e hora que ainda não passou.').waitFor();
    await dialog.getByLabel('Vale até').fill('');
    await dialog.getByRole('button', { name: 'Criar chave' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirme que é você' });
    await confirm.getByLabel('Senha').fill(PASSWORD);
    await confirm.getByRole('button', { name: 'Confirmar' }).click();
    await dialog.getByText('Confira este campo.').waitFor();
    await inspect(visit, 'dashboard-key-form');
    await dialog.getByLabel('Redes').fill('127.0.0.0/8\n::1/128');
    await dialog.getByRole('button', { name: 'Criar chave' }).click();
    const shown = page.getByRole('alertdialog', { name: 'Chave de API' });
    const key = (await shown.getByText(/^sk_sandbox_/).textContent()) ?? '';
    expect(await accountBy(key)).toBe(scene.shop().accountId);
    await shown.getByRole('button', { name: 'Já guardei' }).click();
    await page.getByText('127.0.0.0/8, ::1/128').waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    await inspect(visit, 'dashboard-keys');
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Ações ERP' }).first().click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Trocar por outra');
    const roll = page.getByRole('dialog', { name: 'Trocar por outra' });
    await roll.getByLabel('A chave atual ainda vale por').selectOption('1 hora');
    await roll.getByRole('button', { name: 'Trocar por outra' }).click();
    const second = (await shown.getByText(/^sk_sandbox_/).textContent()) ?? '';
    expect(second).not.toBe(key);
    expect(await accountBy(second)).toBe(await accountBy(key));
    await shown.getByRole('button', { name: 'Já guardei' }).click();
    await page.getByText('Sendo trocada').waitFor();
    await choose('Revogar');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revogar' }).click();
    await page.getByText('Chave revogada.').waitFor();
    await expect.poll(() => accountBy(second).catch(({ code }) => code)).toBe('API_KEY_EXPIRED');
    await page.getByLabel('Situação').selectOption('Revogada');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expectSound(visit);
  },
  LONG_MS,
);

test('the last key that may do everything is not revoked, and keys are none of those who only look', async () => {
  const { page } = await scene.open('/developer/keys?mode=live', await scene.newPerson('owner'));
  await page.getByRole('button', { name: /^Ações/ }).click();
  await page.getByRole('menuitem', { name: /^Revogar.*É a última chave que pode tudo/ }).waitFor();
  const viewer = await scene.open('/developer/keys?mode=live', await scene.newPerson('viewer'));
  await viewer.page.getByText('O seu papel (Somente leitura) não permite isto').waitFor();
  expect(await viewer.page.getByRole('table').count()).toBe(0);
});
