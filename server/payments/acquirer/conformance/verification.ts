import assert from 'node:assert/strict';
import type { CardIntake, Merchant } from '../port.ts';
import {
  AT_ONCE,
  type CardSubject,
  type ConformanceCase,
  chargeOf,
  knownValue,
  type TestCard,
  takenCard,
  times,
} from './subject.ts';

const verify = async ({ acquirer }: CardSubject, merchant: Merchant, card: TestCard): Promise<CardIntake> =>
  knownValue(acquirer.verifyCard(merchant, await card.request(merchant)));

/** Nothing is charged by a verification, so it has no reference and any number of them are one. */
export const verificationCases: readonly ConformanceCase<CardSubject>[] = [
  {
    name: 'a card that may be charged some day is verified, however often and concurrently',
    async run(subject) {
      const merchant = await subject.newMerchant();
      const lacking = subject.declined.filter(({ isVerified }) => isVerified);
      for (const { card } of [...subject.approved, ...lacking]) {
        const all = await times(AT_ONCE, () => verify(subject, merchant, card));
        assert.ok(all.every(({ status }) => status === 'taken'));
      }
    },
  },
  {
    name: 'a card that never will be is declined at its verification',
    async run(subject) {
      const merchant = await subject.newMerchant();
      for (const { card } of subject.declined.filter(({ isVerified }) => !isVerified)) {
        const verification = await verify(subject, merchant, card);
        assert.ok(verification.status === 'declined' && verification.code !== '');
        assert.deepEqual(await verify(subject, merchant, card), verification);
      }
    },
  },
  {
    name: 'a verified card is taken in for its merchant alone',
    async run(subject) {
      const { acquirer, newMerchant, approved } = subject;
      const [first] = approved;
      assert.ok(first !== undefined, 'the subject has a card that is approved');
      const merchant = await newMerchant();
      const { token } = await takenCard(acquirer.verifyCard(merchant, await first.card.request(merchant)));
      const foreign = await acquirer.chargeCard(await newMerchant(), chargeOf(token)).catch(() => null);
      assert.ok(foreign === null || !foreign.known || foreign.value.status === 'declined');
    },
  },
];
