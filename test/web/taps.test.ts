import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cards } from '../support/cards.ts';
import { newPrice, newProduct } from '../support/factories.ts';
import { expectSound, fillCard, payButton, paymentScene } from './scene.ts';

const scene = paymentScene();

/** Counts what a finger presses; what is typed into a field counts as no tap. */
async function countTaps(page: Page): Promise<() => Promise<number>> {
  const key = 'fatura-taps';
  const count = `addEventListener('click', ({ isTrusted, target }) => {
    if (!isTrusted || target.closest('input:not([type=radio], [type=checkbox]), select') !== null) return;
    sessionStorage.setItem('${key}', Number(sessionStorage.getItem('${key}') ?? 0) + 1);
  }, true)`;
  await page.addInitScript(count);
  await page.evaluate(count);
  return async () => Number(await page.evaluate(`sessionStorage.getItem('${key}') ?? 0`));
}

async function aLink() {
  const { fatura } = scene.shop();
  const product = await newProduct(scene.shop(), { name: 'Curso de violão' });
  const price = await newPrice(scene.shop(), { product_id: product.id, unit_amount: 12_000 });
  await fatura.account.update({ mail_settings: { attach_receipt: true } });
  return fatura.paymentLinks.create({ line_items: [{ price_id: price.id, quantity: 2 }] });
}

async function identify(page: Page): Promise<void> {
  await page.getByLabel('Nome completo').fill('Ana Souza');
  await page.getByLabel('CPF', { exact: true }).pressSequentially('52998224725');
  await page.getByLabel('E-mail').fill('ana@loja.test');
  await page.getByLabel('Celular com DDD').pressSequentially('11987654321');
}

test('from a PIX link to the receipt in the mailbox are three taps at most', async () => {
  const link = await aLink();
  const visit = await scene.openUrl(link.url ?? '');
  const { page } = visit;
  const taps = await countTaps(page);
  await identify(page);
  await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).click();
  // The third is in the app of the bank, which the sandbox stands in for.
  await page.getByRole('button', { name: 'Simular pagamento' }).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  expect(await taps()).toBe(3);
  await page.getByText('Ver recibo').waitFor();
  const [letter] = (await scene.shop().fatura.mails.list().page()).data;
  expect(letter).toMatchObject({ occasion: 'paid', recipient: 'ana@loja.test' });
  expect(letter?.text).toContain('O recibo em PDF está anexado a este e-mail.');
  const { rows } = await scene
    .api()
    .composition.deps.pool.query('SELECT attaches_receipt FROM mail WHERE id = $1', [letter?.id]);
  expect(rows).toEqual([{ attaches_receipt: true }]);
  await expectSound(visit);
});

test('from a declined card to a PIX code is one tap, for the same cart', async () => {
  const link = await aLink();
  const visit = await scene.openUrl(link.url ?? '');
  const { page, complaints } = visit;
  await identify(page);
  await page.getByRole('button', { name: 'Continuar para o pagamento' }).click();
  await fillCard(page, { number: cards.insufficient_funds });
  await payButton(page).click();
  await page.getByRole('alert').filter({ hasText: /cart/i }).first().waitFor();
  const address = page.url();
  const taps = await countTaps(page);
  await page.getByRole('button', { name: 'Pagar com PIX', exact: true }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  expect(await taps()).toBe(1);
  expect(page.url()).toBe(address);
  await page.getByText('R$ 240,00').first().waitFor();
  expect(complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
});
