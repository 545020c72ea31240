import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { Place } from './mutation.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const LIST = resolve(import.meta.dirname, 'list.ts');

/**
 * The module with a broken function in the place of the sound one, for those who import it and for the module itself. Only
 * its name is looked for: what stands in the function may change.
 */
export function mutated(text: string, { name, file, exported }: Place): string {
  const declaration = new RegExp(`^export ((?:async )?function|const) ${exported}\\b`, 'gm');
  const found = [...text.matchAll(declaration)];
  if (found.length !== 1)
    throw new Error(`mutation "${name}": ${file} exports ${exported} ${found.length} times, not once`);
  const sound = `${exported}_sound`;
  return `${text.replace(declaration, `$1 ${sound}`)}
import { bugOf } from ${JSON.stringify(LIST)};
export function ${exported}(...given) {
  return bugOf(${JSON.stringify(name)})(${sound})(...given);
}
`;
}

/** A plugin of Vitest's that breaks one function as its module is loaded. */
export function mutate(mutation: Place): Plugin {
  const file = resolve(REPOSITORY, mutation.file);
  const isMutated = (id: string): boolean => id.split('?')[0] === file;
  return {
    name: 'fatura-mutation',
    enforce: 'pre',
    transform: (code, id) => (isMutated(id) ? mutated(code, mutation) : null),
    // Else the next run would be given what this one made of the module, and this one what a former run had.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (isMutated(id) ? false : null)),
  };
}
