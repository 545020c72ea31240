import { pathToFileURL } from 'node:url';
import type { Guide } from './guide.ts';

const IMPORT = /^import (type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\} )?from '([^']+)';\n/gm;

/** What the blocks of one guide import, each module once. */
class Imports {
  readonly #modules = new Map<string, { byDefault: string; names: Set<string> }>();

  /** Takes the imports of a block; answers the rest of it. */
  take(code: string): string {
    return code.replaceAll(IMPORT, (_, type = '', byDefault = '', names = '', from = '') => {
      const known = this.#modules.get(from) ?? { byDefault: '', names: new Set() };
      for (const name of String(names).split(',')) {
        if (name.trim() !== '') known.names.add(`${type === '' ? '' : 'type '}${name.trim()}`);
      }
      this.#modules.set(from, { ...known, byDefault: byDefault === '' ? known.byDefault : byDefault });
      return '';
    });
  }

  toString(): string {
    return [...this.#modules]
      .map(([from, { byDefault, names }]) => {
        const named = names.size === 0 ? '' : `{ ${[...names].join(', ')} }`;
        return `import ${[byDefault, named].filter((part) => part !== '').join(', ')} from '${from}';\n`;
      })
      .join('');
  }
}

/** The TypeScript of a guide as one program, for the compiler. */
export function sourcesOf({ slug, language, blocks }: Guide): Record<string, string> {
  const imports = new Imports();
  const run = blocks.filter((block) => block.language === 'ts').map(({ code }) => imports.take(code));
  return { [`${language}-${slug}.mts`]: `${imports}${run.join('\n')}\nexport {};\n` };
}

/** What a guide says that is printed: `console.log(…); // → paid`, and a line more for each time that it is called again. */
const SAID = /console\.log\(((?:(?!console\.log\()[\s\S])*?)\/\/ → (.+(?:\n\s*\/\/ → .+)*)/g;

const linesOf = (said: string): string[] => said.split('\n').map((line) => line.replace(/^\s*\/\/ → /, '').trim());

/** The expectations of a guide, in the order in which they stand. */
export const expectationsOf = ({ blocks }: Guide): string[][] =>
  blocks
    .filter(({ language }) => language === 'ts')
    .flatMap(({ code }) => [...code.matchAll(SAID)].map(([, , said = '']) => linesOf(said)));

/** What was printed must fit these words; `…` stands for anything. */
export const patternOf = (words: string): RegExp => new RegExp(`^${words.split('…').map(RegExp.escape).join('.*')}$`);

const STAGE = pathToFileURL(`${import.meta.dirname}/stage.ts`).href;

/** A guide as a program that runs its blocks in order, those of the shell too, and remembers what it prints. */
export function programOf({ blocks }: Guide): string {
  const imports = new Imports();
  let said = 0;
  const parts = blocks.flatMap(({ language, word, code }) => {
    if (language === 'sh' && word === '') return [`await stage.sh(${JSON.stringify(code)});\n`];
    if (language !== 'ts') return [];
    const told = code.replaceAll(SAID, (whole) => whole.replace('console.log(', `stage.tell(${said++}, `));
    return [imports.take(told)];
  });
  return `${imports}import * as stage from '${STAGE}';\n${parts.join('\n')}\nawait stage.end(${said});\n`;
}
