import { expect, test } from 'vitest';
import { subscribeByMandate } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

test('support sees what a customer authorised, and ends it', async () => {
  const { id, customer, mandate } = await subscribeByMandate(scene.shop());
  const visit = await scene.open(`/subscriptions/${id}?mode=sandbox`, await scene.newPerson('support'));
  const { page } = visit;
  const list = page.getByRole('list', { name: 'Pix Automático' });
  await list.getByText('Autorizado').waitFor();
  await list.getByText(/^desde \d\d\/\d\d\/\d{4} · valor de cada cobrança$/).waitFor();
  await inspect(visit, 'dashboard-mandates');
  await page.setViewportSize(PHONE);
  await list.getByRole('button', { name: 'Encerrar autorização' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('A autorização é encerrada também no banco do cliente').waitFor();
  await question.getByRole('button', { name: 'Encerrar autorização' }).click();
  await page.getByText('Autorização encerrada.').waitFor();
  await list.getByText('Encerrado').waitFor();
  await list.getByText(/ · vocês encerraram$/).waitFor();
  expect(await scene.shop().fatura.mandates.retrieve(mandate ?? '')).toMatchObject({
    ...{ status: 'ended', end_reason: 'cancelled_by_merchant' },
  });
  await page.goto(
    page.url().replace(`/subscriptions/${id}`, `/customers/${customer}`).replace('?', '?tab=subscriptions&'),
  );
  await list.getByText('Encerrado').waitFor();
  await list.getByRole('link', { name: 'assinatura' }).click();
  await page.waitForURL(`**/subscriptions/${id}**`);
  await expectSound(visit);
});

test('whoever only reads sees a mandate, and has nothing to end it by', async () => {
  const { id } = await subscribeByMandate(scene.shop());
  const { page } = await scene.open(`/subscriptions/${id}?mode=sandbox`, await scene.newPerson('developer'));
  const list = page.getByRole('list', { name: 'Pix Automático' });
  await list.getByText('Autorizado').waitFor();
  expect(await list.getByRole('button').count()).toBe(0);
});
