import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDocument, type PixDocument } from '../../dev/fake-psp/document.ts';
import { type FakePsp, type MerchantCredentials, type Operation, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { type Answered, BareClient, newTxid } from './bare-client.ts';

let psp: FakePsp;
let merchant: MerchantCredentials;
let client: BareClient;
let document: PixDocument;
/** Unix milliseconds; moved by the tests. */
let now = Date.UTC(2027, 0, 31, 12, 0, 0, 123);

beforeAll(async () => {
  psp = await startFakePsp({ clock: () => now, seed: 7 });
  merchant = await psp.newMerchant();
  client = new BareClient(psp, merchant);
  document = await openDocument();
});

afterAll(async () => {
  await client.close();
  await psp.close();
});

async function openCob(change: object = {}): Promise<string> {
  const txid = newTxid();
  expect((await client.cob('PUT', txid, client.newCob(change))).status).toBe(201);
  return txid;
}

/** Time passes, and the token with it. */
const passed = (milliseconds: number) => {
  now += milliseconds;
  client.useToken(null);
};

/** What a refusal names, and that it is one of the document. */
function refusal({ status, type, body }: Answered): unknown[] {
  expect(type).toBe('application/problem+json');
  expect(body?.status).toBe(status);
  return [status, String(body?.type).split('/').at(-1)];
}

const HOUR_MS = 3_600_000;

describe('a cob', () => {
  test('is made with a BR code, and read again', async () => {
    const txid = newTxid();
    const { status, body } = await client.cob('PUT', txid, client.newCob({ solicitacaoPagador: 'Plano Ouro' }));
    expect(status).toBe(201);
    expect(body).toEqual({
      calendario: { criacao: new Date(now).toISOString(), expiracao: 3600 },
      txid,
      revisao: 0,
      loc: { id: expect.any(Number), location: body?.location, tipoCob: 'cob', criacao: new Date(now).toISOString() },
      location: expect.stringMatching(/^pix\.example\.com\/qr\/v2\/[0-9a-f]{32}$/),
      status: 'ATIVA',
      valor: { original: '40.00' },
      chave: merchant.pixKey,
      solicitacaoPagador: 'Plano Ouro',
      pixCopiaECola: expect.stringMatching(/^000201.*6304[0-9A-F]{4}$/),
    });
    expect((await client.cob('GET', txid)).body).toEqual(body);
  });

  test('gets its txid from the PSP where the merchant names none', async () => {
    const { status, body } = await client.call('POST', '/api/v2/cob', client.newCob());
    expect([status, body?.status]).toEqual([201, 'ATIVA']);
    expect((await client.cob('GET', String(body?.txid))).body).toEqual(body);
  });

  test('is revised by a repeat and by a PATCH, and keeps its revisions', async () => {
    const txid = await openCob({ solicitacaoPagador: 'Plano Ouro' });
    const repeat = await client.cob('PUT', txid, client.newCob({ valor: { original: '41.00' } }));
    expect([repeat.status, repeat.body?.revisao]).toEqual([201, 1]);
    expect(repeat.body).not.toHaveProperty('solicitacaoPagador');
    const patch = await client.cob('PATCH', txid, { calendario: { expiracao: 60 }, solicitacaoPagador: 'Plano' });
    expect([patch.status, patch.body?.revisao]).toEqual([200, 2]);
    const { body: newest } = await client.cob('GET', txid);
    expect(newest).toMatchObject({ revisao: 2, valor: { original: '41.00' }, calendario: { expiracao: 60 } });
    const { body: oldest } = await client.cob('GET', txid, undefined, { revisao: '0' });
    expect(oldest).toMatchObject({ revisao: 0, valor: { original: '40.00' }, solicitacaoPagador: 'Plano Ouro' });
    expect(refusal(await client.cob('GET', txid, undefined, { revisao: '3' }))).toEqual([400, 'CobConsultaInvalida']);
  });

  test('is removed, by the merchant or by the PSP, and then changes no more', async () => {
    const removed = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
    const [own, other] = [await openCob(), await openCob()];
    expect((await client.cob('PATCH', own, { status: removed })).body).toMatchObject({ status: removed });
    psp.removeCob(merchant, other);
    expect((await client.cob('GET', other)).body).toMatchObject({ status: 'REMOVIDA_PELO_PSP' });
    for (const txid of [own, other]) {
      expect(refusal(await client.cob('PATCH', txid, { status: removed }))).toEqual([400, 'CobOperacaoInvalida']);
      expect(refusal(await client.cob('PUT', txid, client.newCob()))).toEqual([400, 'CobOperacaoInvalida']);
      expect(() => psp.pay(merchant, txid)).toThrow('only a late payer');
    }
  });

  test('stays ATIVA when its time is over, and is then paid by none but a late payer', async () => {
    const txid = await openCob();
    passed(HOUR_MS);
    expect((await client.cob('GET', txid)).body).toMatchObject({ status: 'ATIVA' });
    expect(() => psp.pay(merchant, txid)).toThrow('expired');
    const id = psp.pay(merchant, txid, { late: true });
    expect((await client.cob('GET', txid)).body).toMatchObject({ status: 'CONCLUIDA', pix: [{ endToEndId: id }] });
  });

  test('that was removed stays removed when a late payer pays it', async () => {
    const txid = await openCob();
    psp.removeCob(merchant, txid);
    const id = psp.pay(merchant, txid, { late: true });
    expect((await client.cob('GET', txid)).body).toMatchObject({
      status: 'REMOVIDA_PELO_PSP',
      pix: [{ endToEndId: id }],
    });
  });

  test.each([
    ['an amount of another form', { valor: { original: '40' } }, 'valor.original'],
    ['no amount', { valor: { original: '0.00' } }, 'cob.valor.original'],
    ['a key of somebody else', { chave: 'loja@example.com' }, 'cob.chave'],
    ['no time', { calendario: { expiracao: 0 } }, 'cob.calendario.expiracao'],
    ['a location that nobody made', { loc: { id: 9_999 } }, 'cob.loc.id'],
    ['a CPF of ten digits', { devedor: { cpf: '1234567890', nome: 'Maria' } }, 'devedor.cpf'],
  ])('with %s is refused', async (_, change, field) => {
    const txid = newTxid();
    const answer = await client.cob('PUT', txid, client.newCob(change));
    expect(refusal(answer)).toEqual([400, 'CobOperacaoInvalida']);
    expect(JSON.stringify(answer.body?.violacoes)).toContain(`"propriedade":"${field}"`);
    expect(refusal(await client.cob('GET', txid))).toEqual([404, 'CobNaoEncontrado']);
  });

  test('is not changed while it is removed', async () => {
    const txid = await openCob();
    const both = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', valor: { original: '50.00' } };
    expect(refusal(await client.cob('PATCH', txid, both))).toEqual([400, 'CobOperacaoInvalida']);
    expect((await client.cob('GET', txid)).body).toMatchObject({ status: 'ATIVA', revisao: 0 });
  });

  test('with a txid that is too short or too long is refused', async () => {
    for (const length of [25, 36]) {
      const answer = await client.cob('PUT', 'a'.repeat(length), client.newCob());
      expect(refusal(answer)).toEqual([400, 'CobOperacaoInvalida']);
    }
  });
});

describe('a payment', () => {
  test('has an id of its minute, and is found by it and by its cob', async () => {
    const txid = await openCob();
    const id = psp.pay(merchant, txid, { amount: 4001 });
    expect(id).toMatch(/^E\d{8}202701311[3-9]\d\d[0-9A-Za-z]{11}$/);
    const pix = { endToEndId: id, txid, valor: '40.01', chave: merchant.pixKey, horario: new Date(now).toISOString() };
    expect((await client.pix('GET', `/${id}`)).body).toEqual(pix);
    expect((await client.cob('GET', txid)).body).toMatchObject({ status: 'CONCLUIDA', pix: [pix] });
    expect(refusal(await client.pix('GET', `/E${'0'.repeat(31)}`))).toEqual([404, 'PixNaoEncontrado']);
  });

  test('is listed by its time, with and without a txid, page by page', async () => {
    passed(24 * HOUR_MS);
    const inicio = new Date(now).toISOString();
    const paid = [psp.pay(merchant, await openCob()), psp.payKey(merchant, 100), psp.pay(merchant, await openCob())];
    psp.bankReturn(merchant, paid[2] ?? '', { amount: 100, nature: 'MED_FRAUDE' });
    const fim = new Date(now).toISOString();
    passed(1);
    psp.payKey(merchant, 200);
    const listed = async (query: Record<string, string>) => {
      const { body } = await client.pix('GET', '', undefined, { inicio, fim, ...query });
      const pix = Object.values(body?.pix ?? {}).map((each) => each?.endToEndId);
      return [pix, body?.parametros?.paginacao?.quantidadeTotalDeItens];
    };
    expect(await listed({})).toEqual([paid, 3]);
    expect(await listed({ txIdPresente: 'true' })).toEqual([[paid[0], paid[2]], 2]);
    expect(await listed({ txIdPresente: 'false' })).toEqual([[paid[1]], 1]);
    expect(await listed({ devolucaoPresente: 'true' })).toEqual([[paid[2]], 1]);
    const page = { 'paginacao.itensPorPagina': '2', 'paginacao.paginaAtual': '1' };
    expect(await listed(page)).toEqual([[paid[2]], 3]);
    const backwards = await client.pix('GET', '', undefined, { inicio: fim, fim: '2020-01-01T00:00:00Z' });
    expect(refusal(backwards)).toEqual([400, 'PixConsultaInvalida']);
    const cobs = await client.cobs({ inicio, fim, status: 'CONCLUIDA' });
    expect(Object.keys(cobs.body?.cobs ?? {})).toHaveLength(2);
  });
});

describe('a devolução', () => {
  const request = (payment: string, id: string, valor: string) =>
    client.pix('PUT', `/${payment}/devolucao/${id}`, { valor });

  test('is under processing until it is settled, and a repeat is answered with the same', async () => {
    const payment = psp.pay(merchant, await openCob());
    psp.setReturns(merchant, { afterMs: null, status: 'DEVOLVIDO' });
    const first = await request(payment, 'D1', '30.00');
    expect([first.status, first.body?.status]).toEqual([201, 'EM_PROCESSAMENTO']);
    expect(first.body?.rtrId).toMatch(/^D12345678\d{12}[0-9A-Za-z]{11}$/);
    expect((await request(payment, 'D1', '30.00')).body).toEqual(first.body);
    expect(refusal(await request(payment, 'D1', '10.00'))).toEqual([400, 'PixDevolucaoInvalida']);
    expect(psp.settleReturns(merchant)).toBe(1);
    expect((await client.pix('GET', `/${payment}/devolucao/D1`)).body).toMatchObject({
      status: 'DEVOLVIDO',
      natureza: 'ORIGINAL',
      horario: { liquidacao: new Date(now).toISOString() },
    });
  });

  test('of more than came in is refused and then unknown; one that failed makes room', async () => {
    const payment = psp.pay(merchant, await openCob());
    psp.setReturns(merchant, { afterMs: null, status: 'DEVOLVIDO' });
    expect((await request(payment, 'D1', '30.00')).status).toBe(201);
    expect(refusal(await request(payment, 'D2', '10.01'))).toEqual([400, 'PixDevolucaoInvalida']);
    const unknown = await client.pix('GET', `/${payment}/devolucao/D2`);
    expect(refusal(unknown)).toEqual([404, 'PixDevolucaoNaoEncontrada']);
    psp.settleReturns(merchant, 'NAO_REALIZADO', { endToEndId: payment, id: 'D1' });
    expect((await client.pix('GET', `/${payment}/devolucao/D1`)).body?.status).toBe('NAO_REALIZADO');
    expect((await request(payment, 'D2', '40.00')).status).toBe(201);
    psp.settleReturns(merchant);
  });

  test('is settled by itself where nobody said otherwise', async () => {
    const other = await psp.newMerchant();
    const otherClient = new BareClient(psp, other);
    const txid = newTxid();
    await otherClient.cob('PUT', txid, otherClient.newCob());
    const payment = psp.pay(other, txid);
    const asked = await otherClient.pix('PUT', `/${payment}/devolucao/D1`, { valor: '40.00' });
    expect(asked.body?.status).toBe('EM_PROCESSAMENTO');
    await expect
      .poll(async () => (await otherClient.pix('GET', `/${payment}/devolucao/D1`)).body?.status)
      .toBe('DEVOLVIDO');
    await otherClient.close();
  });

  test('of the bank bears an id of the bank, and counts', async () => {
    const payment = psp.pay(merchant, await openCob());
    const { id, returnIdentification } = psp.bankReturn(merchant, payment, { amount: 3000, nature: 'MED_FRAUDE' });
    expect((await client.pix('GET', `/${payment}`)).body?.devolucoes).toMatchObject([
      { id, rtrId: returnIdentification, valor: '30.00', natureza: 'MED_FRAUDE', status: 'DEVOLVIDO' },
    ]);
    expect(refusal(await request(payment, 'D1', '10.01'))).toEqual([400, 'PixDevolucaoInvalida']);
    expect((await request(payment, 'D1', '10.00')).status).toBe(201);
    psp.settleReturns(merchant);
  });
});

test('answers keep to the document', async () => {
  const txid = newTxid();
  const held: [Operation, Answered][] = [['putCob', await client.cob('PUT', txid, client.newCob())]];
  held.push(['patchCob', await client.cob('PATCH', txid, { solicitacaoPagador: 'Plano' })]);
  const payment = psp.pay(merchant, txid);
  psp.bankReturn(merchant, payment, { amount: 100, nature: 'MED_OPERACIONAL' });
  psp.setReturns(merchant, { afterMs: null, status: 'DEVOLVIDO' });
  held.push(['putReturn', await client.pix('PUT', `/${payment}/devolucao/D1`, { valor: '1.00' })]);
  psp.settleReturns(merchant, 'NAO_REALIZADO');
  held.push(['getReturn', await client.pix('GET', `/${payment}/devolucao/D1`)]);
  held.push(['getPix', await client.pix('GET', `/${payment}`)], ['getCob', await client.cob('GET', txid)]);
  const period = { inicio: '2020-01-01T00:00:00Z', fim: '2030-01-01T00:00:00Z' };
  held.push(['listPix', await client.pix('GET', '', undefined, period)], ['listCobs', await client.cobs(period)]);
  await client.webhook('PUT', { webhookUrl: 'https://loja.example.com/pix-calls' });
  held.push(['getWebhook', await client.webhook('GET')]);
  held.push(['getCob', await client.cob('GET', newTxid())], ['putCob', await client.cob('PUT', txid, {})]);
  await client.webhook('DELETE');
  expect(
    held.map(([operation, { status, body }]) => [operation, status, document.promises(operation, status, body)]),
  ).toEqual(held.map(([operation, { status }]) => [operation, status, true]));
  expect(held.map(([, { status }]) => status)).toEqual([201, 200, 201, 200, 200, 200, 200, 200, 200, 404, 400]);
});
