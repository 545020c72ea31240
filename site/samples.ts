import { exchangesOf, type RecordedExchange, type Story } from '../contract/openapi/examples.ts';
import type { Operation } from './document.ts';

/** Languages that each operation is shown in. */
export const sampleLanguages = ['curl', 'typescript', 'python'] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

export interface SampleRequest {
  readonly operation: Pick<Operation, 'operationId' | 'method' | 'path' | 'parameters'>;
  readonly serverUrl: string;
  readonly exchange: Pick<RecordedExchange, 'id' | 'part' | 'query' | 'body'>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A creation or an action under a key of its own can be sent again. */
const isKeyed = ({ operationId, method }: SampleRequest['operation']): boolean =>
  method === 'POST' && !operationId.startsWith('test');

/** The path that a request goes to. */
export const pathOf = ({ operation, exchange: { id = '', part = '' } }: SampleRequest): string =>
  operation.path.replace(/\{\w+\}/, id).replace(/\{\w+\}/, part);

const indent = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

/** Text between single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What a URL holds only in another form, as blanks, is put into that by curl. */
const dataOption = (value: string): string => (encodeURI(value) === value ? '-d' : '--data-urlencode');

function curl(request: SampleRequest): string {
  const { operation, exchange, serverUrl } = request;
  const { query = {}, body } = exchange;
  const lines = [
    operation.method === 'GET' || operation.method === 'POST' ? 'curl' : `curl -X ${operation.method}`,
    `"${serverUrl}${pathOf(request)}"`,
    '-H "Authorization: ApiKey $FATURA_API_KEY"',
    ...(isKeyed(operation) ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body !== undefined
      ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]
      : operation.method === 'POST'
        ? ["-H 'Content-Type: application/json'", "-d '{}'"]
        : []),
    ...(Object.keys(query).length > 0 ? ['-G'] : []),
    ...Object.entries(query).map(([name, value]) => `${dataOption(value)} ${quoted(`${name}=${value}`)}`),
  ];
  const [command = '', url = '', ...options] = lines;
  return [`${command} ${url}`, ...options].join(' \\\n  ');
}

/** A JSON value as the literal of a language writes it. */
interface Notation {
  readonly key: (name: string) => string;
  readonly text: (value: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
}

const LINE_MAX = 88;

function literal(value: unknown, notation: Notation): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value) && !isObject(value)) return notation.words[String(value) as 'true' | 'false' | 'null'];
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, notation))
    : Object.entries(value).map(([name, item]) => `${notation.key(name)}: ${literal(item, notation)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const space = Array.isArray(value) ? '' : ' ';
  const oneLine = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (parts.length === 0) return open + close;
  if (oneLine.length <= LINE_MAX && !oneLine.includes('\n')) return oneLine;
  return `${open}\n${parts.map((part) => `  ${indent(part, 2)},`).join('\n')}\n${close}`;
}

const inTypescript: Notation = {
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`),
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  words: { true: 'true', false: 'false', null: 'null' },
};

const inPython: Notation = {
  key: (name) => JSON.stringify(name),
  text: (value) => JSON.stringify(value),
  words: { true: 'True', false: 'False', null: 'None' },
};

/** The client puts on by itself the one object that a body is wrapped in. */
function unwrapped(body: unknown): unknown {
  if (!isObject(body)) return body;
  const [only, ...others] = Object.values(body);
  return others.length === 0 && isObject(only) ? only : body;
}

/** A query as the client takes it: numbers and flags as what they are. */
const typedQuery = (query: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (name === 'type' && value.includes('.')) return [name, [value]];
      return [name, /^(?:\d+|true|false)$/.test(value) ? JSON.parse(value) : value];
    }),
  );

/** The client answers pages where cursors lead on. */
const isList = ({ parameters }: SampleRequest['operation']): boolean =>
  parameters.some(({ name }) => name === 'starting_after');

function typescript({ operation, exchange, serverUrl }: SampleRequest): string {
  const { operationId } = operation;
  const { id, part, query, body } = exchange;
  const given = [
    ...[id, part].flatMap((one) => (one === undefined ? [] : [inTypescript.text(one)])),
    ...(body === undefined ? [] : [literal(unwrapped(body), inTypescript)]),
    ...(query === undefined ? [] : [literal(typedQuery(query), inTypescript)]),
  ];
  const call = `fatura.${operationId}(${given.join(', ')})`;
  const [name, expression] = isList(operation) ? ['page', `${call}.page()`] : ['answer', call];
  return `import { Fatura } from '@fatura/sdk';

const fatura = new Fatura({ apiKey: process.env.FATURA_API_KEY!, baseUrl: '${serverUrl}' });

const ${name} = await ${expression};
console.log(${name});`;
}

function python(request: SampleRequest): string {
  const { operation, exchange, serverUrl } = request;
  const { query, body } = exchange;
  const headers = [
    `"Authorization": f"ApiKey {os.environ['FATURA_API_KEY']}"`,
    ...(isKeyed(operation) ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  const sent = body ?? (operation.method === 'POST' ? {} : undefined);
  const options = [
    `"${serverUrl}${pathOf(request)}"`,
    `headers={${headers.join(', ')}}`,
    ...(query === undefined ? [] : [`params=${indent(literal(query, inPython), 4)}`]),
    ...(sent === undefined ? [] : [`json=${indent(literal(sent, inPython), 4)}`]),
    'timeout=60',
  ];
  return `import os
${isKeyed(operation) ? 'import uuid\n' : ''}
import requests

response = requests.${operation.method.toLowerCase()}(
    ${options.join(',\n    ')},
)
response.raise_for_status()
print(response.json())`;
}

const writers: Readonly<Record<SampleLanguage, (request: SampleRequest) => string>> = { curl, typescript, python };

/** A request as code that a reader can run with a key of its own. */
export const sampleOf = (language: SampleLanguage, request: SampleRequest): string => writers[language](request);

/** The recorded requests of an operation by the name of the example. */
export const requestsOf = (
  operation: Operation,
  { story, serverUrl }: { story: Story; serverUrl: string },
): [string, SampleRequest][] =>
  exchangesOf(story, operation.operationId).map(([name, exchange]) => [name, { operation, serverUrl, exchange }]);
