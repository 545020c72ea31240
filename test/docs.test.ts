import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildOpenApi } from '../contract/openapi.ts';

const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { exclude: ['**/node_modules/**', '**/dist/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

const THIS_FILE = 'test/docs.test.ts';
const code = filesOf(
  '{contract,server,workflows,ops,dev,web,dashboard,site,sdk,scripts,test}/**/*.{ts,tsx,mts,mjs}',
).filter((path) => path !== THIS_FILE);
const pages = filesOf('*.md', 'docs/**/*.md', '{sdk,test,contract}/**/*.md');

const textOf = (path: string): string => readFileSync(path, 'utf8');

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const withoutExamples = (markdown: string): string => markdown.replaceAll(/^```.*?^```/gms, '');

const anchorsOfPages = new Map<string, Set<string>>();

function anchorsIn(page: string): Set<string> {
  const known = anchorsOfPages.get(page);
  if (known !== undefined) return known;
  const anchors = new Set<string>();
  anchorsOfPages.set(page, anchors);
  for (const [, heading = ''] of withoutExamples(textOf(page)).matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    // A heading that comes again gets a number, which a change elsewhere on the page would move.
    if (anchors.has(anchor)) throw new Error(`${page} has two headings "${heading}"`);
    anchors.add(anchor);
  }
  return anchors;
}

interface Link {
  readonly from: string;
  /** From the root of the repository. */
  readonly page: string;
  readonly anchor: string | null;
}

const split = (from: string, target: string, resolve: (path: string) => string): Link => {
  const [path = '', anchor = null] = target.split('#');
  return { from, page: path === '' ? from : resolve(path), anchor };
};

const NAMED = /\bdocs\/[a-z-]+(?:\/[a-z-]+)*\.md(?:#[a-z0-9-]+)?/g;
const LINKED = /\]\(\s*([^)\s]+)\s*\)/g;

/** Pages that a comment, or a sentence of a page, names by their path from the root. */
const namedIn = (from: string): Link[] =>
  [...textOf(from).matchAll(NAMED)].map(([target]) => split(from, target, (path) => path));

/** What a page links to within the repository. */
const linkedIn = (from: string): Link[] =>
  [...withoutExamples(textOf(from)).matchAll(LINKED)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => split(from, target, (path) => posix.join(posix.dirname(from), path)));

function problemOf({ from, page, anchor }: Link): string[] {
  if (!existsSync(page)) return [`${from} names ${page}, which does not exist`];
  if (anchor === null || anchorsIn(page).has(anchor)) return [];
  return [`${from} names ${page}#${anchor}, which has no such heading`];
}

describe('a link into the docs leads to a page and a heading', () => {
  test('from the code', () => {
    expect(code.length).toBeGreaterThan(300);
    expect(code.flatMap(namedIn).flatMap(problemOf)).toEqual([]);
  });

  test('from the README, CONTRIBUTING and other pages', () => {
    const links = pages.flatMap((page) => [...linkedIn(page), ...namedIn(page)]);
    expect(links.length).toBeGreaterThan(100);
    expect(links.flatMap(problemOf)).toEqual([]);
  });
});

/** What stands in backticks, but for blocks. */
const quotedIn = (page: string): string[] =>
  [...withoutExamples(textOf(page)).matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words);

const FOLDERS = [
  'contract',
  'server',
  'workflows',
  'ops',
  'dev',
  'web',
  'site',
  'sdk',
  'scripts',
  'test',
  'docs',
  '.ci',
];
/** With a folder it counts from the root, of which the page may be in a part with a root of its own; alone it is a name of any folder. */
const PATH = new RegExp(
  `^(?:(?:${FOLDERS.map((name) => name.replace('.', '\\.')).join('|')})/[\\w./*{},[\\]<>-]*|[\\w.-]+(?:/[\\w./-]+)*\\.(?:ts|tsx|mts|mjs|md|py|sql))$`,
);

/** Pages that speak of the shop that they are copied into, not of this repository. */
const ELSEWHERE = ['sdk/starters/shared/all/README.md', 'docs/guides/'];

function leadsNowhere(path: string): boolean {
  const pattern = path.replaceAll(/<[^>]+>/g, '*');
  const from = pattern.includes('/') ? pattern : `**/${pattern}`;
  return globSync(from, { exclude: ['**/node_modules/**', '**/dist/**'] }).length === 0;
}

test('a path in backticks leads to a file or a folder of the repository', () => {
  const named = pages
    .filter((page) => !ELSEWHERE.some((place) => page.startsWith(place)))
    .flatMap((page) => quotedIn(page).map((path) => ({ page, path })))
    .filter(({ path }) => PATH.test(path));
  expect(named.length).toBeGreaterThan(150);
  const lost = named.filter(({ path }) => leadsNowhere(path));
  expect(lost.map(({ page, path }) => `${page} names ${path}, which does not exist`)).toEqual([]);
});

test('a command of npm that a page tells to run is a script of package.json, or of the shops', () => {
  const scriptsOf = (manifest: string): string[] => Object.keys(JSON.parse(textOf(manifest)).scripts);
  const [ours, ofShops] = [scriptsOf('package.json'), scriptsOf('sdk/starters/express/package.json')];
  const named = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\bnpm (?:run (?:--silent )?([a-z][\w:-]*)|(start|test)\b)/g)].map(([, run, alone]) => ({
      page,
      script: run ?? alone ?? '',
    })),
  );
  expect(named.length).toBeGreaterThan(100);
  const speaksOfShops = (page: string) => /^(?:README|sdk\/README|sdk\/starters\/.*|docs\/.*)\.md$/.test(page);
  const unknown = named.filter(
    ({ page, script }) => !ours.includes(script) && !(speaksOfShops(page) && ofShops.includes(script)),
  );
  expect(unknown).toEqual([]);
});

test('every page of the docs is listed in docs/README.md', () => {
  const listed = linkedIn('docs/README.md').map(({ page }) => page);
  expect(filesOf('docs/**/*.md').filter((page) => page !== 'docs/README.md' && !listed.includes(page))).toEqual([]);
});

test('the code cites pages of the repository alone', () => {
  const elsewhere = /decisions\s+(?:\*\s+)?§|\(spec\b|design,\s+(?:\*\s+)?(?:rule|§)|style guide/gi;
  const citing = code.flatMap((path) => {
    const text = textOf(path);
    return [...text.matchAll(elsewhere)].map(
      ({ 0: cited, index }) => `${path}:${text.slice(0, index).split('\n').length}: ${cited}`,
    );
  });
  expect(citing).toEqual([]);
});

test('the OpenAPI document explains itself without the docs', () => {
  const texts = JSON.stringify(buildOpenApi());
  expect(texts).not.toMatch(NAMED);
  expect(texts).not.toMatch(/\bdecisions\b|\(spec\b/i);
});

test('amounts that merchants are shown, or copy the code of, are written as in Brazil', () => {
  const shown = filesOf(
    'sdk/{examples,starters}/**/*.{ts,tsx}',
    '{README,CONTRIBUTING}.md',
    'docs/**/*.md',
    'sdk/README.md',
  );
  expect(shown.length).toBeGreaterThan(80);
  const strange = shown.flatMap((path) =>
    [...textOf(path).matchAll(/\btoFixed\(.*|R\$\s?\d+(?:\.\d{1,2}(?!\d)|,\d{3}).*/g)].map(
      ([words]) => `${path}: ${words}`,
    ),
  );
  expect(strange).toEqual([]);
});
