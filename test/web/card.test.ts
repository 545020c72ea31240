import { describe, expect, onTestFinished, test } from 'vitest';
import { chargeReconciliationStep } from '../../server/payments/card/reconciliation.ts';
import { troubleBank } from '../support/bank.ts';
import { AMEX_CVC, cards, payByCard } from '../support/cards.ts';
import { expectSound, fillCard, inspect, payButton, paymentScene } from './scene.ts';

const scene = paymentScene();

/** Charges by card: the page has had a PIX code since it was opened. */
const intentsOf = async (invoiceId: string) => {
  const intents = await scene.shop().fatura.paymentIntents.list({ invoice_id: invoiceId }).all({ max: 10 });
  return intents.filter(({ payment_method_type: type }) => type === 'card');
};

/** Refusals are answers that the browser counts as failed. */
const ownOf = (complaints: readonly string[]) => complaints.filter((one) => !one.startsWith('Failed to load resource'));

test('a buyer pays by card, and the page shows the receipt', async () => {
  const { id } = await scene.anInvoice();
  const visit = await scene.open(id);
  const { page } = visit;
  await fillCard(page, { number: cards.approved });
  expect(await page.getByLabel('Número do cartão').inputValue()).toBe('4242 4242 4242 4242');
  expect(await page.getByLabel('Validade').inputValue()).toBe('12/40');
  expect(await page.getByRole('checkbox', { name: 'É o meu CPF (•••.982.247-••)' }).isChecked()).toBe(true);
  expect(await page.locator('.brand').getByRole('img').getAttribute('aria-label')).toBe('Visa');
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  expect(await page.locator('.receipt').textContent()).toMatch(
    /^Valor pagoR\$ 99,90Paga em\d\d\/\d\d\/\d{4} às \d\d:\d\dPago comCartão, à vista$/,
  );
  // What follows the heading comes a moment behind it.
  await expect.poll(() => page.title()).toBe('Paga: fatura de Loja do Teste');
  await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('standing');
  expect(await intentsOf(id)).toMatchObject([{ status: 'paid', payment_method_type: 'card', attempts: 1 }]);
  expect(page.url()).toBe(scene.addressOf(id));
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  await expectSound(visit);
});

test('a card of American Express has a mask and a code of its own', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await fillCard(page, { number: cards.amex, cvc: AMEX_CVC });
  expect(await page.getByLabel('Número do cartão').inputValue()).toBe(cards.amex);
  expect(await page.getByText('4 dígitos na frente').isVisible()).toBe(true);
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});

test('installments are chosen from what the service computed', async () => {
  const { id } = await scene.anInvoice({
    price: { unit_amount: 10_000, card_installments_enabled: true, max_card_installments: 3 },
  });
  const { page } = await scene.open(id);
  await fillCard(page, { number: cards.mastercard });
  const choice = page.getByRole('group', { name: 'Parcelas' });
  expect(await choice.locator('label').allTextContents()).toEqual([
    'À vista: R$ 100,00',
    '2x de R$ 50,00 sem juros',
    '3x de R$ 33,33 sem juros (a primeira de R$ 33,34)',
  ]);
  await page.getByText('Total: R$ 100,00, sem juros').waitFor();
  await choice.getByRole('radio', { name: /^3x/ }).check();
  await page.getByRole('button', { name: 'Pagar 3x de R$ 33,33' }).click();
  await page.getByText('Cartão, em 3 parcelas').waitFor();
  expect(await intentsOf(id)).toMatchObject([{ status: 'paid', installments: 3 }]);
});

test('a price without installments offers no choice', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await page.getByRole('radio', { name: 'Cartão' }).check();
  expect(await page.getByRole('group', { name: 'Parcelas' }).count()).toBe(0);
});

