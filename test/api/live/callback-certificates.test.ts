import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Identity, issue, newAuthority } from '../../../dev/fake-psp/certificates.ts';
import { findReceiver, takeNotice } from '../../../server/payments/live/notices.ts';
import { openSettings, readLiveAcquirer } from '../../../server/payments/live/store.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { configureLive } from '../../support/live-settings.ts';

let api: TestApi;
let authority: Identity;
let other: Identity;

beforeAll(async () => {
  api = await startApi();
  [authority, other] = await Promise.all([newAuthority('callbacks of a PSP'), newAuthority('another PSP')]);
});
afterAll(() => api.stop());

/** What becomes of a callback that shows a certificate, to an account that names authorities. */
async function verdictOf(callbackCa: string | null, certificate: string | null): Promise<string> {
  const { deps } = api.composition;
  const { accountId } = await api.newMerchant();
  await configureLive(api, accountId, { days: 365, callbackCa });
  const row = await readLiveAcquirer(deps.pool, { accountId, method: 'pix' });
  if (row === null) throw new Error('it was configured');
  const { noticeToken: token } = openSettings(deps.secretBox, row);
  const receiver = await findReceiver(deps, token);
  if (receiver === null) throw new Error('the path is known');
  return takeNotice(deps, receiver, { certificate, headers: {}, text: '{"pix":[]}' });
}

const ofPsp = (days = 1) => issue(authority, { name: 'callbacks.psp.test', days });

test.each([
  ['percent-encoded PEM', (pem: string) => encodeURIComponent(pem)],
  ['RFC 9440', (pem: string) => `:${new X509Certificate(pem).raw.toString('base64')}:`],
])('a certificate of the authority is taken as %s', async (_, written) => {
  const { certificatePem } = await ofPsp();
  expect(await verdictOf(authority.certificatePem, written(certificatePem))).toBe('taken');
});

test('the authority may stand anywhere in its file, and the certificate itself may be named', async () => {
  const { certificatePem } = await ofPsp();
  const shown = encodeURIComponent(certificatePem);
  const chains = [
    [other, authority],
    [authority, other],
  ].map((chain) => chain.map((one) => one.certificatePem).join('\n'));
  for (const named of [...chains, certificatePem]) expect(await verdictOf(named, shown)).toBe('taken');
});

test('no certificate, one of another authority, one that has ended and what is none are refused', async () => {
  const foreign = await issue(other, { name: 'callbacks.psp.test', days: 1 });
  const ended = await ofPsp(-1);
  const shown = [foreign, ended].map(({ certificatePem }) => encodeURIComponent(certificatePem));
  for (const certificate of [null, ...shown, 'NONE', '%', ':AAAA:'])
    expect(await verdictOf(authority.certificatePem, certificate)).toBe('certificate_refused');
});

test('without an authority no certificate is asked for', async () => {
  expect(await verdictOf(null, null)).toBe('taken');
});
