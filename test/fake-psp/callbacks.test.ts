import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Identity, newAuthority } from '../../dev/fake-psp/certificates.ts';
import { type FakePsp, type ProfileName, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { BareClient, newTxid } from './bare-client.ts';
import { type CallbackReceiver, startCallbackReceiver } from './callback-receiver.ts';

let authority: Identity;
const started: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  authority = await newAuthority('Merchants of the test');
});

afterAll(async () => {
  for (const each of started) await each.stop();
});

class Scene {
  readonly psp: FakePsp;
  readonly client: BareClient;
  readonly receiver: CallbackReceiver;

  constructor(parts: Pick<Scene, 'psp' | 'client' | 'receiver'>) {
    this.psp = parts.psp;
    this.client = parts.client;
    this.receiver = parts.receiver;
  }

  async open(): Promise<string> {
    const txid = newTxid();
    await this.client.cob('PUT', txid, this.client.newCob());
    return txid;
  }

  async pay(): Promise<{ txid: string; endToEndId: string }> {
    const txid = await this.open();
    return { txid, endToEndId: this.psp.pay(this.client.merchant, txid) };
  }

  /** What came, as far as the books of the PSP say that all has. */
  async received() {
    await this.psp.quiet();
    return this.receiver.received;
  }
}

/** A PSP with one merchant whose server takes its calls. */
async function scene(profile: ProfileName = 'standard', open = false): Promise<Scene> {
  const psp = await startFakePsp({
    profile,
    trustedPem: authority.certificatePem,
    callbackRetriesMs: [20, 20],
  });
  const receiver = await startCallbackReceiver({ authority, callbackCaPem: psp.callbackCaPem, open });
  const client = new BareClient(psp, await psp.newMerchant());
  started.push(receiver, { stop: () => client.close() }, { stop: () => psp.close() });
  return new Scene({ psp, client, receiver });
}

async function registered(profile?: ProfileName, suffix = ''): Promise<Scene> {
  const made = await scene(profile);
  const answer = await made.client.webhook('PUT', { webhookUrl: made.receiver.url + suffix });
  expect([200, 201]).toContain(answer.status);
  made.receiver.received.length = 0; // Efí has tried the URL
  return made;
}

const idsIn = (body: unknown): unknown[] =>
  Object.values(Object(body).pix ?? body).map((each) => Object(each).endToEndId);

test('recurrences and their charges are told at addresses of their own', async () => {
  const { psp, client, receiver } = await scene();
  const url = { webhookUrl: receiver.url };
  for (const path of ['/webhookrec', '/webhookcobr'])
    expect((await client.automatic('PUT', path, url)).status).toBe(200);
  const rec = await client.automatic('POST', '/rec', {
    vinculo: { contrato: newTxid(), devedor: { cpf: '52998224725', nome: 'Maria' } },
    calendario: { dataInicial: '2099-01-01', periodicidade: 'MENSAL' },
    politicaRetentativa: 'PERMITE_3R_7D',
  });
  const idRec = String(rec.body?.idRec);
  psp.approve(client.merchant, idRec);
  psp.cancelRec(client.merchant, idRec, 'USUARIO_PAGADOR');
  await psp.quiet();
  expect(receiver.received).toMatchObject([
    { path: '/calls/rec', body: { recs: [{ idRec, status: 'APROVADA' }] } },
    { path: '/calls/rec', body: { recs: [{ idRec, status: 'CANCELADA' }] } },
  ]);
});

describe('a payment of a cob', () => {
  test('is told at the URL with its suffix, by the certificate of the PSP', async () => {
    const made = await registered();
    const { psp, client } = made;
    const { txid, endToEndId } = await made.pay();
    expect(await made.received()).toEqual([
      {
        path: '/calls/pix',
        body: {
          pix: [{ endToEndId, txid, valor: '40.00', chave: client.merchant.pixKey, horario: expect.any(String) }],
        },
      },
    ]);
    expect(psp.books(client.merchant).callbacks).toMatchObject([{ answers: [200], outcome: 'accepted' }]);
  });

  test('is told to no server that the PSP does not trust, and to nobody who registered none', async () => {
    const stranger = await startFakePsp({ callbackRetriesMs: [] });
    const receiver = await startCallbackReceiver({ authority, callbackCaPem: stranger.callbackCaPem });
    const client = new BareClient(stranger, await stranger.newMerchant());
    started.push(receiver, { stop: () => client.close() }, { stop: () => stranger.close() });
    const made = new Scene({ psp: stranger, client, receiver });
    await made.pay();
    expect(stranger.books(client.merchant).callbacks).toEqual([]);
    await client.webhook('PUT', { webhookUrl: receiver.url });
    await made.pay();
    expect(await made.received()).toEqual([]);
    const { callbacks } = stranger.books(client.merchant);
    expect(callbacks).toMatchObject([{ answers: [expect.stringMatching(/CERT|VERIFY|ISSUER/)], outcome: 'given_up' }]);
  });

  test('is told again until it is taken, and no more often than the PSP cares to', async () => {
    const made = await registered();
    const answers = [500, 302, 200, 500, 500, 500];
    made.receiver.answer = () => answers.shift() ?? 200;
    await made.pay();
    await made.psp.quiet();
    await made.pay();
    expect(await made.received()).toHaveLength(6);
    expect(made.psp.books(made.client.merchant).callbacks).toMatchObject([
      { answers: [500, 302, 200], outcome: 'accepted' },
      { answers: [500, 500, 500], outcome: 'given_up' },
    ]);
  });

  test('is not told where the test says so', async () => {
    const made = await registered();
    made.psp.pay(made.client.merchant, await made.open(), { notify: false });
    made.psp.payKey(made.client.merchant, 100);
    expect(await made.received()).toEqual([]);
  });
});

