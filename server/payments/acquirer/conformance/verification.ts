import assert from 'node:assert/strict';
import type { CardIntake, Merchant } from '../port.ts';
import {
  AT_ONCE,
  type CardSubject,
  type ConformanceCase,
  chargeOf,
  EXPIRY,
  knownValue,
  type TestCard,
  takenCard,
  times,
  tokenOf,
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
  {
    name: 'a stored card is found as it is, and let go once and for all, for its merchant alone',
    async run(subject) {
      const { acquirer, newMerchant, approved } = subject;
      const [first, second] = approved;
      assert.ok(first !== undefined && second !== undefined, 'the subject has two cards that are approved');
      const merchant = await newMerchant();
      const [token, kept] = [
        await tokenOf(subject, merchant, first.card),
        await tokenOf(subject, merchant, second.card),
      ];
      const open = { status: 'open', expMonth: EXPIRY.month, expYear: EXPIRY.year };
      assert.deepEqual(await knownValue(acquirer.findCard(merchant, { token })), open);
      await acquirer.forgetCard(await newMerchant(), { token }).catch(() => null);
      assert.deepEqual(await knownValue(acquirer.findCard(merchant, { token })), open);
      const all = await times(AT_ONCE, () => knownValue(acquirer.forgetCard(merchant, { token })));
      assert.deepEqual(new Set(all), new Set(['forgotten']));
      assert.deepEqual(await knownValue(acquirer.findCard(merchant, { token })), { status: 'closed' });
      const charge = await knownValue(acquirer.chargeCard(merchant, chargeOf(token)));
      assert.ok(charge.status === 'declined' && !charge.isReversible);
      assert.deepEqual(await knownValue(acquirer.findCard(merchant, { token: kept })), open);
    },
  },
];
