import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openDocument, openDocumentWith, type PixDocument } from '../../dev/fake-psp/document.ts';
import { corrections } from '../../dev/fake-psp/patch.ts';

const published = parse(readFileSync('dev/fake-psp/pix-api-2.9.0.yaml', 'utf8'));

const NAMES: Readonly<Record<string, string>> = {
  txid: '7978c0c97ea847e78e8849634473c1f1',
  e2eid: 'E12345678202009091221kkkkkkkkkkk',
  id: '123456',
  chave: '71cdf9ba-c695-4e3c-b010-abb521a3f1be',
  idRec: 'RR1234567820240115abcdefghijk',
  data: '2024-04-18',
};

const example = (name: string): object => published.components.examples[name].value;

const accepts = (document: PixDocument, method: string, path: string, body: object): boolean => {
  const headers = { 'content-type': 'application/json' };
  const query = new URLSearchParams();
  return document.read({ method, path, headers, query, body: JSON.stringify(body) }).violations.length === 0;
};

const cob = (change: object = {}) => ({
  calendario: { expiracao: 3600 },
  valor: { original: '40.00' },
  chave: NAMES.chave,
  ...change,
});

const COB = `/cob/${NAMES.txid}`;
const REC = `/rec/${NAMES.idRec}`;
const AT = '2024-04-01T10:00:00.000Z';

/** A recurrence that no payer has seen. */
const REC_MADE = {
  ...{ idRec: NAMES.idRec, status: 'CRIADA', politicaRetentativa: 'PERMITE_3R_7D' },
  vinculo: { contrato: '998782003', devedor: { cpf: '02989131415', nome: 'Beltrano da Silva' } },
  calendario: { dataInicial: '2024-10-10', periodicidade: 'ANUAL' },
  recebedor: { cnpj: '58966551101210', nome: 'Loja' },
  atualizacao: [{ status: 'CRIADA', data: AT }],
};

const COBR_PAID = {
  ...{ idRec: NAMES.idRec, txid: NAMES.txid, status: 'CONCLUIDA', politicaRetentativa: 'PERMITE_3R_7D' },
  ...{ ajusteDiaUtil: false, valor: { original: '50.33' } },
  calendario: { criacao: '2024-05-20', dataDeVencimento: '2024-06-20' },
  recebedor: { conta: '997182', tipoConta: 'CORRENTE' },
  atualizacao: [{ status: 'CONCLUIDA', data: AT }],
  pix: [{ endToEndId: NAMES.e2eid, txid: NAMES.txid, valor: '50.33', horario: AT }],
};

const takes = (body: object) => (document: PixDocument) => accepts(document, 'put', COB, body);
const revises = (body: object) => (document: PixDocument) => accepts(document, 'patch', COB, body);

