import { expect, test } from 'vitest';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

const focused = 'document.activeElement.textContent';

test('/ leads to the box from anywhere, Enter to what is found, and Enter again to the first of it', async () => {
  const { customer } = await scene.sell({ name: 'Beatriz Nogueira', amount: 7_777 });
  const visit = await scene.open('/sales?mode=sandbox', await scene.newPerson('support'));
  const { page } = visit;
  await page.getByRole('link', { name: 'Beatriz Nogueira' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nogu');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Busca por “nogu”' }).waitFor();
  await page.getByRole('heading', { name: 'Pagamentos' }).waitFor();
  await expect.poll(() => page.evaluate(focused)).toBe('Beatriz Nogueira');
  await inspect(visit, 'dashboard-search');
  await page.keyboard.press('j');
  expect(await page.evaluate('document.activeElement.getAttribute("href")')).toContain('/dashboard/invoices/in_');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Beatriz Nogueira' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/customers/${customer.id}`);
  await expectSound(visit);
});

test('an amount finds its invoice, and what is found nowhere is told where it was looked for', async () => {
  await scene.sell({ name: 'Maria Lima', amount: 4_321 });
  const { page } = await scene.open('/search?mode=sandbox&query=43,21', await scene.newPerson('viewer'));
  await page.getByRole('link', { name: 'Maria Lima' }).waitFor();
  await page.getByLabel('Buscar').fill('ninguém');
  await page.keyboard.press('Enter');
  await page.getByText('Nada encontrado para “ninguém”.').waitFor();
  await page.getByText(/^Foi procurado entre nomes, e-mails/).waitFor();
  await page.getByLabel('Buscar').fill('ab');
  await page.keyboard.press('Enter');
  await page.getByText('Escreva pelo menos três caracteres.').waitFor();
});
