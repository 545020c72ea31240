import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { buildOpenApi } from '../../contract/openapi.ts';
import { errorCodesFile } from './error-codes.ts';
import { type ClientRoute, type OpenApi, readRoutes, refName, type Schema } from './openapi.ts';
import { toolsFile } from './tools.ts';

const BANNER = '// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.\n';

const listParams = (route: ClientRoute): string => `${route.answer}Params`;

/** A schema in a document of definitions: references moved, examples and discriminators left out. */
function localize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(localize);
  if (value === null || typeof value !== 'object') return value;
  // An object in a JSON schema is one.
  const { $ref, examples, discriminator, ...rest } = value as Schema & { examples?: unknown; discriminator?: unknown };
  if (!$ref) return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, localize(item)]));
  // A reference beside a description would be copied; in allOf it stays a reference and the description a docstring.
  return { description: rest.description, allOf: [{ $ref: `#/definitions/${refName({ $ref })}` }] };
}

/** A field that only refers to a component is described by that component. */
function describeFields(document: OpenApi, schema: Schema): Schema {
  const describe = (field: Schema): Schema => {
    const target = [field, ...(field.anyOf ?? [])].find(({ $ref }) => $ref);
    if (field.description !== undefined || target === undefined) return field;
    return { ...field, description: document.components.schemas[refName(target)]?.description ?? '' };
  };
  const { properties } = schema;
  if (!properties) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, describe(field)])),
  };
}

const refsIn = (value: unknown): string[] =>
  Array.from(JSON.stringify(value ?? {}).matchAll(/"\$ref":"([^"]+)"/g), ([, $ref = '']) => refName({ $ref }));

const namesIn = ({ answer, body, query }: ClientRoute): string[] => [answer, ...(body ? [body] : []), ...refsIn(query)];

/** Names of the components that the client shows: answers, unwrapped bodies, errors, and what those refer to. */
function reachable(document: OpenApi, routes: readonly ClientRoute[]): string[] {
  const found = new Set<string>();
  const queue = routes.flatMap(namesIn).concat('ErrorDetail');
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    queue.push(...refsIn(document.components.schemas[name]));
  }
  return [...found].sort();
}

async function typesFile(document: OpenApi, routes: readonly ClientRoute[]): Promise<string> {
  const components = reachable(document, routes).map((name) => [
    name,
    localize(describeFields(document, document.components.schemas[name] ?? {})),
  ]);
  const queries = routes.filter((route) => route.query).map((route) => [listParams(route), localize(route.query)]);
  const source = await compile(
    { title: 'Root', definitions: Object.fromEntries([...components, ...queries]) },
    'Root',
    {
      additionalProperties: false,
      bannerComment: BANNER.trimEnd(),
      ignoreMinAndMaxItems: true,
      unknownAny: true,
      unreachableDefinitions: true,
      style: { singleQuote: true, printWidth: 120 },
    },
  );
  return polish(source);
}

/** Takes out the artificial root and what is said of it; short docstrings on one line, a blank line between types. */
function polish(source: string): string {
  return source
    .replace(/export interface Root \{[^}]*\}\n/, '')
    .replace(
      /( \*\n)? \* This interface was referenced by `Root`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      '',
    )
    .replace(/\/\*\*\n \*\/\n/g, '')
    .replace(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */')
    .replace(/^(\}|.*;)\n(?=\/\*\*|export )/gm, '$1\n\n');
}

function routesFile(routes: readonly ClientRoute[]): string {
  const table = routes.map(({ id, method, path, envelope }) => {
    const wrap = envelope === undefined ? '' : `, envelope: '${envelope}'`;
    return `  '${id}': { method: '${method}', path: '${path}'${wrap} },\n`;
  });
  const calls = routes.map((route) => {
    const parts = [
      ...Array.from(route.path.matchAll(/\{\w+\}/g), (_, index) => `${index === 0 ? 'id' : 'below'}: string`),
      ...(route.body ? [`body: types.${route.body}`] : []),
      ...(route.query ? [`query: types.${listParams(route)}`] : []),
    ];
    const call = parts.length > 0 ? `{ ${parts.join('; ')} }` : 'Record<never, never>';
    return `  '${route.id}': { call: ${call}; answer: types.${route.answer} };\n`;
  });
  return `${BANNER}
import type * as types from './types.ts';

/** Method and path of each route; \`envelope\` is the key its body is wrapped in. */
export const routes = {
${table.join('')}} as const;

export type RouteId = keyof typeof routes;

/** What each route takes and answers. */
export interface RouteTypes {
${calls.join('')}}
`;
}

/** Event types by the resource that \`data.object\` holds, where that resource has a schema in this release. */
function eventsFile(document: OpenApi): string {
  const types = document.components.schemas.EventType?.enum ?? [];
  const variants = (document.components.schemas.EventObject?.oneOf ?? []).map((option) => {
    const component = refName(option);
    const resource = String(document.components.schemas[component]?.properties?.object?.const);
    const whole = types.map(String).filter((type) => type.startsWith(`${resource}.`));
    return { component, resource, types: whole.map((type) => type.slice(resource.length + 1)) };
  });
  const objects = variants.map(({ resource, component }) => `  ${resource}: types.${component};\n`);
  const table = variants.map(
    ({ resource, types }) => `  ${resource}: [\n${types.map((type) => `    '${type}',\n`).join('')}  ],\n`,
  );
  return `${BANNER}
import type * as types from './types.ts';

/** What \`data.object\` of an event holds, by its \`object\` field. */
export interface EventObjects {
${objects.join('')}}

/** What happens to a resource, by that field: "paid" of an invoice is the type "invoice.paid". */
export const eventTypes = {
${table.join('')}} as const;
`;
}

/** The generated files by name, from the contract as it stands. */
export async function generate(): Promise<Record<string, string>> {
  const document = buildOpenApi() as unknown as OpenApi; // the builder promises an OpenAPI document, typed loosely
  const routes = readRoutes(document);
  return {
    'types.ts': await typesFile(document, routes),
    'routes.ts': routesFile(routes),
    'events.ts': eventsFile(document),
    'error-codes.ts': errorCodesFile(BANNER, routes),
    'tools.ts': toolsFile(document, BANNER),
  };
}

const committed = (name: string) => new URL(`../src/generated/${name}`, import.meta.url);

/** Names of the generated files that differ from what the contract makes now. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, source] of Object.entries(await generate())) {
    if ((await readFile(committed(name), 'utf8').catch(() => null)) !== source) stale.push(name);
  }
  return stale;
}

if (import.meta.main && process.argv.includes('--check')) {
  const stale = await staleFiles();
  if (stale.length > 0) {
    console.error(`sdk/src/generated is behind the contract (${stale.join(', ')}): run npm run sdk:generate`);
    process.exitCode = 1;
  }
} else if (import.meta.main) {
  for (const [name, source] of Object.entries(await generate())) await writeFile(committed(name), source);
}