/** What each correction is for: right with all of them, wrong without it. */
const proofs: Readonly<Record<string, (document: PixDocument) => boolean>> = {
  'patterns between slashes': revises({ devedor: { cpf: '12345678909', nome: 'Francisco da Silva' } }),
  'txid of a payment': (document) =>
    document.promises('getPix', 200, { ...example('pixResponse1'), txid: 'LOJA1' }) &&
    !document.promises('getPix', 200, { ...example('pixResponse1'), txid: '' }),
  'patterns without ends': (document) =>
    !accepts(document, 'put', `/cob/${'a'.repeat(40)}`, cob()) &&
    !accepts(document, 'put', COB, cob({ valor: { original: '40.000' } })),
  'calendar of a cob': takes({ valor: { original: '37.00' }, chave: NAMES.chave }),
  'location without a scheme': (document) => document.promises('putCob', 201, example('cobResponse1')),
  'location of an answer': (document) => document.promises('getCob', 200, example('cobResponse2')),
  'location of a request': revises(example('cobBody3')),
  'cash back or withdrawal': takes(example('cobBody9')),
  'list of payments': (document) => {
    const { parametros } = published.components.examples.getPix1.value;
    return document.promises('listPix', 200, { parametros, pix: [example('pixResponse1')] });
  },
  'list of cobs': (document) => {
    const { parametros } = published.components.examples.getCobs1.value;
    return document.promises('listCobs', 200, { parametros, cobs: [example('cobResponse1')] });
  },
  'webhook of a person': (document) => document.promises('getWebhook', 200, example('webhookResponse1')),
  'number of details': (document) => {
    const details = (count: number) => ({ infoAdicionais: Array(count).fill({ nome: 'Campo', valor: 'valor' }) });
    return takes(cob(details(50)))(document) && !takes(cob(details(51)))(document);
  },
  'id of a recurrence': (document) => accepts(document, 'post', '/rec', example('recBody2')),
  'debtor of a revision': (document) => accepts(document, 'patch', REC, example('recBody3')),
  'postal code with a hyphen': (document) => accepts(document, 'put', `/cobr/${NAMES.txid}`, example('cobRBody1')),
  'kind of a location': (document) => document.promises('postLocRec', 201, example('payloadLocationRecResponse2')),
  'bank of a payer': (document) => document.promises('getRec', 200, REC_MADE),
  'amount of a debit': (document) => document.promises('getCobR', 200, COBR_PAID),
  'end of a recurrence': (document) =>
    document.promises('getRec', 200, { ...REC_MADE, encerramento: { rejeicao: { codigo: 'AP13', descricao: 'não' } } }),
  'names of operations': (document) => document.match('put', COB)?.operation === 'putCob',
};

describe('each correction of the document is needed', () => {
  test('and has its proof', () => {
    expect(Object.keys(proofs).sort()).toEqual(corrections.map(({ name }) => name).sort());
  });

  test.each(corrections.map(({ name }) => name))('%s', async (name) => {
    const proof = proofs[name];
    const without = await openDocumentWith(corrections.filter((each) => each.name !== name));
    // Without a name of an operation nothing can be read at all, which is an error and no answer.
    const before = attempt(() => proof?.(without));
    expect([before, proof?.(await openDocument())]).toEqual([false, true]);
  });
});

function attempt(proof: () => boolean | undefined): boolean | undefined {
  try {
    return proof();
  } catch {
    return false;
  }
}

describe('the corrected document', () => {
  let document: PixDocument;

  beforeAll(async () => {
    document = await openDocument();
  });

  /** Every example of a request that the kept operations have. */
  const requests: [name: string, method: string, path: string][] = Object.entries<object>(published.paths).flatMap(
    ([path, item]) =>
      Object.entries(item).flatMap(([method, operation]): [string, string, string][] => {
        const ref: string | undefined = operation.requestBody?.$ref;
        if (ref === undefined) return [];
        const { examples } =
          published.components.requestBodies[ref.split('/').at(-1) ?? ''].content['application/json'];
        return Object.values<{ $ref: string }>(examples).map(({ $ref }) => [
          $ref.split('/').at(-1) ?? '',
          method,
          path,
        ]);
      }),
  );

  test('has examples of requests', () => {
    expect(requests.length).toBeGreaterThan(10);
  });

  test.each(requests)('takes %s to %s %s', (name, method, path) => {
    const named = path.replaceAll(/\{(\w+)\}/g, (_, each) => NAMES[each] ?? '');
    expect(accepts(document, method, named, example(name))).toBe(true);
  });

  test('knows the scope of every operation, and nothing else', () => {
    const scopes = ['put', 'patch', 'get'].map((method) => document.match(method, COB)?.scope);
    expect(scopes).toEqual(['cob.write', 'cob.write', 'cob.read']);
    expect(document.match('delete', COB)).toBeNull();
    expect(document.match('get', REC)?.scope).toBe('rec.read');
    expect(document.match('get', '/solicrec')).toBeNull();
  });
});
