import { expect, test } from 'vitest';
import { png, serveFile } from '../support/images.ts';
import { newPerson } from '../support/people.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene, PASSWORD } from './scene.ts';

const scene = dashboardScene();

/** An account of its own, since what it tells of itself is of all its people. */
async function aShop() {
  const shop = await scene.api().newMerchant();
  return { ...shop, owner: await newPerson(scene.api(), { accountId: shop.accountId, role: 'owner' }) };
}

const backgroundOf = (selector: string): string =>
  `getComputedStyle(document.querySelector('${selector}')).backgroundColor`;

test('an owner changes what buyers see of the account, field by field', async () => {
  const { owner, fatura } = await aShop();
  const visit = await scene.open('/settings?mode=sandbox', owner, { viewport: PHONE });
  const { page } = visit;
  await page.getByLabel('Telefone de atendimento').fill('123');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByText('Confira este campo.').waitFor();
  await expectSound(visit);
  await page.getByLabel('Telefone de atendimento').fill('(11) 4002-8922');
  await page.getByLabel('CNPJ ou CPF').fill('12.ABC.345/01DE-35');
  await page.getByLabel('E-mail de atendimento').fill('ajuda@loja.test');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByText('Dados da conta alterados.').waitFor();
  expect(await fatura.account.retrieve()).toMatchObject({
    name: 'Loja do Teste',
    tax_id: '12ABC34501DE35',
    support_email: 'ajuda@loja.test',
    support_phone: '+551140028922',
  });
  await page.getByText('na fila: o serviço não tem servidor de e-mail').waitFor();
  await inspect(visit, 'dashboard-settings');
  await page.getByLabel('Telefone de atendimento').fill('');
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await expect.poll(async () => (await fatura.account.retrieve()).support_phone).toBeNull();
  expect((await fatura.account.retrieve()).tax_id).toBe('12ABC34501DE35');
});

test('the limit of refunds is changed after a fresh login, and others are told why they may not', async () => {
  const owner = await scene.newPersonOfBefore('owner');
  const { page } = await scene.open('/settings?mode=sandbox', owner);
  await page.getByLabel('Valor').fill('muito');
  await page.getByRole('button', { name: 'Salvar limite' }).click();
  await page.getByText('Informe um valor em reais').waitFor();
  await page.getByLabel('Valor').fill('2.500,50');
  await page.getByRole('button', { name: 'Salvar limite' }).click();
  await page.getByText('Confirme que é você').waitFor();
  await page.getByLabel('Senha').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await page.getByText('Limite alterado.').waitFor();
  expect((await owner.get('/auth/session')).body.accounts[0].refund_limit).toBe(250_050);
  const support = await scene.open('/settings?mode=sandbox', await scene.newPerson('support'));
  await support.page.getByText('R$ 2.500,50').waitFor();
  expect(await support.page.getByText('O seu papel (Atendimento) não permite isto.').count()).toBe(2);
  expect(await support.page.getByRole('textbox').count()).toBe(0);
});

test('a color is judged and shown before it is saved, and a logo once it is kept', async () => {
  const { owner, fatura } = await aShop();
  const visit = await scene.open('/settings/look?mode=sandbox', owner, { viewport: PHONE });
  const { page } = visit;
  const color = page.getByRole('textbox', { name: 'Cor dos botões e links' });
  await color.fill('#777777');
  await page.getByText('É clara demais para texto branco: contraste 4,4, o mínimo é 4,5.').waitFor();
  expect(await page.evaluate(backgroundOf('.sheet-button'))).toBe('rgb(11, 93, 59)');
  await page.getByRole('button', { name: 'Salvar aparência' }).click();
  await color.fill('#6b21a8');
  expect(await page.evaluate(backgroundOf('.sheet-button'))).toBe('rgb(107, 33, 168)');
  expect((await fatura.account.retrieve()).color).toBeNull();
  await page.getByLabel('Endereço do logotipo').fill(await serveFile(png()));
  await page.getByRole('button', { name: 'Salvar aparência' }).click();
  await page.getByText('Aparência alterada.').waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.sheet-page img')?.naturalWidth")).toBe(120);
  await expectSound(visit);
  await inspect(visit, 'dashboard-look');
  expect((await fatura.account.retrieve()).color).toBe('#6b21a8');
  await page.getByRole('button', { name: 'Usar a cor da Fatura' }).click();
  await page.getByRole('button', { name: 'Salvar aparência' }).click();
  await expect.poll(async () => (await fatura.account.retrieve()).color).toBeNull();
  await expectSound(visit);
});

