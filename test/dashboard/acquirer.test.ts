import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';
import { type FakePsp, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { openSettings, readLiveAcquirer, setLiveAcquirer } from '../../server/payments/live/store.ts';
import { settingsFor as cardSettings } from '../api/live/pagarme.ts';
import { settingsFor as pixSettings } from '../api/live/psp.ts';
import { configureLive, settingsOfNobody } from '../support/live-settings.ts';
import { newPerson, PUBLIC_URL } from '../support/people.ts';
import { rolesOf } from '../support/roles.ts';
import { expectSound, inspect, PHONE } from '../web/scene.ts';
import { dashboardScene } from './scene.ts';

const scene = dashboardScene();
let psp: FakePsp;
let pagarme: FakePagarme;

beforeAll(async () => {
  [psp, pagarme] = await Promise.all([startFakePsp({ profile: 'efi' }), startFakePagarme()]);
});
afterAll(() => Promise.all([psp.close(), pagarme.close()]));

/** An account of its own, since what it tells of itself is of all its people. */
async function aShop() {
  const shop = await scene.api().newMerchant();
  return { ...shop, owner: await newPerson(scene.api(), { accountId: shop.accountId, role: 'owner' }) };
}

const deps = () => scene.api().composition.deps;

async function sealed(accountId: string, method: 'pix' | 'card') {
  const row = await readLiveAcquirer(deps().pool, { accountId, method });
  return row === null ? null : openSettings(deps().secretBox, row);
}

/** As an operator sets it, who alone says where the acquirer is. */
const setByOperator = (accountId: string, of: Pick<Parameters<typeof setLiveAcquirer>[2], 'method' | 'settings'>) =>
  setLiveAcquirer(rolesOf(deps().pool).operator.pool, deps().secretBox, { accountId, certificateEndsAt: null, ...of });

const logged = async (accountId: string) =>
  (
    await deps().pool.query(
      `SELECT entry FROM audit_log WHERE account_id = $1 AND action LIKE 'acquirer.%' ORDER BY place`,
      [accountId],
    )
  ).rows.map(({ entry }) => JSON.parse(entry));

const file = (name: string, text: string) => ({ name, mimeType: 'application/x-pem-file', buffer: Buffer.from(text) });

test('the end of a certificate is told, and other people are told why they may not set it', async () => {
  const { accountId } = await aShop();
  const viewer = await newPerson(scene.api(), { accountId, role: 'finance' });
  await configureLive(scene.api(), accountId, { days: 12 });
  const visit = await scene.open('/settings/acquirer', viewer, { viewport: PHONE });
  const { page } = visit;
  await page.getByText(/^vence em 1[12] dias$/).waitFor();
  await page.getByText('Peça já um certificado novo ao banco').waitFor();
  expect(await page.getByText('O seu papel (Financeiro) não permite isto.').count()).toBe(2);
  expect(await page.getByRole('button', { name: 'Testar' }).count()).toBe(0);
  await expectSound(visit);
  const { body } = await viewer.get('/auth/account');
  expect(body.live_acquirers).toMatchObject([{ method: 'pix', profile: 'efi' }]);
  expect(body.psps.map(({ profile }: { profile: string }) => profile)).toEqual([
    'efi',
    'sicoob',
    'bb',
    'sicredi',
    'inter',
  ]);
});

test('an owner changes the credentials of a PSP, which is asked first and tested after', async () => {
  const { owner, accountId } = await aShop();
  const before = await psp.newMerchant();
  await setByOperator(accountId, { method: 'pix', settings: pixSettings(psp, before, 'efi') });
  const after = await psp.newMerchant();
  const visit = await scene.open('/settings/acquirer', owner, { viewport: PHONE });
  const { page } = visit;
  await page.getByRole('button', { name: 'Trocar credenciais' }).click();
  await page.getByLabel('Client ID').fill(after.clientId);
  await page.getByLabel('Client secret').fill('de outro');
  await page.getByLabel('Certificado (PEM)').setInputFiles(file('client.pem', after.certificatePem));
  await page.getByLabel('Chave privada').setInputFiles(file('client.key', before.keyPem));
  await page.getByLabel('Chave PIX').fill(after.pixKey);
  await inspect(visit, 'dashboard-acquirer-form');
  const save = page.getByRole('button', { name: 'Verificar e salvar' });
  await save.click();
  await page.getByText('is not the key of the certificate').waitFor();
  await page.getByLabel('Chave privada').setInputFiles(file('client.key', after.keyPem));
  await save.click();
  await page.getByText('Nada foi salvo. O que se ouviu do banco:').waitFor();
  expect((await sealed(accountId, 'pix'))?.settings).toMatchObject({ clientId: before.clientId });
  await page.getByLabel('Client secret').fill(after.clientSecret);
  await save.click();
  await page.getByText('Credenciais salvas.').waitFor();
  await page.getByText('O banco aceita as credenciais').waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-acquirer');
  // What an operator has set of it stays: where the PSP is, and whom it is believed by.
  const { settings, noticeToken } = (await sealed(accountId, 'pix')) ?? {};
  expect(settings).toEqual({ ...pixSettings(psp, after, 'efi') });
  expect(await page.content()).not.toContain(noticeToken);
  const log = await logged(accountId);
  expect(log).toMatchObject([
    { action: 'acquirer.set', object: 'pix', actor: { kind: 'staff' } },
    { action: 'acquirer.tested', object: 'pix', after: { public_url: PUBLIC_URL } },
  ]);
  expect(log[0].after.changed).toEqual(['client_id', 'client_secret', 'certificate', 'key', 'pix_key']);
  expect(JSON.stringify(log)).not.toContain(after.clientSecret);
});

test('a PSP that does not answer is told, and nothing is set', async () => {
  const { owner, accountId } = await aShop();
  const { page } = await scene.open('/settings/acquirer', owner);
  await page.getByRole('button', { name: 'Configurar' }).first().click();
  await page.getByRole('combobox', { name: 'Banco' }).selectOption('bb');
  const { certificate, key } = await settingsOfNobody();
  await page.getByLabel('Client ID').fill('id');
  await page.getByLabel('Client secret').fill('segredo');
  await page.getByLabel('Certificado (PEM)').setInputFiles(file('client.pem', certificate));
  await page.getByLabel('Chave privada').setInputFiles(file('client.key', key));
  await page.getByLabel('Chave PIX').fill('dono@loja.test');
  await page.getByLabel('app_key').fill('abc');
  await page.getByRole('button', { name: 'Verificar e salvar' }).click();
  await page.getByText('Nada foi salvo. O que se ouviu do banco:').waitFor();
  expect(await sealed(accountId, 'pix')).toBeNull();
  expect(await logged(accountId)).toEqual([]);
});

test('an owner changes the keys of Pagar.me, and is told what to register there', async () => {
  const { owner, accountId } = await aShop();
  const own = pagarme.newMerchant();
  const settings = cardSettings(pagarme, own, { takeCardNumbers: true });
  await setByOperator(accountId, { method: 'card', settings });
  const visit = await scene.open('/settings/acquirer', owner, { viewport: PHONE });
  const { page } = visit;
  const other = pagarme.newMerchant();
  other.domains.add('127.0.0.1');
  await page.getByRole('button', { name: 'Trocar credenciais' }).click();
  await page.getByLabel('Chave pública').fill(other.publicKey);
  await page.getByLabel('Chave secreta').fill('sk_x');
  await page.getByLabel('Nome na fatura').fill('LOJA');
  await page.getByLabel('Cobranças por segundo').fill('7');
  await page.getByRole('button', { name: 'Verificar e salvar' }).click();
  await page.getByText('must be a key as Pagar.me shows it').waitFor();
  await page.getByLabel('Chave secreta').fill(other.secretKey);
  await page.getByRole('button', { name: 'Verificar e salvar' }).click();
  await page.getByText('Tudo certo.').waitFor();
  const kept = await sealed(accountId, 'card');
  expect(kept?.settings).toEqual({
    ...settings,
    ...{ publicKey: other.publicKey, secretKey: other.secretKey, softDescriptor: 'LOJA', chargesPerSecond: 7 },
  });
  await page.getByText(`${PUBLIC_URL}/acquirer/notices/${kept?.noticeToken}`).waitFor();
  await expectSound(visit);
  await inspect(visit, 'dashboard-acquirer-card');
  expect(await page.content()).not.toContain(other.secretKey);
});
