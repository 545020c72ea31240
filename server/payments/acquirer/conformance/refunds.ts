import assert from 'node:assert/strict';
import { newSuffix } from '../../../kernel/ids.ts';
import type { Merchant, RefundRequest, RefundStatus } from '../port.ts';
import { AMOUNT, AT_ONCE, type ConformanceCase, type ConformanceSubject, times, told } from './subject.ts';

export const refundOf = (amount: number) =>
  ({ reference: newSuffix(), amount, reason: 'requested_by_customer' }) as const;

export const ask = (
  { acquirer }: ConformanceSubject,
  merchant: Merchant,
  request: RefundRequest,
): Promise<RefundStatus> =>
  told(request.method === 'pix' ? acquirer.refundPix(merchant, request) : acquirer.refundCard(merchant, request));

/** How refunds ended that were asked for, the answers to the requests aside. */
export async function endsOf(
  subject: ConformanceSubject,
  merchant: Merchant,
  requests: RefundRequest[],
): Promise<string[]> {
  const later = await subject.afterReturn(merchant);
  const found = await Promise.all(requests.map((request) => told(subject.acquirer.findRefund(later, request))));
  return found.map(({ status }) => status);
}

/** Asks for money back of one payment of `AMOUNT`, whatever its method. */
export type AskBack = (amount: number) => RefundRequest;

async function returnsInParts(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  assert.deepEqual(await endsOf(subject, merchant, [askBack(1)]), ['unknown_to_acquirer']);
  const parts = [1_500, 2_000, AMOUNT - 1_500 - 2_000, 1].map(askBack);
  for (const part of parts) await ask(subject, merchant, part);
  assert.deepEqual(await endsOf(subject, merchant, parts), ['completed', 'completed', 'completed', 'refused']);
}

/** A second return of the first half would leave too little for the other, and none would leave room for the cent. */
export async function returnsOnce(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  const [half, otherHalf, cent] = [askBack(AMOUNT / 2), askBack(AMOUNT / 2), askBack(1)];
  await times(AT_ONCE, () => ask(subject, merchant, half));
  for (const request of [otherHalf, cent]) await ask(subject, merchant, request);
  assert.deepEqual(await endsOf(subject, merchant, [half, otherHalf, cent]), ['completed', 'completed', 'refused']);
}

async function holdsToAmount(subject: ConformanceSubject, merchant: Merchant, askBack: AskBack): Promise<void> {
  const quarters = Array.from({ length: AT_ONCE }, () => askBack(AMOUNT / 4));
  await Promise.all(quarters.map((quarter) => ask(subject, merchant, quarter)));
  const ends = await endsOf(subject, merchant, quarters);
  assert.equal(ends.filter((status) => status === 'completed').length, 4);
  assert.equal(ends.filter((status) => status === 'refused').length, AT_ONCE - 4);
}

/** Every method returns money by the same rules. */
export function refundCases(
  payment: string,
  pay: (subject: ConformanceSubject, merchant: Merchant) => Promise<AskBack>,
): ConformanceCase[] {
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
