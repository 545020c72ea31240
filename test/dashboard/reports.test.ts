import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { payByCard } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { subscribeByPix } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, type Signed } from './scene.ts';

const scene = dashboardScene();
let person: Signed;
/** `26/11/2026` */
let today: string;

/** What a report says that was sold today: by PIX 149,90 and 49,90 of a subscription, by card 20,00, of which 5,00 went back. */
beforeAll(async () => {
  person = await scene.newPerson('viewer');
  const shop = scene.shop();
  await scene.sell({ amount: 9_990 });
  const { payment } = await scene.sell({ amount: 5_000 });
  await shop.fatura.testHelpers.paymentIntents.dispute(payment, { scenario: 'fraud', amount: 1_000 });
  const card = await payByCard(shop, (await newInvoice(shop, { amount: 2_000 })).id);
  await shop.fatura.refunds.create({ payment_intent: card.payment_intent ?? '', amount: 500 });
  await subscribeByPix(shop, { amount: 4_990 });
  await scene.bill({ amount: 1_234 });
  const now = new Date(scene.api().clock.now() * 1_000);
  today = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' })
    .formatToParts(now)
    .map(({ type, value }) => (type === 'year' ? String(now.getUTCFullYear()) : value))
    .join('');
});

const open = (query = '', options = {}) => scene.open(`/reports?mode=sandbox${query}`, person, options);

/** The lines of the file that the button gives. */
async function fileOf(page: Page): Promise<{ name: string; lines: string[] }> {
  const awaited = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Baixar CSV' }).click();
  const file = await awaited;
  const text = await readFile(await file.path(), 'utf8');
  expect(text.startsWith('\ufeff')).toBe(true);
  return { name: file.suggestedFilename(), lines: text.slice(1).trimEnd().split('\r\n') };
}

test('sales stand by day, and the file has what is shown', async () => {
  const visit = await open('&period=today');
  const { page } = visit;
  await page.getByRole('row', { name: 'Total' }).getByText('R$ 219,80').waitFor();
  const { name, lines } = await fileOf(page);
  expect(name).toMatch(/^vendas-\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/);
  expect(lines).toEqual([
    'Período;Pagamentos;PIX;Cartão;Vendido',
    `${today};4;199,80;20,00;219,80`,
    'Total;4;199,80;20,00;219,80',
  ]);
  await expectSound(visit);
  await page.getByRole('link', { name: today }).click();
  await page.getByText('Soma de 4 linhas').waitFor();
});

test('receipts are less what went back and what banks took', async () => {
  const { page } = await open('&period=today');
  await page.getByRole('tab', { name: 'Recebimentos' }).click();
  await page.getByRole('row', { name: 'Total' }).getByText('R$ 204,80').waitFor();
  expect((await fileOf(page)).lines.at(-1)).toBe('Total;219,80;-5,00;-10,00;0,00;204,80');
  await page.getByRole('tab', { name: 'Devoluções' }).click();
  expect((await fileOf(page)).lines.at(-1)).toBe('Total;1;5,00');
  expect(new URL(page.url()).searchParams.get('report')).toBe('refunds');
});

test('open invoices stand by age', async () => {
  const { page } = await open('&report=aging');
  await page.getByRole('row', { name: 'A vencer' }).getByText('R$ 12,34').waitFor();
  expect((await fileOf(page)).lines).toEqual([
    'Atraso;Faturas;A receber',
    'A vencer;1;12,34',
    '1 a 30 dias;0;0,00',
    '31 a 60 dias;0;0,00',
    '61 a 90 dias;0;0,00',
    'Mais de 90 dias;0;0,00',
    'Total;1;12,34',
  ]);
});

test('subscriptions stand by month, with what they bill', async () => {
  const visit = await open('&report=subscriptions&period=thisMonth', { viewport: PHONE });
  const { page } = visit;
  await page.getByText('R$ 49,90').waitFor();
  await page.getByLabel('Linhas').selectOption('Por mês');
  await page.getByText('0 de 0 no início').waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-reports-subscriptions');
});

test('each PIX stands with what the bank knows it by, and its file is an export', async () => {
  const finance = await scene.newPerson('finance');
  const visit = await scene.open('/reports?mode=sandbox&report=pix&period=today', finance);
  const { page } = visit;
  await page.getByText('Soma de 3 linhas').waitFor();
  await page.getByText('Retirado pelo banco R$ 10,00').waitFor();
  const [receipt] = (await scene.shop().fatura.pixReceipts.list().page()).data;
  await page.getByText(receipt?.id ?? '').waitFor();
  await expectSound(visit);
  await page.setViewportSize(PHONE);
  await page.getByText(receipt?.txid ?? '').waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-reports-pix');
  await page.getByRole('button', { name: 'Exportar' }).click();
  await page.getByText('Preparando o arquivo…').waitFor();
  expect((await scene.shop().fatura.exports.list().page()).data[0]?.type).toBe('pix_receipts');
});

test('a period without an end or of too many days is not asked for', async () => {
  const { page } = await open('&period=2020-01-01_2026-01-01');
  await page.getByText('Escolha um período de 1 a 366 dias.').waitFor();
  await page.getByRole('combobox', { name: 'Período' }).selectOption('Mês passado');
  await page.getByRole('row', { name: 'Total' }).getByText('R$ 0,00').first().waitFor();
});

test('a phone shows cards, in light and dark', async () => {
  const visit = await open('&period=last7', { viewport: PHONE });
  await visit.page.getByText('R$ 219,80').first().waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-reports');
  await expectSound(visit);
});
