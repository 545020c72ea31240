import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { buildOpenApi } from '../../contract/openapi.ts';

type Tree = { readonly [key: string]: unknown };

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly examples: readonly string[] } }[];
  readonly responses: Record<
    string,
    { content: { 'application/json': { examples: Record<string, { value: { data?: { id: string }[] } }> } } }
  >;
}

// The document is plain JSON; its parts are looked at by path.
const document = JSON.parse(JSON.stringify(buildOpenApi())) as Tree & {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Tree>>;
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Formats that JSON Schema does not have; test/rules holds their checks. */
const OWN_FORMATS = ['tax-id', 'phone', 'card-number', 'card-cvc'];

const ajv = new Ajv2020({
  strict: false,
  inlineRefs: false,
  code: { optimize: false },
  formats: Object.fromEntries(OWN_FORMATS.map((name) => [name, true])),
});
(addFormats as unknown as typeof addFormats.default)(ajv);
ajv.addSchema(document, 'document');

const pointerTo = (steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Many places say the same but for their words, and one judge does for them. */
const judges = new Map<string, ValidateFunction>();
function judgeOf(steps: readonly string[], schema: Tree): ValidateFunction {
  const said = JSON.stringify(schema, (key, part) => (key === 'description' || key === 'examples' ? undefined : part));
  const judge = judges.get(said) ?? ajv.compile({ $ref: `document#${pointerTo(steps)}` });
  judges.set(said, judge);
  return judge;
}

/** Every object of the document with the steps that lead to it. */
function* objectsIn(value: unknown, steps: readonly string[] = []): Generator<[readonly string[], Tree]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [steps, value as Tree];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, [...steps, key]);
}

interface Shown {
  readonly at: string;
  readonly steps: readonly string[];
  readonly schema: Tree;
  readonly value: unknown;
}

const target = (reference: Tree): Tree => {
  const steps = typeof reference.$ref === 'string' ? reference.$ref.split('/').slice(1) : [];
  // Each reference leads somewhere: test/contract/openapi.test.ts.
  return steps.length === 0 ? reference : (steps.reduce<unknown>((node, key) => (node as Tree)[key], document) as Tree);
};

/** What a schema shows of itself, and what a body shows beside its schema. */
function* shownAt([steps, object]: [readonly string[], Tree]): Generator<Shown> {
  const at = steps.join(' ');
  if (Array.isArray(object.examples)) {
    for (const value of object.examples) yield { at, steps, schema: object, value };
  } else if ('schema' in object && typeof object.examples === 'object') {
    for (const [name, example] of Object.entries(object.examples as Tree)) {
      yield {
        at: `${at} ${name}`,
        steps: [...steps, 'schema'],
        schema: object.schema as Tree,
        value: target(example as Tree).value,
      };
    }
  }
}

/** What is shown lies in no example itself. */
const isInExample = (steps: readonly string[]): boolean =>
  steps.some((step, at) => step === 'value' && steps[at - 2] === 'examples');
const shown = [...objectsIn(document)].filter(([steps]) => !isInExample(steps)).flatMap((one) => [...shownAt(one)]);

describe('the examples of the document', () => {
  test('are each what its schema says', () => {
    expect(shown.length).toBeGreaterThan(1_000);
    const wrong = shown.flatMap(({ at, steps, schema, value }) => {
      const judge = judgeOf(steps, schema);
      return judge(value) ? [] : [`${at}: ${ajv.errorsText(judge.errors)}: ${JSON.stringify(value)?.slice(0, 200)}`];
    });
    expect(wrong).toEqual([]);
  });

  const ID = /\b[a-z]+_[0-9a-z]{26}\b/g;

  test('name objects by ids as the service makes them', () => {
    const ids = new Set(JSON.stringify(document).match(ID));
    expect(ids.size).toBeGreaterThan(30);
    const made = (id: string): boolean => /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id.split('_')[1] ?? '');
    expect([...ids].filter((id) => !made(id))).toEqual([]);
  });

  test('write addresses as a parser writes them', () => {
    const addresses = shown.flatMap(({ at, value }) =>
      (JSON.stringify(value)?.match(/https?:[^"\\`]+/g) ?? []).map((address) => ({ at, address })),
    );
    expect(addresses.length).toBeGreaterThan(100);
    // A template is no address yet.
    const parsed = (address: string): string => new URL(address).href.replaceAll('%7B', '{').replaceAll('%7D', '}');
    expect(addresses.filter(({ address }) => parsed(address) !== address)).toEqual([]);
  });

  test('go on in a list behind an object of that list', () => {
    const lists = operations.flatMap(({ operationId, parameters = [], responses }) => {
      const cursors = parameters.filter(({ name }) => name === 'starting_after' || name === 'ending_before');
      const [page] = Object.values(responses['200']?.content['application/json'].examples ?? {});
      const listed = page?.value.data?.[0]?.id;
      return cursors.map(({ schema }) => ({ operationId, listed, cursor: schema.examples[0] }));
    });
    expect(lists.length).toBeGreaterThan(20);
    // An end-to-end id has no prefix of ours.
    const kindOf = (id = ''): string => /^(?:[a-z]+(?=_)|E)/.exec(id)?.[0] ?? id;
    expect(lists.filter(({ listed, cursor }) => kindOf(listed) !== kindOf(cursor))).toEqual([]);
  });
});

test('each component of the document is referred to', () => {
  const referred = new Set([...objectsIn(document)].map(([, { $ref }]) => $ref));
  const { securitySchemes: _, ...components } = document.components;
  const names = Object.entries(components).flatMap(([kind, of]) =>
    Object.keys(of).map((name) => `#/components/${kind}/${name}`),
  );
  expect(names.filter((name) => !referred.has(name))).toEqual([]);
});
