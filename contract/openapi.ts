import type { AppRoute } from '@ts-rest/core';
import { generateOpenApi } from '@ts-rest/open-api';
import { z } from 'zod';
import { type AnsweringRoute, canAnswer } from './error-routes.ts';
import { type ErrorCode, errorCatalog, errorCodes } from './errors.ts';
import { type EventType, eventTypes } from './events.ts';
import { contract } from './index.ts';
import { exampleId, type RouteMetadata } from './kernel.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Schema = { [key: string]: Json };

const DESCRIPTION = `Billing for Brazilian merchants: products and prices in reais, invoices charged by PIX or card, subscriptions with
their collection, refunds, events delivered to signed webhooks.

Send the API key of the account in the header \`Authorization: ApiKey <API_KEY>\`. Amounts are integer cents, instants Unix
seconds. A POST or PATCH with an \`Idempotency-Key\` header can be repeated safely for 72 hours.`;

const REF = '#/components/schemas/';

/** Every object in a JSON tree, leaves first, replaced by what `change` makes of it. */
function mapObjects(value: Json, change: (schema: Schema) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (value === null || typeof value !== 'object') return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapObjects(item, change)])));
}

const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A nullable field keeps its meaning and example beside `anyOf`, where readers and generators look for them. */
function liftNullable(schema: Schema): Schema {
  const [first, second] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isSchema(first) || !isSchema(second) || second.type !== 'null') return schema;
  const { description, examples, ...rest } = first;
  const lifted = {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  };
  return { ...lifted, ...schema, anyOf: [rest, second] };
}

function tidy(schema: Schema): Schema {
  const { $schema, $defs, ...rest } = schema;
  const ref = rest.$ref;
  if (typeof ref === 'string') rest.$ref = ref.replace('#/$defs/', REF);
  const extra = rest.additionalProperties;
  if (isSchema(extra) && Object.keys(extra).length === 0) rest.additionalProperties = true;
  return liftNullable(rest);
}

/** Named schemas hoisted out of the single schemas, and the transformer that fills them. */
function componentCollector() {
  const components: Record<string, Schema> = {};
  const add = (name: string, schema: Schema) => {
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    components[name] = schema;
  };
  const convert = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
    const json = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => {
        // v1 changes by adding fields, so an answer promises no closed set of them.
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    const definitions = json.$defs ?? {};
    // JSON Schema of zod is plain JSON.
    const asJson = (value: unknown) => mapObjects(value as Json, tidy) as Schema;
    for (const [name, definition] of Object.entries(definitions)) add(name, asJson(definition));
    return asJson(json);
  };
  return { components, convert };
}

function exampleOf(schema: Schema, components: Record<string, Schema>): Json {
  const examples = schema.examples;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] ?? null;
  if (typeof schema.$ref === 'string') return exampleOf(components[schema.$ref.slice(REF.length)] ?? {}, components);
  for (const key of ['oneOf', 'anyOf']) {
    const [first] = Array.isArray(schema[key]) ? schema[key] : [];
    if (isSchema(first)) return exampleOf(first, components);
  }
  if (schema.type === 'array' && isSchema(schema.items)) return [exampleOf(schema.items, components)];
  if (isSchema(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const entries = Object.entries(schema.properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, isSchema(value) ? exampleOf(value, components) : null]),
    );
  }
  if (schema.type === 'object') return {};
  throw new Error(`a field has no example: ${JSON.stringify(schema)}`);
}

/** Lists and objects get their example from their parts, so that no field is without one. */
function completeExamples(components: Record<string, Schema>): void {
  for (const component of Object.values(components)) {
    const properties = component.properties;
    if (!isSchema(properties)) continue;
    for (const property of Object.values(properties)) {
      if (isSchema(property) && !('examples' in property)) property.examples = [exampleOf(property, components)];
    }
  }
}

const codesOf = (status: number): ErrorCode[] => errorCodes.filter((code) => errorCatalog[code].status === status);

const successDescriptions: Record<number, string> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' };

