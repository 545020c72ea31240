type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Tree = { [key: string]: Json };

const tree = (value: Json | undefined): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** How far schemas nest; the contract's are far from it, a cycle would not be. */
const DEPTH_MAX = 30;

interface Documents {
  readonly before: Tree;
  readonly after: Tree;
}

function resolve(document: Tree, schema: Tree): Tree {
  const ref = schema.$ref;
  if (typeof ref !== 'string') return schema;
  const name = ref.split('/').at(-1) ?? '';
  return resolve(document, tree(tree(tree(document.components).schemas)[name]));
}

type Direction = 'request' | 'response';

/** What a caller of `before` would trip over in `after`, in one schema and those inside it. */
function schemaBreaks(
  documents: Documents,
  pair: { before: Tree; after: Tree; at: string; way: Direction; depth: number },
): string[] {
  const { at, way, depth } = pair;
  if (depth > DEPTH_MAX) return [];
  const before = resolve(documents.before, pair.before);
  const after = resolve(documents.after, pair.after);
  const found: string[] = [];
  if (JSON.stringify(before.type) !== JSON.stringify(after.type)) found.push(`${at}: type changed`);
  const [wide, narrow] = way === 'request' ? [before, after] : [after, before];
  const lost = list(wide.enum).filter((value) => narrow.enum !== undefined && !list(narrow.enum).includes(value));
  // An answer may gain values only where the description says that it may: clients branch on them.
  if (way === 'request' && lost.length > 0) found.push(`${at}: no longer takes ${lost.join(', ')}`);
  const required = new Set(list(before.required));
  const requiredAfter = new Set(list(after.required));
  for (const name of requiredAfter)
    if (way === 'request' && !required.has(name)) found.push(`${at}.${name}: became required`);
  for (const name of required)
    if (way === 'response' && !requiredAfter.has(name)) found.push(`${at}.${name}: is no longer always there`);
  for (const [name, schema] of Object.entries(tree(before.properties))) {
    const next = tree(after.properties)[name];
    if (next === undefined) found.push(`${at}.${name}: is gone`);
    else
      found.push(
        ...schemaBreaks(documents, {
          before: tree(schema),
          after: tree(next),
          at: `${at}.${name}`,
          way,
          depth: depth + 1,
        }),
      );
  }
  for (const key of ['items'] as const) {
    if (before[key] === undefined) continue;
    found.push(
      ...schemaBreaks(documents, {
        before: tree(before[key]),
        after: tree(after[key]),
        at: `${at}[]`,
        way,
        depth: depth + 1,
      }),
    );
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    for (const [index, option] of list(before[key]).entries()) {
      const next = list(after[key])[index];
      if (next === undefined) found.push(`${at}: lost a form`);
      else
        found.push(...schemaBreaks(documents, { before: tree(option), after: tree(next), at, way, depth: depth + 1 }));
    }
  }
  return found;
}

const schemaOf = (holder: Json | undefined): Tree => tree(tree(tree(tree(holder).content)['application/json']).schema);

function operationBreaks(documents: Documents, at: string, before: Tree, after: Tree): string[] {
  const found: string[] = [];
  const parameters = new Map(
    list(after.parameters).map((parameter) => [String(tree(parameter).name), tree(parameter)]),
  );
  const known = new Set(list(before.parameters).map((parameter) => String(tree(parameter).name)));
  for (const name of known) if (!parameters.has(name)) found.push(`${at}: parameter ${name} is gone`);
  for (const [name, parameter] of parameters) {
    if (!known.has(name) && parameter.required === true) found.push(`${at}: parameter ${name} became required`);
  }
  const bodies = { before: schemaOf(before.requestBody), after: schemaOf(after.requestBody), at: `${at} body` };
  found.push(...schemaBreaks(documents, { ...bodies, way: 'request', depth: 0 }));
  for (const [status, response] of Object.entries(tree(before.responses))) {
    const next = tree(after.responses)[status];
    // An error that is answered no more breaks nobody.
    if (next === undefined && Number(status) >= 400) continue;
    if (next === undefined) found.push(`${at}: answer ${status} is gone`);
    else
      found.push(
        ...schemaBreaks(documents, {
          before: schemaOf(response),
          after: schemaOf(next),
          at: `${at} ${status}`,
          way: 'response',
          depth: 0,
        }),
      );
  }
  return found;
}

/** Everything in `after` that breaks a client of `before`: v1 changes only by adding (docs/product/requests.md#versioning). */
export function breakingChanges(before: object, after: object): string[] {
  // Both are OpenAPI documents: plain JSON.
  const documents = { before: before as Tree, after: after as Tree };
  const found: string[] = [];
  for (const [path, methods] of Object.entries(tree(documents.before.paths))) {
    for (const [method, operation] of Object.entries(tree(methods))) {
      const at = `${method.toUpperCase()} ${path}`;
      const next = tree(tree(documents.after.paths)[path])[method];
      if (next === undefined) found.push(`${at}: is gone`);
      else found.push(...operationBreaks(documents, at, tree(operation), tree(next)));
    }
  }
  return found;
}
