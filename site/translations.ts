import type { Language } from '../server/site/served.ts';
import portuguese from './translations/pt.json' with { type: 'json' };

/** What a text of the contract says in the language, paragraph by paragraph; null: it is written in the language. */
export const translations: Readonly<Record<Language, ReadonlyMap<string, string> | null>> = {
  en: null,
  pt: new Map(Object.entries(portuguese)),
};

/** The paragraphs of a text, each in one line: where a line of it breaks has no meaning. */
export const paragraphsOf = (text: string): string[] =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' '));

/** Texts of the contract, which are English, in the language of a page. */
export function translator(language: Language): (text: string) => string {
  const known = translations[language];
  if (known === null) return (text) => text;
  // A test holds that none is missing; a reader is better off with an English text than with none.
  return (text) =>
    paragraphsOf(text)
      .map((paragraph) => known.get(paragraph) ?? paragraph)
      .join('\n\n');
}