test('a devolução is told when it is settled, that of the bank at once', async () => {
  const made = await registered();
  const { endToEndId } = await made.pay();
  await made.psp.quiet();
  made.psp.setReturns(made.client.merchant, { afterMs: null, status: 'DEVOLVIDO' });
  await made.client.pix('PUT', `/${endToEndId}/devolucao/D1`, { valor: '1.00' });
  expect(await made.received()).toHaveLength(1);
  made.psp.settleReturns(made.client.merchant, 'NAO_REALIZADO');
  await made.psp.quiet();
  made.psp.bankReturn(made.client.merchant, endToEndId, { nature: 'MED_PIX_AUTOMATICO' });
  const told = (await made.received()).map(({ body }) => Object(body).pix[0].devolucoes);
  const failed = { id: 'D1', status: 'NAO_REALIZADO' };
  expect(told).toEqual([
    undefined,
    [expect.objectContaining(failed)],
    [
      expect.objectContaining(failed),
      expect.objectContaining({ natureza: 'MED_PIX_AUTOMATICO', valor: '40.00', status: 'DEVOLVIDO' }),
    ],
  ]);
});

describe('a PSP of its own ways', () => {
  test('Inter tells a bare array at the URL as it stands', async () => {
    const made = await registered('inter');
    const { endToEndId } = await made.pay();
    expect(await made.received()).toEqual([{ path: '/calls', body: [expect.objectContaining({ endToEndId })] }]);
  });

  test('a query at the end of the URL swallows the suffix', async () => {
    const made = await registered('efi', '?ignorar=');
    await made.pay();
    expect((await made.received()).map(({ path }) => path)).toEqual(['/calls?ignorar=/pix']);
  });

  test('Efí registers no URL that takes calls without a certificate, unless it is told not to try', async () => {
    const guarded = await scene('efi');
    const taken = await guarded.client.webhook('PUT', { webhookUrl: guarded.receiver.url });
    expect([taken.status, taken.body]).toEqual([201, { webhookUrl: guarded.receiver.url }]);
    expect(guarded.receiver.received).toHaveLength(1);
    const { client, receiver } = await scene('efi', true);
    const refused = await client.webhook('PUT', { webhookUrl: receiver.url });
    expect([refused.status, refused.body?.nome]).toEqual([400, 'webhook_invalido']);
    expect((await client.webhook('GET')).status).toBe(404);
    const skipping = { 'x-skip-mtls-checking': 'true' };
    expect((await client.webhook('PUT', { webhookUrl: receiver.url }, skipping)).status).toBe(201);
    expect((await client.webhook('GET')).body?.webhookUrl).toBe(receiver.url);
  });
});

describe('a trouble', () => {
  test.each([
    ['callback_none', []],
    ['callback_twice', ['/calls/pix', '/calls/pix']],
    ['callback_astray', ['/astray/pix']],
  ] as const)('%s', async (kind, paths) => {
    const made = await registered();
    made.psp.troubles.set({ kind, next: 1 });
    await made.pay();
    expect((await made.received()).map(({ path }) => path)).toEqual(paths);
    expect(made.psp.troubles.list()).toEqual([]);
  });

  test('a callback is late', async () => {
    const made = await registered();
    made.psp.troubles.set({ kind: 'callback_late', milliseconds: 100, next: 1 });
    const before = performance.now();
    await made.pay();
    expect(await made.received()).toHaveLength(1);
    expect(performance.now() - before).toBeGreaterThan(95);
  });

  test('callbacks come in another order', async () => {
    const made = await registered();
    const txids = [await made.open(), await made.open()];
    made.psp.troubles.set({ kind: 'callback_disordered', next: 1 });
    const paid = txids.map((txid) => made.psp.pay(made.client.merchant, txid));
    const told = (await made.received()).flatMap(({ body }) => idsIn(body));
    expect(told).toEqual(paid.toReversed());
  });

  test('a callback tells of what nobody asked for', async () => {
    const made = await registered();
    made.psp.troubles.set({ kind: 'callback_foreign', next: 1 });
    const { endToEndId } = await made.pay();
    const [{ body } = { body: null }] = await made.received();
    expect(idsIn(body)).toEqual([expect.stringMatching(/^E/), endToEndId]);
    expect((await made.client.pix('GET', `/${idsIn(body)[0]}`)).status).toBe(404);
  });
});
