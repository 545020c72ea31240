import { expect, test } from 'vitest';
import { byCard, cards } from '../support/cards.ts';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { leaveUnpaid, renew, subscribe, subscribeByPix, subscribeUnfunded } from '../support/subscriptions.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, type Signed } from './scene.ts';

const scene = dashboardScene();

const openSubscription = (id: string, person: Signed) => scene.open(`/subscriptions/${id}?mode=sandbox`, person);

const collected = (id: string) => ({ api: scene.api(), merchant: scene.shop(), id });

/** An active subscription of somebody by name, paid by card. */
async function subscribeAs(name: string, { quantity = 1 } = {}) {
  const shop = scene.shop();
  const { id: customerId } = await newCustomer(shop, { name, phone: '+5511987654321' });
  const { id: productId } = await newProduct(shop, { name: 'Plano Ouro' });
  const recurring = { interval: 'month' } as const;
  const { id: priceId } = await newPrice(shop, { product_id: productId, type: 'recurring', recurring });
  const discounts = [{ type: 'percentage', percentage: 10, cycles: 2 } as const];
  const { id } = await subscribe(shop, { customer_id: customerId, price_id: priceId, quantity, discounts });
  return shop.fatura.subscriptions.checkout(id, byCard(cards.approved));
}

test('the list tells who pays what and when, and is found by state and customer', async () => {
  await subscribeAs('Beatriz Nogueira', { quantity: 3 });
  await subscribe(scene.shop());
  const visit = await scene.open('/subscriptions?mode=sandbox', await scene.newPerson('finance'));
  const { page } = visit;
  await page.getByRole('link', { name: 'Beatriz Nogueira' }).waitFor();
  await page.getByText('3 × R$ 99,90 por mês').waitFor();
  await page.getByText('R$ 299,70').waitFor();
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-subscriptions');
  await page.getByLabel('Situação').selectOption('Aguarda o 1º pagamento');
  await expect.poll(() => page.getByRole('link', { name: 'Beatriz Nogueira' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Maria da Silva' }).waitFor();
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await page.getByLabel('Cliente').fill('nogu');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('link', { name: 'Maria da Silva' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Exportar' }).click();
  await page.getByText('Preparando o arquivo…').waitFor();
  const [one] = (await scene.shop().fatura.exports.list().page()).data;
  expect([one?.type, Object.keys(one?.filters ?? {})]).toEqual(['subscriptions', ['customer_id']]);
  await page.getByRole('link', { name: 'Beatriz Nogueira' }).click();
  await page.getByRole('heading', { name: 'Assinatura de Beatriz Nogueira' }).waitFor();
  await expectSound(visit);
});

test('one of several items shows them all', async () => {
  const shop = scene.shop();
  const { id: customer } = await newCustomer(shop, { name: 'Davi Moura' });
  const items = [];
  for (const [name, cents, quantity] of [
    ['Plano Base', 9_990, 1],
    ['Usuário extra', 2_990, 3],
  ] as const) {
    const { id: product } = await newProduct(shop, { name });
    const recurring = { interval: 'month' } as const;
    const price = await newPrice(shop, { product_id: product, type: 'recurring', recurring, unit_amount: cents });
    items.push({ price_id: price.id, quantity });
  }
  const { id } = await shop.fatura.subscriptions.create({ customer_id: customer, items });
  await shop.fatura.subscriptions.checkout(id, byCard(cards.approved));
  const { page } = await scene.open('/subscriptions?mode=sandbox', await scene.newPerson('viewer'));
  await page.getByText('R$ 99,90 por mês · e mais 1 item').waitFor();
  await page.getByText('R$ 189,60').waitFor();
  await page.getByRole('link', { name: 'Davi Moura' }).click();
  await page.getByRole('link', { name: 'Usuário extra' }).waitFor();
  await page.getByText('3 × R$ 29,90 por mês').waitFor();
});

test('a name that several have is asked about', async () => {
  const ana = await subscribeAs('Ana Prado');
  await newCustomer(scene.shop(), { name: 'Ana Prado' });
  const { page } = await scene.open('/subscriptions?mode=sandbox&customer=prado', await scene.newPerson('viewer'));
  await page.getByText('De qual cliente?').waitFor();
  await page
    .getByRole('button', { name: /^Ana Prado/ })
    .last()
    .click();
  await page.getByRole('link', { name: 'Ana Prado' }).waitFor();
  expect(new URL(page.url()).searchParams.get('customer')).toBe(ana.customer);
});

test('one tells its state in words, its cycles and its next charge, and its quantity is changed', async () => {
  const { id, current_period_end: end } = await subscribeAs('Carla Reis', { quantity: 2 });
  const visit = await openSubscription(id, await scene.newPerson('support'));
  const { page } = visit;
  await page.getByText(/^Em dia\. A próxima cobrança é em \d\d\/\d\d\/\d{4}\.$/).waitFor();
  await page.getByText('10% nas primeiras 2 cobranças').waitFor();
  await page.getByRole('list', { name: 'Ciclos' }).getByText('Paga').waitFor();
  const next = page.locator('section', { has: page.getByRole('heading', { name: 'Próxima cobrança' }) });
  const lines = next.getByRole('list', { name: 'Próxima cobrança' });
  expect(await lines.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/^Plano Ouro 2 × R\$ 99,90\s+R\$ 199,80$/),
    expect.stringMatching(/^Desconto: 10%$/),
  ]);
  await next.getByText('R$ 179,82').waitFor();
  expect(await next.locator('time').first().getAttribute('datetime')).toBe(new Date((end ?? 0) * 1_000).toISOString());
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-subscription');
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Mudar quantidade ou código' }).click();
  await page.getByLabel('Quantidade').fill('1000');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Confira este campo.').waitFor();
  await page.getByLabel('Quantidade').fill('5');
  await inspect(visit, 'dashboard-subscription-edit');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Assinatura alterada.').waitFor();
  await page.getByText('5 × R$ 99,90 por mês').waitFor();
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).item.quantity).toBe(5);
  await expectSound(visit);
});

test('a viewer sees why nothing can be done', async () => {
  const { id } = await subscribe(scene.shop());
  const { page } = await openSubscription(id, await scene.newPerson('viewer'));
  await page.getByText('Aguarda o primeiro pagamento até').waitFor();
  await page.getByText('Como está hoje, a assinatura não tem próxima cobrança.').waitFor();
  expect(await page.getByRole('button', { name: 'Lançar cobrança ou crédito' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: /^Cancelar agora.*O seu papel \(Somente leitura\)/ }).waitFor();
});

test('an unpaid cycle of an active one is forgiven, and the subscription goes on', async () => {
  const { id } = await subscribeUnfunded(scene.shop());
  const { id: invoice } = await renew(collected(id));
  const { page } = await openSubscription(id, await scene.newPerson('finance'));
  await page.getByText('O cartão foi recusado: sem limite.').waitFor();
  await page.getByText('O cartão é cobrado de novo em').waitFor();
  await page.getByRole('button', { name: 'Ações' }).click();
  await page.getByRole('menuitem', { name: 'Perdoar o ciclo' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Perdoar fatura' }).click();
  await page.getByText('Fatura dada como incobrável.').waitFor();
  await page.getByText('Em dia.').waitFor();
  const { fatura } = scene.shop();
  expect((await fatura.invoices.retrieve(invoice)).status).toBe('uncollectible');
  expect((await fatura.subscriptions.retrieve(id)).status).toBe('active');
});

test('a suspended one is charged, reactivated and cancelled', async () => {
  const { id } = await subscribeByPix(scene.shop());
  await leaveUnpaid(collected(id));
  const visit = await openSubscription(id, await scene.newPerson('support'));
  const { page } = visit;
  await page.getByText('O pagamento dela ativa a assinatura de novo.').waitFor();
  const act = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Ações' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Reativar');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reativar' }).click();
  await page.getByText('Foi reativada').waitFor();
  await act('Cancelar agora');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar agora' }).click();
  await page.getByText(/^Encerrada em \d\d\//).waitFor();
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).status).toBe('inactive');
  await expectSound(visit);
});

test('one ends with its period, and that is taken back', async () => {
  const { id } = await subscribeAs('Elisa Castro');
  const visit = await openSubscription(id, await scene.newPerson('support'));
  const { page } = visit;
  const act = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Ações' }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
  };
  await act('Cancelar no fim do período');
  await page.getByText(/^Termina em \d\d\/\d\d\/\d{4}, a pedido\.$/).waitFor();
  await page.getByText('Como está hoje, a assinatura não tem próxima cobrança.').waitFor();
  expect(await page.getByRole('list', { name: 'Próxima cobrança' }).count()).toBe(0);
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true);
  await act('Desfazer cancelamento');
  await page.getByText(/^Em dia\. A próxima cobrança é em/).waitFor();
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).cancel_at).toBeNull();
  await expectSound(visit);
});

