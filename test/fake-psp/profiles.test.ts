import { parsePix } from 'pix-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type FakePsp,
  type MerchantCredentials,
  type ProfileName,
  profileNames,
  startFakePsp,
} from '../../dev/fake-psp/psp.ts';
import { type Answered, BareClient, newTxid } from './bare-client.ts';

/** What a merchant's software meets at a PSP. */
interface Habits {
  /** Of the token, as it is written. */
  readonly expires: unknown;
  readonly statuses: { put: number; patch: number; putReturn: number };
  readonly repeat: { cob: number; devolucao: number };
  readonly brCode: { field: string; onGet: boolean };
  readonly date: RegExp;
  /** Of a cob that is not there. */
  readonly unknown: (answer: Answered) => unknown;
  readonly unknownIs: unknown;
}

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const problem = ({ type, body }: Answered) => [type, body?.type, body?.status];
const PROBLEM = ['application/problem+json', 'https://pix.bcb.gov.br/api/v2/error/CobNaoEncontrado', 404];

const standard: Habits = {
  expires: 3600,
  statuses: { put: 201, patch: 200, putReturn: 201 },
  repeat: { cob: 201, devolucao: 201 },
  brCode: { field: 'pixCopiaECola', onGet: true },
  date: MILLISECONDS,
  unknown: problem,
  unknownIs: PROBLEM,
};

const habits: Readonly<Record<ProfileName, Habits>> = {
  standard,
  efi: { ...standard, repeat: { cob: 409, devolucao: 400 } },
  sicoob: {
    ...standard,
    expires: 300,
    statuses: { put: 201, patch: 200, putReturn: 200 },
    repeat: { cob: 201, devolucao: 200 },
    brCode: { field: 'brcode', onGet: true },
    unknownIs: PROBLEM.with(-1, '404'),
  },
  bb: {
    ...standard,
    expires: '600',
    statuses: { put: 200, patch: 201, putReturn: 201 },
    repeat: { cob: 200, devolucao: 201 },
    brCode: { field: 'textoImagemQRcode', onGet: false },
    date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d-03:00$/,
    unknown: ({ type, body }) => [type, Object.keys(body ?? {}), Object.keys(body?.erros?.[0] ?? {})],
    unknownIs: ['application/json', ['erros'], ['codigo', 'versao', 'mensagem', 'ocorrencia']],
  },
  sicredi: {
    ...standard,
    statuses: { put: 201, patch: 200, putReturn: 200 },
    repeat: { cob: 400, devolucao: 400 },
    date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  },
  inter: { ...standard, repeat: { cob: 200, devolucao: 201 } },
};

describe.each(profileNames)('at %s', (profile) => {
  const { expires, statuses, repeat, brCode, date, unknown, unknownIs } = habits[profile];
  let psp: FakePsp;
  let merchant: MerchantCredentials;
  let client: BareClient;

  beforeAll(async () => {
    psp = await startFakePsp({ profile });
    merchant = await psp.newMerchant();
    client = new BareClient(psp, merchant);
  });

  afterAll(async () => {
    await client.close();
    await psp.close();
  });

  async function openCob(): Promise<string> {
    const txid = newTxid();
    await client.cob('PUT', txid, client.newCob());
    return txid;
  }

  test('a token is had in its own way, and in no other', async () => {
    const { status, body } = await client.askToken();
    expect([status, body?.token_type, body?.expires_in]).toEqual([200, 'Bearer', expires]);
    const otherType = await client.askToken({ headers: { 'content-type': 'text/plain' } });
    expect([otherType.status, otherType.body?.error].map(String)).toEqual(
      profile === 'sicoob' || profile === 'inter' ? ['200', 'undefined'] : ['400', 'invalid_request'],
    );
  });

  test('a cob is made, read, revised and paid', async () => {
    const txid = newTxid();
    const made = await client.cob('PUT', txid, client.newCob());
    expect(made.status).toBe(statuses.put);
    expect(parsePix(String(made.body?.[brCode.field]))).toMatchObject({ type: 'DYNAMIC', url: made.body?.location });
    expect(made.body?.calendario?.criacao).toMatch(date);
    const read = await client.cob('GET', txid);
    expect([read.status, read.body?.[brCode.field] !== undefined]).toEqual([200, brCode.onGet]);
    expect((await client.cob('PUT', txid, client.newCob())).status).toBe(repeat.cob);
    const revised = await client.cob('PATCH', txid, { valor: { original: '39.90' } });
    expect(revised.status).toBe(statuses.patch);
    const endToEndId = psp.pay(merchant, txid);
    expect((await client.cob('GET', txid)).body).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ endToEndId, valor: '39.90', horario: expect.stringMatching(date) }],
    });
  });

  test('a devolução is asked for and repeated', async () => {
    const payment = psp.pay(merchant, await openCob());
    const request = () => client.pix('PUT', `/${payment}/devolucao/D1`, { valor: '40.00' });
    expect((await request()).status).toBe(statuses.putReturn);
    expect((await request()).status).toBe(repeat.devolucao);
    const status = async () => (await client.pix('GET', `/${payment}/devolucao/D1`)).body?.status;
    await expect.poll(status).toBe('DEVOLVIDO');
  });

  test('what is not there is told in its own form', async () => {
    const answer = await client.cob('GET', newTxid());
    expect([answer.status, unknown(answer)]).toEqual([404, unknownIs]);
  });

  test('a token that it never gave is 401', async () => {
    client.useToken('guessed');
    expect((await client.cob('GET', newTxid())).status).toBe(401);
    client.useToken(null);
  });

  test('payments are listed', async () => {
    const payment = psp.pay(merchant, await openCob());
    const period = { inicio: '2020-01-01T00:00:00Z', fim: '2100-01-01T00:00:00Z' };
    const { body } = await client.pix('GET', '', undefined, period);
    expect(JSON.stringify(body?.pix)).toContain(payment);
  });
});

