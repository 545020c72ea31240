import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, type MerchantCredentials, startFakePsp } from '../../scripts/fake-psp/psp.ts';
import { BareClient, newTxid } from './bare-client.ts';

let psp: FakePsp;
let merchant: MerchantCredentials;
let client: BareClient;
/** Unix milliseconds; moved by the tests. */
const now = Date.UTC(2027, 0, 31, 12, 0, 0, 123);

beforeAll(async () => {
  psp = await startFakePsp({ clock: () => now, seed: 7 });
  merchant = await psp.newMerchant();
  client = new BareClient(psp, merchant);
});

afterAll(async () => {
  await client.close();
  await psp.close();
});

describe('a cob', () => {
  test('is made with a BR code, and read again', async () => {
    const txid = newTxid();
    const { status, body } = await client.cob('PUT', txid, client.newCob({ solicitacaoPagador: 'Plano Ouro' }));
    expect(status).toBe(201);
    expect(body).toEqual({
      calendario: { criacao: '2027-01-31T12:00:00.123Z', expiracao: 3600 },
      txid,
      revisao: 0,
      loc: { id: expect.any(Number), location: body?.location, tipoCob: 'cob', criacao: '2027-01-31T12:00:00.123Z' },
      location: expect.stringMatching(/^pix\.example\.com\/qr\/v2\/[0-9a-f]{32}$/),
      status: 'ATIVA',
      valor: { original: '40.00' },
      chave: merchant.pixKey,
      solicitacaoPagador: 'Plano Ouro',
      pixCopiaECola: expect.stringContaining(String(body?.location)),
    });
    expect((await client.cob('GET', txid)).body).toEqual(body);
  });
});
