import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { portuguese, type Spoken } from './language.ts';
import { type PortalWords, ptPortal } from './texts/pt-portal.ts';

/** What the page of a customer is written by. */
export interface PortalSpoken extends Spoken {
  readonly words: PortalWords;
  /** An address of ours, in the language that this page was asked for in. */
  readonly kept: (address: string) => string;
}

/** `query`: what keeps the language of the page's address, as `?locale=en`; empty: the browser says it. */
export const speakPortal = (spoken: Spoken, { words, query }: { words: PortalWords; query: string }): PortalSpoken => ({
  ...spoken,
  words,
  kept: (address) => (address.includes('?') ? address + query.replace('?', '&') : address + query),
});

export const SpeakingPortal = createContext(speakPortal(portuguese, { words: ptPortal, query: '' }));

export const usePortal = (): PortalSpoken => useContext(SpeakingPortal);
