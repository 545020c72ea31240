import { beforeAll, expect, test } from 'vitest';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, type Signed } from './scene.ts';

const scene = dashboardScene();
let person: Signed;

beforeAll(async () => {
  person = await scene.newPerson('finance');
  await scene.sell({ name: 'Maria da Silva', amount: 9_990, item: 'Plano Ouro' });
  await scene.sell({ name: 'João Souza', amount: 5_000, item: 'Plano Prata' });
  await scene.bill({ amount: 1_234 });
});

const open = (query = '', options = {}) => scene.open(`/sales?mode=sandbox${query}`, person, options);

test('what was sold today stands there with its sum', async () => {
  const visit = await open();
  const { page } = visit;
  await page.getByRole('cell', { name: 'Plano Ouro' }).waitFor();
  expect(await page.getByText('R$ 149,90').count()).toBeGreaterThanOrEqual(2);
  await page.getByText('Soma de 2 linhas').waitFor();
  await page.getByRole('link', { name: 'Maria da Silva' }).waitFor();
  await inspect(visit, 'dashboard-sales');
  await expectSound(visit);
});

test('filters stand in the address, and say what found nothing', async () => {
  const { page } = await open();
  await page.getByLabel('Valor de').fill('60');
  await page.keyboard.press('Enter');
  await page.getByText('Soma de 1 linha').waitFor();
  expect(new URL(page.url()).searchParams.get('min')).toBe('60,00');
  await page.getByLabel('Método').selectOption('Cartão');
  await page.getByText('Nada encontrado com estes filtros.').waitFor();
  await page.getByText('Foi procurado: Hoje · Cartão · ≥ R$ 60,00').waitFor();
  await page.reload();
  await page.getByText('Nada encontrado com estes filtros.').waitFor();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await page.getByText('Soma de 2 linhas').waitFor();
});

test('what nobody has paid is found by its creation', async () => {
  const { page } = await open('&status=discarded');
  await page.getByText('Nada encontrado com estes filtros.').waitFor();
  expect(await page.getByLabel('Criado em').count()).toBe(1);
});

test('two days are chosen by the keyboard', async () => {
  const { page } = await open();
  await page.getByLabel('Pago em').selectOption('Escolher datas…');
  await page.getByRole('spinbutton').first().waitFor();
  await page.getByLabel('Pago em').press('Tab');
  await page.keyboard.type('0102202002022020');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('period')).toBe('2020-02-01_2020-02-02');
  await page.getByText('Nada encontrado com estes filtros.').waitFor();
});

test('the keyboard alone leads from the list to an invoice, whose title takes the focus', async () => {
  const { page } = await open();
  await page.getByRole('cell', { name: 'Plano Ouro' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Maria da Silva');
  await page.keyboard.press('k');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('João Souza');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Fatura de R$ 50,00' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Fatura de R$ 50,00');
});

test('the switch of the mode keeps the place, and live data are never beside those of the sandbox', async () => {
  const visit = await open();
  const { page } = visit;
  await page.getByText('Ambiente de teste: nenhum dinheiro de verdade é movimentado.').waitFor();
  await page.getByRole('cell', { name: 'Plano Ouro' }).waitFor();
  await page.getByRole('link', { name: 'Produção' }).click();
  await page.getByText('Nada encontrado com estes filtros.').waitFor();
  expect(await page.getByText('Ambiente de teste').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/dashboard/sales');
  await page.getByText('0 faturas').waitFor();
  await expectSound(visit);
});

test('a phone shows cards and reaches everything by the menu', async () => {
  const visit = await open('', { viewport: PHONE });
  const { page } = visit;
  await page.getByRole('link', { name: 'Maria da Silva' }).waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
  await page.getByText('Filtros').click();
  await page.getByLabel('Método').waitFor();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Clientes' }).click();
  await page.getByRole('heading', { name: 'Clientes' }).waitFor();
  await expectSound(visit);
});

test('an export is of what the filters find, and only for whoever may have it', async () => {
  const { page } = await open('&min=60,00');
  await page.getByRole('button', { name: 'Exportar' }).click();
  await page.getByText('Preparando o arquivo…').waitFor();
  const [one] = (await scene.shop().fatura.exports.list().page()).data;
  expect([one?.type, one?.filters]).toEqual([
    'payment_intents',
    { amount_gte: 6_000, paid_at_gte: expect.any(Number), paid_at_lte: expect.any(Number) },
  ]);
  const viewer = await scene.open('/sales?mode=sandbox', await scene.newPerson('viewer'));
  await viewer.page.getByRole('cell', { name: 'Plano Ouro' }).waitFor();
  expect(await viewer.page.getByRole('button', { name: 'Exportar' }).count()).toBe(0);
});
