import { operationPlaces } from './troubles.ts';

/** A part of an OpenAPI document, as YAML gives it. */
export type Node = { [name: string]: unknown };

/** One fault of the central bank's document and how it is mended. */
export interface Correction {
  readonly name: string;
  readonly why: string;
  mend(document: Node): void;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object below one, itself included. */
function* nodesBelow(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* nodesBelow(each);
  if (!isNode(value)) return;
  yield value;
  for (const each of Object.values(value)) yield* nodesBelow(each);
}

/** The object at a path; a document without it is not the one that was corrected here. */
function at(document: Node, ...path: readonly string[]): Node {
  let found: unknown = document;
  for (const name of path) found = isNode(found) || Array.isArray(found) ? Reflect.get(found, name) : undefined;
  if (isNode(found)) return found;
  throw new Error(`the document has no ${path.join(' / ')}`);
}

const schema = (document: Node, ...path: readonly string[]): Node => at(document, 'components', 'schemas', ...path);

/** Has a schema require a field no more. */
function unrequire(node: Node, name: string): void {
  if (Array.isArray(node.required)) node.required = node.required.filter((each) => each !== name);
}

export const corrections: readonly Correction[] = [
  {
    name: 'patterns between slashes',
    why: 'A pattern is written /^\\d{11}$/, as JavaScript writes it: JSON Schema reads the slashes, so every CPF fails.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        const { pattern } = node;
        if (typeof pattern === 'string') node.pattern = pattern.replace(/^\/(.*)\/$/, '$1');
      }
    },
  },
  {
    name: 'txid of a payment',
    why: 'A payment may bear a txid of 1 to 35 characters (a static QR code), but is held to the 26 of a cob as well.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        const [first, second] = Array.isArray(node.allOf) ? node.allOf : [];
        if (!isNode(first) || !isNode(second) || first.$ref !== '#/components/schemas/TxId') continue;
        if (typeof second.pattern !== 'string') continue;
        delete node.allOf;
        Object.assign(node, { type: 'string', pattern: second.pattern });
      }
    },
  },
  {
    name: 'patterns without ends',
    why: 'A pattern that is not anchored finds its text anywhere: a txid of 40 characters and an amount of 1.000 pass.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        const { pattern } = node;
        const bare = typeof pattern === 'string' ? pattern.replace(/^\/(.*)\/$/, '$1') : '^';
        if (!bare.startsWith('^')) node.pattern = `^(?:${bare})$`;
      }
    },
  },
  {
    name: 'calendar of a cob',
    why: 'A cob without `calendario` lives for a day, as its description and three examples say, but it is required.',
    mend(document) {
      unrequire(schema(document, 'CobSolicitada'), 'calendario');
    },
  },
  {
    name: 'location without a scheme',
    why: 'A location is written without `https://`, as the BR Code wants it, but its format is that of a URI.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        if (node.title === 'Localização do payload') delete node.format;
      }
    },
  },
  {
    name: 'location of an answer',
    why: 'An answer is to have `loc.txid`, which no location has, and more of `loc` than its examples show.',
    mend(document) {
      for (const node of nodesBelow(document)) if (isNode(node.loc)) delete node.loc.required;
      schema(document, 'PayloadLocation').required = ['id', 'location'];
    },
  },
  {
    name: 'location of a request',
    why: 'A request names a location by its id, as the example does, but `tipoCob` is required, which it cannot have.',
    mend(document) {
      unrequire(schema(document, 'PayloadLocationCob'), 'tipoCob');
    },
  },
  {
    name: 'cash back or withdrawal',
    why: 'Of `saque` and `troco` one is allowed, but neither is required of its half: each example fits both halves.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        const halves = isNode(node.retirada) ? node.retirada.oneOf : null;
        if (!Array.isArray(halves)) continue;
        for (const half of halves) half.required = Object.keys(half.properties);
      }
    },
  },
  {
    name: 'list of payments',
    why: 'A list of payments is to have `cobs`, which is the list of another call.',
    mend(document) {
      schema(document, 'PixConsultados').required = ['parametros', 'pix'];
    },
  },
  {
    name: 'list of cobs',
    why: 'Each cob of a list is to have `idCob`, a field that no schema and no example has.',
    mend(document) {
      for (const node of nodesBelow(schema(document, 'CobsConsultadas'))) unrequire(node, 'idCob');
    },
  },
  {
    name: 'webhook of a person',
    why: 'A webhook is to show the CNPJ of its merchant, who may be a person; the example shows none.',
    mend(document) {
      unrequire(schema(document, 'WebhookCompleto'), 'cnpj');
    },
  },
  {
    name: 'number of details',
    why: 'The number of `infoAdicionais` is bounded by `maximum`, which is for numbers: any number of them passes.',
    mend(document) {
      const details = schema(document, 'CobBase', 'properties', 'infoAdicionais');
      details.maxItems = details.maximum;
      delete details.maximum;
    },
  },
  {
    name: 'id of a recurrence',
    why: 'A recurrence is to be asked for with its id, which its examples leave to the PSP, and with `retentativa`, which nothing has.',
    mend(document) {
      for (const name of ['idRec', 'retentativa']) unrequire(schema(document, 'RecBase'), name);
    },
  },
  {
    name: 'debtor of a revision',
    why: 'A name fits both forms of debtor, of which a revision is to have exactly one.',
    mend(document) {
      for (const node of nodesBelow(schema(document, 'RecRevisada'))) {
        if (!isNode(node.devedor) || !Array.isArray(node.devedor.oneOf)) continue;
        node.devedor.anyOf = node.devedor.oneOf;
        delete node.devedor.oneOf;
      }
    },
  },
  {
    name: 'postal code with a hyphen',
    why: 'A postal code has at most 8 characters, and the example 9, with its hyphen.',
    mend(document) {
      at(schema(document, 'DadosComplementaresPessoa'), 'properties', 'cep').maxLength = 9;
    },
  },
  {
    name: 'kind of a location',
    why: 'The location of a recurrence is to have `tipo`, which none of its examples has.',
    mend(document) {
      unrequire(schema(document, 'PayloadLocationRecGerada'), 'tipo');
    },
  },
  {
    name: 'bank of a payer',
    why: 'A recurrence is to have `ispbParticipante` beside `pagador`, where it stands within it, and none before it is approved.',
    mend(document) {
      unrequire(schema(document, 'DadosPagadorRec'), 'ispbParticipante');
    },
  },
  {
    name: 'amount of a debit',
    why: 'The amount of a debit is to be a text and an object at once.',
    mend(document) {
      delete at(schema(document, 'PixAutomatico'), 'properties', 'valor').anyOf;
    },
  },
  {
    name: 'end of a recurrence',
    why: 'Of `rejeicao` and `cancelamento` one is told, but neither is required of its half: each fits both halves.',
    mend(document) {
      for (const node of nodesBelow(document)) {
        const halves = isNode(node.encerramento) ? node.encerramento.oneOf : null;
        if (!Array.isArray(halves)) continue;
        for (const half of halves) half.required = Object.keys(half.properties);
      }
    },
  },
  {
    name: 'names of operations',
    why: 'The document gives its operations no ids, by which a router finds them.',
    mend(document) {
      for (const [id, place] of Object.entries(operationPlaces)) at(document, 'paths', ...place).operationId = id;
    },
  },
];

/** Mends a document in place. */
export function correct(document: Node, applied: readonly Correction[] = corrections): Node {
  for (const correction of applied) correction.mend(document);
  return document;
}
