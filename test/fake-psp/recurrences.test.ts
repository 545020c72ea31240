import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDocument } from '../../dev/fake-psp/document.ts';
import { type FakePsp, type MerchantCredentials, type Operation, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { type Answered, BareClient, newTxid } from './bare-client.ts';

let psp: FakePsp;
let merchant: MerchantCredentials;
let client: BareClient;
/** Unix milliseconds; moved by the tests. Noon of a Wednesday in Brasília. */
const NOON = Date.UTC(2027, 0, 20, 15);
let now = NOON;

beforeAll(async () => {
  psp = await startFakePsp({ clock: () => now, seed: 7 });
  merchant = await psp.newMerchant();
  client = new BareClient(psp, merchant);
});

afterAll(async () => {
  await client.close();
  await psp.close();
});

/** A day and an hour in Brasília; the token ends with the time. */
function at(day: string, hour: number): void {
  now = Date.parse(`${day}T00:00:00Z`) + (hour + 3) * 3_600_000;
  client.useToken(null);
  psp.tick(merchant);
}

const terms = (change: object = {}) => ({
  vinculo: { contrato: newTxid().slice(0, 26), objeto: 'Plano Ouro', devedor: { cpf: '52998224725', nome: 'Maria' } },
  calendario: { dataInicial: '2027-02-01', periodicidade: 'MENSAL' },
  valor: {},
  politicaRetentativa: 'PERMITE_3R_7D',
  ...change,
});

async function newRec(change: object = {}): Promise<string> {
  const { status, body } = await client.automatic('POST', '/rec', terms(change));
  expect(status).toBe(201);
  return String(body?.idRec);
}

async function approved(change: object = {}): Promise<string> {
  const idRec = await newRec(change);
  psp.approve(merchant, idRec);
  return idRec;
}

const charge = (idRec: string, change: object = {}) => ({
  idRec,
  calendario: { dataDeVencimento: '2027-02-01' },
  valor: { original: '99.90' },
  ajusteDiaUtil: false,
  recebedor: { conta: '997182', tipoConta: 'CORRENTE', agencia: '0001' },
  ...change,
});

async function instructed(idRec: string, change: object = {}): Promise<string> {
  const txid = newTxid();
  expect((await client.automatic('PUT', `/cobr/${txid}`, charge(idRec, change))).status).toBe(201);
  return txid;
}

const cobr = async (txid: string) => (await client.automatic('GET', `/cobr/${txid}`)).body;
const lastTry = async (txid: string) => Object.values((await cobr(txid))?.tentativas ?? {}).at(-1);
const refusal = ({ status, body }: Answered) => [status, String(body?.type).split('/').at(-1)];

describe('a recurrence', () => {
  test('is served by a location, and shown with a code to authorise it', async () => {
    at('2027-01-20', 12);
    const { body: location } = await client.automatic('POST', '/locrec', { tipo: 'rec' });
    const idRec = await newRec({ loc: location?.id });
    expect(idRec).toMatch(/^RR1234567820270120[a-zA-Z0-9]{11}$/);
    const { body } = await client.automatic('GET', `/rec/${idRec}`);
    expect(body).toMatchObject({
      status: 'CRIADA',
      loc: { id: location?.id, idRec },
      ativacao: { tipoJornada: 'AGUARDANDO_DEFINICAO' },
      dadosQR: {
        jornada: 'JORNADA_2',
        pixCopiaECola: expect.stringMatching(/26180014br\.gov\.bcb\.pix5204.*80\d\d0014br/),
      },
    });
    expect((await client.automatic('GET', `/locrec/${location?.id}`)).body).toMatchObject({ idRec });
    expect(refusal(await client.automatic('POST', '/rec', terms({ loc: location?.id })))).toEqual([
      400,
      'RecOperacaoInvalida',
    ]);
    psp.approve(merchant, idRec);
    const { body: made } = await client.automatic('GET', `/rec/${idRec}`);
    expect(made).toMatchObject({ status: 'APROVADA', ativacao: { tipoJornada: 'JORNADA_2' } });
    expect(made).not.toHaveProperty('dadosQR');
  });

  test('is authorised in the act in which its first charge is paid', async () => {
    const txid = newTxid();
    await client.cob('PUT', txid, client.newCob());
    const { body: location } = await client.automatic('POST', '/locrec', { tipo: 'rec' });
    const idRec = await newRec({ loc: location?.id, ativacao: { dadosJornada: { txid } } });
    const { body } = await client.automatic('GET', `/rec/${idRec}`, undefined, { txid });
    expect(body?.dadosQR).toMatchObject({ jornada: 'JORNADA_3', pixCopiaECola: expect.stringContaining('540540.00') });
    expect((await client.automatic('GET', `/rec/${idRec}`, undefined, { txid: newTxid() })).status).toBe(400);
    psp.approve(merchant, idRec);
    expect((await client.cob('GET', txid)).body?.status).toBe('CONCLUIDA');
    expect((await client.automatic('GET', `/rec/${idRec}`)).body?.ativacao).toMatchObject({ tipoJornada: 'JORNADA_3' });
  });

  test('ends once, by whoever ends it', async () => {
    const [mine, theirs, refused] = [await approved(), await approved(), await newRec()];
    const ended = await client.automatic('PATCH', `/rec/${mine}`, { status: 'CANCELADA' });
    expect(ended.body).toMatchObject({
      status: 'CANCELADA',
      encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR' } },
    });
    expect((await client.automatic('PATCH', `/rec/${mine}`, { status: 'CANCELADA' })).status).toBe(400);
    psp.cancelRec(merchant, theirs, 'USUARIO_PAGADOR');
    psp.rejectRec(merchant, refused);
    const read = async (idRec: string) => (await client.automatic('GET', `/rec/${idRec}`)).body;
    expect((await read(theirs))?.encerramento).toMatchObject({ cancelamento: { solicitante: 'USUARIO_PAGADOR' } });
    expect(await read(refused)).toMatchObject({ status: 'REJEITADA', encerramento: { rejeicao: { codigo: 'AP13' } } });
    expect((await client.automatic('GET', '/rec/RR123')).status).toBe(404);
  });
});

describe('a debit', () => {
  test.each([
    ['2027-01-22', 9, 201],
    ['2027-01-21', 12, 400],
    ['2027-01-30', 23, 201],
    ['2027-01-31', 0, 400],
  ] as const)('is instructed 10 to 2 days ahead: on %s at %d it is %d', async (day, hour, status) => {
    at('2027-01-20', 12);
    const idRec = await approved();
    at(day, hour);
    expect((await client.automatic('PUT', `/cobr/${newTxid()}`, charge(idRec))).status).toBe(status);
  });

  test('is instructed once a cycle, of what is approved', async () => {
    at('2027-01-25', 12);
    const idRec = await approved();
    await instructed(idRec);
    const other = charge(idRec, { calendario: { dataDeVencimento: '2027-02-03' } });
    expect(refusal(await client.automatic('PUT', `/cobr/${newTxid()}`, other))).toEqual([400, 'CobROperacaoInvalida']);
    const unknown = charge(await newRec());
    expect((await client.automatic('PUT', `/cobr/${newTxid()}`, unknown)).status).toBe(400);
  });

  test('is paid in the morning of its day', async () => {
    at('2027-01-25', 12);
    const txid = await instructed(await approved());
    expect(await cobr(txid)).toMatchObject({ status: 'ATIVA', tentativas: [{ status: 'AGENDADA', tipo: 'AGND' }] });
    at('2027-02-01', 5);
    expect((await cobr(txid))?.status).toBe('ATIVA');
    at('2027-02-01', 6);
    const { status, pix } = (await cobr(txid)) ?? {};
    expect([status, pix]).toMatchObject(['CONCLUIDA', [{ txid, valor: '99.90' }]]);
  });

  test('is taken back until 22:00 of the day before', async () => {
    at('2027-01-25', 12);
    const [first, second] = [await instructed(await approved()), await instructed(await approved())];
    at('2027-01-31', 21);
    expect((await client.automatic('PATCH', `/cobr/${first}`, { status: 'CANCELADA' })).body).toMatchObject({
      status: 'CANCELADA',
      tentativas: [{ status: 'CANCELADA' }],
    });
    at('2027-01-31', 22);
    expect(refusal(await client.automatic('PATCH', `/cobr/${second}`, { status: 'CANCELADA' }))).toEqual([
      400,
      'CobROperacaoInvalida',
    ]);
  });

  test('is tried on three more days, each asked for by 22:00 of the day before, and expires', async () => {
    at('2027-01-25', 12);
    const txid = await instructed(await approved());
    const retry = (day: string) => client.automatic('POST', `/cobr/${txid}/retentativa/${day}`);
    expect((await retry('2027-02-02')).status).toBe(400);
    for (const [day, next] of [
      ['2027-02-01', '2027-02-02'],
      ['2027-02-02', '2027-02-04'],
      ['2027-02-04', '2027-02-08'],
    ] as const) {
      psp.decideDebit(merchant, txid, { code: 'AM02' });
      at(day, 20);
      expect(await lastTry(txid)).toMatchObject({ dataLiquidacao: day, status: 'AGENDADA' });
      at(day, 21);
      expect(await lastTry(txid)).toMatchObject({ status: 'REJEITADA', rejeicao: { codigo: 'AM02' } });
      expect((await retry(day)).status).toBe(400);
      expect((await retry(next)).status).toBe(201);
    }
    psp.decideDebit(merchant, txid, { code: 'AM02' });
    at('2027-02-08', 21);
    expect((await retry('2027-02-09')).status).toBe(400);
    expect(await cobr(txid)).toMatchObject({
      status: 'EXPIRADA',
      tentativas: ['AGND', 'NTAG', 'NTAG', 'NTAG'].map((tipo) => ({ tipo, status: 'REJEITADA' })),
    });
  });

  test('ends whole by a code that says so, when it is scheduled or tried', async () => {
    at('2027-01-25', 12);
    psp.setDebits(merchant, { schedules: { code: 'RC09' } });
    const refused = await instructed(await approved());
    psp.setDebits(merchant, {});
    expect(await cobr(refused)).toMatchObject({
      status: 'REJEITADA',
      encerramento: { rejeicao: { codigo: 'RC09' } },
      tentativas: [{ status: 'REJEITADA', rejeicao: { codigo: 'RC09' } }],
    });
    const tried = await instructed(await approved());
    psp.decideDebit(merchant, tried, { code: 'AC05' });
    at('2027-02-01', 21);
    expect((await cobr(tried))?.status).toBe('REJEITADA');
  });
});

test('answers keep to the document', async () => {
  at('2027-01-25', 12);
  const document = await openDocument();
  const { automatic } = client;
  const call = automatic.bind(client);
  const held: [Operation, Answered][] = [['postLocRec', await call('POST', '/locrec', { tipo: 'rec' })]];
  const id = held[0]?.[1].body?.id;
  held.push(['getLocRec', await call('GET', `/locrec/${id}`)]);
  held.push(['postRec', await call('POST', '/rec', terms({ loc: id }))]);
  const idRec = String(held.at(-1)?.[1].body?.idRec);
  held.push(['getRec', await call('GET', `/rec/${idRec}`)], ['patchRec', await call('PATCH', `/rec/${idRec}`, {})]);
  psp.approve(merchant, idRec);
  const txid = newTxid();
  held.push(['getRec', await call('GET', `/rec/${idRec}`)]);
  held.push(['putCobR', await call('PUT', `/cobr/${txid}`, charge(idRec))]);
  psp.decideDebit(merchant, txid, { code: 'AM02' });
  at('2027-02-01', 21);
  held.push(['retryCobR', await call('POST', `/cobr/${txid}/retentativa/2027-02-02`)]);
  at('2027-02-02', 6);
  held.push(['getCobR', await call('GET', `/cobr/${txid}`)]);
  const period = { inicio: '2020-01-01T00:00:00Z', fim: '2030-01-01T00:00:00Z' };
  held.push(['listRecs', await call('GET', '/rec', undefined, period)]);
  held.push(['listCobRs', await call('GET', '/cobr', undefined, period)]);
  await call('PUT', '/webhookrec', { webhookUrl: 'https://loja.example.com/pix-calls' });
  held.push(['getWebhookRec', await call('GET', '/webhookrec')]);
  held.push(['getWebhookCobR', await call('GET', '/webhookcobr')]);
  await call('DELETE', '/webhookrec');
  expect(
    held.map(([operation, { status, body }]) => [operation, status, document.promises(operation, status, body)]),
  ).toEqual(held.map(([operation, { status }]) => [operation, status, true]));
});
