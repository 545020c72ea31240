export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];

/** As browsers and `Intl` name the languages. */
export const localeOf: Readonly<Record<Language, string>> = { pt: 'pt-BR', en: 'en-US' };

/** The texts of a screen in both languages: `en` has what `pt` has. */
export interface Catalogue<T> {
  readonly pt: T;
  readonly en: T;
}
