import { errorCatalog } from '../../contract/errors.ts';
import { type OpenApi, refName, type Schema, unwrap } from './openapi.ts';

/** Tools are read by models, which pay for each word. */
const DESCRIPTION_MAX = 700;
const PATTERN_MAX = 150;
/** Deeper is no input of this API; a schema that contains itself would never end. */
const DEPTH_MAX = 20;

type Json = Readonly<Record<string, unknown>>;

interface ToolParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Json;
}

/** What the document says of an operation. */
interface ToolOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ToolParameter[];
  readonly requestBody?: { readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } };
}

/**
 * What a model does not need: a mapping to schemas that are inlined, that a text is not blank or an object has no other field, and
 * patterns that nobody reads; the service refuses what is wrong.
 */
function withoutNoise({ examples: _, discriminator: __, additionalProperties: ___, ...schema }: Json): Json {
  const { pattern, minLength, ...rest } = schema;
  const isNoise = typeof pattern === 'string' && (pattern === '\\S' || pattern.length > PATTERN_MAX);
  return isNoise && minLength === 1 ? rest : schema;
}

/** A schema without references, for readers that follow none; examples left out. */
function inlined(document: OpenApi, value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) throw new Error('a schema is deeper than an input may be');
  if (Array.isArray(value)) return value.map((item) => inlined(document, item, depth));
  if (value === null || typeof value !== 'object') return value;
  const { $ref, ...rest } = value as Json; // an object in a JSON schema is one
  const target = $ref === undefined ? {} : document.components.schemas[refName(value as Schema)];
  const schema = withoutNoise({ ...target, ...rest } as Json);
  return Object.fromEntries(Object.entries(schema).map(([key, item]) => [key, inlined(document, item, depth + 1)]));
}

const cut = (text: string): string =>
  text.length <= DESCRIPTION_MAX ? text : `${text.slice(0, DESCRIPTION_MAX - 1).trimEnd()}…`;

/** The unwrapped body as an object; a body of several forms, or none, has no fields here. */
function bodyOf(
  document: OpenApi,
  { requestBody }: ToolOperation,
): { fields: Json; required: readonly unknown[] } | null {
  const schema = requestBody?.content?.['application/json']?.schema;
  const { body } = schema === undefined ? { body: undefined } : unwrap(document, schema);
  if (body === undefined) return null;
  const { properties = {}, required = [] } = inlined(document, document.components.schemas[body]) as {
    properties?: Json;
    required?: readonly unknown[];
  };
  return { fields: properties, required };
}

function inputOf(document: OpenApi, operation: ToolOperation) {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'path' || one.in === 'query');
  // What a path names first is called `id` everywhere: a model then needs no name for each resource.
  const first = parameters.find((one) => one.in === 'path')?.name;
  const nameOfParameter = ({ name }: ToolParameter): string => (name === first ? 'id' : name);
  const given = parameters.map(({ description, schema, ...parameter }) => [
    nameOfParameter({ schema, ...parameter }),
    { ...(inlined(document, schema) as Json), ...(description === undefined ? {} : { description }) },
  ]);
  const body = bodyOf(document, operation);
  const properties = { ...Object.fromEntries(given), ...body?.fields };
  const required = [
    ...parameters.filter((one) => one.required === true).map(nameOfParameter),
    ...(body?.required ?? []),
  ];
  const takes = body === null ? (parameters.some((one) => one.in === 'query') ? 'query' : 'nothing') : 'body';
  return { takes, input: { type: 'object', properties, required, additionalProperties: false } };
}

/** `webhookEndpoints.rotateSecret` as a tool is named. */
const nameOf = (id: string): string =>
  id.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toolOf(document: OpenApi, operation: ToolOperation) {
  const { operationId: id, summary, description = '' } = operation;
  const { takes, input } = inputOf(document, operation);
  const words = cut([`${summary}.`, description].join(' ').trim());
  return [id, { name: nameOf(id), title: summary, description: words, takes, input }] as const;
}

/** The file of the tools that `fatura mcp` offers, by their routes, and of what error codes mean. */
export function toolsFile(document: OpenApi, banner: string): string {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as unknown as ToolOperation[]; // typed loosely
  const rows = operations.map((operation) => {
    const [id, tool] = toolOf(document, operation);
    return `  '${id}': ${JSON.stringify(tool)},\n`;
  });
  const meanings = Object.entries(errorCatalog).map(([code, { status, retry, doc }]) => {
    return `  ${code}: ${JSON.stringify({ status, retry, meaning: doc })},\n`;
  });
  return `${banner}
import type { RouteId } from './routes.ts';
import type { ErrorCode } from './types.ts';

/** A route as a tool of a model: its input is an object of the path's, the query's and the body's fields. */
export interface RouteTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly takes: 'nothing' | 'query' | 'body';
  readonly input: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, object>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

export const routeTools: Readonly<Record<RouteId, RouteTool>> = {
${rows.join('')}};

/** What a code means, and what a client may do with the same request. */
export interface ErrorMeaning {
  readonly status: number;
  readonly retry: 'never' | 'later' | 'same_key' | 'with_other_method';
  readonly meaning: string;
}

export const errorMeanings: Readonly<Record<ErrorCode, ErrorMeaning>> = {
${meanings.join('')}};
`;
}
