import { beforeAll, expect, test } from 'vitest';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, type Signed } from './scene.ts';

const scene = dashboardScene();
let person: Signed;
let taken: string;

beforeAll(async () => {
  person = await scene.newPerson('finance');
  const { paymentIntents } = scene.shop().fatura.testHelpers;
  const { payment } = await scene.sell({ name: 'Maria da Silva', amount: 9_990 });
  await paymentIntents.dispute(payment, { scenario: 'fraud' });
  const other = await scene.sell({ name: 'João Souza', amount: 5_000 });
  await paymentIntents.dispute(other.payment, { scenario: 'operational_error' });
  await paymentIntents.dispute(other.payment, { scenario: 'reversed' });
  taken = payment;
});

const open = (path: string, options = {}) => scene.open(`/disputes${path}`, person, options);

const disputeOf = async (payment: string): Promise<string> => {
  const [dispute] = (await scene.shop().fatura.disputes.list({ payment_intent_id: payment }).page()).data;
  return dispute?.id ?? '';
};

test('what banks took stands in a list, with the ways to payment, invoice and customer', async () => {
  const visit = await open('?mode=sandbox');
  const { page } = visit;
  const row = page.getByRole('row', { name: 'Maria da Silva' });
  await row.waitFor();
  await row.getByText('Retirado pelo banco').waitFor();
  await page.getByText('Soma de 2 linhas').waitFor();
  await expectSound(visit);
  await row.getByRole('link', { name: 'Pagamento' }).click();
  await page.getByRole('heading', { name: 'Fatura de R$ 99,90' }).waitFor();
  expect(new URL(page.url()).searchParams.get('payment')).toBe(taken);
});

test('the status is a filter of the address', async () => {
  const { page } = await open('?mode=sandbox&status=won');
  await page.getByText('Soma de 1 linha').waitFor();
  await page.getByText('Voltou para a conta').waitFor();
  await page.getByLabel('Situação').selectOption('Espera sua resposta');
  await page.getByText('Foi procurado: Espera sua resposta').waitFor();
});

test('a dispute tells what happened and what can be done', async () => {
  const visit = await open('?mode=sandbox', { viewport: PHONE });
  const { page } = visit;
  await page.getByRole('link', { name: 'Maria da Silva' }).click();
  await page.getByRole('heading', { name: 'Contestação de R$ 99,90' }).waitFor();
  await page.getByText('Não há defesa a enviar por aqui').waitFor();
  await page.getByRole('list', { name: 'Linha do tempo' }).getByText('Dinheiro retirado pelo banco').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/disputes/${await disputeOf(taken)}`);
  await expectSound(visit);
  await inspect(visit, 'dashboard-dispute');
  await expectSound(visit);
});

test('a phone shows cards, and a dispute of the other mode is told to be elsewhere', async () => {
  const visit = await open('?mode=sandbox', { viewport: PHONE });
  const { page } = visit;
  await page.getByRole('link', { name: 'João Souza' }).waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-disputes');
  await page.setViewportSize(PHONE);
  await page.getByRole('link', { name: 'João Souza' }).click();
  await page.getByText('o dinheiro é seu de novo').waitFor();
  await expectSound(visit);
  const elsewhere = await open(`/${await disputeOf(taken)}?mode=live`);
  await elsewhere.page.getByRole('heading', { name: 'Não encontrado neste ambiente' }).waitFor();
});
