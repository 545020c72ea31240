import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issue, newAuthority } from '../../../dev/fake-psp/certificates.ts';
import {
  type FakePsp,
  type MerchantCredentials,
  type ProfileName,
  profileNames,
  startFakePsp,
} from '../../../dev/fake-psp/psp.ts';
import type { ApiPixSettings } from '../../../server/payments/acquirer/api-pix/settings.ts';
import type { ProbeStep } from '../../../server/payments/live/method.ts';
import { probe } from '../../../server/payments/live/probe.ts';
import { settingsFor } from './psp.ts';

const TOKEN = 'Segredo_do_caminho_dos_avisos-12';
const PUBLIC_URL = 'https://fatura.loja.test';
const SHOWN_URL = `${PUBLIC_URL}/acquirer/notices/…`;

async function probed(settings: ApiPixSettings, publicUrl = PUBLIC_URL): Promise<ProbeStep[]> {
  const steps: ProbeStep[] = [];
  const of = { accountId: 'acct_probe', method: 'pix' } as const;
  for await (const step of probe(of, { settings, publicUrl, token: TOKEN })) steps.push(step);
  return steps;
}

/** The steps that failed, with what is told of them. */
const failed = (steps: ProbeStep[]): Record<string, string | null> =>
  Object.fromEntries(steps.filter(({ ok }) => !ok).map(({ step, detail }) => [step, detail]));

describe.each(profileNames)('a PSP of the profile %s', (profile: ProfileName) => {
  let psp: FakePsp;
  let merchant: MerchantCredentials;
  const settings = (given: Partial<ApiPixSettings> = {}) => ({ ...settingsFor(psp, merchant, profile), ...given });

  beforeAll(async () => {
    psp = await startFakePsp({ profile });
    merchant = await psp.newMerchant();
  });
  afterAll(() => psp.close());

  test('that takes everything is passed step by step, and nothing is left to be paid there', async () => {
    const steps = await probed(settings());
    expect(steps).toEqual([
      { step: 'token', ok: true, detail: null },
      { step: 'charge', ok: true, detail: expect.stringMatching(/^txid [0-9a-z]{26}$/) },
      { step: 'find', ok: true, detail: null },
      { step: 'remove', ok: true, detail: null },
      { step: 'webhook', ok: true, detail: SHOWN_URL },
      { step: 'webhook registered', ok: true, detail: null },
      { step: 'mandates', ok: true, detail: null },
      { step: 'webhookrec', ok: true, detail: SHOWN_URL },
      { step: 'webhookrec registered', ok: true, detail: null },
      { step: 'webhookcobr', ok: true, detail: SHOWN_URL },
      { step: 'webhookcobr registered', ok: true, detail: null },
    ]);
    const { cobs } = psp.books(merchant);
    expect(cobs.map(({ status }) => status)).toEqual(['REMOVIDA_PELO_USUARIO_RECEBEDOR']);
  });

  test('is asked for nothing of mandates without an account that they pay into', async () => {
    const without = { receiverAccount: null, receiverType: null, receiverBranch: null };
    expect((await probed(settings(without))).at(-1)?.step).toBe('webhook registered');
  });

  test('that does not know the client secret is passed no further than the token', async () => {
    const { clientSecret } = settings();
    // Where the certificate is the secret, the client id is what may be wrong.
    const wrong = profile === 'sicoob' ? { clientId: 'somebody' } : { clientSecret: `${clientSecret}x` };
    expect(await probed(settings(wrong))).toEqual([
      { step: 'token', ok: false, detail: expect.stringMatching(/^the token endpoint answered 401: \S/) },
    ]);
  });

  test('that knows the certificate as another client’s, or not at all, says so', async () => {
    const other = await psp.newMerchant();
    const ofOther = { certificate: other.certificatePem, key: other.keyPem };
    expect(await probed(settings(ofOther))).toMatchObject([{ step: 'token', ok: false }]);
    const foreign = await issue(await newAuthority('nobody'), { name: 'loja', days: 1 });
    const [step, ...more] = await probed(settings({ certificate: foreign.certificatePem, key: foreign.keyPem }));
    expect([step?.step, step?.ok, more]).toEqual(['token', false, []]);
    if (psp.profile.foreignCertificate === 'handshake') {
      expect(step?.detail).toMatch(/^the token endpoint does not answer \(.+\)\. the PSP broke the connection off/);
    } else {
      expect(step?.detail).toContain(`the token endpoint answered ${psp.profile.foreignCertificate}`);
    }
  });

  test('that grants less than it should is told apart', async () => {
    psp.troubles.set({ kind: 'token_downscoped', merchant: merchant.clientId, scopes: ['webhook.write'] });
    const found = failed(await probed(settings()));
    psp.troubles.clear();
    expect(Object.keys(found)).toContain('webhook');
    // Efí is asked for no scopes: whatever is missing shows at the call.
    if (profile !== 'efi') expect(found.token).toMatch(/^the token lacks webhook\.write: ask the PSP to allow them/);
  });

  test('that refuses the address of callbacks is passed up to there', async () => {
    psp.troubles.set({ kind: 'unavailable', operation: 'putWebhook' });
    const found = failed(await probed(settings()));
    psp.troubles.clear();
    expect(Object.keys(found).filter((step) => step !== 'webhook registered')).toEqual(['webhook']);
    expect(found.webhook).toContain('status 503');
  });
});

test('a PSP that is away is told with what may be wrong', async () => {
  const psp = await startFakePsp();
  const settings = settingsFor(psp, await psp.newMerchant(), 'standard');
  const [untrusted] = await probed({ ...settings, ca: null });
  expect(untrusted?.detail).toMatch(/certificate of an authority that is not known here: name it by --ca/);
  await psp.close();
  expect(await probed(settings)).toEqual([
    {
      step: 'token',
      ok: false,
      detail:
        'the token endpoint does not answer (ECONNREFUSED). nobody answers there: is the URL right, and may this machine call it?',
    },
  ]);
  const [unknown] = await probed({ ...settings, tokenUrl: 'https://psp.invalid/token' });
  expect(unknown?.detail).toMatch(/the name is not known: is the URL right\?$/);
});

test('Efí refuses an address that takes calls without a certificate where certificates are said to be checked', async () => {
  const psp = await startFakePsp({ profile: 'efi' });
  const settings = settingsFor(psp, await psp.newMerchant(), 'efi');
  const steps = await probed({ ...settings, callbackCa: psp.callbackCaPem }, 'http://127.0.0.1:9');
  const refused = expect.stringMatching(/^status 400: .*PUBLIC_URL is not https:\/\/, which PSPs demand$/);
  const absent = 'the PSP has no address, or does not say which';
  const ofMandates = { webhookrec: refused, 'webhookrec registered': absent };
  const ofDebits = { webhookcobr: refused, 'webhookcobr registered': absent };
  expect(failed(steps)).toEqual({ webhook: refused, 'webhook registered': absent, ...ofMandates, ...ofDebits });
  await psp.close();
});

test('the secret of the address is not shown, even where the PSP has another form of it', async () => {
  const psp = await startFakePsp();
  const merchant = await psp.newMerchant();
  const settings = settingsFor(psp, merchant, 'standard');
  await probed(settings, 'https://former.loja.test');
  psp.troubles.set({ kind: 'unavailable', operation: 'putWebhook' });
  const steps = await probed(settings);
  expect(failed(steps)['webhook registered']).toBe('the PSP has https://former.loja.test/acquirer/notices/…');
  expect(JSON.stringify(steps)).not.toContain(TOKEN);
  await psp.close();
});
