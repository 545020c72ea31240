import { beforeAll, describe, expect, test } from 'vitest';
import { isBankDay } from '../../server/kernel/bank-days.ts';
import { civilDay, isoDate } from '../../server/kernel/brazil.ts';
import { expectSound, fillCard, inspect, paymentScene } from './scene.ts';

const DAY = 86_400;
const HOUR = 3_600;
const scene = paymentScene();

const USUAL = { fine_percentage: 2, interest_percentage: 1, grace_days: 0, collect: 'at_payment' } as const;
beforeAll(() => scene.shop().fatura.collectionSettings.update({ late_fees: USUAL }));

const now = () => scene.api().clock.now();

/** A bill that is so many days late now, at ten in the morning. */
async function lateBill(days: number) {
  let day = Temporal.PlainDate.from(isoDate(now())).add({ days: 1 });
  while (!isBankDay(day)) day = day.add({ days: 1 });
  const due = civilDay(day.toString()).from + 10 * HOUR;
  const invoice = await scene.anInvoice({ price: { unit_amount: 9990 }, due_at: due });
  scene.api().clock.advance(due + days * DAY - now());
  return invoice;
}

const TERMS = 'Após o vencimento: multa de 2% e juros de 1% ao mês.';

test('a bill tells what it will cost to pay it late', async () => {
  const { id } = await scene.anInvoice();
  const { page } = await scene.open(id);
  await page.getByText(TERMS).waitFor();
});

test.each([320, 360, 1280])('a late bill shows what its code asks for, on %i pixels', async (width) => {
  const { id } = await lateBill(10);
  const visit = await scene.open(id, { viewport: { width, height: 740 } });
  const { page } = visit;
  await page.getByText('R$ 102,23').first().waitFor();
  const fold = page.getByRole('button', { name: '3 itens' });
  if (await fold.isVisible()) await fold.click();
  await page.getByText('Multa por atraso (2%)').waitFor();
  await page.getByText('Juros por atraso (1% ao mês)').waitFor();
  await page.getByText(TERMS).waitFor();
  await expectSound(visit);
  await inspect(visit, `late-fees-${width}`);
});

test('a late bill is paid without a script by the code of the day', async () => {
  const { id } = await lateBill(10);
  const { page } = await scene.open(id, { javaScriptEnabled: false });
  await page.getByText('R$ 102,23').first().waitFor();
  const { payment_intent: intent } = await scene.shop().fatura.invoices.retrieve(id);
  await scene.shop().fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  await page.reload();
  await page.getByText('Pago', { exact: false }).first().waitFor();
  expect(await scene.shop().fatura.invoices.retrieve(id)).toMatchObject({ amount_paid: 10_223 });
});

describe('by card', () => {
  const pay = (amount: string) => ({ name: `Pagar ${amount}` });

  test('what the button says is charged', async () => {
    const { id } = await lateBill(10);
    const { page } = await scene.open(id);
    await fillCard(page, { number: '4242424242424242' });
    await page.getByRole('button', pay('R$ 102,23')).click();
    await page.getByText('Pagamento recebido').first().waitFor();
    expect(await scene.shop().fatura.invoices.retrieve(id)).toMatchObject({ amount_paid: 10_223 });
  });

  test('nothing is charged at midnight before the buyer has seen the new amount', async () => {
    const { id } = await lateBill(10);
    const { page } = await scene.open(id);
    await fillCard(page, { number: '4242424242424242' });
    const button = page.getByRole('button', pay('R$ 102,23'));
    await button.waitFor();
    scene.api().clock.advance(DAY);
    await button.click();
    await page.getByText('O valor mudou e nada foi cobrado.', { exact: false }).waitFor();
    expect(await scene.shop().fatura.invoices.retrieve(id)).toMatchObject({ status: 'open' });
    await page.getByRole('button', pay('R$ 102,27')).click();
    await page.getByText('Pagamento recebido').first().waitFor();
    expect(await scene.shop().fatura.invoices.retrieve(id)).toMatchObject({ amount_paid: 10_227 });
  });
});
