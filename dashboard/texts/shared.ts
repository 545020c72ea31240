import type { Catalogue } from './catalogue.ts';
import { en } from './en.ts';
import { useTexts } from './language.tsx';
import { pt, type Texts } from './pt.ts';

const shared: Catalogue<Texts> = { pt, en };

/** The texts of the frame and of the parts. */
export const useSharedTexts = (): Texts => useTexts(shared);