test('one is paused and resumed', async () => {
  const { id } = await subscribeAs('Otávio Reis');
  const visit = await openSubscription(id, await scene.newPerson('support'));
  const { page } = visit;
  const act = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Ações' }).click();
    await page.getByRole('menuitem', { name }).click();
    await page.getByRole('alertdialog').getByRole('button', { name }).click();
  };
  await act('Pausar');
  await page
    .getByText(/^Pausada desde \d\d\/\d\d\/\d{4}: nada é renovado nem cobrado de novo\. Guarda \d+ dias/)
    .waitFor();
  await page.getByText('Como está hoje, a assinatura não tem próxima cobrança.').waitFor();
  expect((await scene.shop().fatura.subscriptions.retrieve(id)).status).toBe('paused');
  await act('Retomar');
  await page.getByText(/^Em dia\. A próxima cobrança é em/).waitFor();
  expect(await scene.shop().fatura.subscriptions.retrieve(id)).toMatchObject({ status: 'active', pause: null });
  await expectSound(visit);
});

test('a charge and a credit wait for the next bill, and one is taken back', async () => {
  const { id } = await subscribeAs('Helena Prado');
  const visit = await openSubscription(id, await scene.newPerson('finance'));
  const { page } = visit;
  const next = page.getByRole('list', { name: 'Próxima cobrança' });
  const waiting = page.getByRole('list', { name: 'Lançamentos' });
  const dialog = page.getByRole('dialog');
  await page.getByText('Nada espera pela próxima fatura.').waitFor();
  await page.getByRole('button', { name: 'Lançar cobrança ou crédito' }).click();
  await dialog.getByLabel('Valor').fill('0');
  await dialog.getByLabel('Descrição').fill('Visita técnica');
  await dialog.getByRole('button', { name: 'Lançar' }).click();
  await dialog.getByText('Informe um valor entre R$ 0,01 e R$ 9.999,99.').waitFor();
  await dialog.getByLabel('Valor').fill('150,00');
  await inspect(visit, 'dashboard-invoice-item');
  await dialog.getByRole('button', { name: 'Lançar' }).click();
  await next.getByText('Visita técnica').waitFor();
  await page.getByRole('button', { name: 'Lançar cobrança ou crédito' }).click();
  await dialog.getByLabel('Tipo').selectOption('Crédito');
  await dialog.getByLabel('Valor').fill('15');
  await dialog.getByLabel('Descrição').fill('Um dia sem serviço');
  await dialog.getByRole('button', { name: 'Lançar' }).click();
  await next.getByText('-R$ 15,00').waitFor();
  await page.getByText('R$ 224,91').waitFor();
  expect(await page.getByText('Crédito', { exact: true }).count()).toBe(1);
  await page.setViewportSize(PHONE);
  await inspect(visit, 'dashboard-subscription-items');
  await waiting.getByRole('button', { name: 'Desfazer: Visita técnica' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Desfazer' }).click();
  await page.getByText('R$ 74,91').waitFor();
  await expect.poll(() => waiting.getByText('Visita técnica').count()).toBe(0);
  const items = await scene.shop().fatura.invoiceItems.list({ subscription_id: id }).page();
  expect(items.data.map(({ type, amount, status }) => [type, amount, status])).toEqual([
    ['credit', 1_500, 'pending'],
    ['charge', 15_000, 'deleted'],
  ]);
  await expectSound(visit);
});
