import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
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

  test('puts security and the error answers on every route', () => {
    expect(document.security).toEqual([{ ApiKey: [] }]);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const statuses = Object.keys(operation.responses);
        expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
        if (path.includes('{id}')) expect(statuses).toContain('404');
        if (method === 'post' || method === 'patch')
          expect(statuses).toEqual(expect.arrayContaining(['400', '409', '413', '415', '422']));
      }
    }
  });
});

describe('v1', () => {
  const released = JSON.parse(readFileSync(new URL('../../contract/released/openapi.json', import.meta.url), 'utf8'));

  test('changes only by adding to what was released last', () => {
    expect(breakingChanges(released, document)).toEqual([]);
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
    const price = broken.components.schemas.PriceCreate as { properties: Record<string, Tree> };
    price.properties.type = { ...price.properties.type, enum: ['one_time'] };
    const found = breakingChanges(document, broken).join('\n');
    expect(found).toContain('POST /api/v1/products: is gone');
    expect(found).toContain('.total: is gone');
    expect(found).toContain('.phone: became required');
    expect(found).toContain('no longer takes recurring');
  });
});
