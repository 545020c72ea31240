import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { newMonthly } from '../support/subscriptions.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene, PASSWORD, type Signed } from './scene.ts';

const scene = dashboardScene();

const openInvoice = (id: string, person: Signed) => scene.open(`/invoices/${id}?mode=sandbox`, person);

const partsOf = async (payment: string) => (await scene.shop().fatura.refunds.retrieve(payment)).parts;

/** To the sentence that is agreed to. */
async function fillRefund(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Devolver' }).click();
  await page.getByText('Uma parte').click();
  await page.getByLabel('Valor').fill(amount);
  await page.getByRole('button', { name: 'Continuar' }).click();
}

test('an invoice tells who, what, how it was paid and what happened', async () => {
  const { invoice, payment } = await scene.sell({ amount: 3_990 });
  const visit = await openInvoice(invoice, await scene.newPerson('viewer'));
  const { page } = visit;
  await page.getByRole('heading', { name: 'Fatura de R$ 39,90' }).waitFor();
  await page.getByText('Pagamento confirmado').waitFor();
  await page.getByText(payment).waitFor();
  expect(await page.getByText('•••.982.247-••').count()).toBe(1);
  await inspect(visit, 'dashboard-invoice');
  await expectSound(visit);
});

test('lines say what they are for, and a credit is taken off', async () => {
  const shop = scene.shop();
  const { id: customer } = await newCustomer(shop);
  const monthly = await newMonthly(shop, { unit_amount: 4_990 });
  const { id: product } = await newProduct(shop, { name: 'Adesão' });
  const setup = await newPrice(shop, { product_id: product, unit_amount: 3_000 });
  const { invoiceItems, subscriptions } = shop.fatura;
  await invoiceItems.create({ customer_id: customer, type: 'charge', price_id: setup.id });
  await invoiceItems.create({
    customer_id: customer,
    type: 'credit',
    amount: 1_500,
    description: 'Um dia sem serviço',
  });
  const made = await subscriptions.create({
    customer_id: customer,
    price_id: monthly.id,
    setup: [{ price_id: setup.id }],
  });
  const visit = await openInvoice(made.latest_invoice ?? '', await scene.newPerson('viewer'));
  const { page } = visit;
  await page.getByRole('heading', { name: 'Fatura de R$ 94,90' }).waitFor();
  const lines = page.getByRole('list', { name: 'Itens' }).getByRole('listitem');
  expect((await lines.allInnerTexts()).slice(1).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    'Adesão taxa de adesão R$ 30,00',
    'Adesão R$ 30,00',
    'Um dia sem serviço -R$ 15,00',
  ]);
  await inspect(visit, 'dashboard-invoice-credit');
  await expectSound(visit);
});

test('a role that may not says so, and offers nothing', async () => {
  const { invoice } = await scene.sell();
  const { page } = await openInvoice(invoice, await scene.newPerson('viewer'));
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Devolver.*O seu papel \(Somente leitura\) não permite isto/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Devolver', exact: true }).count()).toBe(0);
});

test('a refund is agreed to in one sentence, and asked for once however often it is pressed', async () => {
  const { invoice, payment } = await scene.sell({ amount: 3_990 });
  const visit = await openInvoice(invoice, await scene.newPerson('support'));
  const { page } = visit;
  await fillRefund(page, '99');
  await page.getByText('Informe um valor entre R$ 0,01 e R$ 39,90.').waitFor();
  await page.getByLabel('Valor').fill('10,00');
  await inspect(visit, 'dashboard-refund');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByText('Devolver R$ 10,00 para Maria da Silva (•••.982.247-••)').waitFor();
  await page.getByRole('button', { name: 'Devolver R$ 10,00' }).dblclick();
  await page.getByText('Olá, Maria! Devolvemos R$ 10,00 da sua compra.').waitFor();
  await page.getByRole('button', { name: 'Pronto' }).click();
  await page.getByText('Resta para devolver').waitFor();
  expect((await partsOf(payment)).map(({ amount }) => amount)).toEqual([1_000]);
  await expectSound(visit);
});

