import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, type MerchantCredentials, type ProfileName, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { BareClient } from './bare-client.ts';

/** What meets a caller whose certificate is of no use, by who refuses it. */
const refusals: readonly [profile: ProfileName, refusal: number | 'handshake'][] = [
  ['standard', 'handshake'],
  ['sicoob', 401],
  ['bb', 403],
];

describe.each(refusals)('at %s', (profile, refusal) => {
  let psp: FakePsp;
  let foreign: FakePsp;
  let merchant: MerchantCredentials;

  beforeAll(async () => {
    [psp, foreign] = await Promise.all([startFakePsp({ profile }), startFakePsp({ profile })]);
    merchant = await psp.newMerchant();
  });

  afterAll(async () => {
    await Promise.all([psp.close(), foreign.close()]);
  });

  /** A status, or that the connection failed. */
  async function meeting(shown: Partial<MerchantCredentials> | null): Promise<number | 'handshake'> {
    const client = new BareClient(psp, merchant, shown);
    try {
      return (await client.askToken()).status;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ERR_SSL_.*)$/) });
      return 'handshake';
    } finally {
      await client.close();
    }
  }

  const certificateOf = ({ certificatePem, keyPem }: MerchantCredentials) => ({ certificatePem, keyPem });

  test('the merchant of the certificate gets a token', async () => {
    expect(await meeting({})).toBe(200);
  });

  test('nobody gets one without a certificate', async () => {
    expect(await meeting(null)).toBe(refusal);
  });

  test('nobody gets one by a certificate of another authority', async () => {
    expect(await meeting(certificateOf(await foreign.newMerchant()))).toBe(refusal);
  });

  test('nobody gets one by a certificate that has ended', async () => {
    expect(await meeting(certificateOf(await psp.newMerchant({ certificateDays: -1 })))).toBe(refusal);
  });

  test('a certificate is bound to its client, and so is a token', async () => {
    const other = await psp.newMerchant();
    expect(await meeting(certificateOf(other))).toBe(401);
    const [client, thief] = [new BareClient(psp, merchant), new BareClient(psp, merchant, certificateOf(other))];
    const { body } = await client.askToken();
    thief.useToken(String(body?.access_token));
    expect((await thief.cob('GET', 'a'.repeat(26))).status).toBe(401);
    await Promise.all([client.close(), thief.close()]);
  });

  test('a wrong secret is no secret', async () => {
    // At Sicoob the certificate is the secret: there is no other.
    expect(await meeting({ clientSecret: 'guessed' })).toBe(profile === 'sicoob' ? 200 : 401);
  });
});
