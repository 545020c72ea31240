import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Role } from '../../contract/roles.ts';
import { exportFileStep } from '../../server/exports/write.ts';
import { byCard, cards, payByCard } from '../support/cards.ts';
import { newCustomer, newInvoice, newPrice, newProduct } from '../support/factories.ts';
import { subscribe } from '../support/subscriptions.ts';
import { expectSound, type Visit } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

/** What people do all day, from where they begin; more clicks than these and they write a spreadsheet. */
const CLICKS_MAX = 6;

const scene = dashboardScene();

interface Hand extends Visit {
  /** A click that is counted. */
  readonly click: (on: Locator) => Promise<void>;
  readonly clicks: () => number;
  /** Looks for somebody by the box at the top, as the keyboard does it. */
  readonly search: (text: string) => Promise<void>;
}

/** Somebody at the desk, on the screen that the dashboard opens with. */
async function begin(role: Role): Promise<Hand> {
  const visit = await scene.open('/?mode=sandbox', await scene.newPerson(role));
  const { page } = visit;
  await page.getByRole('heading', { level: 1 }).waitFor();
  let clicks = 0;
  return {
    ...visit,
    click: async (on) => {
      clicks += 1;
      await on.click();
    },
    clicks: () => clicks,
    search: async (text) => {
      await page.keyboard.press('/');
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Busca por “${text}”` }).waitFor();
    },
  };
}

const buyer = (name: string) => newCustomer(scene.shop(), { name, phone: '+5511987654321' });

/** The links of what was found in a group of the search. */
const found = (page: Page, group: string, name: string): Locator =>
  page.locator('section', { has: page.getByRole('heading', { name: group }) }).getByRole('link', { name });

test('why a payment failed is found by a name', async () => {
  const { id } = await newInvoice(scene.shop(), { customer_id: (await buyer('Maria Antônia Prado')).id });
  await payByCard(scene.shop(), id, { number: cards.insufficient_funds }).catch(() => {});
  const hand = await begin('support');
  await hand.search('antonia prado');
  await hand.click(found(hand.page, 'Clientes', 'Maria Antônia Prado'));
  await hand.page.getByText('R$ 99,90 · sem limite').waitFor();
  expect(hand.clicks()).toBeLessThanOrEqual(CLICKS_MAX);
  await expectSound(hand);
});

test('half of a payment is returned and its subscription cancelled', async () => {
  const { subscriptions } = scene.shop().fatura;
  const { id } = await subscribe(scene.shop(), { customer_id: (await buyer('Tereza Batista')).id });
  await subscriptions.checkout(id, byCard());
  const hand = await begin('support');
  const { page, click } = hand;
  await hand.search('tereza');
  await click(found(page, 'Faturas', 'Tereza Batista'));
  await click(page.getByRole('button', { name: 'Devolver' }));
  await click(page.getByText('Uma parte'));
  await page.getByLabel('Valor').fill('20,00');
  await click(page.getByText('Cancelar também a assinatura'));
  await click(page.getByRole('button', { name: 'Continuar' }));
  await click(page.getByRole('button', { name: 'Devolver R$ 20,00' }));
  await page.getByText('Devolvemos R$ 20,00').first().waitFor();
  expect(hand.clicks()).toBeLessThanOrEqual(CLICKS_MAX);
  expect((await subscriptions.retrieve(id)).status).toBe('inactive');
  await expectSound(hand);
});

test('the second copy of a bill is sent as a text of WhatsApp', async () => {
  const { id } = await newInvoice(scene.shop(), { customer_id: (await buyer('Jorge Amado Filho')).id });
  const hand = await begin('support');
  const { page, click, context } = hand;
  // The world outside is not asked.
  await context.route('https://wa.me/**', (route) => route.fulfill({ body: '' }));
  await hand.search('jorge amado');
  await click(found(page, 'Faturas', 'Jorge Amado Filho'));
  await click(page.getByRole('button', { name: 'Ações' }));
  const opened = context.waitForEvent('page');
  await click(page.getByRole('menuitem', { name: 'Enviar por WhatsApp' }));
  const url = new URL((await opened).url());
  expect(url.href).toContain('https://wa.me/5511987654321');
  const { payment_url } = await scene.shop().fatura.invoices.retrieve(id);
  expect(url.searchParams.get('text')).toContain(payment_url);
  expect(hand.clicks()).toBeLessThanOrEqual(CLICKS_MAX);
});

test('what an endpoint refused last night is sent again', async () => {
  const { webhookEndpoints } = scene.shop().fatura;
  const { id } = await webhookEndpoints.create({ url: 'http://127.0.0.1:9/avisos', event_types: ['invoice.*'] });
  await newInvoice(scene.shop());
  const hand = await begin('developer');
  const { page, click } = hand;
  await click(page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }));
  await click(page.getByRole('link', { name: '127.0.0.1:9' }));
  await click(page.getByRole('button', { name: 'Reenviar o que falhou' }));
  await page.getByText('Reenviando', { exact: true }).waitFor();
  expect(hand.clicks()).toBeLessThanOrEqual(CLICKS_MAX);
  expect(await webhookEndpoints.retrieveRecovery(id)).toMatchObject({ status: 'running' });
  await webhookEndpoints.delete(id);
});

test('the sales of today are a file for the spreadsheet of the accountant', async () => {
  const product = await newProduct(scene.shop(), { name: 'Caneta; azul' });
  const price = await newPrice(scene.shop(), { product_id: product.id, unit_amount: 123_456 });
  const { id } = await newInvoice(scene.shop(), { line_items: [{ price_id: price.id, quantity: 1 }] });
  await payByCard(scene.shop(), id);
  const hand = await begin('finance');
  const { page, click } = hand;
  await click(page.getByRole('navigation').getByRole('link', { name: 'Vendas' }));
  await click(page.getByRole('button', { name: 'Exportar' }));
  await page.getByText('Preparando o arquivo…').waitFor();
  const [asked] = (await scene.shop().fatura.exports.list().page()).data;
  await exportFileStep(scene.api().composition.deps, asked?.id ?? '');
  const download = page.waitForEvent('download');
  await click(page.getByRole('link', { name: /^Baixar/ }));
  const file = await readFile(await (await download).path());
  expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const [head = '', ...rows] = file.subarray(3).toString('utf8').trimEnd().split('\r\n');
  const at = head.split(';').indexOf('Valor');
  expect(rows.map((row) => row.split(';')[at])).toContain('1234,56');
  expect(hand.clicks()).toBeLessThanOrEqual(CLICKS_MAX);
});

test('a refund whose answer is lost, and a page that is loaded again, return the money once', async () => {
  const { invoice, payment } = await scene.sell({ amount: 5_000 });
  const { page } = await scene.open(`/invoices/${invoice}?mode=sandbox`, await scene.newPerson('support'));
  const refund = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Devolver' }).click();
    await page.getByRole('button', { name: 'Continuar' }).click();
    await page.getByRole('button', { name: 'Devolver R$ 50,00' }).click();
  };
  let answers = 0;
  await page.route('**/api/v1/refunds', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fetch({ url: scene.api().baseUrl + pathname });
    answers += 1;
    await route.abort();
  });
  await refund();
  await expect.poll(() => answers).toBeGreaterThan(0);
  await page.unroute('**/api/v1/refunds');
  await page.reload();
  await page.getByText('Devolvendo').waitFor();
  expect(await page.getByRole('button', { name: 'Devolver', exact: true }).count()).toBe(0);
  const { parts } = await scene.shop().fatura.refunds.retrieve(payment);
  expect(parts.map(({ amount }) => amount)).toEqual([5_000]);
});

test('of two people who return the same money at once one is told what the other did', async () => {
  const { invoice, payment } = await scene.sell({ amount: 4_000 });
  const people = [await scene.newPerson('support'), await scene.newPerson('finance')];
  const visits = await Promise.all(people.map((one) => scene.open(`/invoices/${invoice}?mode=sandbox`, one)));
  for (const { page } of visits) {
    await page.getByRole('button', { name: 'Devolver' }).click();
    await page.getByText('Uma parte').click();
    await page.getByLabel('Valor').fill('30,00');
    await page.getByRole('button', { name: 'Continuar' }).click();
    await page.getByRole('button', { name: 'Devolver R$ 30,00' }).waitFor();
  }
  await Promise.all(visits.map(({ page }) => page.getByRole('button', { name: 'Devolver R$ 30,00' }).click()));
  const told = await Promise.all(
    visits.map(({ page }) =>
      page
        .getByText(/Devolvemos R\$ 30,00|agora restam R\$ 10,00/)
        .first()
        .textContent(),
    ),
  );
  expect(told.filter((text) => text?.includes('agora restam R$ 10,00'))).toHaveLength(1);
  const { parts } = await scene.shop().fatura.refunds.retrieve(payment);
  expect(parts.map(({ amount }) => amount)).toEqual([3_000]);
  const entries = await scene.shop().fatura.auditLog.list().all({ max: 100 });
  const returned = entries.filter(({ action }) => action.startsWith('refund'));
  expect(returned.map(({ actor }) => actor.name)).toContainEqual(expect.stringMatching(/^Pessoa (?:support|finance)$/));
});
