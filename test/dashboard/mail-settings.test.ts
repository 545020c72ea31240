import { expect, test } from 'vitest';
import { sampleOccasions } from '../../contract/sample-letters.ts';
import { Browser, newPerson } from '../support/people.ts';
import { expectSound, inspect } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();

/** An account of its own, since its letters are of all its people. */
async function aShop() {
  const shop = await scene.api().newMerchant();
  return { ...shop, owner: await newPerson(scene.api(), { accountId: shop.accountId, role: 'owner' }) };
}

test('an owner sees each letter as its buyer will with what is typed, before it is saved, and none is written', async () => {
  const { owner, fatura, accountId } = await aShop();
  const visit = await scene.open('/settings/mails?mode=sandbox', owner, { viewport: { width: 320, height: 640 } });
  const { page } = visit;
  page.setDefaultTimeout(4000);
  const letter = page.frameLocator('iframe.letter');
  await letter.getByText('Recebemos o seu pagamento de R$ 99,90 para Loja do Teste.').last().waitFor();
  await letter.getByText('O recibo fica disponível no link acima, também em PDF.').waitFor();
  await page.getByLabel('Frase da loja').fill('Obrigado! <img src=x onerror=alert(1)>');
  await letter.getByText('Obrigado! <img src=x onerror=alert(1)>').waitFor();
  await page.getByText('Anexar o recibo em PDF').click();
  await letter.getByText('O recibo em PDF está anexado a este e-mail.').waitFor();
  await page.getByLabel('Nome do remetente').fill('Academia <x>');
  await page.getByText('Renovação chegando').first().click();
  await page.getByRole('combobox').selectOption('Renovação chegando');
  await letter.getByText('renova em').last().waitFor();
  await page.getByText('Está desligado: o comprador não recebe este e-mail.').waitFor();
  expect(await letter.locator('a[href], img, script').count()).toBe(0);
  await page.getByRole('button', { name: 'Salvar e-mails' }).click();
  await page.getByText('Confira este campo.').waitFor();
  expect((await fatura.account.retrieve()).mail_settings).toMatchObject({ sender_name: null, attach_receipt: false });
  await page.getByLabel('Nome do remetente').fill('Academia');
  await expectSound(visit);
  await inspect(visit, 'dashboard-mails');
  await page.getByRole('button', { name: 'Salvar e-mails' }).click();
  await page.getByText('E-mails alterados.').waitFor();
  const { occasions, ...said } = (await fatura.account.retrieve()).mail_settings;
  expect(said).toEqual({
    sender_name: 'Academia',
    sentence: 'Obrigado! <img src=x onerror=alert(1)>',
    attach_receipt: true,
  });
  expect(Object.entries(occasions).filter(([, isWritten]) => !isWritten)).toEqual([['renewal_ahead', false]]);
  expect((await fatura.mails.list().page()).data).toEqual([]);
  await page.goBack();
  expect(page.url()).toBe('about:blank');
  const viewer = await newPerson(scene.api(), { accountId, role: 'viewer' });
  const reading = await scene.open('/settings/mails?mode=sandbox', viewer);
  await reading.page.getByText('Renovação chegando').first().waitFor();
  await reading.page.frameLocator('iframe.letter').getByText('Olá, Maria da Silva!').waitFor();
  expect(await reading.page.getByRole('textbox').count()).toBe(0);
});

test('each letter that is shown is laid out as those of buyers, and its frame shows it alone', async () => {
  const { owner, accountId } = await aShop();
  const { page } = await scene.open('/settings/mails?mode=sandbox', owner);
  const choice = page.getByRole('combobox');
  await choice.waitFor();
  const occasions = await choice
    .locator('option')
    .evaluateAll((options) => options.map((one) => one.getAttribute('value')));
  expect(occasions.toSorted()).toEqual([...sampleOccasions].toSorted());
  const subjects = new Set<string>();
  for (const occasion of sampleOccasions) {
    const query = `occasion=${occasion}&attach_receipt=false`;
    const { status, body } = await owner.get(`/auth/account/sample_letter?${query}`);
    expect([occasion, status]).toEqual([occasion, 200]);
    subjects.add(body.subject);
    const frame = await owner.get(`/auth/account/sample_letter/frame?${query}&account=${accountId}&mode=sandbox`);
    expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(frame.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; .*frame-ancestors 'self'; sandbox$/,
    );
    expect(frame.body).toContain(`<title>${body.subject}</title>`);
    expect(frame.body).not.toContain('href=');
  }
  expect(subjects.size).toBe(sampleOccasions.length);
});

test('a letter is shown to nobody else: not to strangers, not from another site, not of another account', async () => {
  const { owner, accountId } = await aShop();
  const other = await aShop();
  const of = (account: string, query = 'occasion=paid&attach_receipt=false') =>
    `/auth/account/sample_letter/frame?${query}&account=${account}&mode=sandbox`;
  const refusals = await Promise.all([
    new Browser(scene.api().baseUrl).get(of(accountId)),
    owner.get(of(accountId), { 'Sec-Fetch-Site': 'none' }),
    owner.get(of(accountId), { 'Sec-Fetch-Site': 'cross-site' }),
    owner.get(of(other.accountId)),
    owner.get(of(accountId, 'occasion=account_changed&attach_receipt=false')),
    owner.get(of(accountId, `occasion=paid&attach_receipt=false&sentence=${'a'.repeat(301)}`)),
  ]);
  expect(refusals.map(({ status, body }) => [status, body.error?.code, body.error?.param])).toEqual([
    [401, 'SESSION_MISSING', null],
    [403, 'PERMISSION_DENIED', null],
    [403, 'PERMISSION_DENIED', null],
    [403, 'PERMISSION_DENIED', null],
    [400, 'PARAMETER_INVALID', 'occasion'],
    [400, 'PARAMETER_INVALID', 'sentence'],
  ]);
});

test('letters are shown four a second to one person, and no more', async () => {
  const { owner } = await aShop();
  const path = '/auth/account/sample_letter?occasion=paid&attach_receipt=false';
  const answers = await Promise.all(Array.from({ length: 250 }, () => owner.get(path)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(240);
  expect(refused.map(({ body }) => body.error.code)).toEqual(Array(10).fill('RATE_LIMITED'));
});
