import { chargeCases } from './conformance/cards.ts';
import type { CardSubject, ConformanceCase } from './conformance/subject.ts';
import { verificationCases } from './conformance/verification.ts';

export { mandateCases } from './conformance/mandates.ts';
export { pixCases } from './conformance/pix.ts';
export {
  type CardSubject,
  type ConformanceCase,
  type DebitOutcome,
  type MandateSubject,
  type PixSubject,
  type TestCard,
  takenCard,
} from './conformance/subject.ts';

/** What the service relies on in every adapter of a method, whatever framework runs it: a case that does not hold throws. */
export const cardCases: readonly ConformanceCase<CardSubject>[] = [...chargeCases, ...verificationCases];
