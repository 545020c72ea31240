import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

/** What runs in production, and what builds its pages there. */
const files = globSync([
  'contract/**/*.ts',
  'server/**/*.{ts,tsx,mjs}',
  'workflows/**/*.ts',
  'scripts/web/*.{ts,mjs}',
  'scripts/setup/*.mjs',
  'scripts/setup.mjs',
]).filter((file) => !/\.d\.m?ts$|^contract\/released\//.test(file));

/** A whole statement; types are gone before the code runs. */
const IMPORT = /^(?:import|export)(?! type\b)[^;'"`]*?from '([^']+)';$|^import '([^']+)';$/gm;
const LATER = /\bimport\('([^']+)'\)/g;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function packagesIn(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const found = [...source.matchAll(IMPORT), ...source.matchAll(LATER)].map(([, one, other]) => one ?? other ?? '');
  return found.filter((specifier) => !/^(?:\.|node:)/.test(specifier)).map(packageOf);
}

test('nothing that runs in production imports a package of development', () => {
  expect(files.length).toBeGreaterThan(350);
  const imported = files.flatMap((file) => packagesIn(file).map((name) => ({ file, name })));
  expect(new Set(imported.map(({ name }) => name)).size).toBeGreaterThan(30);
  expect(imported.filter(({ name }) => !(name in dependencies))).toEqual([]);
});

test('no package is both of production and of development', () => {
  expect(Object.keys(devDependencies).filter((name) => name in dependencies)).toEqual([]);
});
