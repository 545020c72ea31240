import { type Block, type Guide, proseOf } from './guide.ts';

const COMMENT: Readonly<Record<string, RegExp>> = { ts: /\/\/.*|\/\*[\s\S]*?\*\//, sh: /(?<=^|\s)#.*/ };
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/;

/** The code of a block without comments, what strings say, and where its lines break. */
export function codeOf({ language, code }: Block): string {
  const comment = COMMENT[language]?.source ?? '(?!)';
  const bare = code.replaceAll(new RegExp(`(${STRING.source})|${comment}`, 'gm'), (_, string?: string) =>
    string === undefined ? '' : "''",
  );
  return bare.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
}

/** What of the prose is long enough to be in one language only. */
export const sentencesOf = (guide: Guide): string[] =>
  proseOf(guide)
    .split(/\n+|(?<=[.:]) /)
    .map((sentence) => sentence.trim())
    .filter((sentence) => !sentence.startsWith('|') && sentence.split(' ').length > 6);
