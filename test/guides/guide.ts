import { readFileSync } from 'node:fs';
import index from '../../docs/guides/guides.json' with { type: 'json' };

export const LANGUAGES = ['en', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A fenced example of a guide. */
export interface Block {
  readonly language: string;
  /** What stands behind the language: `by-hand` of a shell's block that no test runs, or the object that an answer shows. */
  readonly word: string;
  readonly code: string;
}

/** A guide in one language. */
export interface Guide {
  readonly slug: string;
  readonly language: Language;
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export const FOLDER = 'docs/guides';

export const slugs: readonly string[] = index.groups.flatMap(({ guides }) => guides);

export const groups = index.groups;

const FENCED = /^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

/** A guide out of its Markdown. */
export function guideOf(name: Pick<Guide, 'slug' | 'language'>, text: string): Guide {
  const blocks = [...text.matchAll(FENCED)].map(([, language = '', word = '', code = '']) => ({
    language,
    word,
    code,
  }));
  return { ...name, path: `${FOLDER}/${name.language}/${name.slug}.md`, text, blocks };
}

export const guides: readonly Guide[] = slugs.flatMap((slug) =>
  LANGUAGES.map((language) => guideOf({ slug, language }, readFileSync(`${FOLDER}/${language}/${slug}.md`, 'utf8'))),
);

/** The prose of a guide, without its examples. */
export const proseOf = ({ text }: Guide): string => text.replaceAll(FENCED, '');
