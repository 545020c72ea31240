import { generateOpenApi } from '@ts-rest/open-api';
import { z } from 'zod';
import { eventTypes } from './events.ts';
import { contract } from './index.ts';
import { exampleId, exampleRequestId } from './kernel.ts';
import { addObjectExamples, type Story, storyAt } from './openapi/examples.ts';
import { describeOperation, errorExamples } from './openapi/operations.ts';
import { addDiscriminators, completeExamples, componentCollector, type Json, REF } from './openapi/schemas.ts';
import { introduction, tags, webhookDescription } from './openapi/texts.ts';
import { TestEvent } from './test-event.ts';

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

/** What is sent to the endpoints of the account: an event, or a test. */
const webhookOf = (type: string, { schema, example }: { schema: object; example: Json }) => ({
  post: {
    operationId: `webhooks.${type}`,
    summary: `An event \`${type}\``,
    description: webhookDescription,
    security: [],
    parameters: webhookHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': { schema, examples: { [type]: { value: example } } },
      },
    },
    responses: { '2XX': { description: 'Accepted; after any other answer it is sent again, unless it is a test.' } },
  },
});

const exampleOfTest = {
  id: exampleId('evt'),
  object: 'event',
  type: 'webhook.test',
  created: 1_795_257_600,
  live_mode: false,
  data: { object: null },
};

const webhooksOf = ({ events }: Story, test: object) => ({
  ...Object.fromEntries(
    eventTypes.map((type) => [type, webhookOf(type, { schema: { $ref: `${REF}Event` }, example: events[type] })]),
  ),
  'webhook.test': webhookOf('webhook.test', { schema: test, example: exampleOfTest }),
});

const headerOf = (description: string, schema: object) => ({ description, schema });

const headers = {
  RequestId: headerOf('Identifies the request; quote it when you ask for help.', {
    type: 'string',
    examples: [exampleRequestId],
  }),
  RateLimitPolicy: headerOf(
    'The limits that the request counts in, each with its name: requests `q` in `w` seconds, and `q` requests in flight.',
    {
      type: 'string',
      examples: ['"minute";q=1500;w=60, "inflight";q=32;qu="concurrent-requests"'],
    },
  ),
  RateLimit: headerOf('What is left of each limit: `r` requests for `t` seconds, and `r` more requests in flight.', {
    type: 'string',
    examples: ['"minute";r=1499;t=60, "inflight";r=31'],
  }),
  WwwAuthenticate: headerOf('How the key is sent.', { type: 'string', examples: ['ApiKey'] }),
  RetryAfter: headerOf('After how many seconds the request may be sent again.', { type: 'integer', examples: [12] }),
  IdempotentReplayed: headerOf('`true`: the stored answer of the first request under this `Idempotency-Key`.', {
    type: 'string',
    enum: ['true'],
  }),
};

const securitySchemes = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      'Write `ApiKey <API_KEY>`. A key has the scope `write`, which includes `read`, or `read` alone; each operation names the one that it needs.',
  },
};

type Options = NonNullable<Parameters<typeof generateOpenApi>[2]>;

/** The OpenAPI 3.1 document of the contract, for a service reached at `serverUrl`. */
export function buildOpenApi(serverUrl = 'http://127.0.0.1:3000'): Record<string, unknown> {
  const story = storyAt(serverUrl);
  const { components, convert } = componentCollector();
  const document = generateOpenApi(
    contract,
    {
      info: {
        title: 'Fatura API',
        version: '1.0.0',
        summary: 'Billing for Brazilian merchants: PIX, cards, subscriptions, webhooks.',
        description: introduction,
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
        // The generator wants its own SchemaObject type, a plain JSON schema all the same.
        return convert(schema, io) as ReturnType<Options['schemaTransformer'] & {}>;
      },
      operationMapper: (operation, route) => describeOperation(operation, route, story),
    },
  );
  completeExamples(components);
  addObjectExamples(components, story);
  addDiscriminators(components);
  return {
    ...document,
    openapi: '3.1.0',
    tags: Object.entries(tags).map(([name, { title, description }]) => ({ name, 'x-displayName': title, description })),
    // In place: generators leave out components that no operation refers to.
    webhooks: webhooksOf(story, convert(TestEvent, 'output')),
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers,
      examples: errorExamples(serverUrl, document.paths),
      securitySchemes,
    },
  };
}
