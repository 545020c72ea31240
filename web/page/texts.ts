import type { Problem, PurchaseView } from './page-data.ts';
import type { Texts } from './texts/pt.ts';

export type Language = 'pt' | 'en';

/** The first is what buyers read whose browser asks for neither. */
export const LANGUAGES: readonly Language[] = ['pt', 'en'];

/** A text as each language has it. */
export type Worded = Readonly<Record<Language, string>>;

export const problemText = ({ problems, otherwise }: Texts, { code }: Problem): string => problems[code] ?? otherwise;

/** After these nobody can say yet whether the card was charged. */
const UNCERTAIN: readonly Problem['code'][] = [
  'ACQUIRER_TIMEOUT',
  'NETWORK',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
  'IDEMPOTENCY_KEY_IN_USE',
];

/** Whether the charge that was asked for may still have been made. */
export const isUncertain = ({ code }: Problem): boolean => UNCERTAIN.includes(code);

/** The same for a charge by card, of which a lost answer says nothing, and beside which there may be PIX. */
export function cardProblemText(texts: Texts, problem: Problem): string {
  if (isUncertain(problem)) return texts.uncertain;
  return problem.code === 'RATE_LIMITED' ? texts.tooManyTries : problemText(texts, problem);
}

/** What a text calls the purchase: all the words of a language are of one gender. */
export const worded = ({ words }: Texts, kind: PurchaseView['kind'], text: string): string =>
  text.replaceAll(words.invoice.small, words[kind].small).replaceAll(words.invoice.large, words[kind].large);

export { brandNames } from '../../server/kernel/brand-names.ts';
