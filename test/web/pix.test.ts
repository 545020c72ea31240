import { expect, test } from 'vitest';
import { expectSound, paymentScene } from './scene.ts';

const DAY = 86_400;
/** Seconds that a code is still shown for. */
const LEFT = 6;

const scene = paymentScene();

test('a buyer copies the code, pays, and the page tells of the payment', async () => {
  const { id } = await scene.anInvoice();
  const visit = await scene.open(id, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = visit;
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  const { payment_intent: intent, payment_method: method } = await scene
    .shop()
    .fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const code = method?.pix?.pix_copy_paste ?? '';
  await page.getByRole('button', { name: 'Copiar código PIX' }).click();
  await page.getByRole('button', { name: 'Código copiado' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
  expect(await page.getByLabel('PIX copia e cola').inputValue()).toBe(code);
  expect(await page.locator('.check').textContent()).toMatch(/^Quem recebeLoja do TesteValorR\$ 99,90$/);
  expect(await page.getByRole('timer').textContent()).toMatch(/^(1 dia|23 h 59 min)$/);
  await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'confirmed_not_settled' });
  await page.getByRole('heading', { name: 'Pagamento confirmado' }).waitFor();
  await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  expect(await page.locator('.receipt').textContent()).toContain('PIX');
  await expectSound(visit);
});

test('a page of the sandbox pays its own code', async () => {
  const { id } = await scene.anInvoice();
  const visit = await scene.open(id);
  await visit.page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  await visit.page.getByRole('button', { name: 'Simular pagamento' }).click();
  await visit.page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  await expectSound(visit);
});

test('a code that ends while it is shown is replaced by a new one', async () => {
  const { id } = await scene.anInvoice();
  await scene.shop().fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  scene.api().clock.advance(DAY - LEFT);
  const visit = await scene.open(id);
  const { page } = visit;
  const code = page.getByLabel('PIX copia e cola');
  const former = await code.inputValue();
  expect(await page.getByRole('timer').textContent()).toMatch(/^00:0[0-6]$/);
  await page.getByText('O código anterior venceu.').waitFor();
  scene.api().clock.advance(LEFT);
  await page.getByRole('button', { name: 'Gerar novo código PIX' }).click();
  await code.waitFor({ state: 'attached' });
  expect(await code.inputValue()).not.toBe(former);
  await expectSound(visit);
});

test('a code that was paid at its end is found before a new one is made', async () => {
  const { id } = await scene.anInvoice();
  const { payment_intent: intent } = await scene.shop().fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const { pool } = scene.api().composition.deps;
  // The bank's notice is lost: the payment stands in its books alone.
  const { rows } = await pool.query('SELECT id AS txid, amount FROM pix_charge WHERE intent_id = $1', [intent]);
  await pool.query(
    `INSERT INTO sandbox_bank.pix (end_to_end_id, txid, amount, paid_at, settles_at) VALUES ($1, $2, $3, $4, $4)`,
    [`E${'0'.repeat(31)}`, rows[0].txid, rows[0].amount, scene.api().clock.now()],
  );
  await pool.query(`UPDATE sandbox_bank.cob SET status = 'CONCLUIDA' WHERE txid = $1`, [rows[0].txid]);
  scene.api().clock.advance(DAY);
  const { page } = await scene.open(id);
  await page.getByRole('button', { name: 'Gerar novo código PIX' }).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});
