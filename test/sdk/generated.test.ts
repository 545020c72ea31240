import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { generalCodes } from '../../contract/error-routes.ts';
import { errorCodes } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { particularCodes } from '../../sdk/scripts/error-codes.ts';
import { generate, staleFiles } from '../../sdk/scripts/generate.ts';
import { type OpenApi, readRoutes } from '../../sdk/scripts/openapi.ts';
import { routes } from '../../sdk/src/generated/routes.ts';
import { fakeService } from './fake-service.ts';

/** Every route of the contract by its dotted name. */
function contractRoutes(router: object, prefix = ''): { id: string; method: string; path: string }[] {
  return Object.entries(router).flatMap(([name, route]: [string, Record<string, unknown>]) =>
    typeof route.path === 'string'
      ? [{ id: prefix + name, method: String(route.method), path: route.path }]
      : contractRoutes(route, `${prefix}${name}.`),
  );
}

test('the generated files are what the contract makes of them; else run npm run sdk:generate', async () => {
  expect(await staleFiles()).toEqual([]);
});

test('a second generation is equal to the first', async () => {
  expect(await generate()).toEqual(await generate());
});

test('every field of the types has a docstring', async () => {
  const { 'types.ts': types = '' } = await generate();
  const lines = types.split('\n');
  const bare = lines.filter((line, i) => /^ {2}\w+\??:/.test(line) && !lines[i - 1]?.endsWith('*/'));
  expect(bare).toEqual([]);
});

describe('every route of the contract', () => {
  const declared = contractRoutes(contract);

  test('has a row in the table of routes, and no other has', () => {
    expect(Object.keys(routes).sort()).toEqual(declared.map(({ id }) => id).sort());
  });

  test.each(declared)('is reached by its method: $id', async ({ id, method, path }) => {
    const service = await fakeService({ body: { object: 'list', has_more: false, data: [] } });
    const names = id.split('.');
    const last = names.pop() ?? '';
    let resource: unknown = service.client();
    for (const name of names) resource = (resource as Record<string, unknown>)[name]; // a path checked by the type test
    const call = resource as Record<string, (...args: unknown[]) => unknown>;
    const ids = Array.from(path.matchAll(/:\w+/g), (_, index) => `obj_${index + 1}`);
    const answer = call[last]?.(...ids, {});
    await (answer instanceof Object && 'page' in answer ? (answer as { page(): Promise<unknown> }).page() : answer);
    expect(service.requests.map((request) => `${request.method} ${request.path}`)).toEqual([
      `${method} ${path.replace(/:\w+/g, () => ids.shift() ?? '')}`,
    ]);
  });
});

const sourceOf = (file: string): string => readFileSync(new URL(`../../sdk/src/${file}`, import.meta.url), 'utf8');
const codesIn = (text: string): string[] => errorCodes.filter((code) => text.includes(`\`${code}\``)).sort();

/** What the docstrings of a route's method, one for each of its overloads, name behind `@throws`. */
function thrownBy(id: string): string {
  const [resource = '', ...names] = id.split('.');
  const source = sourceOf(`resources/${resource.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`);
  const docs = source.matchAll(new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*${names.at(-1)}\\(`, 'g'));
  return Array.from(docs, ([, doc = '']) => doc.split('@throws')[1] ?? '').join('');
}

describe('the codes of an error', () => {
  const documented = readRoutes(buildOpenApi() as unknown as OpenApi); // as the generator reads it

  test.each(documented)('are named by the docstring of the method: $id', (route) => {
    const general: readonly string[] = generalCodes;
    const named = codesIn(thrownBy(route.id));
    expect(named.filter((code) => !general.includes(code))).toEqual(particularCodes(route).sort());
    expect(route.codes).toEqual(expect.arrayContaining(named));
  });

  test('that any call may answer are named by the class', () => {
    const [, doc = ''] = /\/\*\*([\s\S]*)\*\/\s*export class Fatura/.exec(sourceOf('client.ts')) ?? [];
    expect(codesIn(doc)).toEqual([...generalCodes].sort());
  });
});
