import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from '../support/source-file.ts';

test('the fake Pagar.me shares no code with the service that it tests', () => {
  const files = globSync('dev/{fake-pagarme,fakes}/*.ts')
    .map((file) => file.replaceAll('\\', '/'))
    .map((path) => parse({ path, text: readFileSync(path, 'utf8') }));
  expect(files.length).toBeGreaterThan(10);
  const imports = files.flatMap((file) => file.imports.filter(({ isPackage }) => !isPackage));
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.map(({ to }) => to).filter((to) => !/^dev\/(?:fake-pagarme|fakes)\//.test(to))).toEqual([]);
});
