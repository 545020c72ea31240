import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/index.ts';
import { generate, staleFiles } from '../../sdk/scripts/generate.ts';
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

/** Names under which the client has a method, where they are not the route's own. */

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
    const answer = path.includes(':id') ? call[last]?.('obj_1', {}) : call[last]?.({});
    await (answer instanceof Object && 'page' in answer ? (answer as { page(): Promise<unknown> }).page() : answer);
    expect(service.requests.map((request) => `${request.method} ${request.path}`)).toEqual([
      `${method} ${path.replace(':id', 'obj_1')}`,
    ]);
  });
});
