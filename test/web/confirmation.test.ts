import { expect, test } from 'vitest';
import { CPF, newCustomer, newPrice, unique } from '../support/factories.ts';
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

test('a question is asked in the language of its reader, and stays in it', async () => {
  const { link } = await askedBuyer();
  const visit = await scene.openUrl(link, { locale: 'en-GB' });
  const { page } = visit;
  await page.getByRole('heading', { name: 'Confirm your e-mail' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  await inspect(visit, 'confirm-email-en');
  const portuguese = await scene.visit(`${page.url()}?locale=pt`);
  await portuguese.page.getByRole('heading', { name: 'Confirme o seu e-mail' }).waitFor();
  const asked = await scene.visit(`${page.url()}?locale=en`);
  await asked.page.getByRole('button', { name: 'Confirm e-mail' }).click();
  await asked.page.getByRole('heading', { name: 'E-mail confirmed' }).waitFor();
  await asked.page.getByRole('link', { name: 'See the bill' }).click();
  await asked.page.getByText('How do you want to pay?').waitFor();
  await expectSound(visit);
});

test('notices are ended and wanted again in English, too', async () => {
  const { id } = await newCustomer(scene.shop());
  const link = scene.api().composition.deps.links.unsubscription({ id, liveMode: false });
  const address = `${scene.api().baseUrl}${new URL(link).pathname}?locale=en`;
  const visit = await scene.visit(address);
  const { page } = visit;
  await page.getByRole('button', { name: 'End the notices' }).click();
  await page.getByRole('heading', { name: 'Done: you get these notices no more' }).waitFor();
  expect(await scene.shop().fatura.customers.retrieve(id)).toMatchObject({ unsubscribed_at: expect.any(Number) });
  await inspect(visit, 'unsubscribed-en');
  await page.getByRole('button', { name: 'Get them again' }).click();
  await page.getByRole('heading', { name: 'E-mail notices' }).waitFor();
  expect(page.url()).toBe(address);
  await expectSound(visit);
});