describe('a declined card is told in plain words, stays told after a reload, and another one pays', () => {
  test.each([
    ['insufficient_funds', 'Seu cartão não tem limite para esta compra'],
    ['expired_card', 'Seu cartão está vencido'],
    ['invalid_card_data', 'O banco não reconheceu os dados do cartão'],
    ['suspected_fraud', 'O banco bloqueou a compra por segurança'],
    ['issuer_declined', 'O banco não autorizou a compra'],
    ['processing_error', 'Não foi possível processar o cartão'],
  ] as const)('%s', async (reason, words) => {
    const { id } = await scene.anInvoice();
    const visit = await scene.open(id);
    const { page } = visit;
    await fillCard(page, { number: cards[reason] });
    await payButton(page).click();
    const told = page.getByRole('alert').filter({ hasText: words });
    await told.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.className')).toBe('trouble');
    await page.reload();
    await told.waitFor();
    await fillCard(page, { number: cards.approved });
    await payButton(page).click();
    await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
    expect((await intentsOf(id)).map(({ status }) => status)).toEqual(['paid', 'discarded']);
    expect(ownOf(visit.complaints)).toEqual([]);
  });
});

test('an unknown outcome is told as unknown and followed until it is known', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await fillCard(page, { number: cards.answer_lost });
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Ainda não sabemos o resultado' }).waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  const [intent] = await intentsOf(id);
  await chargeReconciliationStep(scene.api().composition.deps, intent?.id ?? '');
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});

test('an unknown outcome that was a decline is told as one, and another card pays', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const bank = troubleBank(scene.api());
  onTestFinished(() => bank.recovers());
  bank.meets('chargeCard', 'answer_lost');
  await fillCard(page, { number: cards.insufficient_funds });
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Ainda não sabemos o resultado' }).waitFor();
  bank.recovers();
  const [intent] = await intentsOf(id);
  await chargeReconciliationStep(scene.api().composition.deps, intent?.id ?? '');
  await page.getByText('Seu cartão não tem limite para esta compra').waitFor();
  expect(await page.getByLabel('Número do cartão').inputValue()).toBe('');
  await fillCard(page, { number: cards.approved });
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});

test('a form with errors is not sent, and the first error has the focus', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  const sent: string[] = [];
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
  await fillCard(page, { number: '4242 4242 4242 4241', expiry: '1340', cvc: '12' });
  await payButton(page).click();
  const number = page.getByLabel('Número do cartão');
  await page.getByText('Confira o número do cartão.').waitFor();
  expect(await number.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('card-number');
  expect(await page.locator('.error').allTextContents()).toEqual([
    'Confira o número do cartão.',
    'Informe mês e ano.',
    'Informe os 3 dígitos do CVV.',
  ]);
  expect(sent).toEqual([]);
});

test('a card that the service finds expired is told at its field', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await fillCard(page, { number: cards.approved, expiry: '0125' });
  await payButton(page).click();
  await page.getByRole('alert').filter({ hasText: 'Este cartão está vencido.' }).waitFor();
  expect(await page.getByLabel('Validade').getAttribute('aria-invalid')).toBe('true');
  expect(await intentsOf(id)).toEqual([]);
});

test('a pasted number takes the form of the mask, and the caret stays where a digit is mended', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await page.getByRole('radio', { name: 'Cartão' }).check();
  const number = page.getByLabel('Número do cartão');
  await number.fill('4242-4242.4242/4242');
  expect(await number.inputValue()).toBe('4242 4242 4242 4242');
  await number.press('Home');
  for (let step = 0; step < 6; step += 1) await number.press('ArrowRight');
  await number.press('Backspace');
  await number.press('7');
  expect(await number.inputValue()).toBe('4242 7242 4242 4242');
});

test('a test card fills the form in and pays', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await page.getByRole('radio', { name: 'Cartão' }).check();
  await page.getByText('Cartões de teste').click();
  await page.getByRole('button', { name: '5555 5555 5555 4444 Mastercard, aprovado' }).click();
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});

test('with ten cards declined the page says so, offers PIX alone, and takes it', async () => {
  const { id } = await scene.anInvoice();
  const visit = await scene.open(id);
  const { page } = visit;
  for (let time = 0; time < 9; time += 1) {
    await expect(payByCard(scene.shop(), id, { number: cards.issuer_declined })).rejects.toThrow();
  }
  await fillCard(page, { number: cards.issuer_declined });
  await payButton(page).click();
  await page.getByText('Foram muitas tentativas recusadas com cartão').waitFor();
  expect(await page.getByLabel('Número do cartão').count()).toBe(0);
  expect(await page.getByRole('radio').count()).toBe(0);
  await page.reload();
  await page.getByText('Foram muitas tentativas recusadas com cartão').waitFor();
  await inspect(visit, 'cards-exhausted');
  await page.getByRole('button', { name: 'Gerar código PIX' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
});
