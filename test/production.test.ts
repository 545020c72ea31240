import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'scripts',
  Record<string, string>
>;

/** What is run where the packages of development were taken away (docs/operations.md#start-in-production). */
const PROGRAMS = ['server', 'worker', 'migrate', 'admin', 'audit'];
/** What the build bundles for browsers, and for the server that writes the same pages. */
const PAGES = ['web/page/client.tsx', 'web/page/server.tsx', 'site/browser/main.ts'];

/** A whole statement; types are gone before the code runs. */
const IMPORT = /^(?:import|export)(?! type\b)[^;'"`]*?from '([^']+)';$|^import '([^']+)';$/gm;
const LATER = /\bimport\('([^']+)'\)/g;
/** A file of a package that is read, not run. */
const READ = /'(@expo-google-fonts\/[^']+)'/g;
/** A module that is bundled or loaded by its URL. */
const BY_URL = /\bnew URL\('([^']+\.ts)', import\.meta\.url\)/g;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const urls = [...source.matchAll(BY_URL)].map(([, url = '']) => `./${url}`);
  const found = [IMPORT, LATER, READ].flatMap((pattern) => [...source.matchAll(pattern)]);
  const imports = found.map(([, one, other]) => one ?? other ?? '');
  return [...imports, ...urls].filter((specifier) => !specifier.startsWith('node:'));
}

interface Walk {
  readonly files: Set<string>;
  readonly packages: Map<string, string>;
}

/** Every file that a program loads, and where each package was met. */
function walk(file: string, found: Walk): Walk {
  if (found.files.has(file)) return found;
  found.files.add(file);
  for (const specifier of importsOf(file)) {
    if (!specifier.startsWith('.')) {
      found.packages.set(packageOf(specifier), file);
      continue;
    }
    const next = normalize(join(dirname(file), specifier));
    // What the build leaves behind is no source.
    if (existsSync(next)) walk(next, found);
  }
  return found;
}

const entryOf = (program: string): string => /\bnode (\S+\.ts)/.exec(scripts[program] ?? '')?.[1] ?? '';

test.each(PROGRAMS)('npm run %s needs no package of development', (program) => {
  const { files, packages } = walk(entryOf(program), { files: new Set(), packages: new Map() });
  expect(files.size).toBeGreaterThan(50);
  expect(packages.size).toBeGreaterThan(5);
  expect([...packages].filter(([name]) => !(name in dependencies))).toEqual([]);
});

test('what is installed for production is met in a program, or in the pages that its build makes', () => {
  const found: Walk = { files: new Set(), packages: new Map() };
  for (const entry of [...PROGRAMS.map(entryOf), ...PAGES]) walk(entry, found);
  expect(Object.keys(dependencies).filter((name) => !found.packages.has(name))).toEqual([]);
});

test('no package is both of production and of development', () => {
  expect(Object.keys(devDependencies).filter((name) => name in dependencies)).toEqual([]);
});

test('the pages tell the same way to install for production', () => {
  for (const page of ['README.md', 'docs/operations.md']) {
    const text = readFileSync(page, 'utf8');
    expect(text).toContain('npm prune --omit=dev');
    expect(text).not.toContain('npm ci --omit=dev');
  }
});
