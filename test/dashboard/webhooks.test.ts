import { afterEach, beforeAll, expect, test } from 'vitest';
import { newCustomer, newProduct } from '../support/factories.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { deliverFrom, eventOf, settled } from '../workflows/support.ts';
import { dashboardScene, PASSWORD, type Signed } from './scene.ts';

/** Two sign-ins and a form. Milliseconds. */
const LONG_MS = 90_000;

const scene = dashboardScene();
let developer: Signed;
const receivers: Receiver[] = [];

beforeAll(async () => {
  developer = await scene.newPerson('developer');
});
afterEach(async () => {
  const { pool } = scene.api().composition.database;
  // What failed is not tried again here.
  await pool.query('UPDATE webhook_endpoint SET deleted_at = $1', [scene.api().clock.now()]);
  await pool.query(
    `UPDATE delivery SET status = 'failed', stage = 'done', next_attempt_at = NULL WHERE stage <> 'done'`,
  );
  await pool.query('DELETE FROM outbox');
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function aReceiver(answer: Receiver['answer'] = () => 200): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.answer = answer;
  receivers.push(receiver);
  return receiver;
}

async function anEndpoint(answer?: Receiver['answer']) {
  const receiver = await aReceiver(answer);
  const order = { url: receiver.url, event_types: ['product.created', 'customer.created'] as const };
  const endpoint = await scene.shop().fatura.webhookEndpoints.create({ ...order, event_types: [...order.event_types] });
  receiver.secret = endpoint.secret ?? '';
  return { receiver, id: endpoint.id };
}

/** Has what happened so far sent, once. */
async function sent(event: string, status: string): Promise<void> {
  const running = deliverFrom(scene.api());
  await settled(scene.shop(), event, status);
  await running.stop();
}

test(
  'an endpoint is registered after a fresh sign-in, for some kinds of events, and its secret is shown once',
  async () => {
    const receiver = await aReceiver();
    const visit = await scene.open('/developer/webhooks?mode=sandbox', await scene.newPersonOfBefore('developer'));
    const { page } = visit;
    await page.getByText('Nenhum endereço registrado ainda.').waitFor();
    await page.getByRole('button', { name: 'Registrar endereço' }).click();
    const dialog = page.getByRole('dialog', { name: 'Registrar endereço' });
    await dialog.getByLabel('Endereço').fill('ftp://loja.test');
    await dialog.getByText('Todos os eventos').click();
    await dialog.getByText('Nenhum: não recebe nada').waitFor();
    await dialog.getByText(/^Faturas 0 de/).click();
    await dialog.getByRole('button', { name: 'escolher Clientes' }).click();
    await dialog.getByText('Cliente cadastrado').click();
    await inspect(visit, 'dashboard-webhook-form');
    await dialog.getByRole('button', { name: 'Registrar endereço' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirme que é você' });
    await confirm.getByLabel('Senha').fill(PASSWORD);
    await confirm.getByRole('button', { name: 'Confirmar' }).click();
    await dialog.getByText('Confira este campo.').waitFor();
    await dialog.getByLabel('Endereço').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Registrar endereço' }).click();
    const shown = page.getByRole('alertdialog', { name: 'Segredo de assinatura' });
    await shown.getByText(/^whsec_/).waitFor();
    await inspect(visit, 'dashboard-webhook-secret');
    await shown.getByRole('button', { name: 'Já guardei' }).click();
    await page.getByRole('heading', { name: new URL(receiver.url).host }).waitFor();
    expect(await page.getByText(/whsec_/).count()).toBe(0);
    const [made] = (await scene.shop().fatura.webhookEndpoints.list().page()).data;
    expect(made?.event_types).toContain('customer.created');
    expect(made?.event_types).not.toContain('customer.updated');
    expect(made?.event_types.filter((type) => type.startsWith('invoice.')).length).toBeGreaterThan(5);
    await expectSound(visit);
  },
  LONG_MS,
);

test('each delivery tells its attempts, and is sent again by itself', async () => {
  const { receiver, id } = await anEndpoint(() => 500);
  receiver.text = 'sem estoque';
  const product = await newProduct(scene.shop());
  const event = await eventOf(scene.shop(), product.id, 'product.created');
  await sent(event, 'pending');
  const visit = await scene.open(`/developer/webhooks/${id}?mode=sandbox`, developer);
  const { page } = visit;
  await page.getByText('Produto criado').click();
  await page.getByText('500', { exact: true }).waitFor();
  await page.getByText('sem estoque').waitFor();
  await page.getByText('Próxima tentativa:').waitFor();
  await inspect(visit, 'dashboard-webhook');
  await page.getByRole('button', { name: 'Reenviar', exact: true }).click();
  await page.getByText('Reenvio a caminho.').waitFor();
  await page.getByText('Reenvio 1', { exact: true }).waitFor();
  const { deliveries } = await scene.shop().fatura.events.deliveries(event);
  expect(deliveries.data.map(({ ladder, webhook_endpoint: to }) => [ladder, to])).toEqual([
    [2, id],
    [1, id],
  ]);
  await page.getByRole('combobox', { name: 'Entrega' }).selectOption('Falhou');
  await page.getByText('Foi procurado: Falhou').waitFor();
  await expectSound(visit);
});

test('a test tells what the receiver answered, and an endpoint is switched off, on, and deleted', async () => {
  const { id } = await anEndpoint(() => 503);
  const visit = await scene.open(`/developer/webhooks/${id}?mode=sandbox`, developer, { viewport: PHONE });
  const { page } = visit;
  await page.getByRole('button', { name: 'Enviar teste' }).click();
  const result = page.getByRole('dialog', { name: 'Teste enviado' });
  await result.getByText('O seu servidor não aceitou o teste.').waitFor();
  await result.getByText('503').waitFor();
  await result.getByRole('button', { name: 'Fechar' }).last().click();
  const choose = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Ações' }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await choose('Desligar');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desligar' }).click();
  await page.getByText('Ligue o endereço antes.').first().waitFor();
  await expectSound(visit);
  await choose('Ligar');
  await page.getByText('Endereço ligado.').waitFor();
  await choose('Excluir');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir' }).click();
  await page.getByText('Nenhum endereço registrado ainda.').waitFor();
  expect((await scene.shop().fatura.webhookEndpoints.list().page()).data).toEqual([]);
});

test('what failed is sent again from an instant on, and tells how far it is', async () => {
  const { id } = await anEndpoint();
  const visit = await scene.open(`/developer/webhooks/${id}?mode=sandbox`, developer);
  const { page } = visit;
  await page.getByLabel('Desde').selectOption('outro momento…');
  await page.getByLabel('Data e hora (Brasília)').fill('2099-01-01T10:00');
  await page.getByRole('button', { name: 'Reenviar o que falhou' }).click();
  await page.getByText('Informe uma data e hora que já passou.').waitFor();
  await page.getByLabel('Desde').selectOption('as últimas 24 horas');
  await page.getByRole('button', { name: 'Reenviar o que falhou' }).click();
  await page.getByText('Reenviando', { exact: true }).waitFor();
  await page.getByText('Um reenvio está em andamento').waitFor();
  expect(await scene.shop().fatura.webhookEndpoints.retrieveRecovery(id)).toMatchObject({ status: 'running' });
  await expectSound(visit);
});

test('whoever may only look is shown all of it and why nothing more', async () => {
  const { id } = await anEndpoint();
  const { page } = await scene.open(`/developer/webhooks/${id}?mode=sandbox`, await scene.newPerson('viewer'));
  await page.getByText('O seu papel (Somente leitura) não permite isto').first().waitFor();
  expect(await page.getByRole('button', { name: 'Enviar teste' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Trocar segredo.*O seu papel/ }).waitFor();
});

test('an event shows the text that is sent, leads to its object, and is sent to all again', async () => {
  const { receiver } = await anEndpoint();
  const { id: customer } = await newCustomer(scene.shop(), { name: 'Maria Lima' });
  const event = await eventOf(scene.shop(), customer, 'customer.created');
  await sent(event, 'delivered');
  const visit = await scene.open('/developer/events?mode=sandbox', developer);
  const { page } = visit;
  await page.getByLabel('Tipo').selectOption('customer.created');
  await page.getByLabel('Objeto').fill(customer);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await inspect(visit, 'dashboard-events');
  await page.getByRole('link', { name: 'Cliente cadastrado' }).click();
  await page.getByRole('heading', { name: 'Cliente cadastrado' }).waitFor();
  await page.getByText('"name": "Maria Lima"').waitFor();
  await page.getByRole('link', { name: receiver.url }).waitFor();
  await inspect(visit, 'dashboard-event');
  await page.getByRole('button', { name: 'Reenviar a todos' }).click();
  await page.getByText('Reenvio 1', { exact: true }).waitFor();
  await expectSound(visit);
  await page.getByRole('link', { name: customer }).click();
  await page.getByRole('heading', { name: 'Maria Lima' }).waitFor();
});

test('the overview tells the health of endpoints and how to connect', async () => {
  const { receiver } = await anEndpoint();
  const visit = await scene.open('/developer?mode=sandbox', developer);
  await visit.page.getByRole('link', { name: receiver.url }).waitFor();
  await visit.page.getByRole('heading', { name: 'Eventos que não foram entregues' }).waitFor();
  await visit.page.getByText('http://127.0.0.1:3000/api/v1').waitFor();
  await inspect(visit, 'dashboard-developer');
  await expectSound(visit);
});
