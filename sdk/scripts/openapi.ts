/** The parts of a JSON schema that the generator reads. */
export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: unknown;
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly 'x-error-codes'?: readonly string[] }>>;
}

/** The parts of an OpenAPI 3.1 document that the generator reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One route as the client sees it. */
export interface ClientRoute {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The key the body is wrapped in, where it has one. */
  readonly envelope: string | undefined;
  /** The component of the unwrapped body. */
  readonly body: string | undefined;
  /** The query of a list, as an object schema. */
  readonly query: Schema | undefined;
  /** The component of the answer. */
  readonly answer: string;
  /** Every code that it may answer. */
  readonly codes: readonly string[];
}

const REF = '#/components/schemas/';

export function refName(schema: Schema | undefined): string {
  if (!schema?.$ref?.startsWith(REF)) throw new Error(`expected a named component, got ${JSON.stringify(schema)}`);
  return schema.$ref.slice(REF.length);
}

const jsonSchema = (part: Content | undefined): Schema | undefined => part?.content?.['application/json']?.schema;

/** An object, of one form or of several. */
function isObject(document: OpenApi, schema: Schema): boolean {
  const { properties, oneOf } =
    (schema.$ref === undefined ? undefined : document.components.schemas[refName(schema)]) ?? {};
  return (properties ?? oneOf) !== undefined;
}

/** A body of one required property that is itself an object is an envelope around it; one of several forms has none. */
export function unwrap(document: OpenApi, body: Schema): Pick<ClientRoute, 'envelope' | 'body'> {
  const name = refName(body);
  const schema = document.components.schemas[name];
  if (schema?.oneOf !== undefined) return { envelope: undefined, body: name };
  const properties = Object.entries(schema?.properties ?? {});
  const [only, ...others] = properties;
  if (only === undefined) return { envelope: undefined, body: undefined };
  if (others.length > 0 || !isObject(document, only[1])) return { envelope: undefined, body: name };
  return { envelope: only[0], body: refName(only[1]) };
}

function querySchema(operation: Operation): Schema | undefined {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  if (parameters.length === 0) return undefined;
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function readRoute(document: OpenApi, where: { path: string; method: string }, operation: Operation): ClientRoute {
  const placeholders = where.path.match(/\{\w+\}/g) ?? [];
  if (placeholders.length > 2) {
    throw new Error(`${where.path}: the client fills two placeholders at most`);
  }
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2'));
  const body = jsonSchema(operation.requestBody);
  return {
    id: operation.operationId,
    method: where.method.toUpperCase(),
    path: where.path,
    ...(body ? unwrap(document, body) : { envelope: undefined, body: undefined }),
    query: querySchema(operation),
    answer: refName(jsonSchema(operation.responses[success ?? ''])),
    codes: Object.values(operation.responses).flatMap((response) => response['x-error-codes'] ?? []),
  };
}

/** The routes of the document in the order it lists them. */
export function readRoutes(document: OpenApi): ClientRoute[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => readRoute(document, { path, method }, operation)),
  );
}
