import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, type PagarmeMerchant, startFakePagarme } from '../../../dev/fake-pagarme/pagarme.ts';
import { alarmKinds } from '../../../server/kernel/alarms.ts';
import { adminHere } from '../../support/admin.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { byCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';

let api: TestApi;
let fake: FakePagarme;
let own: PagarmeMerchant;
let folder: string;
let accountId: string;

const PUBLIC_URL = 'https://fatura.loja.test';
const admin = (verb: string, ...args: string[]) => adminHere(api, ['acquirer', verb, ...args], { PUBLIC_URL });

function set(secretKey: string, ...options: string[]) {
  const path = join(folder, 'secret-key');
  writeFileSync(path, `${secretKey}\n`);
  const urls = ['--api-url', fake.baseUrl, '--jwks-url', fake.jwksUrl];
  return admin('set', accountId, '--live', 'card', '--secret-key-file', path, ...urls, ...options);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fatura-pagarme-'));
  api = await startApi();
  fake = await startFakePagarme();
  own = fake.newMerchant();
  ({ accountId } = await api.newMerchant());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.stop();
  await fake.close();
});

test('Pagar.me is set, shown without its secret, and tested step by step', async () => {
  const [shown] = await set(
    own.secretKey,
    '--public-key',
    own.publicKey,
    '--soft-descriptor',
    'LOJA',
    '--charges-per-second',
    '50',
  );
  expect(shown).toEqual({
    account: accountId,
    live: 'card',
    profile: 'pagarme',
    public_key: own.publicKey,
    secret_key: `sk_test_…${own.secretKey.slice(-4)}`,
    soft_descriptor: 'LOJA',
    base_url: fake.baseUrl,
    jwks_url: fake.jwksUrl,
    takes_card_numbers: false,
    charges_per_second: 50,
  });
  const test = () => admin('test', accountId, '--live', 'card');
  expect(await test()).toMatchObject([
    { step: 'secret key', ok: true },
    { step: 'public key', ok: false, detail: expect.stringContaining('registered in the dashboard of Pagar.me?') },
    { step: 'webhook keys', ok: true },
    { step: 'webhook', ok: true },
  ]);
  own.domains.add('fatura.loja.test');
  const steps = await test();
  expect(steps.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  expect(JSON.stringify(steps)).not.toContain(own.secretKey);
});

test.each([
  ['sk_test_x', 'pk_test_abcdefgh12345678', '--secret-key-file must be a key as Pagar.me shows it: sk_…'],
  ['sk_abcdefgh12345678', 'pk_test_abcdefgh12345678', 'must be of one environment'],
])('keys that do not fit are refused: %s %s', async (secret, publicKey, message) => {
  await expect(set(secret, '--public-key', publicKey)).rejects.toThrow(message);
});

test.each([
  ['--soft-descriptor', 'MAIS DE TREZE LETRAS', '--soft-descriptor must have 1 to 13 characters'],
  ['--soft-descriptor', 'AÇAÍ', '--soft-descriptor must have 1 to 13 characters'],
  ['--charges-per-second', '0', '--charges-per-second must be a whole number from 1 to 1000'],
  ['--charges-per-second', 'vinte', '--charges-per-second must be a whole number from 1 to 1000'],
])('%s %s is refused', async (option, value, message) => {
  await expect(set(own.secretKey, '--public-key', own.publicKey, option, value)).rejects.toThrow(message);
});

test('the rate is changed by itself, and the log says that nothing else was', async () => {
  const setRate = (rate: string) => admin('set-rate', accountId, '--live', 'card', '--charges-per-second', rate);
  const [before] = await admin('show', accountId, '--live', 'card');
  expect(await setRate('7')).toEqual([{ ...Object(before), charges_per_second: 7 }]);
  const { live } = api.composition.deps.acquirers;
  await expect.poll(async () => (await live.card(accountId))?.rate?.perSecond).toBe(7);
  const { rows } = await rolesOf(api.composition.deps.pool).operator.pool.query(
    `SELECT entry FROM audit_log WHERE action = 'acquirer.set' ORDER BY place DESC LIMIT 1`,
  );
  expect(JSON.parse(rows[0].entry)).toMatchObject({
    before: { charges_per_second: 50 },
    after: { charges_per_second: 7, changed: ['charges_per_second'] },
  });
  await expect(setRate('1001')).rejects.toThrow('must be a whole number from 1 to 1000');
});

test('a key that is wrong stops the test, declines no card, and raises an alarm', async () => {
  const merchant = await api.newMerchant();
  ({ accountId } = merchant);
  const wrong = `sk_test_${'a'.repeat(32)}`;
  await set(wrong, '--public-key', own.publicKey, '--take-card-numbers');
  expect(await admin('test', accountId, '--live', 'card')).toMatchObject([
    { step: 'secret key', ok: false, detail: expect.stringContaining('status 401') },
  ]);
  const { id } = await newInvoice({ ...merchant, fatura: merchant.live }, { amount: 4_000 });
  await expect(merchant.live.invoices.checkout(id, byCard())).rejects.toMatchObject({ code: 'ACQUIRER_UNAVAILABLE' });
  expect(await merchant.live.invoices.retrieve(id)).toMatchObject({ status: 'open' });
  expect(alarmKinds).toContain('acquirer_key_refused');
  const { values } = await api.composition.deps.metrics.alarms.get();
  expect(values.find(({ labels }) => labels.kind === 'acquirer_key_refused')?.value).toBe(1);
});