test('what somebody else returned meanwhile is told, and nothing is returned twice', async () => {
  const { invoice, payment } = await scene.sell({ amount: 3_990 });
  const { page } = await openInvoice(invoice, await scene.newPerson('finance'));
  await fillRefund(page, '39,90');
  await scene.shop().fatura.refunds.create({ payment_intent: payment, amount: 3_000 });
  await page.getByRole('button', { name: 'Devolver R$ 39,90' }).click();
  await page.getByText('agora restam R$ 9,90').waitFor();
  await page.getByText('Resta devolver até R$ 9,90.').waitFor();
  expect((await partsOf(payment)).map(({ amount }) => amount)).toEqual([3_000]);
});

test('an old sign-in is confirmed in a window, and the same refund goes on', async () => {
  const { invoice, payment } = await scene.sell({ amount: 150_000 });
  const visit = await openInvoice(invoice, await scene.newPersonOfBefore('finance'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Devolver' }).click();
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('button', { name: 'Devolver R$ 1.500,00' }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirme que é você' });
  await confirm.getByLabel('Senha').fill(PASSWORD);
  await inspect(visit, 'dashboard-fresh');
  await confirm.getByRole('button', { name: 'Confirmar' }).click();
  await page.getByText('Devolvemos R$ 1.500,00').waitFor();
  expect((await partsOf(payment)).map(({ amount }) => amount)).toEqual([150_000]);
  await expectSound(visit);
});

test('support returns up to the limit of the account', async () => {
  const { invoice } = await scene.sell({ amount: 150_000 });
  const { page } = await openInvoice(invoice, await scene.newPerson('support'));
  await page.getByRole('button', { name: 'Devolver' }).click();
  await page.getByText('Deste pagamento restam R$ 1.500,00').waitFor();
  await page.getByText('Tudo (R$ 1.000,00)').waitFor();
});

test('an open invoice is voided after a question, and then says that it is', async () => {
  const { invoice } = await scene.bill();
  const visit = await openInvoice(invoice, await scene.newPerson('support'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Ações' }).click();
  await inspect(visit, 'dashboard-invoice-menu');
  await page.getByRole('menuitem', { name: 'Anular' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Anular fatura' }).click();
  await page.getByText('Fatura anulada.').waitFor();
  await page.getByText('Anulada', { exact: true }).waitFor();
  expect((await scene.shop().fatura.invoices.retrieve(invoice)).status).toBe('void');
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Anular.*A fatura já foi anulada\.$/ }).waitFor();
});

test('an invoice of the other mode is not found, and says in which it was looked for', async () => {
  const { invoice } = await scene.bill();
  const { page } = await scene.open(`/invoices/${invoice}?mode=live`, await scene.newPerson('viewer'));
  await page.getByText('Não há nada com este código em Produção.').waitFor();
});

test('a payment is found by its own id', async () => {
  const { invoice, payment } = await scene.sell();
  const { page } = await scene.open(`/payments/${payment}?mode=sandbox`, await scene.newPerson('viewer'));
  await page.getByRole('heading', { name: 'Fatura de R$ 99,90' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/invoices/${invoice}`);
});

test('the due date of an open invoice is moved ahead, to the end of a day in Brasília', async () => {
  const { invoice } = await scene.bill();
  const before = (await scene.shop().fatura.invoices.retrieve(invoice)).due_at;
  const visit = await openInvoice(invoice, await scene.newPerson('support'));
  const { page } = visit;
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Prorrogar vencimento' }).click();
  const dialog = page.getByRole('dialog', { name: 'Prorrogar vencimento' });
  await dialog.getByRole('button', { name: '+15 dias' }).click();
  const day = await dialog.getByLabel('Novo vencimento').inputValue();
  await inspect(visit, 'dashboard-extend');
  await dialog.getByRole('button', { name: 'Prorrogar vencimento' }).click();
  const [year, month, dayOfMonth] = day.split('-');
  await page.getByText(`A fatura agora vence em ${dayOfMonth}/${month}/${year}.`).waitFor();
  const { due_at: due } = await scene.shop().fatura.invoices.retrieve(invoice);
  expect(due).toBe(Date.parse(`${day}T23:59:59-03:00`) / 1_000);
  expect(Math.round((due - before) / 86_400)).toBeOneOf([15, 16]);
  await page.getByText('Vencimento da fatura prorrogado').waitFor();
  await expectSound(visit);
});

test('a paid invoice says why its due date stays', async () => {
  const { invoice } = await scene.sell();
  const { page } = await openInvoice(invoice, await scene.newPerson('support'));
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Prorrogar vencimento.*Só uma fatura em aberto/ }).waitFor();
});