function statusDescription(route: AnsweringRoute, status: number): string {
  const codes = codesOf(status).filter((code) => canAnswer(route, code));
  const meanings = codes.map((code) => `\`${code}\`: ${errorCatalog[code].doc}`);
  return successDescriptions[status] ?? (meanings.join('\n\n') || 'Not answered by this route.');
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description:
    'Makes the request safe to repeat for 72 hours: 1 to 255 characters of your choice, unique to the request.',
  schema: { type: 'string' as const, minLength: 1, maxLength: 255, examples: ['8f14e45f-ceea-467f-a8d9-4b9f1f2c1d11'] },
};

/** A body that an action does without may be absent. */
const isBodyRequired = (route: AppRoute): boolean =>
  'body' in route && route.body instanceof z.ZodType && !route.body.safeParse(undefined).success;

type Operation = ReturnType<NonNullable<Parameters<typeof generateOpenApi>[2]>['operationMapper'] & {}>;

function describeOperation(operation: Operation, route: AppRoute): Operation {
  // Every route of the contract is declared with meta().
  const metadata = route.metadata as RouteMetadata;
  const id = String(operation.operationId);
  const answering = { id, method: route.method, isList: id.endsWith('.list'), metadata };
  const responses: Record<string, Record<string, unknown>> = operation.responses;
  for (const [status, response] of Object.entries(responses)) {
    response.description = statusDescription(answering, Number(status));
    response.headers = { 'Request-Id': { $ref: '#/components/headers/RequestId' } };
  }
  const parameters = operation.parameters ?? [];
  const keyed = route.method === 'POST' || route.method === 'PATCH';
  const { requestBody } = operation;
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: { ...requestBody, required: isBodyRequired(route) } }),
    parameters: keyed ? [...parameters, idempotencyParameter] : parameters,
    'x-scope': metadata.scope,
  };
}

const webhookHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

/** The headers of a delivery, as Standard Webhooks has them (docs/product/webhooks.md#signature). */
const webhookHeaders = [
  webhookHeader('webhook-id', 'Id of the event, the same at each attempt: deduplicate on it.', exampleId('evt')),
  webhookHeader('webhook-timestamp', 'When this attempt was sent. Unix time, seconds.', '1795257600'),
  webhookHeader(
    'webhook-signature',
    'One signature for each secret of the endpoint, separated by spaces: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** What is sent to the endpoints of the account when something has happened. */
const webhookOf = (type: EventType) => ({
  post: {
    operationId: `webhooks.${type}`,
    summary: `An event \`${type}\``,
    security: [],
    parameters: webhookHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: `${REF}Event` }, { type: 'object', properties: { type: { const: type } } }] },
        },
      },
    },
    responses: { '2XX': { description: 'Accepted; after any other answer it is sent again.' } },
  },
});

const requestIdHeader = {
  description: 'Identifies the request; quote it when you ask for help.',
  schema: { type: 'string', examples: ['req_01kaj4w2n8e9r7t5v3x1z0q6d4'] },
};

/** The OpenAPI 3.1 document of the contract, for a service reached at `serverUrl`. */
export function buildOpenApi(serverUrl = 'http://127.0.0.1:3000'): Record<string, unknown> {
  const { components, convert } = componentCollector();
  const document = generateOpenApi(
    contract,
    {
      info: {
        title: 'Fatura API',
        version: '1.0.0',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: serverUrl }],
      security: [{ ApiKey: [] }],
    },
    {
      setOperationId: 'concatenated-path',
      schemaTransformer: ({ schema, type }) => {
        if (!(schema instanceof z.ZodType)) return null;
        // Query strings are parsed by transforms: what they become is the type a reader wants to see.
        const io = type === 'body' || type === 'path' || type === 'header' ? 'input' : 'output';
        const json = convert(schema, io);
        // The generator wants its own SchemaObject type, a plain JSON schema all the same.
        return json as ReturnType<NonNullable<Parameters<typeof generateOpenApi>[2]>['schemaTransformer'] & {}>;
      },
      operationMapper: describeOperation,
    },
  );
  completeExamples(components);
  return {
    ...document,
    openapi: '3.1.0',
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, webhookOf(type)])),
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: { RequestId: requestIdHeader },
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Write `ApiKey <API_KEY>`.' },
      },
    },
  };
}
