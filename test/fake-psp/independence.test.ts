import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from '../support/source-file.ts';

test('the fake PSP shares no code with the service that it tests', () => {
  const files = globSync('dev/fake-psp/*.ts')
    .map((file) => file.replaceAll('\\', '/'))
    .map((path) => parse({ path, text: readFileSync(path, 'utf8') }));
  expect(files.length).toBeGreaterThan(20);
  const imports = files.flatMap((file) => file.imports.filter(({ isPackage }) => !isPackage));
  expect(imports.length).toBeGreaterThan(50);
  expect(imports.map(({ to }) => to).filter((to) => !/^dev\/(?:fake-psp|fakes)\//.test(to))).toEqual([]);
});
