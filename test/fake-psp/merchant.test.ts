import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePsp, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { type Answered, BareClient, newTxid } from './bare-client.ts';

let psp: FakePsp;
let client: BareClient;
let other: BareClient;

beforeAll(async () => {
  psp = await startFakePsp();
  client = new BareClient(psp, await psp.newMerchant());
  other = new BareClient(psp, await psp.newMerchant());
});

afterAll(async () => {
  await Promise.all([client.close(), other.close()]);
  await psp.close();
});

const refusal = ({ status, body }: Answered) => [status, String(body?.type).split('/').at(-1)];

const HOUR_MS = 3_600_000;

test('a merchant sees nothing of another, and has txids of its own', async () => {
  const txid = newTxid();
  await client.cob('PUT', txid, client.newCob());
  const payment = psp.pay(client.merchant, txid);
  expect(refusal(await other.cob('GET', txid))).toEqual([404, 'CobNaoEncontrado']);
  expect(refusal(await other.pix('GET', `/${payment}`))).toEqual([404, 'PixNaoEncontrado']);
  const returned = await other.pix('PUT', `/${payment}/devolucao/D1`, { valor: '1.00' });
  expect(refusal(returned)).toEqual([404, 'PixNaoEncontrado']);
  expect((await other.cob('PUT', txid, other.newCob())).status).toBe(201);
  expect((await other.cob('GET', txid)).body).toMatchObject({ status: 'ATIVA' });
  expect(psp.books(other.merchant)).toMatchObject({ cobs: [{ txid, payments: [] }], payments: [], returns: [] });
});

test('a merchant has the webhook that it registered, until it deletes it', async () => {
  const url = 'https://loja.example.com/pix-calls';
  expect(refusal(await client.webhook('GET'))).toEqual([404, 'WebhookNaoEncontrado']);
  const registered = await client.webhook('PUT', { webhookUrl: url });
  expect([registered.status, registered.text]).toEqual([200, '']);
  expect((await client.webhook('GET')).body).toMatchObject({ webhookUrl: url, chave: client.merchant.pixKey });
  expect(refusal(await client.webhook('PUT', { webhookUrl: 'no url' }))).toEqual([400, 'WebhookOperacaoInvalida']);
  expect((await client.webhook('DELETE')).status).toBe(204);
  expect(refusal(await client.webhook('DELETE'))).toEqual([404, 'WebhookNaoEncontrado']);
  const foreign = await client.call('PUT', `/api/v2/webhook/${other.merchant.pixKey}`, { webhookUrl: url });
  expect(refusal(foreign)).toEqual([400, 'WebhookOperacaoInvalida']);
});

test.each(['+5561912345678', 'vendas@loja.example.com', '12345678000195'])(
  'a merchant may have the key %s',
  async (pixKey) => {
    const keyed = new BareClient(psp, await psp.newMerchant({ pixKey }));
    expect((await keyed.cob('PUT', newTxid(), keyed.newCob())).body?.chave).toBe(pixKey);
    expect((await keyed.webhook('PUT', { webhookUrl: 'https://loja.example.com/' })).status).toBe(200);
    expect((await keyed.webhook('GET')).body?.chave).toBe(pixKey);
    await keyed.close();
  },
);

test('a merchant finds what it did in the books, and how often it asked', async () => {
  const busy = new BareClient(psp, await psp.newMerchant());
  const { merchant } = busy;
  const txid = newTxid();
  await busy.cob('PUT', txid, busy.newCob());
  const payment = psp.pay(merchant, txid);
  psp.setReturns(merchant, { afterMs: null, status: 'DEVOLVIDO' });
  await busy.pix('PUT', `/${payment}/devolucao/D1`, { valor: '10.00' });
  const { cobs, payments, returns } = psp.books(merchant);
  const [{ createdAt } = { createdAt: 0 }] = cobs;
  const terms = { status: 'CONCLUIDA', amount: 4000, key: merchant.pixKey, revision: 0 };
  expect(cobs).toEqual([{ txid, ...terms, createdAt, expiresAt: createdAt + HOUR_MS, payments: [payment] }]);
  expect(payments).toEqual([{ endToEndId: payment, txid, amount: 4000, at: expect.any(Number) }]);
  expect(returns).toMatchObject([{ endToEndId: payment, id: 'D1', amount: 1000, status: 'EM_PROCESSAMENTO' }]);
  expect(psp.requests(merchant)).toMatchObject({ token: 1, putCob: 1, putReturn: 1, getCob: 0 });
  await busy.close();
});

test('what is no request of the API is 404, and one that is no JSON 400', async () => {
  for (const path of ['/', '//', '/api/v2', '/api/v2/solicrec', '/api/v3/cob', '/api/v2/cob/%ff']) {
    expect([path, (await client.call('GET', path)).status]).toEqual([path, 404]);
  }
  const text = await client.call(
    'PUT',
    `/api/v2/cob/${newTxid()}`,
    client.newCob(),
    {},
    { 'content-type': 'text/plain' },
  );
  expect(refusal(text)).toEqual([400, 'CobOperacaoInvalida']);
});

test('the same seed makes the same ids, another one others', async () => {
  const idsOf = async (seed: number) => {
    const seeded = await startFakePsp({ seed, clock: () => 0 });
    const { clientId, pixKey } = await seeded.newMerchant();
    const payment = seeded.payKey({ clientId }, 100);
    await seeded.close();
    return [clientId, pixKey, payment];
  };
  const ids = await idsOf(3);
  expect(await idsOf(3)).toEqual(ids);
  const others = await idsOf(4);
  expect(others.filter((id) => ids.includes(id))).toEqual([]);
});
