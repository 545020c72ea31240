import { posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** A file as the architecture test takes it: its path from the repository's root, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** Path from the root for a relative import, the package's specifier for any other. */
  readonly to: string;
  readonly isPackage: boolean;
  readonly typesOnly: boolean;
  /** Names as they are exported there; empty for a namespace or a bare import. */
  readonly names: readonly string[];
  readonly line: number;
}

/** What the rules ask of a file. */
export interface ParsedFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Lines of default exports, of readings of the system's clock, of the environment, and of asynchronous code. */
  readonly defaultExports: readonly number[];
  readonly clockReads: readonly number[];
  readonly environmentReads: readonly number[];
  readonly asynchronous: readonly number[];
  /** Lines of functions that are written where they become a property. */
  readonly functionsKept: readonly number[];
  /** Each with its own lines: those of the functions inside it are theirs. */
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
}

/** Any node of the parser's tree; the fields below are those of ESTree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const part of value) yield* nodesIn(part);
    return;
  }
  if (!isNode(value)) return;
  yield value;
  for (const field of Object.values(value)) yield* nodesIn(field);
}

const field = (node: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (isNode(value) ? value[name] : undefined), node);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Imports and re-exports of values and types, `import()` and `import('…').T` alike. */
function importOf(node: Node, from: string, line: number): Import | null {
  const specifier = field(node, 'source', 'value');
  if (typeof specifier !== 'string') return null;
  const specifiers = list(node.specifiers);
  const isType = (part: unknown): boolean =>
    field(part, 'importKind') === 'type' || field(part, 'exportKind') === 'type';
  const names = specifiers
    .map((part) => field(part, 'imported', 'name') ?? field(part, 'local', 'name'))
    .filter((name) => typeof name === 'string');
  const isPackage = !specifier.startsWith('.');
  return {
    to: isPackage ? specifier : posix.normalize(posix.join(posix.dirname(from), specifier)),
    isPackage,
    typesOnly: isType(node) || node.type === 'TSImportType' || (specifiers.length > 0 && specifiers.every(isType)),
    names,
    line,
  };
}

const isMember = (node: Node, object: string, property: string): boolean =>
  node.type === 'MemberExpression' &&
  field(node, 'object', 'name') === object &&
  field(node, 'property', 'name') === property;

/** `Date.now`, `Date()`, `new Date()` without an argument, and `Temporal.Now`. */
function readsClock(node: Node): boolean {
  if (isMember(node, 'Date', 'now') || isMember(node, 'Temporal', 'Now')) return true;
  const isDate = field(node, 'callee', 'name') === 'Date';
  if (node.type === 'NewExpression') return isDate && list(node.arguments).length === 0;
  return node.type === 'CallExpression' && isDate;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function* functionsWithin(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const part of value) yield* functionsWithin(part);
  } else if (isNode(value)) {
    if (FUNCTIONS.has(value.type)) yield value;
    else yield* functionsWithin(Object.values(value));
  }
}

/** `x.y = () => …`, but not `x.y = named`. */
const keepsFunction = (node: Node): boolean =>
  node.type === 'AssignmentExpression' &&
  field(node, 'left', 'type') === 'MemberExpression' &&
  FUNCTIONS.has(String(field(node, 'right', 'type')));

function ownLines(node: Node, lineAt: (offset: number) => number): number {
  const linesOf = ({ start, end }: Node): number => lineAt(end) - lineAt(start);
  const inner = [...functionsWithin(Object.values(node))];
  return linesOf(node) + 1 - inner.reduce((sum, one) => sum + linesOf(one), 0);
}

/** Reads a TypeScript file with a real parser: types count, comments and strings do not. */
export function parse({ path, text }: SourceFile): ParsedFile {
  const lineEnds = [...text.matchAll(/\n/g)].map((match) => match.index);
  const lineAt = (offset: number): number => {
    const index = lineEnds.findIndex((end) => end >= offset);
    return index === -1 ? lineEnds.length + 1 : index + 1;
  };
  const nodes = [...nodesIn(parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path).body)];
  const linesOf = (matches: (node: Node) => boolean): number[] =>
    nodes.filter(matches).map((node) => lineAt(node.start));
  return {
    path,
    text,
    lines: lineEnds.length,
    imports: nodes.map((node) => importOf(node, path, lineAt(node.start))).filter((found) => found !== null),
    defaultExports: linesOf(
      (node) =>
        node.type === 'ExportDefaultDeclaration' ||
        (node.type === 'ExportSpecifier' && field(node, 'exported', 'name') === 'default'),
    ),
    clockReads: linesOf(readsClock),
    environmentReads: linesOf((node) => isMember(node, 'process', 'env')),
    asynchronous: linesOf(
      (node) => (FUNCTIONS.has(node.type) && node.async === true) || node.type === 'AwaitExpression',
    ),
    functionsKept: linesOf(keepsFunction),
    functions: nodes
      .filter((node) => FUNCTIONS.has(node.type))
      .map((node) => ({ line: lineAt(node.start), lines: ownLines(node, lineAt) })),
  };
}
