import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { invite } from '../../server/staff/members.ts';
import { expectSound, inspect, type Visit } from '../web/scene.ts';
import { dashboardScene, PASSWORD } from './scene.ts';

/** Browsers keep passkeys for names alone, and for none of an address. */
const scene = dashboardScene({ publicUrl: 'http://localhost:3000' });

const HALF_MINUTE_MS = 30_000;
/** What was read of a session is forgotten after it. Milliseconds. */
const REMEMBERED_MS = 1_000;

/** Somebody new, in a browser of theirs, by the link of an invitation. */
async function comeIn(email: string): Promise<Visit> {
  const { token } = await invite(scene.api().operator, { accountId: scene.shop().accountId, email, role: 'owner' });
  const visit = await scene.open(`/setup#${token}`);
  const { page } = visit;
  await page.getByLabel('Seu nome').fill('Ana Souza');
  await page.getByLabel('Crie uma senha').fill(PASSWORD);
  await page.getByRole('button', { name: 'Criar acesso' }).click();
  await page.getByRole('heading', { name: 'Início' }).waitFor();
  return visit;
}

async function openYou(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Sua conta/ }).click();
  await page.getByRole('menuitem', { name: 'Acesso e sessões' }).click();
  await page.getByRole('heading', { name: 'Acesso e sessões' }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Sua conta/ }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  await page.getByRole('heading', { name: 'Entre na sua conta' }).waitFor();
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

/** An authenticator as laptops have one, whose person shows their finger each time. */
async function addAuthenticator({ context, page }: Visit): Promise<void> {
  const browser = await context.newCDPSession(page);
  await browser.send('WebAuthn.enable');
  await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** As if everybody had signed in eleven minutes ago. */
async function growOld(): Promise<void> {
  const { pool } = scene.api().composition.database;
  await pool.query("UPDATE staff_session SET fresh_at = now() - interval '11 minutes'");
  await new Promise((resolve) => setTimeout(resolve, REMEMBERED_MS));
}

test('a passkey is made, signs its person in, confirms who they are, and is removed', async () => {
  const visit = await comeIn('ana@loja.test');
  const { page } = visit;
  await addAuthenticator(visit);
  await openYou(page);
  await page.getByLabel('Nome da chave').fill('Notebook do escritório');
  await page.getByRole('button', { name: 'Criar chave de acesso' }).click();
  await page.getByText('Chave criada.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Notebook do escritório' });
  await row.getByText('nunca').waitFor();
  await inspect(visit, 'dashboard-passkey');

  await signOut(page);
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click();
  await page.getByRole('heading', { name: 'Início' }).waitFor();
  await openYou(page);
  await row.waitFor();
  expect(await row.getByText('nunca').count()).toBe(0);

  await growOld();
  await row.getByRole('button', { name: 'Remover' }).click();
  await page.getByText('Confirme que é você').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Usar chave de acesso' }).click();
  await page.getByText('Chave removida.').waitFor();
  await page.getByText('Nenhuma chave ainda.').waitFor();
  await expectSound(visit);

  // The authenticator has it still, and shows it.
  await signOut(page);
  await page.getByRole('button', { name: 'Usar chave de acesso' }).click();
  await page.getByRole('alert').waitFor();
  expect(visit.complaints).toEqual([]);
});

test('a code of an app is turned on, asked for, and turned off', async () => {
  const visit = await comeIn('bia@loja.test');
  const { page } = visit;
  await openYou(page);
  await page.getByRole('button', { name: 'Ligar', exact: true }).click();
  const secret = (await page.locator('code').textContent()) ?? '';
  await inspect(visit, 'dashboard-totp');
  const codeOf = (halfMinutes: number): string =>
    new TOTP({ secret }).generate({ timestamp: Date.now() + halfMinutes * HALF_MINUTE_MS });
  const code = page.getByLabel('Código do aplicativo autenticador');
  await code.fill('000000');
  await page.getByRole('button', { name: 'Ligar o código' }).click();
  await page.getByRole('alert').waitFor();
  await code.fill(codeOf(0));
  await page.getByRole('button', { name: 'Ligar o código' }).click();
  await page.getByText('Código em duas etapas ligado.').waitFor();

  await signOut(page);
  await signIn(page, 'bia@loja.test');
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await page.getByText('E-mail, senha ou código não conferem.').waitFor();
  // A code is taken once: the next one is good already.
  await code.fill(codeOf(1));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Início' }).waitFor();

  await openYou(page);
  await page.getByRole('button', { name: 'Desligar' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desligar' }).click();
  await page.getByText('Código em duas etapas desligado.').waitFor();
  await signOut(page);
  await signIn(page, 'bia@loja.test');
  await page.getByRole('heading', { name: 'Início' }).waitFor();
  await expectSound(visit);
});
