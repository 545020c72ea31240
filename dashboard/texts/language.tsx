import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { recall, remember } from '../api/remembered.ts';
import { type Catalogue, type Language, languages, localeOf } from './catalogue.ts';

interface Choice {
  readonly language: Language;
  choose(language: Language): void;
}

const LanguageContext = createContext<Choice>({ language: 'pt', choose: () => {} });

const isLanguage = (value: unknown): value is Language => languages.some((one) => one === value);

/** What the person chose in this browser, else Portuguese: the market's. */
const initial = (): Language => {
  const chosen = recall('language');
  return isLanguage(chosen) ? chosen : 'pt';
};

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(initial);
  useEffect(() => {
    document.documentElement.lang = localeOf[language];
    remember('language', language);
  }, [language]);
  const choice = useMemo(() => ({ language, choose }), [language]);
  return (
    <LanguageContext value={choice}>
      <I18nProvider locale={localeOf[language]}>{children}</I18nProvider>
    </LanguageContext>
  );
}

export const useLanguage = (): Choice => use(LanguageContext);

/** The texts of a catalogue in the language of the person. */
export function useTexts<T>(catalogue: Catalogue<T>): T {
  return catalogue[use(LanguageContext).language];
}
