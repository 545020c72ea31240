import type { CheckoutSession, CreatedCheckoutSession } from '@fatura/sdk';
import { expect, test } from 'vitest';
import { newCustomer, newPrice, unique } from '../support/factories.ts';
import { expectSound, inspect, paymentScene } from './scene.ts';

const scene = paymentScene();
const WRONG = 'Este código não vale para esta compra.';

async function offer(isKnown: boolean): Promise<{ session: CreatedCheckoutSession; code: string }> {
  const { fatura } = scene.shop();
  const { id: coupon_id } = await fatura.coupons.create({ name: 'Boas-vindas', type: 'percentage', percentage: 10 });
  const { code } = await fatura.promotionCodes.create({ coupon_id, code: `VOLTE-${unique()}` });
  const { id: price_id } = await newPrice(scene.shop(), { unit_amount: 12_000 });
  const session = await fatura.checkoutSessions.create({
    ...(isKnown ? { customer_id: (await newCustomer(scene.shop())).id } : {}),
    mode: 'payment',
    allow_promotion_codes: true,
    success_url: 'https://loja.test/obrigado',
    return_url: 'https://loja.test/carrinho',
    line_items: [{ price_id, quantity: 1 }],
  });
  return { session, code };
}

const sessionOf = ({ id }: CreatedCheckoutSession): Promise<CheckoutSession> =>
  scene.shop().fatura.checkoutSessions.retrieve(id);

test('a buyer types a code before the payment, and pays the less', async () => {
  const { session, code } = await offer(true);
  const visit = await scene.openUrl(session.url);
  const { page } = visit;
  const field = page.getByLabel('Código promocional');
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByText('Digite o código.').waitFor();
  await field.fill('nunca visto');
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByText(WRONG).waitFor();
  await inspect(visit, 'session-code-refused');
  await field.fill(` ${code.toLowerCase()} `);
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByText('Boas-vindas').first().waitFor();
  await page.locator('.head .amount', { hasText: '108,00' }).waitFor();
  expect(await field.count()).toBe(0);
  await inspect(visit, 'session-code');
  const told = visit.complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'));
  await expectSound({ ...visit, complaints: told });
  expect(await sessionOf(session)).toMatchObject({
    amount: 10_800,
    discounts: { data: [{ description: 'Boas-vindas' }] },
  });
  await page.getByRole('button', { name: 'Gerar código PIX' }).click();
  await page.getByRole('button', { name: 'Simular pagamento' }).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  const { invoice } = await sessionOf(session);
  expect(await scene.shop().fatura.invoices.retrieve(invoice ?? '')).toMatchObject({
    status: 'paid',
    amount_paid: 10_800,
  });
});

test('so does one whom nobody knows yet, without a script', async () => {
  const { session, code } = await offer(false);
  const { page, complaints } = await scene.openUrl(session.url, { javaScriptEnabled: false });
  await page.getByLabel('Código promocional').fill('ERRADO-10');
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.getByText(WRONG).waitFor();
  await page.getByLabel('Código promocional').fill(code);
  await page.getByRole('button', { name: 'Aplicar' }).click();
  await page.locator('.head .amount', { hasText: '108,00' }).waitFor();
  expect(await page.getByLabel('Código promocional').count()).toBe(0);
  await page.getByLabel('Nome completo').fill('Ana Souza');
  await page.getByLabel('CPF').fill('529.982.247-25');
  await page.getByLabel('E-mail').fill('ana@loja.test');
  await page.getByLabel('Celular com DDD').fill('11 98765-4321');
  await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
  await page.getByLabel('PIX copia e cola').waitFor();
  expect(await sessionOf(session)).toMatchObject({ amount: 10_800 });
  // The browser itself tells of an answer that is no 2xx; the page means it.
  expect(complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
});

test('there is no field once a charge was made, nor where the shop allows none', async () => {
  const { session } = await offer(true);
  const { page } = await scene.openUrl(session.url);
  await page.getByRole('button', { name: 'Gerar código PIX' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  expect(await page.getByLabel('Código promocional').count()).toBe(0);
});
