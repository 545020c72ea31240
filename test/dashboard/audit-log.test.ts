import { expect, test } from 'vitest';
import { contract } from '../../contract/index.ts';
import { routesOf } from '../../contract/router.ts';
import { auditActionTexts } from '../../dashboard/screens/developer/log/actions.ts';
import { auditActions } from '../../server/audit-log/audit-log.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

test('everything that the log tells of has its words', () => {
  const asked = [...routesOf(contract)].filter(([, { method }]) => method !== 'GET').map(([name]) => name);
  const told = Object.keys(auditActionTexts.pt);
  expect([...auditActions, ...asked].filter((action) => !told.includes(action))).toEqual([]);
});

test('an entry says who did what in words, and at a press what changed', async () => {
  const owner = await scene.newPerson('owner');
  const { id } = await scene.shop().fatura.apiKeys.create({ name: 'ERP', scope: 'read' });
  await scene.shop().fatura.apiKeys.update(id, { name: 'ERP da matriz' });
  const visit = await scene.open('/developer/log?mode=sandbox', owner);
  const { page } = visit;
  const entries = page.getByRole('list', { name: 'Registros de auditoria' });
  await entries.getByText('Chave de API alterada').click();
  await page.getByRole('cell', { name: 'ERP', exact: true }).waitFor();
  await page.getByRole('cell', { name: 'ERP da matriz' }).waitFor();
  await inspect(visit, 'dashboard-audit-log');
  await page.getByRole('button', { name: 'Só deste objeto' }).click();
  await expect.poll(() => entries.getByText('Entrou no painel').count()).toBe(0);
  await entries.getByText('Chave de API criada').waitFor();
  expect(new URL(page.url()).searchParams.get('object')).toBe(id);
  await page.getByLabel('O que foi feito').selectOption('Chave de API revogada');
  await page.getByText(`Foi procurado: Chave de API revogada · ${id}`).waitFor();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await page.getByLabel('Quando').selectOption('Ontem');
  await page.getByText('Foi procurado: Ontem').waitFor();
  await expectSound(visit);
});

test('what a person did stands under their name', async () => {
  const owner = await scene.newPerson('owner');
  const { customer } = await scene.bill({ name: 'Carlos Lima' });
  await owner.sdk().customers.update(customer.id, { name: 'Carlos Souza' });
  const { page } = await scene.open('/developer/log?mode=sandbox', owner);
  const entry = page.getByRole('listitem').filter({ hasText: 'Cadastro de cliente alterado' });
  await entry.getByText('Pessoa owner').first().waitFor();
  await entry.locator('summary').click();
  await entry.getByRole('link', { name: customer.id }).click();
  await page.getByRole('heading', { name: 'Carlos Souza' }).waitFor();
});