test('how payment pages look is shown before it is saved, and goes back to what the service has', async () => {
  const { owner, fatura } = await aShop();
  const visit = await scene.open('/settings/look?mode=sandbox', owner, { viewport: PHONE });
  const { page } = visit;
  const cover = page.getByRole('textbox', { name: /^Cor da capa/ });
  await cover.fill('bege');
  await page.getByRole('button', { name: 'Salvar página' }).click();
  await page.getByText('Escreva a cor na forma #rrggbb').waitFor();
  await cover.fill('#F3EAD7');
  expect(await page.evaluate(backgroundOf('.sheet-cover'))).toBe('rgb(243, 234, 215)');
  expect(await page.evaluate("getComputedStyle(document.querySelector('.sheet-cover')).color")).toBe('rgb(0, 0, 0)');
  await page.getByRole('slider').fill('0');
  await page.getByLabel('Letra').selectOption('serif');
  await page.getByLabel('Endereço dos termos').fill('https://loja.test/termos');
  await page.getByLabel('Endereço da política de privacidade').fill('https://loja.test/privacidade');
  await inspect(visit, 'dashboard-page-look');
  await page.getByRole('button', { name: 'Salvar página' }).click();
  await page.getByText('Aparência alterada.').waitFor();
  const saved = { cover_color: '#f3ead7', corner_radius: 0, font: 'serif' };
  const links = { terms_url: 'https://loja.test/termos', privacy_url: 'https://loja.test/privacidade' };
  expect(await fatura.account.retrieve()).toMatchObject({ ...saved, ...links, color: null });
  await cover.fill('');
  await page.getByRole('slider').fill('10');
  await page.getByLabel('Letra').selectOption('sans');
  await page.getByLabel('Endereço dos termos').fill('');
  await page.getByRole('button', { name: 'Salvar página' }).click();
  const cleared = { cover_color: null, corner_radius: null, font: null, terms_url: null };
  await expect.poll(() => fatura.account.retrieve()).toMatchObject({ ...cleared, privacy_url: links.privacy_url });
  await expectSound(visit);
});

test('a logo that is none is refused in words, and nothing else of the form is kept', async () => {
  const { owner, fatura } = await aShop();
  const { page } = await scene.open('/settings/look?mode=sandbox', owner);
  await page.getByRole('textbox', { name: 'Cor dos botões e links' }).fill('#6b21a8');
  await page.getByLabel('Endereço do logotipo').fill(await serveFile(Buffer.from('no image')));
  await page.getByRole('button', { name: 'Salvar aparência' }).click();
  await page.getByText('O logotipo não pôde ser buscado').waitFor();
  expect((await fatura.account.retrieve()).color).toBeNull();
});

test('an owner changes how unpaid invoices are collected, and whoever sells reads it', async () => {
  const shop = await aShop();
  const visit = await scene.open('/settings/collection?mode=sandbox', shop.owner, { viewport: PHONE });
  const { page } = visit;
  await page.getByLabel('Fatura atrasada').fill('12');
  await page.getByRole('button', { name: 'Salvar cobrança' }).click();
  await page.getByText('got overdue 12, suspend 10, cancel 30').first().waitFor();
  await page.getByLabel('Fatura atrasada').fill('2');
  await page.getByLabel('Novas tentativas no cartão').fill('2, 5');
  await page.getByLabel('Lembretes por e-mail').fill('-1, 2');
  await page.getByText('Cobrar a multa do prazo mínimo').click();
  await page.getByText('Pode pausar a assinatura').click();
  await page.getByText('Cobrar multa e juros de quem paga com atraso').click();
  await page.getByLabel('Multa (%)').fill('2,5');
  await page.getByRole('button', { name: 'Salvar cobrança' }).click();
  await page.getByText('A lei permite multa de até 2% e juros de até 1% ao mês.').first().waitFor();
  await page.getByLabel('Multa (%)').fill('1,5');
  await page.getByRole('button', { name: 'Salvar cobrança' }).click();
  await page.getByText('Cobrança alterada.').waitFor();
  await inspect(visit, 'dashboard-collection-settings');
  expect(await shop.fatura.collectionSettings.retrieve()).toMatchObject({
    overdue_days: 2,
    retry_days: [2, 5],
    reminder_days: [-1, 2],
    penalty_on_unpaid: true,
    late_fees: { fine_percentage: 1.5, interest_percentage: 1, grace_days: 0, collect: 'at_payment' },
    portal: { pause: true, cancel: 'period_end' },
  });
  const finance = await newPerson(scene.api(), { accountId: shop.accountId, role: 'finance' });
  const reading = await scene.open('/settings/collection?mode=sandbox', finance);
  await reading.page.getByText('2, 5').waitFor();
  await reading.page.getByText('1,5% de multa').waitFor();
  expect(await reading.page.getByRole('textbox').count()).toBe(0);
});
