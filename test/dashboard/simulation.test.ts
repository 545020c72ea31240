import { expect, test } from 'vitest';
import type { Role } from '../../contract/roles.ts';
import { testCards } from '../../dashboard/screens/developer/sandbox/cards.ts';
import { testCardScenarios } from '../../server/payments/acquirer/sandbox/test-cards.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const WORKFLOWS = 'https://temporal.loja.test/namespaces/default/workflows';

const scene = dashboardScene({ temporalUi: WORKFLOWS });

/** The clock is where it was asked to be; no worker takes it there. */
async function arrive(): Promise<void> {
  const { pool } = scene.api().composition.database;
  await pool.query(
    'UPDATE account SET clock_held_at = NULL, clock_target = NULL, clock_moved_at = NULL WHERE id = $1',
    [scene.shop().accountId],
  );
  await pool.query("DELETE FROM outbox WHERE kind = 'test-clock'");
}

test('the cards are those that the bank of the sandbox knows', () => {
  expect(Object.fromEntries(testCards)).toEqual(Object.fromEntries(testCardScenarios));
});

test('a buyer pays by an invoice, and the bank takes a part back', async () => {
  const { invoice } = await scene.bill({ amount: 5_000 });
  const { fatura } = scene.shop();
  const visit = await scene.open(
    `/developer/sandbox?mode=sandbox&payment=${invoice}`,
    await scene.newPerson('developer'),
  );
  const { page } = visit;
  await page.getByRole('button', { name: 'Pagar', exact: true }).click();
  await page.getByText('Esta fatura ainda não tem PIX.').waitFor();
  await fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  await page.getByRole('button', { name: 'Pagar', exact: true }).click();
  await page.getByRole('link', { name: 'Ver a fatura' }).waitFor();
  expect((await fatura.invoices.retrieve(invoice)).status).toBe('paid');
  await page.getByLabel('Valor').fill('abc');
  await page.getByRole('button', { name: 'Simular' }).click();
  await page.getByText('Informe um valor, por exemplo 10,00.').waitFor();
  await page.getByLabel('Valor').fill('10,00');
  await page.getByRole('button', { name: 'Simular' }).click();
  await expect.poll(async () => (await fatura.invoices.retrieve(invoice)).amount_disputed).toBe(1_000);
  await inspect(visit, 'dashboard-simulation');
  await page.getByRole('link', { name: 'Ver a fatura' }).first().click();
  await page.getByRole('heading', { name: 'Fatura de R$ 50,00' }).waitFor();
  await expectSound(visit);
});

test('owners and developers are led to the workflows of what they look at, and nobody else is', async () => {
  const { invoice, payment } = await scene.sell();
  const open = async (role: Role) => {
    const { page } = await scene.open(`/invoices/${invoice}?mode=sandbox`, await scene.newPerson(role));
    await page.getByText(payment).waitFor();
    return page.getByRole('link', { name: 'Ver processos no Temporal' });
  };
  const url = new URL((await (await open('developer')).getAttribute('href')) ?? '');
  expect(`${url.origin}${url.pathname}`).toBe(WORKFLOWS);
  expect(url.searchParams.get('query')).toBe(`FaturaObject IN ("${payment}")`);
  expect(await (await open('finance')).count()).toBe(0);
});

test('the clock is asked to advance by the calendar, and tells how far it is', async () => {
  const visit = await scene.open('/developer/sandbox?mode=sandbox', await scene.newPerson('developer'), {
    viewport: PHONE,
  });
  const { page } = visit;
  await page.getByLabel('Avançar até (Brasília)').fill('2020-01-01T10:00');
  await page.getByRole('button', { name: 'Avançar', exact: true }).click();
  await page.getByText('Informe um instante depois de agora, no máximo dois anos à frente.').waitFor();
  const { now } = await scene.shop().fatura.testClock.retrieve();
  await page.getByRole('button', { name: '+7 dias' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.getByText('Enquanto o relógio avança nada mais muda no ambiente de teste.').waitFor();
  const { status, target } = await scene.shop().fatura.testClock.retrieve();
  expect(status).toBe('advancing');
  expect((target ?? 0) - now).toBeGreaterThanOrEqual(7 * 86_400);
  await inspect(visit, 'dashboard-advance');
  await arrive();
  await page.getByText('O relógio chegou.').waitFor();
  await page.getByRole('button', { name: '+7 dias' }).waitFor();
  await expectSound(visit);
});

test('the test data are erased after a question', async () => {
  const { customer } = await scene.bill();
  const { page } = await scene.open('/developer/sandbox?mode=sandbox', await scene.newPerson('developer'));
  await page.getByRole('button', { name: 'Apagar o ambiente de teste' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Apagar o ambiente de teste' }).click();
  await page.getByText('Ambiente de teste apagado.').waitFor();
  await expect(scene.shop().fatura.customers.retrieve(customer.id)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
  const support = await scene.open('/developer/sandbox?mode=sandbox', await scene.newPerson('support'));
  await support.page.getByText('O seu papel (Atendimento) não permite isto').waitFor();
  expect(await support.page.getByRole('button', { name: 'Apagar o ambiente de teste' }).count()).toBe(0);
});

test('live mode says where the simulation is', async () => {
  const { page } = await scene.open('/developer/sandbox?mode=live', await scene.newPerson('viewer'));
  await page.getByRole('link', { name: 'Ir para o ambiente de teste' }).click();
  await page.getByRole('heading', { name: 'Relógio de teste' }).waitFor();
  expect(new URL(page.url()).searchParams.get('mode')).toBe('sandbox');
});
