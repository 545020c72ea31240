import { portuguese, type Spoken, speak } from './language.ts';
import { en } from './texts/en.ts';
import type { Language } from './texts.ts';

/** All languages at once, as the service has them; a browser loads the one of its page. */
export const spoken: Readonly<Record<Language, Spoken>> = { pt: portuguese, en: speak('en', en) };
