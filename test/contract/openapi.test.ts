import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../contract/errors.ts';
import { eventTypes } from '../../contract/events.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { breakingChanges } from '../support/openapi-compat.ts';

type Tree = { [key: string]: unknown };

const run = promisify(execFile);
// The document is plain JSON; its parts are looked at by path.
const document = JSON.parse(JSON.stringify(buildOpenApi())) as Tree & {
  openapi: string;
  paths: Record<string, Record<string, { responses: Record<string, unknown>; security?: unknown; summary?: string }>>;
  components: { schemas: Record<string, Tree> };
  security: unknown[];
};

function* objectsIn(value: unknown, at = '#'): Generator<[string, Tree]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Tree];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key}`);
}

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1 and passes the linter without errors', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const folder = mkdtempSync(join(tmpdir(), 'fatura-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, JSON.stringify(document));
      await run('node_modules/.bin/redocly', ['lint', file, '--format=stylish'], {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('names a schema for each resource', () => {
    const names = [
      'Customer',
      'Product',
      'Price',
      'Invoice',
      'PaymentIntent',
      'PaymentMethod',
      'Refund',
      'Event',
      'WebhookEndpoint',
      'Error',
    ];
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(names));
  });

  test('has no empty schema and no reference to nothing', () => {
    const schemas = [...objectsIn(document.components.schemas), ...objectsIn(document.paths)];
    for (const [at, value] of schemas) {
      const isSchemaPlace =
        /\/(schema|items|additionalProperties|properties\/[^/]+)$/.test(at) && !at.includes('/examples/');
      if (isSchemaPlace) expect(Object.keys(value), `${at} is empty`).not.toHaveLength(0);
      if (typeof value.$ref !== 'string') continue;
      const target = value.$ref
        .split('/')
        .slice(1)
        .reduce<unknown>((node, key) => (node as Tree | undefined)?.[key], document);
      expect(target, `${at} points to ${value.$ref}`).toBeDefined();
    }
  });

  test('tells of every field what it means and shows an example', () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, value] of Object.entries((schema.properties ?? {}) as Record<string, Tree>)) {
        expect(value, `${name}.${field}`).toHaveProperty('examples');
        const isNamed = '$ref' in value;
        if (!isNamed) expect(value, `${name}.${field}`).toHaveProperty('description');
      }
    }
  });

  test('tells the forms of a union apart by a constant of each', () => {
    const { schemas } = document.components;
    const constantsOf = (form: { $ref: string }): string[] => {
      const { properties = {}, required = [] } = schemas[form.$ref.split('/').at(-1) ?? ''] ?? {};
      return Object.entries(properties as Record<string, Tree>)
        .filter(([field, schema]) => 'const' in schema && (required as string[]).includes(field))
        .map(([field, schema]) => `${field}: ${schema.const}`);
    };
    const unions = Object.entries(schemas).filter(([, schema]) => Array.isArray(schema.oneOf));
    expect(unions.map(([name]) => name)).toEqual(expect.arrayContaining(['InvoiceCheckout', 'PaymentMethod']));
    for (const [name, { oneOf }] of unions) {
      const forms = (oneOf as { $ref: string }[]).map(constantsOf);
      const shared = forms.flat().filter((constant, at, all) => all.indexOf(constant) !== at);
      for (const form of forms)
        expect(
          form.filter((constant) => !shared.includes(constant)),
          name,
        ).not.toEqual([]);
    }
  });

  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as {
    operationId: string;
    tags: string[];
    security: unknown[];
    requestBody?: { required?: boolean; content: { 'application/json': { schema: { $ref: string } } } };
    responses: Record<string, { description: string; 'x-error-codes'?: string[] }>;
  }[];
  const examplesOf = (holder: object | undefined): unknown[] => {
    const { content } = (holder ?? {}) as { content?: { 'application/json'?: { examples?: object } } };
    return Object.values(content?.['application/json']?.examples ?? {});
  };

  test('regression-100-a body is required but of an action without parameters', () => {
    const sent = operations.flatMap(({ operationId, requestBody }) =>
      requestBody ? [{ operationId, requestBody }] : [],
    );
    expect(sent.length).toBeGreaterThan(20);
    for (const { operationId, requestBody } of sent) {
      const { $ref: schema } = requestBody.content['application/json'].schema;
      const mayBeAbsent = ['NoParameters', 'ResendBody', 'ApiKeyRollBody'].some((name) => schema.endsWith(`/${name}`));
      expect(requestBody.required, operationId).toBe(!mayBeAbsent);
    }
  });

  test('regression-101-an operation lists the codes that it can answer, and no others', () => {
    const codesOf = (id: string, status: string): string[] => {
      const found = operations.find(({ operationId }) => operationId === id)?.responses[status]?.description ?? '';
      return [...found.matchAll(/^`(\w+)`:/gm)].map(([, code = '']) => code);
    };
    expect(codesOf('invoices.checkout', '422')).toEqual([
      'INSTALLMENTS_NOT_ALLOWED',
      'INSTALLMENT_BELOW_MINIMUM',
      'CARD_EXPIRED',
      'CARD_BRAND_NOT_SUPPORTED',
      'CARD_NUMBER_REFUSED',
      'CARD_TOKEN_EXPIRED',
      'MANDATE_INTERVAL_UNSUPPORTED',
      'MANDATE_UNSUPPORTED',
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(codesOf('webhookEndpoints.create', '422')).toEqual([
      'WEBHOOK_ENDPOINT_LIMIT',
      'WEBHOOK_URL_REFUSED',
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(codesOf('invoices.retrieve', '404')).toEqual(['RESOURCE_MISSING']);
    expect(codesOf('products.create', '403')).toEqual(['PERMISSION_DENIED']);
    const listed = new Set(
      operations.flatMap(({ operationId, responses }) =>
        Object.keys(responses).flatMap((one) => codesOf(operationId, one)),
      ),
    );
    // What no operation answers is answered outside of them all, or by nothing yet.
    expect(errorCodes.filter((code) => !listed.has(code))).toEqual([
      ...['SESSION_MISSING', 'LOGIN_FAILED', 'TOTP_REQUIRED', 'FRESH_LOGIN_REQUIRED', 'SETUP_LINK_INVALID'],
      ...['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'],
    ]);
  });

  test('shows of each operation what was sent and what was answered', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const succeeded = Object.entries(responses).filter(([status]) => Number(status) < 300);
      const shown = succeeded.flatMap(([, answer]) => examplesOf(answer));
      expect(shown, operationId).not.toEqual([]);
      const isBare = requestBody?.content['application/json'].schema.$ref.endsWith('/NoParameters') ?? true;
      if (!isBare && operationId !== 'events.resend') expect(examplesOf(requestBody), operationId).not.toEqual([]);
    }
  });

  test('puts each operation in a group that it introduces, and names the scope of its key', () => {
    const groups = (document.tags as { name: string; description: string }[]).map(({ name }) => name);
    for (const { operationId, tags, security } of operations) {
      expect(groups, operationId).toEqual(expect.arrayContaining(tags));
      expect(tags, operationId).toHaveLength(1);
      expect([[{ ApiKey: ['read'] }], [{ ApiKey: ['write'] }]], operationId).toContainEqual(security);
    }
  });

  test('names every enumeration, once', () => {
    const inline = [...objectsIn(document.components.schemas), ...objectsIn(document.paths)].filter(
      ([at, value]) => Array.isArray(value.enum) && !/^#\/\w+$/.test(at),
    );
    expect(inline.map(([at]) => at)).toEqual([]);
  });

  test('regression-140-tells of every code that sending an invoice and reading deliveries are refused with', () => {
    const codes = (id: string, status: string) =>
      operations.find(({ operationId }) => operationId === id)?.responses[status]?.['x-error-codes'];
    expect(codes('invoices.send', '409')).toContain('INVOICE_NOT_OPEN');
    expect(codes('webhookEndpoints.deliveries', '400')).toContain('CURSOR_INVALID');
    expect(codes('events.resend', '422')).toContain('RESEND_LIMIT_REACHED');
    expect(codes('customers.create', '404')).toBeUndefined();
  });

  test('regression-141-each pattern is one that the regular expressions of other languages know', () => {
    const patterns = [...objectsIn(document)].flatMap(([at, { pattern }]) =>
      typeof pattern === 'string' ? [{ at, pattern }] : [],
    );
    expect(patterns.length).toBeGreaterThan(50);
    // Unicode classes are unknown to Python, what looks ahead or behind to Go and Rust.
    expect(patterns.filter(({ pattern }) => /\\[pP]\{|\(\?[=!<]/.test(pattern))).toEqual([]);
  });

  test('regression-142-no constant of a resource is called as a component is where both become types', () => {
    const schemas = Object.entries(document.components.schemas);
    const types = schemas.map(([name, schema]) => schema['x-go-name'] ?? name);
    const constants = schemas.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, Tree>).flatMap(([field, schema]) =>
        'const' in schema ? [name + field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())] : [],
      ),
    );
    expect(constants).toContain('EventObject');
    expect(constants.filter((name) => types.includes(name))).toEqual([]);
  });

  test('regression-102-the example of an invoice adds up', () => {
    const { properties } = document.components.schemas.Invoice as unknown as {
      properties: Record<string, { examples: unknown[] }>;
    };
    const [due, paid, refunded, remaining, total] = ['due', 'paid', 'refunded', 'remaining']
      .map((name) => `amount_${name}`)
      .concat('total')
      .map((name) => properties[name]?.examples[0]);
    expect({ due, paid, refunded, remaining, total }).toEqual({
      due: 9990,
      paid: 0,
      refunded: 0,
      remaining: 9990,
      total: 9990,
    });
    expect([properties.paid?.examples[0], properties.status?.examples[0]]).toEqual([false, 'open']);
  });

  test('regression-103-each event type is a webhook with the headers of its signature', () => {
    const webhooks = document.webhooks as Record<
      string,
      { post: { parameters: { name: string }[]; security: unknown[] } }
    >;
    expect(Object.keys(webhooks)).toEqual([...eventTypes, 'webhook.test']);
    for (const { post } of Object.values(webhooks)) {
      expect(post.parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
      expect(post.security).toEqual([]);
    }
    expect((document.info as { description: string }).description).toMatch(/card.*subscriptions/s);
  });

  test('puts security and the error answers on every route', () => {
    expect(document.security).toEqual([{ ApiKey: [] }]);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const statuses = Object.keys(operation.responses);
        expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining(['401', '429', '500', '503']));
        if (path.includes('{')) expect(statuses).toContain('404');
        if (method === 'post' || method === 'patch')
          expect(statuses).toEqual(expect.arrayContaining(['400', '403', '409', '413', '415', '422']));
      }
    }
  });
});

describe('v1', () => {
  test('changes only by adding to each version that was released', () => {
    for (const file of globSync('contract/released/*.json')) {
      const released = JSON.parse(readFileSync(file, 'utf8'));
      expect(breakingChanges(released, document), file).toEqual([]);
    }
  });

  test('is guarded: each way to break a client is found', () => {
    const broken = structuredClone(document) as typeof document;
    delete broken.paths['/api/v1/products'];
    const invoice = broken.components.schemas.Invoice as { properties: Tree };
    delete invoice.properties.total;
    const create = broken.components.schemas.CustomerCreate as {
      required: string[];
      properties: Record<string, Tree>;
    };
    create.required.push('phone');
    const { PriceType } = broken.components.schemas;
    broken.components.schemas.PriceType = { ...PriceType, enum: ['one_time'] };
    const found = breakingChanges(document, broken).join('\n');
    expect(found).toContain('POST /api/v1/products: is gone');
    expect(found).toContain('.total: is gone');
    expect(found).toContain('.phone: became required');
    expect(found).toContain('no longer takes recurring');
  });
});
