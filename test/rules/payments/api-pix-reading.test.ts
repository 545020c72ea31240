import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readCob,
  readNotice,
  readPixPage,
  readProblem,
  readReturnStatus,
  readToken,
} from '../../../server/payments/acquirer/api-pix/reading.ts';
import { Refusals } from '../../../server/payments/acquirer/api-pix/returns.ts';
import { hostileJson } from '../../support/hostile-values.ts';

const TXID = '01m8230820f3x8e9qjhy3ds2q8';
const E2E = 'E12345678202611221200abcdefghijk';
const pix = (more: object = {}) => ({
  endToEndId: E2E,
  txid: TXID,
  valor: '40.00',
  horario: '2026-11-22T12:00:00.000Z',
  ...more,
});
const cob = (more: object = {}) => ({ txid: TXID, status: 'ATIVA', valor: { original: '40.00' }, ...more });

describe('a charge', () => {
  test.each([
    ['40.00', 4_000],
    ['40.0', 4_000],
    ['40', 4_000],
    [40, 4_000],
    ['40,00', 4_000],
    ['0.01', 1],
  ])('of %j is read in cents', (original, amount) => {
    expect(readCob(cob({ valor: { original } }), TXID)).toMatchObject({ amount });
  });

  test.each(['1e3', '40.001', '-40.00', '0.00', '', '99999999999.00', null, {}, '40.00 BRL'])(
    'of %j is none',
    (original) => {
      expect(readCob(cob({ valor: { original } }), TXID)).toBeNull();
    },
  );

  test('is read whatever name its text has, in capitals, and with nulls around it', () => {
    for (const name of ['pixCopiaECola', 'brcode', 'textoImagemQRcode'])
      expect(readCob(cob({ [name]: '000201', pix: null, loc: null }), TXID)).toMatchObject({
        copyPaste: '000201',
        payments: [],
      });
    expect(readCob(cob({ txid: TXID.toUpperCase() }), TXID)).toMatchObject({ txid: TXID });
    expect(readCob(cob({ txid: 'another' }), TXID)).toBeNull();
    for (const answer of [null, 'text', [], {}, cob({ status: undefined })]) expect(readCob(answer, TXID)).toBeNull();
  });

  test('with a payment that cannot be read is not read at all: money is never passed over', () => {
    for (const broken of [pix({ valor: 'x' }), pix({ horario: null }), pix({ endToEndId: null }), 'text'])
      expect(readCob(cob({ pix: [pix(), broken] }), TXID)).toBeNull();
  });

  test('shows each return once, by the id that it was asked by, and passes over what is none', () => {
    const reference = '01m8230820f3x8e9qjhy3ds2q9';
    const devolucoes = [
      { id: reference.toUpperCase(), valor: '1.00', status: 'DEVOLVIDO' },
      { id: reference, valor: '1.00', status: 'DEVOLVIDO' },
      { id: 'D1', valor: '2.00', status: 'NOVA_PALAVRA', natureza: 'MED_FRAUDE' },
      { id: null, valor: '2.00', status: 'DEVOLVIDO' },
      { id: 'D2', valor: '0.00', status: 'DEVOLVIDO' },
    ];
    expect(readCob(cob({ status: 'CONCLUIDA', pix: [pix({ devolucoes })] }), TXID)?.payments[0]?.returns).toEqual([
      { id: reference, amount: 100, nature: 'requested', status: 'completed' },
      { id: 'D1', amount: 200, nature: 'fraud', status: 'processing' },
    ]);
  });

  test('paid without an offset in its instant was paid in Brasília', () => {
    const read = (horario: string) => readCob(cob({ pix: [pix({ horario })] }), TXID)?.payments[0]?.paidAt;
    expect(read('2026-11-22T09:00:00')).toBe(read('2026-11-22T12:00:00Z'));
  });
});

test('a page of payments names a charge whose payment cannot be read, and says when nobody knows whether it is the last', () => {
  const entries = [pix(), pix({ valor: null }), pix({ txid: null }), { nothing: true }];
  expect(readPixPage({ pix: entries })).toMatchObject({
    entries: 4,
    pages: null,
    payments: [
      { txid: TXID, endToEndId: E2E },
      { txid: TXID, endToEndId: '' },
    ],
  });
  expect(readPixPage({ pix: [], parametros: { paginacao: { quantidadeDePaginas: '3' } } })).toMatchObject({ pages: 3 });
  for (const answer of [null, [], { pix: 'x' }]) expect(readPixPage(answer)).toBeNull();
});

test('a callback names its charges in any form', () => {
  for (const notice of [{ pix: [pix(), pix()] }, [pix()], pix(), { pix: [{ txid: TXID.toUpperCase() }] }])
    expect(readNotice(notice)).toEqual([TXID]);
  for (const notice of [{}, { evento: 'teste_webhook' }, { pix: [] }]) expect(readNotice(notice)).toEqual([]);
  for (const notice of [null, 'text', 7]) expect(readNotice(notice)).toBeNull();
});

test('a return that is made without an instant was made by now', () => {
  expect(readReturnStatus({ id: 'x', valor: '1.00', status: 'DEVOLVIDO' }, 5)).toEqual({ status: 'completed', at: 5 });
  expect(readReturnStatus({ id: 'x', valor: '1.00', status: 'NAO_REALIZADO' }, 5)).toEqual({ status: 'refused' });
  expect(readReturnStatus({ id: 'x' }, 5)).toBeNull();
});

test('a refused return is believed a minute after its first refusal', () => {
  const refusals = new Refusals();
  expect([refusals.isBelieved('r', 0), refusals.isBelieved('r', 59), refusals.isBelieved('r', 60)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(refusals.isBelieved('other', 60)).toBe(false);
});

describe('nothing that JSON can say makes the reader throw:', () => {
  const inside = (wrap: (value: unknown) => unknown) => fc.oneof(hostileJson, hostileJson.map(wrap));
  test.each<[string, (value: unknown) => unknown, (value: unknown) => unknown]>([
    ['a charge', (endToEndId) => cob({ pix: [pix({ endToEndId })] }), (answer) => readCob(answer, TXID)],
    ['the text of a charge', (brcode) => cob({ brcode }), (answer) => readCob(answer, TXID)],
    ['a return', (valor) => ({ id: TXID, valor, status: 'DEVOLVIDO' }), (answer) => readReturnStatus(answer, 0)],
    ['a page of payments', (txid) => ({ pix: [pix({ txid })] }), readPixPage],
    ['a callback', (txid) => ({ pix: [{ txid }] }), readNotice],
    ['a token', (access_token) => ({ access_token }), readToken],
    ['the life of a token', (expires_in) => ({ access_token: 'token', expires_in }), readToken],
    ['a problem', (title) => ({ title, violacoes: [{ razao: title }] }), readProblem],
  ])('%s', (_, wrap, read) => {
    fc.assert(
      fc.property(inside(wrap), (answer) => void read(answer)),
      { numRuns: 300 },
    );
  });
});
