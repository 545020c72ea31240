import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPrice, newProduct } from '../support/factories.ts';
import { png, serveFile, serveFiles } from '../support/images.ts';
import { subscribeByCard } from '../support/subscriptions.ts';
import { expectSound, fillCard, inspect, paymentScene } from './scene.ts';

const scene = paymentScene();

const LOGO = png({ width: 400, height: 120 });

const dress = async (more: object = {}): Promise<void> => {
  await scene.shop().fatura.account.update({
    name: 'Padaria Aurora',
    tax_id: '12ABC34501DE35',
    support_email: 'ajuda@aurora.test',
    support_phone: '+5511987654321',
    color: '#6b21a8',
    logo_url: await serveFile(LOGO),
    ...more,
  });
};

const undress = () =>
  scene.shop().fatura.account.update({
    tax_id: null,
    support_email: null,
    support_phone: null,
    color: null,
    logo_url: null,
  });

const naturalWidth = "document.querySelector('img').naturalWidth";

/** A color as the browser has computed it, of the button that pays. */
const buttonColors = `(() => {
  const { backgroundColor, color } = getComputedStyle(document.querySelector('button.primary'));
  return [backgroundColor, color];
})()`;

describe('the page of a merchant with a look', () => {
  test('shows the logo, who sells and how to reach them, and takes the color for its buttons', async () => {
    await dress();
    const { id } = await scene.anInvoice();
    const visit = await scene.open(id);
    const { page } = visit;
    const logo = page.getByRole('img', { name: 'Padaria Aurora' });
    await expect.poll(() => page.evaluate(naturalWidth)).toBe(400);
    expect(await logo.boundingBox()).toMatchObject({ width: 187, height: 56 });
    const shop = page.getByRole('contentinfo');
    expect(await shop.getByRole('paragraph').first().textContent()).toBe('Padaria Aurora – CNPJ 12.ABC.345/01DE-35');
    const links = await page.evaluate(
      "[...document.querySelectorAll('footer a')].map((link) => [link.href, link.textContent])",
    );
    expect(links).toEqual([
      ['mailto:ajuda@aurora.test', 'ajuda@aurora.test'],
      ['tel:+5511987654321', '(11) 98765-4321'],
    ]);
    expect(await page.evaluate(buttonColors)).toEqual(['rgb(107, 33, 168)', 'rgb(255, 255, 255)']);
    await expectSound(visit);
    await inspect(visit, 'look');
    expect(await page.evaluate(buttonColors)).toEqual(['rgb(169, 104, 239)', 'rgb(6, 20, 13)']);
    await expectSound(visit);
  });

  test('asks nobody but us for anything', async () => {
    await dress();
    const { id } = await scene.anInvoice();
    const { page, context } = await scene.open(id);
    const asked: string[] = [];
    context.on('request', (request) => void asked.push(request.url()));
    await page.reload({ waitUntil: 'load' });
    const digest = createHash('sha256').update(LOGO).digest('hex');
    expect(asked).toContain(`${scene.api().baseUrl}/logos/${digest}`);
    expect(asked.filter((url) => !url.startsWith(`${scene.api().baseUrl}/`) && !url.startsWith('data:'))).toEqual([]);
  });

  test('keeps room for the logo before it has come', async () => {
    await dress();
    const { id } = await scene.anInvoice();
    const { page } = await scene.open(id);
    await page.addInitScript(`window.shifts = 0;
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.route('**/logos/*', async (route) => {
      await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
      await route.continue();
    });
    await page.reload({ waitUntil: 'load' });
    await expect.poll(() => page.evaluate(naturalWidth)).toBe(400);
    expect(await page.evaluate('window.shifts')).toBe(0);
  });

  test('hinders nobody at the form of a card, nor in a session', async () => {
    await dress({ color: '#000000' });
    const { id } = await scene.anInvoice({ price: { unit_amount: 19_990, card_installments_enabled: true } });
    const card = await scene.open(id);
    await fillCard(card.page, { number: '4242424242424242' });
    await inspect(card, 'look-card-black');
    const { fatura } = scene.shop();
    const price = await newPrice(scene.shop(), { product_id: (await newProduct(scene.shop())).id });
    const { url } = await fatura.checkoutSessions.create({
      mode: 'payment',
      success_url: 'https://loja.test/obrigado',
      return_url: 'https://loja.test/carrinho',
      line_items: [{ price_id: price.id, quantity: 1 }],
    });
    await dress({ color: '#767676' });
    const session = await scene.openUrl(url);
    await session.page.getByRole('img', { name: 'Padaria Aurora' }).waitFor();
    await inspect(session, 'look-session-grey');
    await expectSound(session);
  });

  test('hinders nobody where a subscription is paid in another way', async () => {
    await dress({ color: '#b91c1c' });
    const { id } = await subscribeByCard(scene.shop());
    const { update_payment_url: url } = await scene.shop().fatura.subscriptions.retrieve(id);
    const visit = await scene.openUrl(url ?? '');
    await expect.poll(() => visit.page.evaluate(naturalWidth)).toBe(400);
    await inspect(visit, 'look-subscription-red');
    await expectSound(visit);
  });

  test('holds without a script', async () => {
    await dress();
    const { id } = await scene.anInvoice();
    const { page } = await scene.open(id, { javaScriptEnabled: false });
    await page.getByRole('img', { name: 'Padaria Aurora' }).waitFor();
    await page.getByRole('link', { name: 'ajuda@aurora.test' }).waitFor();
  });
});

test('the logo is found behind a proxy that serves us under a path of its own', async () => {
  await dress();
  const { id } = await scene.anInvoice();
  const { origin } = await serveFiles(async ({ url = '' }, response) => {
    if (url.endsWith('/events')) return void response.writeHead(204).end();
    const answer = await fetch(scene.api().baseUrl + url.replace('/loja', ''));
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(url.startsWith('/loja/') ? answer.status : 404, { 'Content-Type': type });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const { page } = await scene.open(id);
  await page.goto(`${origin}/loja${new URL(scene.addressOf(id)).pathname}`);
  await expect.poll(() => page.evaluate(naturalWidth)).toBe(400);
});

test('one style is in the policy, by its hash, and none where there is no color', async () => {
  const { id } = await scene.anInvoice();
  const read = async () => {
    const response = await fetch(scene.addressOf(id));
    const policy = response.headers.get('content-security-policy') ?? '';
    const styles = [...(await response.text()).matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = '']) => style);
    return { styles, sources: /style-src ([^;]*)/.exec(policy)?.[1] };
  };
  await dress();
  const { styles, sources } = await read();
  expect(styles).toHaveLength(1);
  expect(sources).toBe(
    `'self' 'sha256-${createHash('sha256')
      .update(styles[0] ?? '')
      .digest('base64')}'`,
  );
  await undress();
  expect(await read()).toEqual({ styles: [], sources: "'self'" });
});

test('a merchant that tells nothing has no footer and no logo', async () => {
  await undress();
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  expect(await page.getByRole('contentinfo').count()).toBe(0);
  expect(await page.locator('img').count()).toBe(0);
});
