import { expect, test } from 'vitest';
import { newCustomer, newInvoice } from '../support/factories.ts';
import { leaveUnpaid, payByPix, renew, subscribeByPix, subscribeUnfunded } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const DAY = 86_400;

const scene = dashboardScene();

const NAMES = ['Ana Prado', 'Beatriz Nogueira', 'Carlos Lima'] as const;

/** Three invoices that are four days late, and one that suspended its subscription. */
async function owe() {
  const shop = scene.shop();
  const { id } = await subscribeByPix(shop);
  const awaited = await leaveUnpaid({ api: scene.api(), merchant: shop, id });
  const due_at = scene.api().clock.now() + 60;
  const late: string[] = [];
  for (const name of NAMES) {
    const customer = await newCustomer(shop, { name });
    late.push((await newInvoice(shop, { customer_id: customer.id, amount: 5_000, due_at })).id);
  }
  scene.api().clock.advance(4 * DAY + 60);
  return { late, awaited };
}

const statusOf = async (id: string) => (await scene.shop().fatura.invoices.retrieve(id)).status;

test('the board tells what is late and what comes next, and the same is done with several at once', async () => {
  const { late, awaited } = await owe();
  const [ana = '', beatriz = '', carlos = ''] = late;
  const visit = await scene.open('/collection?mode=sandbox', await scene.newPerson('finance'));
  const { page } = visit;
  await page.getByText('R$ 249,90 em atraso, em 4 faturas.').waitFor();
  await page.getByRole('link', { name: /^D\+3.*R\$ 150,00.*3 faturas.*Em D\+7: cartão de novo/ }).waitFor();
  await page.getByRole('link', { name: 'Carlos Lima' }).waitFor();
  await page.getByText('Nenhum cartão foi recusado em uma renovação nos últimos 90 dias.').waitFor();
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-collection');

  // Selected by the keyboard alone.
  await page
    .getByRole('cell', { name: /há 4 dias/ })
    .first()
    .waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('2 selecionadas: R$ 100,00').waitFor();

  // Somebody paid one meanwhile: that one is refused, and says why.
  const { payment_intent: intent } = await scene
    .shop()
    .fatura.invoices.checkout(beatriz, { payment_method_type: 'pix' });
  await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  await page.getByRole('button', { name: 'Com as selecionadas' }).click();
  await page.getByRole('menuitem', { name: 'Perdoar' }).click();
  await page.getByRole('button', { name: 'Perdoar (2)' }).dblclick();
  await page.getByText('1 de 2 feitas.').waitFor();
  await page.getByText('O estado atual não permite isto.').waitFor();
  await inspect(visit, 'dashboard-collection-bulk');
  expect([await statusOf(carlos), await statusOf(beatriz), await statusOf(ana)]).toEqual([
    'uncollectible',
    'paid',
    'open',
  ]);
  await page.getByRole('button', { name: 'Fechar' }).last().click();
  await page.getByRole('link', { name: /^D\+3.*R\$ 50,00.*1 fatura/ }).waitFor();

  await page.getByRole('link', { name: /^Suspensa/ }).click();
  await page.getByText('Assinatura encerrada', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('stage')).toBe('suspended');
  await page.getByRole('link', { name: 'Ver assinatura' }).click();
  await page.getByRole('heading', { name: 'Assinatura de Maria da Silva' }).waitFor();
  expect(await statusOf(awaited.id)).toBe('open');
  await expectSound(visit);
});

test('the due date of several is extended, and they are late no more', async () => {
  const visit = await scene.open('/collection?mode=sandbox&stage=day_3', await scene.newPerson('support'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Selecionar todas as carregadas' }).click();
  await page.getByRole('button', { name: 'Com as selecionadas' }).click();
  await page.getByRole('menuitem', { name: /^Perdoar.*O seu papel \(Atendimento\) não permite isto/ }).waitFor();
  await page.getByRole('menuitem', { name: 'Prorrogar vencimento' }).click();
  await page.getByLabel('Novo vencimento').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Prorrogar vencimento (1)' }).click();
  await page.getByText('1 de 1 feitas.').waitFor();
  await page.getByRole('button', { name: 'Pronto' }).click();
  await page.getByText('Nada em atraso nesta etapa.').waitFor();
  const [open] = await scene.shop().fatura.invoices.list({ status: 'open' }).all({ max: 1 });
  const days = ((open?.due_at ?? 0) - scene.api().clock.now()) / DAY;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(8);
});

test('a viewer sees the board and why nothing can be done', async () => {
  const { page } = await scene.open('/collection?mode=sandbox&stage=suspended', await scene.newPerson('viewer'));
  await page.getByRole('button', { name: 'Com as selecionadas' }).click();
  await page.getByRole('menuitem', { name: /^Reenviar por e-mail.*O seu papel \(Somente leitura\)/ }).waitFor();
});

test('the board tells how many declined renewals were paid since, by the reason of the decline', async () => {
  const shop = scene.shop();
  for (const isPaid of [true, false, false]) {
    const { id } = await subscribeUnfunded(shop, { interval: 'day' });
    const invoice = await renew({ api: scene.api(), merchant: shop, id });
    if (isPaid) await payByPix(shop, invoice.id);
  }
  const visit = await scene.open('/collection?mode=sandbox&stage=day_3', await scene.newPerson('viewer'));
  const { page } = visit;
  const table = page.getByRole('table', { name: 'Recuperação por motivo' });
  await table.getByRole('row', { name: 'sem limite 33,3% 1 de 3 R$ 99,90 de R$ 299,70' }).waitFor();
  await page.setViewportSize(PHONE);
  await page.getByRole('list', { name: 'Recuperação por motivo' }).getByText('33,3%').waitFor();
  await inspect(visit, 'dashboard-collection-recovery');
  await expectSound(visit);
  await page.getByRole('button', { name: /^Sua conta/ }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await page
    .getByRole('table', { name: 'Recovery by reason' })
    .getByRole('row', { name: 'insufficient funds 33.3% 1 of 3' })
    .waitFor();
});
