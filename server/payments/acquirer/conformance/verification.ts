import assert from 'node:assert/strict';
import type { CardDetails, Merchant, Verification } from '../port.ts';
import { AT_ONCE, type CardSubject, type ConformanceCase, knownValue, times } from './subject.ts';

async function verify(
  { acquirer }: CardSubject,
  merchant: Merchant,
  card: CardDetails,
): Promise<{ verification: Verification; again: () => Promise<Verification> }> {
  const { token } = await knownValue(acquirer.tokenizeCard(merchant, card));
  const again = () => knownValue(acquirer.verifyCard(merchant, { token }));
  return { verification: await again(), again };
}

/** Nothing is charged by a verification, so it has no reference and any number of them are one. */
export const verificationCases: readonly ConformanceCase<CardSubject>[] = [
  {
    name: 'a card that may be charged some day is verified, however often and concurrently',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const lacking = subject.declined.filter(({ isVerified }) => isVerified);
      for (const { card } of [...subject.approved, ...lacking]) {
        const { again, verification } = await verify(subject, merchant, card);
        assert.deepEqual(verification, { status: 'verified' });
        const all = await times(AT_ONCE, again);
        assert.ok(all.every(({ status }) => status === 'verified'));
      }
    },
  },
  {
    name: 'a card that never will be is declined at its verification as its charge would be',
    async run(subject) {
      const merchant = await subject.newMerchant();
      for (const { card, reason, isReversible } of subject.declined.filter(({ isVerified }) => !isVerified)) {
        const { again, verification } = await verify(subject, merchant, card);
        assert.ok(verification.status === 'declined' && verification.code !== '');
        assert.deepEqual(verification, { status: 'declined', reason, isReversible, code: verification.code });
        assert.deepEqual(await again(), verification);
      }
    },
  },
  {
    name: 'a card is verified for its merchant alone',
    async run({ acquirer, newMerchant, approved: [first] }) {
      assert.ok(first !== undefined, 'the subject has a card that is approved');
      const { token } = await knownValue(acquirer.tokenizeCard(await newMerchant(), first.card));
      await assert.rejects(acquirer.verifyCard(await newMerchant(), { token }));
    },
  },
];
