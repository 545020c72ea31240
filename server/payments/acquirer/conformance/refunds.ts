import assert from 'node:assert/strict';
import { newSuffix } from '../../../kernel/ids.ts';
import type { AcquirerAnswer, Merchant, RefundStatus } from '../port.ts';
import { AMOUNT, AT_ONCE, type ConformanceCase, knownValue, type SubjectCore, times } from './subject.ts';

export const refundOf = (amount: number) =>
  ({ reference: newSuffix(), amount, reason: 'requested_by_customer' }) as const;

/** A return of money that may be asked for and looked for. */
export interface Asking {
  /** A refusal may be one only later: until then nobody knows. */
  readonly ask: (merchant: Merchant) => Promise<AcquirerAnswer<RefundStatus>>;
  readonly find: (merchant: Merchant) => Promise<AcquirerAnswer<RefundStatus>>;
}

/** How refunds ended that were asked for: what the acquirer never kept is asked for once more, as the service does. */
export async function endsOf(subject: SubjectCore, merchant: Merchant, asked: readonly Asking[]): Promise<string[]> {
  const later = await subject.afterReturn(merchant);
  const end = async ({ ask, find }: Asking): Promise<string> => {
    const { status } = await knownValue(find(later));
    return status === 'unknown_to_acquirer' ? (await knownValue(ask(later))).status : status;
  };
  return Promise.all(asked.map(end));
}

/** Asks for money back of one payment of `AMOUNT`, whatever its method. */
export type AskBack = (amount: number) => Asking;

async function returnsInParts(subject: SubjectCore, merchant: Merchant, askBack: AskBack): Promise<void> {
  assert.deepEqual(await knownValue(askBack(1).find(merchant)), { status: 'unknown_to_acquirer' });
  const parts = [1_500, 2_000, AMOUNT - 1_500 - 2_000, 1].map(askBack);
  for (const part of parts) await part.ask(merchant);
  assert.deepEqual(await endsOf(subject, merchant, parts), ['completed', 'completed', 'completed', 'refused']);
}

/** A second return of the first half would leave too little for the other, and none would leave room for the cent. */
export async function returnsOnce(subject: SubjectCore, merchant: Merchant, askBack: AskBack): Promise<void> {
  const [half, otherHalf, cent] = [askBack(AMOUNT / 2), askBack(AMOUNT / 2), askBack(1)];
  await times(AT_ONCE, () => half.ask(merchant));
  for (const request of [otherHalf, cent]) await request.ask(merchant);
  assert.deepEqual(await endsOf(subject, merchant, [half, otherHalf, cent]), ['completed', 'completed', 'refused']);
}

async function holdsToAmount(subject: SubjectCore, merchant: Merchant, askBack: AskBack): Promise<void> {
  const quarters = Array.from({ length: AT_ONCE }, () => askBack(AMOUNT / 4));
  await Promise.all(quarters.map((quarter) => quarter.ask(merchant)));
  const ends = await endsOf(subject, merchant, quarters);
  assert.equal(ends.filter((status) => status === 'completed').length, 4);
  assert.equal(ends.filter((status) => status === 'refused').length, AT_ONCE - 4);
}

/** Every method returns money by the same rules. */
export function refundCases<Subject extends SubjectCore>(
  payment: string,
  pay: (subject: Subject, merchant: Merchant) => Promise<AskBack>,
): ConformanceCase<Subject>[] {
  const rules = [
    { how: 'in parts up to its amount, and refused beyond', holds: returnsInParts },
    { how: 'once for a reference, however often and concurrently it is asked for', holds: returnsOnce },
    { how: 'up to its amount, also in concurrent parts', holds: holdsToAmount },
  ];
  return rules.map(({ how, holds }) => ({
    name: `${payment} is returned ${how}`,
    async run(subject) {
      const merchant = await subject.newMerchant();
      await holds(subject, merchant, await pay(subject, merchant));
    },
  }));
}
