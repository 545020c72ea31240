import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Formats, formatsIn } from './format.ts';
import type { PurchaseView } from './page-data.ts';
import { pt, type Texts } from './texts/pt.ts';
import { type Language, worded } from './texts.ts';

/** What a page is written by in one language. */
export interface Spoken extends Formats {
  readonly language: Language;
  readonly texts: Texts;
  /** Leads to the page as it stands now, in this language. */
  readonly again: string;
  /** A text that calls the purchase what it is. */
  readonly of: (purchase: Pick<PurchaseView, 'kind'>, text: string) => string;
}

export const speak = (language: Language, texts: Texts): Spoken => ({
  language,
  texts,
  again: `?locale=${language}`,
  of: ({ kind }, text) => worded(texts, kind, text),
  ...formatsIn(language, texts),
});

/** What most buyers read; every page has it. */
export const portuguese = speak('pt', pt);

/** The language of a page; Portuguese where nothing else is said. */
export const Speaking = createContext(portuguese);

export const useSpoken = (): Spoken => useContext(Speaking);
