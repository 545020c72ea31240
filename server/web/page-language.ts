import type { Request } from 'express';
import { LANGUAGES, type Language } from '../../web/page/texts.ts';

const isLanguage = (text: unknown): text is Language => LANGUAGES.some((language) => language === text);

/** The language that is asked for in the address of a page, else by the browser; Portuguese for whoever asks for neither. */
export function languageOf(request: Request): Language {
  const { locale } = request.query;
  const asked = typeof locale === 'string' ? locale.toLowerCase().split(/[-_]/)[0] : undefined;
  if (isLanguage(asked)) return asked;
  const accepted = request.acceptsLanguages(...LANGUAGES);
  return isLanguage(accepted) ? accepted : 'pt';
}

/** What keeps the language of an address that leads on. */
export function localeQuery({ query: { locale } }: Request): string {
  return typeof locale === 'string' ? `?locale=${encodeURIComponent(locale)}` : '';
}

/** The same behind a query of its own. */
export const keptLocale = (request: Request, query: string): string => query + localeQuery(request).replace('?', '&');
