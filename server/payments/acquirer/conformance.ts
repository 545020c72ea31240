import { cardCases } from './conformance/cards.ts';
import { pixCases } from './conformance/pix.ts';
import type { ConformanceCase } from './conformance/subject.ts';
import { verificationCases } from './conformance/verification.ts';

export type { ConformanceCase, ConformanceSubject } from './conformance/subject.ts';

/** What the service relies on in every adapter, whatever framework runs it: a case that does not hold throws. */
export const conformanceCases: readonly ConformanceCase[] = [...pixCases, ...cardCases, ...verificationCases];
