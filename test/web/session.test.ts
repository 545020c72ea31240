import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CheckoutSessionCreate, CreatedCheckoutSession } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cards } from '../support/cards.ts';
import { newCustomer, newPrice, newProduct } from '../support/factories.ts';
import { expectSound, fillCard, inspect, payButton, paymentScene, typeCard } from './scene.ts';

const scene = paymentScene();
/** The pages of a shop, which a buyer comes back to. */
let pages: Server;
let shopUrl: string;
beforeAll(async () => {
  pages = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<h1>Loja</h1>'));
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this form.
  shopUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/`;
});
afterAll(() => {
  pages.closeAllConnections();
  pages.close();
});

async function sell({
  mode = 'payment',
  isKnown = false,
  terms,
}: {
  mode?: string;
  isKnown?: boolean;
  terms?: CheckoutSessionCreate['subscription'];
} = {}): Promise<CreatedCheckoutSession> {
  const merchant = scene.shop();
  const product = await newProduct(merchant, { name: mode === 'payment' ? 'Curso de violão' : 'Clube do livro' });
  const recurring = mode === 'payment' ? {} : { type: 'recurring' as const, recurring: { interval: 'month' as const } };
  const price = await newPrice(merchant, { product_id: product.id, unit_amount: 12_000, ...recurring });
  const buyer = isKnown ? { customer_id: (await newCustomer(merchant)).id } : {};
  return merchant.fatura.checkoutSessions.create({
    ...buyer,
    mode: mode === 'payment' ? 'payment' : 'subscription',
    success_url: `${shopUrl}?obrigado={CHECKOUT_SESSION_ID}`,
    return_url: `${shopUrl}?carrinho`,
    line_items: [{ price_id: price.id, quantity: 1 }],
    discounts: [{ type: 'percentage', percentage: 10, description: 'Boas-vindas' }],
    ...(terms !== undefined && { subscription: terms }),
  });
}

const sessionOf = ({ id }: CreatedCheckoutSession) => scene.shop().fatura.checkoutSessions.retrieve(id);

async function identify(
  page: Awaited<ReturnType<typeof scene.open>>['page'],
  { identifier = '52998224725', go = 'Continuar para o pagamento' } = {},
) {
  await page.getByLabel('Nome completo').fill('Ana Souza');
  await page.getByLabel('CPF', { exact: true }).pressSequentially(identifier);
  await page.getByLabel('E-mail').fill('ana@loja.test');
  await page.getByLabel('Celular com DDD').pressSequentially('11987654321');
  await page.getByRole('button', { name: go, exact: true }).click();
}

test('a session with a trial says what is charged today and then, stores a card, and leads on to the shop', async () => {
  const session = await sell({ mode: 'subscription', terms: { trial: { days: 14 } } });
  const visit = await scene.openUrl(session.url);
  const { page } = visit;
  await page.getByText('hoje R$ 0,00; R$ 108,00 em').waitFor();
  await identify(page, { go: 'Continuar' });
  await page.getByText('Hoje nada é cobrado. Em').waitFor();
  await inspect(visit, 'session-trial');
  await typeCard(page, { number: cards.approved });
  await page.getByRole('button', { name: 'Começar teste grátis' }).click();
  await page.getByRole('heading', { name: 'Assinatura confirmada' }).waitFor();
  await page.getByText('A primeira cobrança, de R$ 108,00, é em').waitFor();
  await inspect(visit, 'session-begun');
  await page.waitForURL((url) => url.searchParams.get('obrigado') === session.id);
  await expectSound(visit);
  expect(await sessionOf(session)).toMatchObject({ status: 'complete', invoice: null, amount: 0 });
});

describe('a session without a customer', () => {
  test('asks who pays, takes a PIX and leads on to the shop', async () => {
    const session = await sell();
    const visit = await scene.openUrl(session.url);
    const { page } = visit;
    await expect.poll(() => page.title()).toBe('Em aberto: compra de Loja do Teste');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByText('Informe seu nome completo.').waitFor();
    await page.getByText('Confira o e-mail').waitFor();
    await inspect(visit, 'session-buyer');
    await identify(page);
    await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await inspect(visit, 'session-pix');
    await expectSound(visit);
    await page.getByRole('button', { name: 'Simular pagamento' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    await inspect(visit, 'session-paid');
    await page.waitForURL(`${shopUrl}?obrigado=${session.id}`);
    const complete = await sessionOf(session);
    expect(complete).toMatchObject({ status: 'complete', amount: 10_800 });
    expect(await scene.shop().fatura.customers.retrieve(complete.customer ?? '')).toMatchObject({
      name: 'Ana Souza',
      identifier: '52998224725',
      email: 'ana@loja.test',
      phone: '+5511987654321',
    });
  });

  test.for([
    ['their CPF', '52998224725', '529.982.247-25'],
    ['a company', '12ABC34501DE35', ''],
  ] as const)('does not ask %s again for the card', async ([, identifier, document]) => {
    const { page } = await scene.openUrl((await sell()).url);
    await identify(page, { identifier });
    await page.getByRole('radio', { name: 'Cartão' }).check();
    expect(await page.getByLabel('Nome impresso no cartão').inputValue()).toBe('Ana Souza');
    const own = page.getByRole('checkbox', { name: 'É o meu CPF (•••.982.247-••)' });
    expect(await own.count()).toBe(document === '' ? 0 : 1);
    expect(await page.getByLabel('CPF do titular').count()).toBe(document === '' ? 1 : 0);
  });

  test('takes a CNPJ with letters, and keeps its buyer over a reload', async () => {
    const session = await sell();
    const { page } = await scene.openUrl(session.url);
    await identify(page, { identifier: '12abc34501de35' });
    await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
    const { customer } = await sessionOf(session);
    const { identifier } = await scene.shop().fatura.customers.retrieve(customer ?? '');
    expect(identifier).toBe('12ABC34501DE35');
  });
});

describe('without a script', () => {
  test('a session asks who pays, says what is wrong with it, and takes a PIX', async () => {
    const session = await sell();
    const visit = await scene.openUrl(session.url, { javaScriptEnabled: false });
    const { page, complaints } = visit;
    await page.getByLabel('Nome completo').fill('Ana Souza');
    await page.getByLabel('CPF').fill('529.982.247-24');
    await page.getByLabel('E-mail').fill('ana@loja.test');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByText('Confira o CPF ou CNPJ.').waitFor();
    expect(await page.getByText('Informe o celular com DDD.').isVisible()).toBe(true);
    expect(await page.getByText('Informe seu nome completo.').count()).toBe(0);
    expect(await page.getByLabel('Nome completo').inputValue()).toBe('Ana Souza');
    await expect.poll(() => page.title()).toBe('Confira seus dados: compra de Loja do Teste');
    await page.getByLabel('CPF').fill('529.982.247-25');
    await page.getByLabel('Celular com DDD').fill('11 98765-4321');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByLabel('PIX copia e cola').waitFor();
    const { payment_intent: intent } = await sessionOf(session);
    await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    await page.getByRole('link', { name: 'Já paguei: atualizar esta página' }).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect(await sessionOf(session)).toMatchObject({ status: 'complete' });
    // The browser itself tells of an answer that is no 2xx; the page means it.
    expect(complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
  });

  test('what was typed before the script came stays', async () => {
    const session = await sell();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const visit = await scene.openUrl(session.url);
    const { page } = visit;
    await page.route('**/assets/*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await page.getByLabel('Nome completo').fill('Ana Souza');
    const takenOver = page.waitForRequest('**/events');
    letGo();
    await takenOver;
    expect(await page.getByLabel('Nome completo').inputValue()).toBe('Ana Souza');
    await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
    await page.getByText('Confira o CPF ou CNPJ.').or(page.getByText('Informe seu CPF ou CNPJ.')).waitFor();
    expect(await page.getByText('Informe seu nome completo.').count()).toBe(0);
    await expectSound(visit);
  });
});

describe('a session of a known customer', () => {
  test('sells a subscription by card, and says that it renews', async () => {
    const session = await sell({ mode: 'subscription', isKnown: true });
    const visit = await scene.openUrl(session.url);
    const { page } = visit;
    await page.getByText('Renova todo mês por R$ 108,00. Cancele quando quiser.').waitFor();
    await fillCard(page, { number: cards.approved });
    await inspect(visit, 'session-card');
    await payButton(page).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    const { subscription } = await sessionOf(session);
    expect(await scene.shop().fatura.subscriptions.retrieve(subscription ?? '')).toMatchObject({ status: 'active' });
  });

  test('shows on an open page that it was closed, and leads back to the shop', async () => {
    const session = await sell({ isKnown: true });
    const visit = await scene.openUrl(session.url);
    const { page } = visit;
    const back = page.getByRole('link', { name: 'Cancelar e voltar à loja' });
    expect(await back.getAttribute('href')).toBe(`${shopUrl}?carrinho`);
    await scene.shop().fatura.checkoutSessions.expire(session.id);
    await page.getByRole('heading', { name: 'O prazo para pagar acabou' }).waitFor();
    await inspect(visit, 'session-expired');
    await page.getByRole('link', { name: 'Voltar à loja' }).click();
    await page.waitForURL(`${shopUrl}?carrinho`);
  });

  test('is refused from its deadline on, before anything has run', async () => {
    const session = await sell({ isKnown: true });
    const { page } = await scene.openUrl(session.url);
    await fillCard(page, { number: cards.approved });
    const button = await payButton(page).elementHandle();
    const { clock } = scene.api();
    clock.advance(session.expires_at - clock.now());
    // The page may learn of the deadline first, and take the button away.
    await button?.evaluate((one: HTMLElement) => one.click());
    await page.getByRole('heading', { name: 'O prazo para pagar acabou' }).waitFor();
    const { data } = await scene
      .shop()
      .fatura.paymentIntents.list({ invoice_id: session.invoice ?? '' })
      .page();
    expect(data.filter(({ payment_method_type: type }) => type === 'card')).toEqual([]);
  });
});

test('a link opens its own session and nothing else', async () => {
  const [one, other] = [await sell({ isKnown: true }), await sell({ isKnown: true })];
  const { baseUrl } = scene.api();
  const pathOf = ({ url }: CreatedCheckoutSession) => new URL(url).pathname.split('/');
  const [, , , signature = ''] = pathOf(one);
  const tries = [
    `/checkout/${other.id}/${signature}`,
    `/checkout/${one.id}/${signature.slice(0, -1)}`,
    `/checkout/${one.id}/`,
    `/pay/${one.invoice}/${signature}`,
    `/checkout/${one.invoice}/${signature}`,
  ];
  for (const path of tries) expect((await fetch(baseUrl + path)).status, path).toBe(404);
  const forged = await fetch(`${baseUrl}${new URL(one.url).pathname}/buyer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://evil.test' },
    body: '{}',
  });
  expect(forged.status).toBe(403);
});
