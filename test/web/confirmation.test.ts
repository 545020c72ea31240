import { expect, test } from 'vitest';
import { CPF, newPrice, unique } from '../support/factories.ts';
import { mailsOf, remindOf } from '../support/mails.ts';
import { expectSound, inspect, paymentScene } from './scene.ts';

const scene = paymentScene();

/** A session whose buyer has filled in its page, and the link that the first letter to that address leads to. */
async function askedBuyer(): Promise<{ invoice: string; link: string }> {
  const { fatura } = scene.shop();
  const { id: price } = await newPrice(scene.shop());
  const pages = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };
  const session = await fatura.checkoutSessions.create({
    ...pages,
    mode: 'payment',
    line_items: [{ price_id: price, quantity: 1 }],
  });
  const { page } = await scene.openUrl(session.url ?? '');
  await page.getByLabel('Nome completo').fill('Ana em evil.test');
  await page.getByLabel('CPF').fill(CPF);
  await page.getByLabel('E-mail').fill(`ana${unique()}@outra.test`);
  await page.getByLabel('Celular').fill('11987654321');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByText('Escreva só o nome, sem endereço de site').waitFor();
  await page.getByLabel('Nome completo').fill('Ana Souza');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('button', { name: 'Copiar código PIX' }).waitFor();
  const { invoice } = await fatura.checkoutSessions.retrieve(session.id);
  await remindOf(scene.api(), scene.shop(), { id: invoice ?? '', step: 0 });
  const [letter] = await mailsOf(scene.api(), invoice ?? '');
  expect(letter?.occasion).toBe('confirmation');
  return { invoice: invoice ?? '', link: /acesse:\n(\S+)/.exec(letter?.body_text ?? '')?.[1] ?? '' };
}

test.each([true, false])(
  'whoever reads what is sent to an address confirms it by a button and finds the bill (script: %s)',
  async (javaScriptEnabled) => {
    const { invoice, link } = await askedBuyer();
    const visit = await scene.openUrl(link, { javaScriptEnabled });
    const { page } = visit;
    await page.getByRole('heading', { name: 'Confirme o seu e-mail' }).waitFor();
    expect(await page.getByText('informado em uma compra em Loja do Teste').isVisible()).toBe(true);
    if (javaScriptEnabled) await inspect(visit, 'confirm-email');
    await page.getByRole('button', { name: 'Confirmar e-mail' }).click();
    await page.getByRole('heading', { name: 'E-mail confirmado' }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    if (javaScriptEnabled) await inspect(visit, 'confirmed-email');
    await expectSound(visit);
    await page.getByRole('link', { name: 'Ver a cobrança' }).click();
    expect(page.url()).toBe(scene.addressOf(invoice));
    await remindOf(scene.api(), scene.shop(), { id: invoice, step: 1 });
    const letters = await mailsOf(scene.api(), invoice);
    expect(letters.map(({ occasion }) => occasion)).toEqual(['reminder', 'confirmation']);
  },
);
