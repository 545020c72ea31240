import { resolve } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { SourceMutation } from './mutation.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** The text with the one place changed; a place that is not there exactly once is a mutation that went stale. */
export function mutated(text: string, { name, file, find, replace }: SourceMutation): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`mutation "${name}": ${file} has the text to replace ${parts.length - 1} times, not once`);
  return parts.join(replace);
}

/** A plugin of Vitest's that changes the source of one module as it is loaded. */
export function mutate(mutation: SourceMutation): Plugin {
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