describe('of its own', () => {
  const started: { close(): Promise<void> }[] = [];

  async function scene(profile: ProfileName, scopes?: string[]) {
    const psp = await startFakePsp({ profile });
    const merchant = await psp.newMerchant(scopes === undefined ? {} : { scopes });
    const client = new BareClient(psp, merchant);
    started.push(client, psp);
    return { psp, merchant, client };
  }

  const bare = (psp: FakePsp, merchant: MerchantCredentials, shown: Partial<MerchantCredentials>) => {
    const client = new BareClient(psp, merchant, shown);
    started.push(client);
    return client;
  };

  afterAll(async () => {
    for (const each of started) await each.close();
  });

  test('BB wants the key of the application in each call, and tells of its absence as its gateway does', async () => {
    const { psp, merchant, client } = await scene('bb');
    const { body: token } = await client.askToken();
    const keyless = bare(psp, merchant, { extras: {} });
    keyless.useToken(String(token?.access_token));
    const { status, body } = await keyless.cob('PUT', newTxid(), keyless.newCob());
    expect([status, body?.statusCode, Object.keys(body ?? {})]).toEqual([
      403,
      403,
      ['statusCode', 'error', 'message', 'attributes'],
    ]);
  });

  test('BB makes no txid and lists no cobs', async () => {
    const { client } = await scene('bb');
    expect((await client.call('POST', '/pix/v2/cob', client.newCob())).status).toBe(404);
    const period = { inicio: '2020-01-01T00:00:00Z', fim: '2100-01-01T00:00:00Z' };
    expect((await client.cobs(period)).status).toBe(404);
  });

  test('Sicoob wants the client id in each call, writes nulls and takes no address', async () => {
    const { psp, merchant, client } = await scene('sicoob');
    const { body: token } = await client.askToken();
    const nameless = bare(psp, merchant, { clientId: '' });
    nameless.useToken(String(token?.access_token));
    expect((await nameless.cob('GET', newTxid())).status).toBe(403);
    const txid = newTxid();
    const { body } = await client.cob('PUT', txid, client.newCob());
    expect(body).toMatchObject({ devedor: null, solicitacaoPagador: null });
    expect((await client.cob('GET', txid)).body).toMatchObject({ pix: null });
    const devedor = { cpf: '12345678909', nome: 'Maria', cidade: 'Brasília' };
    expect((await client.cob('PUT', newTxid(), client.newCob({ devedor }))).status).toBe(400);
  });

  test('Inter wants the account in each call', async () => {
    const { psp, merchant, client } = await scene('inter');
    const { body: token } = await client.askToken();
    const other = bare(psp, merchant, { extras: { 'x-conta-corrente': '1' } });
    other.useToken(String(token?.access_token));
    expect((await other.cob('GET', newTxid())).status).toBe(403);
  });

  test('Sicredi leaves scopes out without a word and refuses then', async () => {
    const { client } = await scene('sicredi', ['cob.read', 'cob.write']);
    const { status, body } = await client.askToken({ scope: 'cob.read pix.read cobv.write' });
    expect([status, body?.scope]).toEqual([200, 'cob.read']);
    const refused = await client.pix('GET', `/E${'0'.repeat(31)}`);
    expect([refused.status, refused.body?.detail]).toEqual([400, expect.stringContaining('pix.read')]);
  });

  test('Sicredi has a version for each resource, and takes no milliseconds', async () => {
    const { client } = await scene('sicredi');
    expect((await client.call('PUT', `/api/v2/cob/${newTxid()}`, client.newCob())).status).toBe(404);
    expect((await client.call('POST', '/api/v3/cob', client.newCob())).status).toBe(404);
    expect((await client.call('POST', '/api/v2/cob', client.newCob())).status).toBe(201);
    const exact = { inicio: '2020-01-01T00:00:00.000Z', fim: '2100-01-01T00:00:00Z' };
    expect((await client.pix('GET', '', undefined, exact)).status).toBe(400);
  });

  test('Sicredi blocks who asks for too many tokens', async () => {
    const { client } = await scene('sicredi');
    const answers = await Promise.all(Array.from({ length: 61 }, () => client.askToken()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
    expect((await client.askToken()).status).toBe(429);
  });

  test('the others refuse a scope that the merchant does not have, and a call without its scope', async () => {
    const { client } = await scene('standard', ['cob.read', 'cob.write']);
    const refused = await client.askToken();
    expect([refused.status, refused.body?.error]).toEqual([400, 'invalid_scope']);
    const { body } = await client.askToken({ scope: 'cob.read' });
    client.useToken(String(body?.access_token));
    const answer = await client.cob('PUT', newTxid(), client.newCob());
    expect([answer.status, answer.body?.type]).toEqual([403, expect.stringContaining('AcessoNegado')]);
  });

  test('Efí names a txid that is taken in a form of its own, and fields that no document has', async () => {
    const { psp, merchant, client } = await scene('efi');
    const txid = newTxid();
    await client.cob('PUT', txid, client.newCob());
    const { body } = await client.cob('PUT', txid, client.newCob());
    expect(body).toEqual({ nome: 'txid_duplicado', mensagem: expect.any(String) });
    const payment = psp.pay(merchant, txid);
    expect((await client.pix('GET', `/${payment}`)).body).toHaveProperty('gnExtras');
  });
});
