import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { tiers } from './tiers.ts';

test('each test file belongs to exactly one tier', () => {
  const files = globSync('test/**/*.test.ts').map((file) => file.replaceAll('\\', '/'));
  expect(files.length).toBeGreaterThan(100);
  const tiersOf = (file: string) =>
    Object.entries(tiers).flatMap(([name, patterns]) =>
      patterns.filter((pattern) => matchesGlob(file, pattern)).map(() => name),
    );
  expect(files.filter((file) => tiersOf(file).length !== 1)).toEqual([]);
});

test('each pattern of a tier has its files', () => {
  const idle = Object.values(tiers).flatMap((patterns) => patterns.filter((pattern) => globSync(pattern).length === 0));
  expect(idle).toEqual([]);
});
